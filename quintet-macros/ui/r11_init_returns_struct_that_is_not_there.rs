//! R11: where there is no struct, `()` stands in its place.

#![no_std]
#![no_main]

struct Shared;

#[quintet::app(device = lm3s6965)]
mod app {
    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[local]
    struct Local {}
}
