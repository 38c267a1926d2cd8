//! Tasks of one priority run in the order of their names, in rounds that are live; those of
//! priority 0 as well, in thread mode.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprint, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // By bytes: capitals before `_`, before small letters, before longer names.
        ab::spawn().unwrap();
        a_b::spawn().unwrap();
        a2::spawn().unwrap();
        aB::spawn().unwrap();
        a10::spawn().unwrap();
        _c::spawn().unwrap();
        B::spawn().unwrap();
        // Pended by hand, with and without something ready.
        quintet::pend(Interrupt::QEI0);
        quintet::pend(Interrupt::SSI0);
        zero_z::spawn().unwrap();
        zero_a::spawn().unwrap();
        (Shared {}, Local {})
    }

    #[task(priority = 2)]
    async fn ab(_: ab::Context) {
        hprintln!("ab");
        // Both are behind in this round: they run in the next one, in their order.
        live_c::spawn().unwrap();
        live_a::spawn().unwrap();
    }
    #[task(priority = 2)]
    async fn a_b(_: a_b::Context) {
        hprint!("a_b ");
    }
    #[task(priority = 2)]
    async fn a2(_: a2::Context) {
        hprint!("a2 ");
    }
    #[allow(non_snake_case)]
    #[task(priority = 2)]
    async fn aB(_: aB::Context) {
        hprint!("aB ");
    }
    #[task(priority = 2)]
    async fn a10(_: a10::Context) {
        hprint!("a10 ");
    }
    #[task(priority = 2)]
    async fn _c(_: _c::Context) {
        hprint!("_c ");
    }
    #[allow(non_snake_case)]
    #[task(priority = 2)]
    async fn B(_: B::Context) {
        hprint!("B ");
    }

    #[task(priority = 1)]
    async fn live_a(_: live_a::Context) {
        hprint!("live a, ");
        // Ahead in this round.
        live_b::spawn().unwrap();
        yield_now().await;
        hprint!("a again, ");
    }
    #[task(priority = 1)]
    async fn live_b(_: live_b::Context) {
        hprint!("live b, ");
        yield_now().await;
        hprintln!("b again");
    }
    #[task(priority = 1)]
    async fn live_c(_: live_c::Context) {
        hprint!("live c, ");
    }

    #[task]
    async fn zero_a(_: zero_a::Context) {
        for n in 0..3 {
            hprint!("a{} ", n);
            yield_now().await;
        }
    }
    #[task]
    async fn zero_z(_: zero_z::Context) {
        for n in 0..3 {
            hprint!("z{} ", n);
            yield_now().await;
        }
        hprintln!("end");
        debug::exit(debug::EXIT_SUCCESS);
    }

    async fn yield_now() {
        let mut done = false;
        poll_fn(|cx| {
            if done {
                return Poll::Ready(());
            }
            done = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}
