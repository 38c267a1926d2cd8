//! R33: of a body in another module, the context has no proxy if it lives forever.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        total: u32,
        read_only: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, total: 0, read_only: 0 }, Local {})
    }

    extern "Rust" {
        #[idle(shared = [total])]
        fn rest(_: rest::Context<'static>) -> !;

        #[task(priority = 1, shared = [&read_only, count])]
        async fn sample(_: sample::Context<'static>) -> !;

        #[thread(priority = 1, stack = 512, shared = [count])]
        fn blink(_: blink::Context<'static>) -> !;

        #[task(priority = 1, shared = [&read_only])]
        async fn read(_: read::Context<'static>) -> !;
    }
}
