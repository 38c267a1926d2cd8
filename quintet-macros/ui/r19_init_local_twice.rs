//! R19: `local` is given once.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init(local = [a: u32 = 0], local = [b: u32 = 0])]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
