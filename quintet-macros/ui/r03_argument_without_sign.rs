//! R3: what follows a name is `=` or a comma.

#![no_std]
#![no_main]

#[quintet::app(device: lm3s6965, "core")]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
