//! R18: `idle` is a plain function.

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
    pub(crate) async unsafe fn idle(_: idle::Context) -> ! {
        loop {}
    }
}
