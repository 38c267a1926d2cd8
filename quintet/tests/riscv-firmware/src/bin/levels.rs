//! Software tasks of two levels that share a resource, an async task that another one wakes, and a
//! task that is bound to an interrupt: each step is printed.

#![no_std]
#![no_main]

use riscv_rt as _;
use semihosting as _;

#[quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0, SOFTWARE1])]
mod app {
    use quintet::riscv::Interrupt;
    use quintet::sync::Channel;
    use semihosting::{println, process};

    static NUMBERS: Channel<u32, 2> = Channel::new();

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        println!("init");
        low::spawn().unwrap();
        waiting::spawn().unwrap();
        println!("init ends: nothing ran yet");
        (Shared { total: 0 }, Local {})
    }

    #[idle(shared = [total])]
    fn idle(mut cx: idle::Context) -> ! {
        println!("idle");
        quintet::pend(Interrupt::SOFTWARE7);
        println!("idle: total {}", cx.shared.total.lock(|total| *total));
        process::exit(0)
    }

    #[task(priority = 1, shared = [total])]
    async fn low(mut cx: low::Context) {
        println!("low");
        high::spawn(1).unwrap();
        println!("low: high ran");
        cx.shared.total.lock(|total| {
            high::spawn(10).unwrap();
            println!("low: high is held off, total {total}");
            *total *= 2;
        });
        println!("low: high ran behind the lock");
        NUMBERS.try_send(5).unwrap();
        println!("low: what it woke waits for its end");
    }

    #[task(priority = 1)]
    async fn waiting(_: waiting::Context) {
        println!("waiting: a number");
        let first = NUMBERS.receive().await;
        println!("waiting: {first}, and another number");
        let second = NUMBERS.receive().await;
        println!("waiting: {second}");
    }

    #[task(priority = 2, shared = [total])]
    async fn high(mut cx: high::Context, amount: u32) {
        let total = cx.shared.total.lock(|total| {
            *total += amount;
            *total
        });
        println!("high: total {total}");
    }

    #[task(binds = SOFTWARE7, priority = 3, local = [runs: u32 = 0])]
    fn bound(cx: bound::Context) {
        *cx.local.runs += 1;
        println!("bound: run {}", cx.local.runs);
        NUMBERS.try_send(6).unwrap();
        println!("bound: what it woke waits for its end");
    }
}
