//! A more urgent task preempts at once, also out of spawn, unless a ceiling covers it; one of equal
//! priority never does; pending vectors of one priority follow their numbers.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        value: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { value: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        low::spawn().unwrap();
        hprintln!("low has ended: {}", low::spawn().is_ok());
        quintet::pend(Interrupt::UART1);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(priority = 1, shared = [value])]
    async fn low(mut cx: low::Context) {
        hprintln!("low");
        high::spawn(1).ok();
        hprintln!("high is suspended: {}", high::spawn(2).is_err());
        cx.shared.value.lock(|value| {
            high::waker().wake();
            hprintln!("high waits for the lock");
            *value += 1;
        });
        hprintln!("low unlocked");
        equal::spawn().unwrap();
        quintet::pend(Interrupt::UART1);
        quintet::pend(Interrupt::UART0);
        hprintln!("low ends");
    }

    #[task(priority = 1)]
    async fn equal(_: equal::Context) {
        hprintln!("equal");
    }

    #[task(priority = 2, shared = [value])]
    async fn high(mut cx: high::Context, by: u32) {
        hprintln!("high");
        let mut suspended = false;
        poll_fn(|_| {
            if core::mem::replace(&mut suspended, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        hprintln!("high goes on with {}", cx.shared.value.lock(|value| *value + by));
    }

    #[task(binds = UART0)]
    fn uart0(_: uart0::Context) {
        hprintln!("uart0");
    }

    #[task(binds = UART1)]
    fn uart1(_: uart1::Context) {
        hprintln!("uart1");
        equal::spawn().ok();
        hprintln!("uart1 ends");
    }
}
