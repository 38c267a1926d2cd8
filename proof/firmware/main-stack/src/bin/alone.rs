//! Main's stack overflows in `idle`, without threads.
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

    #[idle]
    fn idle(_: idle::Context) -> ! {
        overflow()
    }
}
