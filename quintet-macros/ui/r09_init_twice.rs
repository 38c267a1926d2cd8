//! R9: there is one `init`.

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

    #[init]
    fn start(_: start::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
