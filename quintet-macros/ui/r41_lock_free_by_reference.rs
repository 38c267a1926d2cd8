//! R41: reading alone doesn't make two priorities one.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        #[lock_free]
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[task(binds = UART0, shared = [&count])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, priority = 2, shared = [&count])]
    fn send(_: send::Context) {}
}
