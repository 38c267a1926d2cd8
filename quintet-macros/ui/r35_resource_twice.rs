//! R35: a resource is listed once.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local { own: 0 })
    }

    #[task(binds = UART0, shared = [count, &count], local = [own, own, a: u32 = 0, a: u32 = 1])]
    fn receive(_: receive::Context) {}
}
