//! T04: idle has its name in the lab, whatever its function is called.

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
    fn rest(_: rest::Context) -> ! {
        loop {}
    }

    #[thread(priority = 1, stack = 512, name = "idle")]
    fn worker(_: worker::Context) {}
}
