//! R16: arguments stand in parentheses.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init = "local"]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
