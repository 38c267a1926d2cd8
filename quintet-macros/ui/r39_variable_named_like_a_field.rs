//! R39: a variable isn't called like a field.

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

    #[task(binds = UART0, local = [own])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, local = [own: u32 = 0])]
    fn send(_: send::Context) {}
}
