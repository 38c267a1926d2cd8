//! A thread whose future wakes itself whenever it is polled, where the scheduler is cooperative: an
//! equal thread and a more urgent one have their turn all the same.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 800)]
    fn busy(cx: busy::Context) {
        let _ = equal::start();
        let _ = urgent::start();
        cx.thread.block_on(async {
            for step in 1..=3 {
                hprintln!("busy, step {}", step);
                let mut is_later = false;
                poll_fn(|context| {
                    context.waker().wake_by_ref();
                    if core::mem::replace(&mut is_later, true) {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                })
                .await;
            }
        });
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[thread(priority = 1, stack = 800, manual)]
    fn equal(_: equal::Context) {
        hprintln!("the thread of the same priority");
    }

    #[thread(priority = 2, stack = 800, manual)]
    fn urgent(_: urgent::Context) {
        hprintln!("the more urgent thread");
    }
}
