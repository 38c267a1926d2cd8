//! R20: `idle` never returns, so software tasks of priority 0 would never run.

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
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[task(priority = 0)]
    async fn explicit(_: explicit::Context) {}

    #[task]
    async fn by_default(_: by_default::Context) {}
}
