//! R27: a software task is an `async fn`, or a plain one, of its context and arguments.

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

    #[task(priority = 1)]
    async fn returns(_: returns::Context) -> u32 {
        0
    }

    #[task(priority = 1)]
    fn plain_returns(_: plain_returns::Context) -> u32 {
        0
    }

    #[task(priority = 1)]
    fn plain_diverges(_: plain_diverges::Context) -> ! {
        loop {}
    }

    #[task(priority = 1)]
    async fn alone() {}

    #[task(priority = 1)]
    async fn generic<T>(_: generic::Context, value: T) {}

    #[task(priority = 1)]
    async fn borrows<'a>(_: borrows::Context<'a>) {}

    #[task(priority = 1)]
    pub async fn visible(_: visible::Context) {}

    #[task(priority = 1)]
    async unsafe fn dangerous(_: dangerous::Context) {}

    #[task(priority = 1)]
    async fn method(&self) {}
}
