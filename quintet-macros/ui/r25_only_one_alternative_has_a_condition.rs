//! R25: alternatives for a vector exclude each other by a condition at each.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[cfg(feature = "fast")]
    #[task(binds = UART0)]
    fn fast(_: fast::Context) {}

    #[task(binds = UART0)]
    fn slow(_: slow::Context) {}
}
