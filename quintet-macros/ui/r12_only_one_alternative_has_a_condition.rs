//! R12: tasks of one name exclude each other by a condition at each.

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
    fn receive(_: receive::Context) {}

    #[task(binds = UART0)]
    fn receive(_: receive::Context) {}
}
