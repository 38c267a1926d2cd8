//! A thread whose future wakes itself whenever it is polled: the other thread of its priority has
//! its turn all the same.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
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

    #[thread(priority = 1, stack = 768)]
    fn busy(cx: busy::Context) {
        let _ = equal::start();
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

    #[thread(priority = 1, stack = 768, manual)]
    fn equal(_: equal::Context) {
        hprintln!("the thread of the same priority");
    }
}
