//! T19: a context lives forever only where no proxy of it can meet another one of its resource.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        total: u32,
        kept: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, total: 0, kept: 0 }, Local {})
    }

    #[task(priority = 1, shared = [count])]
    async fn sample(_: sample::Context<'static>) -> ! {
        core::future::pending().await
    }

    #[task(priority = 1, local_task, shared = [count])]
    async fn store(_: store::Context, _: u32) {}

    #[task(shared = [total, kept])]
    async fn add(_: add::Context<'static>) -> ! {
        core::future::pending().await
    }

    #[task(shared = [total, kept])]
    async fn print(_: print::Context) {}
}
