//! R38: attributes of a resource stand where it is declared.

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

    #[task(binds = UART0, local = [#[link_section = ".fast"] own])]
    fn receive(_: receive::Context) {}
}
