//! R12: functions of the application have a name each.

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

    #[idle]
    fn init(_: init::Context) -> ! {
        loop {}
    }

    #[task(binds = UART0)]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1)]
    fn receive(_: receive::Context) {}
}
