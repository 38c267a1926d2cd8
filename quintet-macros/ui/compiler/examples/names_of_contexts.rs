//! `cx.thread` in functions that are no threads, where `cx` is not their context, or only a part of
//! what is named.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use quintet::sync::{Operation, Semaphore};

    static READY: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        cx: Names,
    }

    #[local]
    struct Local {}

    /// Has a field of the name.
    #[derive(Clone, Copy)]
    pub struct Names {
        thread: u8,
    }

    /// What has a context of the name.
    mod outer {
        #[allow(non_upper_case_globals)]
        pub static cx: super::Names = super::Names { thread: 3 };
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = (cx.core, outer::cx.thread);
        let cx = Names { thread: 1 };
        (Shared { cx: Names { thread: cx.thread } }, Local {})
    }

    #[task(binds = UART0, priority = 2, shared = [&cx])]
    fn receive(cx: receive::Context) {
        let _ = cx.shared.cx.thread;
    }

    #[task(priority = 1, shared = [&cx])]
    async fn log(cx: log::Context) {
        fn wait(cx: &worker::Context<'_>) {
            READY.take().block(&cx.thread);
        }
        let _ = (wait, [*cx.shared.cx].map(|cx| cx.thread));
    }

    #[thread(priority = 1, stack = 512)]
    fn worker(cx: worker::Context) {
        READY.take().block(&cx.thread);
    }
}
