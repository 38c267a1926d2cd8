//! Sleep in thread mode, with three tasks of priority 0 that wake each other.
#![no_std]
#![no_main]

use campaign::order::Order;
use campaign::sleeper::Sleeper;
use campaign::wakes::Wakes;
use core::hint::black_box;
use lm3s6965::interrupt;

/// The slots of the tasks.
const FIRST: usize = 0;
const MIDDLE: usize = 1;
const SLEEPER_SLOT: usize = 2;

static SLEEPER: Sleeper = Sleeper::new();
static OTHERS: [Wakes; 2] = [const { Wakes::new() }; 2];
static ORDER: Order<3> = Order::new();

/// Above every mask: it wakes, and nothing else.
#[interrupt]
fn ADC0_SEQUENCE_0() {
    SLEEPER.disturb(|| black_box(app::sleeper::waker()).wake());
    ORDER.woken(SLEEPER_SLOT);
    OTHERS[FIRST].ask();
    black_box(app::first::waker()).wake();
    ORDER.woken(FIRST);
}

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    use super::{FIRST, MIDDLE, ORDER, OTHERS, SLEEPER, SLEEPER_SLOT};
    use campaign::{EachPoll, succeed, urgent};
    use core::task::Context;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        urgent::enable();
        SLEEPER.wakes.ask();
        OTHERS[FIRST].ask();
        OTHERS[MIDDLE].ask();
        assert!(sleeper::spawn().is_ok());
        assert!(first::spawn().is_ok());
        assert!(middle::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[task(priority = 0)]
    async fn first(_: first::Context) {
        EachPoll(|_: &mut Context<'_>| {
            ORDER.begin(FIRST);
            if OTHERS[FIRST].poll().is_multiple_of(2) {
                OTHERS[MIDDLE].ask();
                middle::waker().wake();
                ORDER.woken(MIDDLE);
            }
            ORDER.end(FIRST);
            false
        })
        .await;
    }

    #[task(priority = 0)]
    async fn middle(_: middle::Context) {
        EachPoll(|_: &mut Context<'_>| {
            ORDER.begin(MIDDLE);
            OTHERS[MIDDLE].poll();
            ORDER.end(MIDDLE);
            false
        })
        .await;
    }

    #[task(priority = 0)]
    async fn sleeper(_: sleeper::Context) {
        EachPoll(|cx: &mut Context<'_>| {
            ORDER.begin(SLEEPER_SLOT);
            let is_last = SLEEPER.poll(|| {
                cx.waker().wake_by_ref();
                ORDER.woken(SLEEPER_SLOT);
            });
            if !is_last {
                OTHERS[FIRST].ask();
                first::waker().wake();
                ORDER.woken(FIRST);
            }
            ORDER.end(SLEEPER_SLOT);
            is_last
        })
        .await;
        SLEEPER.wakes.judge();
        OTHERS[FIRST].judge();
        OTHERS[MIDDLE].judge();
        succeed()
    }

    #[task(binds = SysTick, priority = 2)]
    fn tick(_: tick::Context) {
        SLEEPER.tick(|| sleeper::waker().wake());
        ORDER.woken(SLEEPER_SLOT);
    }

    #[task(binds = GPIOB, priority = 1)]
    fn one(_: one::Context) {
        OTHERS[MIDDLE].ask();
        middle::waker().wake();
        ORDER.woken(MIDDLE);
        SLEEPER.disturb(|| sleeper::waker().wake_by_ref());
        ORDER.woken(SLEEPER_SLOT);
    }

    #[task(binds = GPIOD, priority = 4)]
    fn four(_: four::Context) {
        SLEEPER.disturb(|| sleeper::waker().wake());
        ORDER.woken(SLEEPER_SLOT);
        OTHERS[FIRST].ask();
        first::waker().wake_by_ref();
        ORDER.woken(FIRST);
    }
}
