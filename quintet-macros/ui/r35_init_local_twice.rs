//! R35: a variable of `init` is declared once.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init(local = [a: u32 = 0, a: u32 = 1])]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
