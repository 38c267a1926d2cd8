//! R11: `init` returns the structs that are marked, in the order shared, local.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Other) {
        (Shared {}, Other {})
    }

    struct Other {}
}
