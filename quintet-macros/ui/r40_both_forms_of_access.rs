//! R40: a resource is locked by all its users or by none.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
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

    #[task(binds = UART0, shared = [count])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, shared = [&count])]
    fn send(_: send::Context) {}

    #[idle(shared = [&count])]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }
}
