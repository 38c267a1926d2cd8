//! A hosted task that is ready again and again where the scheduler is cooperative: a more urgent
//! hosted task and a thread of the same priority go on behind each of its rounds.
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
        let _ = busy::spawn();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn busy(_: busy::Context) {
        let _ = equal::start();
        let _ = urgent::spawn();
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
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[task(priority = 2)]
    async fn urgent(_: urgent::Context) {
        hprintln!("the more urgent task");
    }

    #[thread(priority = 1, stack = 768, manual)]
    fn equal(_: equal::Context) {
        hprintln!("the thread of the same priority");
    }
}
