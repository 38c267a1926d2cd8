//! Between two rounds the dispatcher leaves its interrupt: a hardware task of equal priority with a
//! lower vector number goes first. Within a round it waits, and one with a higher number waits
//! until no task is ready.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        a::spawn().unwrap();
        b::spawn().unwrap();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        hprintln!("idle");
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(priority = 2)]
    async fn a(_: a::Context) {
        for turn in 0..3 {
            hprintln!("a{}", turn);
            if turn == 1 {
                quintet::pend(Interrupt::UART0);
                quintet::pend(Interrupt::GPIOE);
                quintet::pend(Interrupt::I2C0);
                hprintln!("a{} pended all", turn);
            }
            yield_now().await;
        }
    }

    #[task(priority = 2)]
    async fn b(_: b::Context) {
        for turn in 0..3 {
            hprintln!("b{}", turn);
            yield_now().await;
        }
    }

    #[task(binds = GPIOE, priority = 2)]
    fn before(_: before::Context) {
        hprintln!("a lower number than the dispatcher's");
    }

    #[task(binds = I2C0, priority = 2)]
    fn behind(_: behind::Context) {
        hprintln!("a higher number than the dispatcher's");
    }

    #[task(binds = UART0, priority = 3)]
    fn above(_: above::Context) {
        hprintln!("a higher priority");
    }

    async fn yield_now() {
        let mut done = false;
        poll_fn(|cx| {
            if core::mem::replace(&mut done, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}
