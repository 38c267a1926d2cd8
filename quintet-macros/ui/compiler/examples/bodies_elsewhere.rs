//! Every role with its body in another module.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use crate::bodies::{aborted, forever, receive, rest, sample, start};

    #[shared]
    pub struct Shared {
        pub count: u32,
    }

    #[local]
    pub struct Local {}

    extern "Rust" {
        #[init]
        fn start(_: start::Context) -> (Shared, Local);

        /// Waits.
        #[idle(local = [n: u32 = 0])]
        fn rest(_: rest::Context) -> !;

        #[task(binds = UART0, shared = [count])]
        fn receive(_: receive::Context);

        #[task(priority = 1, shared = [count])]
        async fn sample(_: sample::Context<'_>, value: u32);
    }

    unsafe extern "Rust" {
        #[cfg(all())]
        #[task(priority = 2, local = [n: u32 = 0])]
        async fn forever(_: forever::Context<'static>) -> !;

        #[task(priority = 2, joinable, local = [n: u32 = 0])]
        async fn aborted(_: aborted::Context) -> !;
    }
}

/// The bodies.
mod bodies {
    use quintet::Mutex;

    use crate::app::{self, Local, Shared};

    pub fn start(_: app::start::Context<'_>) -> (Shared, Local) {
        let _ = app::sample::spawn(1);
        let _ = app::forever::spawn();
        (Shared { count: 0 }, Local {})
    }

    pub fn rest(cx: app::rest::Context<'_>) -> ! {
        loop {
            *cx.local.n += 1;
            quintet::export::wfi();
        }
    }

    pub fn receive(mut cx: app::receive::Context<'_>) {
        cx.shared.count.lock(|count| *count += 1);
    }

    pub async fn sample(mut cx: app::sample::Context<'_>, value: u32) {
        cx.shared.count.lock(|count| *count += value);
    }

    pub async fn forever(cx: app::forever::Context<'static>) -> ! {
        let n: &'static mut u32 = cx.local.n;
        loop {
            *n += 1;
            core::future::pending::<()>().await;
        }
    }

    pub async fn aborted(cx: app::aborted::Context<'_>) -> ! {
        *cx.local.n += 1;
        core::future::pending().await
    }
}
