//! R34: a listed resource is a field of the struct.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        level: u32,
    }

    #[local]
    struct Local {
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, level: 0 }, Local { own: 0 })
    }

    #[task(binds = UART0, shared = [cuont, own], local = [won, count])]
    fn receive(_: receive::Context) {}
}
