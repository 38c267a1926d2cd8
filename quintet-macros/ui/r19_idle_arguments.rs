//! R19: `idle` has only `local` and `shared`, each once.

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

    #[idle(priority = 0, local = [], local = [], shared = [], shared = [], binds = UART0)]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }
}
