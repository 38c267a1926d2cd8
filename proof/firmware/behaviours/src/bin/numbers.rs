//! Interrupts are told by their numbers: the enumeration of this device leaves gaps, and counts its
//! names instead of numbering them. Tasks and dispatchers behind the gaps, and their wakers.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [TIMER_3A, UART2, GPIOF, HIBERNATION])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[idle(shared = [count])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.shared.count.lock(|count| {
            quintet::pend(Interrupt::GPIOG);
            quintet::pend(Interrupt::I2C1);
            quintet::pend(Interrupt::ETHERNET);
            hprintln!("locked");
            *count += 1;
        });
        first::spawn().unwrap();
        second::spawn().unwrap();
        third::spawn().unwrap();
        alone::spawn().unwrap();
        hprintln!("spawned");
        first::waker().wake();
        second::waker().wake();
        third::waker().wake();
        alone::waker().wake_by_ref();
        hprintln!("{}", cx.shared.count.lock(|count| *count));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = GPIOG, priority = 1, shared = [count])]
    fn gpiog(mut cx: gpiog::Context) {
        cx.shared.count.lock(|count| *count += 10);
        hprintln!("31");
    }

    #[task(binds = I2C1, priority = 3, shared = [count])]
    fn i2c1(mut cx: i2c1::Context) {
        cx.shared.count.lock(|count| *count += 100);
        hprintln!("37");
    }

    #[task(binds = ETHERNET, priority = 5)]
    fn ethernet(_: ethernet::Context) {
        hprintln!("42");
    }

    #[task(priority = 1)]
    async fn first(_: first::Context) {
        twice("first").await;
    }

    #[task(priority = 1)]
    async fn second(_: second::Context) {
        twice("second").await;
    }

    #[task(priority = 2)]
    async fn third(_: third::Context) {
        twice("third").await;
    }

    #[task(priority = 4)]
    async fn alone(_: alone::Context) {
        twice("alone").await;
    }

    async fn twice(name: &str) {
        hprintln!("{}", name);
        let mut suspended = false;
        poll_fn(|_| {
            if core::mem::replace(&mut suspended, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        hprintln!("{} again", name);
    }
}
