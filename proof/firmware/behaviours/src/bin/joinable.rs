//! Tasks marked `joinable` can be cancelled, aborted, joined and restarted.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, GPIOA])]
mod app {
    use core::future::{pending, poll_fn};
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};

    /// Says when it is dropped.
    struct Loud(u32);

    impl Drop for Loud {
        fn drop(&mut self) {
            hprintln!("{} is dropped", self.0);
        }
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // Nothing runs before `init` returns.
        let never = worker::spawn(1, 0).ok().unwrap();
        hprintln!("cancelled: {}", never.cancel());
        hprintln!("ended: {}", never.has_ended());
        hprintln!("busy: {}", worker::spawn(2, 0).is_err());
        supervisor::spawn().unwrap();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(priority = 1)]
    async fn supervisor(_: supervisor::Context) {
        let mut short = worker::spawn(3, 2).ok().unwrap();
        hprintln!("supervisor joins");
        short.join().await;
        hprintln!("joined, ended: {}", short.has_ended());
        short.abort();

        let long = worker::spawn(4, 1000).ok().unwrap();
        hprintln!("long runs, cancelled: {}", long.cancel());
        let mut next = long.restart((5, 1000)).await.ok().unwrap();
        next.abort();
        next.join().await;

        let forever = forever::spawn().ok().unwrap();
        hprintln!("forever: {}", forever.has_ended());
        let mut forever: forever::Handle = forever.restart(()).await.unwrap();
        forever.abort();
        forever.join().await;
        hprintln!("the end: {}", forever.has_ended());
    }

    /// Runs for some rounds.
    #[task(priority = 2, joinable)]
    async fn worker(_: worker::Context, name: u32, rounds: u32) {
        let _loud = Loud(name);
        for round in 0..rounds {
            hprintln!("{} in round {}", name, round);
            if round > 2 {
                pending::<()>().await;
            }
            yield_now().await;
        }
    }

    #[task(priority = 2, joinable = true)]
    async fn forever(_: forever::Context) -> ! {
        hprintln!("forever");
        pending().await
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
