//! A thread's stack overflows.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use main_firmware::overflow;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 1024)]
    fn worker(_: worker::Context) {
        overflow()
    }
}
