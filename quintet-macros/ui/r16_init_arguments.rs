//! R16: `init` has only `local`.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init(shared = [count], priority = 1, capacity = 2)]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
