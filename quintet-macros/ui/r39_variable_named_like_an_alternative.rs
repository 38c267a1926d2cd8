//! R39: a variable isn't called like a field, nor like the second of two alternatives.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        #[cfg(debug_assertions)]
        own: u8,
        #[cfg(not(debug_assertions))]
        own: u32,
        #[cfg(debug_assertions)]
        apart: u8,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { own: 0, #[cfg(debug_assertions)] apart: 0 })
    }

    // Where the first field isn't, the second one is.
    #[task(binds = UART0, local = [#[cfg(not(debug_assertions))] own: u8 = 0])]
    fn send(_: send::Context) {}

    // Where this variable is, there is no field.
    #[task(binds = UART1, local = [#[cfg(not(debug_assertions))] apart: u8 = 0])]
    fn receive(_: receive::Context) {}
}
