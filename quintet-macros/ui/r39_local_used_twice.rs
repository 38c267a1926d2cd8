//! R39: a local resource has one owner.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { own: 0 })
    }

    #[idle(local = [own])]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[task(binds = UART0, local = [own])]
    fn receive(_: receive::Context) {}

    #[cfg(feature = "fast")]
    #[task(binds = UART1, local = [own])]
    fn send(_: send::Context) {}
}
