//! Sleep in thread mode, with one task of priority 0.
#![no_std]
#![no_main]

use campaign::sleeper::Sleeper;
use core::hint::black_box;
use lm3s6965::interrupt;

static SLEEPER: Sleeper = Sleeper::new();

/// Above every mask: it wakes, and nothing else.
#[interrupt]
fn ADC0_SEQUENCE_0() {
    SLEEPER.disturb(|| black_box(app::sleeper::waker()).wake());
}

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    use super::SLEEPER;
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
        assert!(sleeper::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[task(priority = 0)]
    async fn sleeper(_: sleeper::Context) {
        EachPoll(|cx: &mut Context<'_>| SLEEPER.poll(|| cx.waker().wake_by_ref())).await;
        SLEEPER.wakes.judge();
        succeed()
    }

    #[task(binds = SysTick, priority = 2)]
    fn tick(_: tick::Context) {
        SLEEPER.tick(|| sleeper::waker().wake());
    }

    #[task(binds = GPIOB, priority = 1)]
    fn one(_: one::Context) {
        SLEEPER.disturb(|| sleeper::waker().wake_by_ref());
    }

    #[task(binds = GPIOD, priority = 4)]
    fn four(_: four::Context) {
        SLEEPER.disturb(|| sleeper::waker().wake());
    }
}
