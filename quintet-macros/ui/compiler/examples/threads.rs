//! Every form of a thread: with and without arguments, with all arguments of the attribute, that
//! never ends, with a body elsewhere, under a condition; and tasks that threads host.

#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use panic_halt as _;

quintet::systick_timer!(Clock, 12_000_000);

fn elsewhere(cx: app::elsewhere::Context) {
    cx.thread.yield_now();
}

#[quintet::app(
    device = lm3s6965, dispatchers = [SSI0], scheduler = "preemptive", host_stack = 512
)]
mod app {
    use super::{Clock, elsewhere};

    #[shared]
    struct Shared {
        locked: u32,
        read: u32,
    }

    #[local]
    struct Local {
        own: &'static mut [u8],
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        let _ = with_arguments::start((1, 2), "text");
        (Shared { locked: 0, read: 1 }, Local { own: &mut [] })
    }

    /// Documented.
    #[thread(
        priority = 31, stack = 2 * size_of::<[u8; 300]>(), shared = [locked, &read],
        local = [own, runs: u32 = 0], name = "everything", slice_us = 1000, manual
    )]
    fn everything(mut cx: everything::Context) {
        cx.shared.locked.lock(|locked| *locked += *cx.shared.read);
        *cx.local.runs += cx.local.own.len() as u32;
    }

    #[thread(priority = 1, stack = 256)]
    fn with_arguments(_: with_arguments::Context<'_>, (a, b): (u32, u32), text: &'static str) {
        assert!(a < b && !text.is_empty());
    }

    #[thread(priority = 1, stack = 256, shared = [locked])]
    fn forever(mut cx: forever::Context<'static>) -> ! {
        let _ = everything::start();
        let _ = everything::handle().join(&cx.thread);
        loop {
            cx.shared.locked.lock(|locked| *locked += 1);
        }
    }

    // Of one name, as only one of them exists.
    #[cfg(feature = "extra")]
    #[thread(priority = 2, stack = 256, shared = [locked], name = "more or less")]
    fn extra(_: extra::Context, number: u32) {
        let _ = number;
    }

    #[cfg(not(feature = "extra"))]
    #[thread(priority = 2, stack = 256, name = "more or less")]
    fn less(_: less::Context) {}

    extern "Rust" {
        #[thread(priority = 3, stack = 256, local = [count: u32 = 0])]
        fn elsewhere(cx: elsewhere::Context);
    }

    #[task(priority = 3, shared = [locked])]
    async fn hosted(mut cx: hosted::Context) {
        cx.shared.locked.lock(|locked| *locked += 1);
    }

    #[task(priority = 1, local_task)]
    async fn one(cx: one::Context) {
        let _ = cx.local_spawner.two();
    }

    #[task(priority = 1, local_task, capacity = 2)]
    fn two(_: two::Context) {}
}
