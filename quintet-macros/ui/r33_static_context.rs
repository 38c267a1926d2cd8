//! R33: only a task that never returns has a context that lives forever.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    extern "Rust" {
        #[task(priority = 1)]
        async fn sample(_: sample::Context<'static>);
    }

    #[task(priority = 1)]
    async fn blink(_: blink::Context<'static>) {}

    #[task(priority = 1, joinable)]
    async fn serve(_: serve::Context<'static>) -> ! {
        core::future::pending().await
    }

    #[task(binds = UART1)]
    fn receive(_: receive::Context<'static>) {}
}
