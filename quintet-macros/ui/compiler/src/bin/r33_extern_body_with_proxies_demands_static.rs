//! R33: the body of a task that never returns takes any lifetime too, if its context has proxies.

#![no_std]
#![no_main]

use panic_halt as _;

async fn sample(_: app::sample::Context<'static>) -> ! {
    core::future::pending().await
}

fn work(_: app::work::Context<'static>) -> ! {
    loop {}
}

fn rest(_: app::rest::Context<'static>) -> ! {
    loop {}
}

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
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

    use super::{rest, sample, work};

    extern "Rust" {
        #[idle(shared = [count])]
        fn rest(_: rest::Context) -> !;

        #[thread(priority = 1, stack = 512, shared = [count])]
        fn work(_: work::Context) -> !;

        #[task(priority = 1, shared = [count])]
        async fn sample(_: sample::Context) -> !;
    }
}
