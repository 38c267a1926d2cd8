//! R46: a function or struct has one role.

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
    #[task(priority = 1)]
    async fn both(_: both::Context) {}

    #[shared]
    #[local]
    struct Both {}
}
