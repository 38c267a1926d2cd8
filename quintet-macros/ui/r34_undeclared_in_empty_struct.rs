//! R34: an empty struct has nothing to list.

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

    #[idle(shared = [count], local = [own])]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }
}
