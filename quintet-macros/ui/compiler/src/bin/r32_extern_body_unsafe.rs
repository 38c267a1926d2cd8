//! R32: a body that only `unsafe` code may call is no body of a function that hardware starts.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use super::bodies::{blink, idle, log, queue, receive, start};

    #[shared]
    pub struct Shared {}

    #[local]
    pub struct Local {}

    extern "Rust" {
        #[init]
        fn start(_: start::Context) -> (Shared, Local);

        #[idle]
        fn idle(_: idle::Context) -> !;

        #[task(binds = GPIOA, priority = 4)]
        fn receive(_: receive::Context);

        #[task(priority = 2)]
        fn log(_: log::Context, value: u32);

        #[task(priority = 3, capacity = 2)]
        fn queue(_: queue::Context);

        #[thread(priority = 1, stack = 512)]
        fn blink(_: blink::Context);

        #[task(priority = 2)]
        async fn sample(_: sample::Context);
    }

    use super::bodies::sample;
}

/// The bodies.
mod bodies {
    use crate::app::{self, Local, Shared};

    pub unsafe fn start(_: app::start::Context<'_>) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    pub unsafe fn idle(_: app::idle::Context<'_>) -> ! {
        loop {}
    }

    pub unsafe fn receive(_: app::receive::Context<'_>) {}

    pub unsafe fn log(_: app::log::Context<'_>, _value: u32) {}

    pub unsafe fn queue(_: app::queue::Context<'_>) {}

    pub unsafe fn blink(_: app::blink::Context<'_>) {}

    pub async unsafe fn sample(_: app::sample::Context<'_>) {}
}
