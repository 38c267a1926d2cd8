//! R21: instances are of async software tasks, 1 to 32, each with locals of its own.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        buffer: &'static mut [u8; 8],
    }

    #[init(local = [memory: [u8; 8] = [0; 8]])]
    fn init(cx: init::Context) -> (Shared, Local) {
        (Shared {}, Local { buffer: cx.local.memory })
    }

    #[task(priority = 1, instances = 0)]
    async fn none(_: none::Context) {}

    #[task(priority = 1, instances = 33)]
    async fn many(_: many::Context) {}

    #[task(priority = 1, instances = COUNT)]
    async fn counted(_: counted::Context) {}

    #[task(priority = 1, instances = 2, local = [buffer, own: u32 = 0])]
    async fn one_buffer(_: one_buffer::Context) {}

    #[task(priority = 1, instances = 2)]
    fn plain(_: plain::Context) {}

    #[task(priority = 1, instances = 2, joinable)]
    async fn joined(_: joined::Context) {}

    #[task(priority = 1, instances = 2, capacity = 4)]
    async fn both(_: both::Context) {}

    #[task(binds = UART0, instances = 2)]
    fn receive(_: receive::Context) {}
}
