//! Software tasks on a Cortex-M0: an interrupt hands values on, and wakes a task that waits.
//!
//! Without LDREX and STREX, making a task ready holds every interrupt off for a few instructions.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = embassy_nrf, peripherals = false, dispatchers = [SWI0, SWI1])]
mod app {
    use core::future::poll_fn;
    use core::task::{Poll, Waker};

    use cortex_m::peripheral::NVIC;
    use embassy_nrf::interrupt::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {
        /// Who waits for the sum, and the sum.
        waiting: (Option<Waker>, u32),
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // Not spawned before.
        let _ = waits::spawn();
        (Shared { waiting: (None, 0) }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        println!("idle: one interrupt");
        NVIC::pend(Interrupt::SWI2);
        println!("idle: another");
        NVIC::pend(Interrupt::SWI2);
        println!("idle: all done");
        semihosting::process::exit(0)
    }

    /// Each interrupt hands a value on; the task's queue has room for one.
    #[task(binds = SWI2, priority = 3, local = [count: u32 = 0])]
    fn interrupt(cx: interrupt::Context) {
        *cx.local.count += 20;
        println!("interrupt: hands on {}", *cx.local.count);
        if let Err(value) = add::spawn(*cx.local.count) {
            println!("interrupt: {value} is lost");
        }
        if let Err(value) = add::spawn(1) {
            println!("interrupt: no room for {value}");
        }
    }

    /// More urgent than the task that it wakes.
    #[task(priority = 2, shared = [waiting])]
    async fn add(mut cx: add::Context, value: u32) {
        let waker = cx.shared.waiting.lock(|(waker, sum)| {
            *sum += value;
            waker.take()
        });
        println!("add: {value}");
        if let Some(waker) = waker {
            waker.wake();
        }
        println!("add: has woken who waits");
    }

    #[task(priority = 1, shared = [waiting])]
    async fn waits(mut cx: waits::Context) {
        let mut seen = 0;
        loop {
            seen = poll_fn(|context| {
                cx.shared.waiting.lock(|(waker, sum)| {
                    if *sum != seen {
                        return Poll::Ready(*sum);
                    }
                    *waker = Some(context.waker().clone());
                    Poll::Pending
                })
            })
            .await;
            println!("waits: the sum is {seen}");
        }
    }
}
