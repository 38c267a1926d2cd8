//! R39: a variable of `init` has the name of no field either.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        buffer: u32,
        unused: u32,
    }

    #[init(local = [buffer: [u8; 64] = [0; 64], unused: u8 = 0])]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { buffer: 0, unused: 0 })
    }

    #[task(binds = UART0, local = [buffer])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, local = [unused: u16 = 0])]
    fn send(_: send::Context) {}
}
