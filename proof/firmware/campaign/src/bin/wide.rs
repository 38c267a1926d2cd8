//! Wakes and rounds of a level of more than 32 tasks, within and across its words.
#![no_std]
#![no_main]

use campaign::order::Order;
use campaign::wakes::Wakes;
use core::hint::black_box;
use lm3s6965::interrupt;

/// The tasks that are used: the first of the first word, another one, the last; two of the second.
const T00: usize = 0;
const T05: usize = 1;
const T31: usize = 2;
const T32: usize = 3;
const T33: usize = 4;

static TASKS: [Wakes; 5] = [const { Wakes::new() }; 5];
static ORDER: Order<5> = Order::new();

/// Wakes a task by the function that its waker points to.
#[inline]
fn wake(task: usize) {
    TASKS[task].ask();
    let waker = match task {
        T00 => app::t00::waker(),
        T31 => app::t31::waker(),
        T32 => app::t32::waker(),
        _ => app::t33::waker(),
    };
    black_box(waker).wake();
}

/// One run of a task. Two of them wake others.
#[inline]
fn job(task: usize) -> bool {
    ORDER.begin(task);
    let others: &[usize] = match (task, TASKS[task].poll()) {
        (T31, 1) => &[T00, T32],
        (T32, 2) => &[T31, T33, T32],
        _ => &[],
    };
    for other in others {
        wake(*other);
        ORDER.woken(*other);
    }
    ORDER.end(task);
    false
}

/// Above every mask: it wakes, and nothing else.
#[interrupt]
fn ADC0_SEQUENCE_0() {
    wake(T31);
    ORDER.woken(T31);
    wake(T33);
    ORDER.woken(T33);
}

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0])]
mod app {
    use super::{ORDER, T00, T05, T31, T32, T33, TASKS, job, wake};
    use campaign::{EachPoll, begin, end, succeed, urgent};
    use core::task::Context;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        urgent::enable();
        for slot in [T00, T31, T32, T33] {
            TASKS[slot].ask();
        }
        assert!(t00::spawn().is_ok());
        assert!(t31::spawn().is_ok());
        assert!(t32::spawn().is_ok());
        assert!(t33::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        wake(T31);
        TASKS[T32].ask();
        t32::waker().wake();
        wake(T33);
        // Spawned while interrupts come.
        TASKS[T05].ask();
        assert!(t05::spawn().is_ok());
        end();
        for task in &TASKS {
            task.judge();
        }
        succeed()
    }

    #[task(binds = GPIOB, priority = 1)]
    fn below(_: below::Context) {
        wake(T00);
        wake(T32);
    }

    #[task(binds = GPIOD, priority = 3)]
    fn above(_: above::Context) {
        wake(T32);
        ORDER.woken(T32);
        wake(T00);
        ORDER.woken(T00);
    }

    #[task(priority = 2)]
    async fn t00(_: t00::Context) {
        EachPoll(|_: &mut Context<'_>| job(T00)).await;
    }

    #[task(priority = 2)]
    async fn t01(_: t01::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t02(_: t02::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t03(_: t03::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t04(_: t04::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t05(_: t05::Context) {
        EachPoll(|_: &mut Context<'_>| job(T05)).await;
    }

    #[task(priority = 2)]
    async fn t06(_: t06::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t07(_: t07::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t08(_: t08::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t09(_: t09::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t10(_: t10::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t11(_: t11::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t12(_: t12::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t13(_: t13::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t14(_: t14::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t15(_: t15::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t16(_: t16::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t17(_: t17::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t18(_: t18::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t19(_: t19::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t20(_: t20::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t21(_: t21::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t22(_: t22::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t23(_: t23::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t24(_: t24::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t25(_: t25::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t26(_: t26::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t27(_: t27::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t28(_: t28::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t29(_: t29::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t30(_: t30::Context) {
        EachPoll(|_: &mut Context<'_>| panic!("nobody has spawned it")).await;
    }

    #[task(priority = 2)]
    async fn t31(_: t31::Context) {
        EachPoll(|_: &mut Context<'_>| job(T31)).await;
    }

    #[task(priority = 2)]
    async fn t32(_: t32::Context) {
        EachPoll(|_: &mut Context<'_>| job(T32)).await;
    }

    #[task(priority = 2)]
    async fn t33(_: t33::Context) {
        EachPoll(|_: &mut Context<'_>| job(T33)).await;
    }
}
