//! R10: resources are listed by name, so their struct has named fields.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[shared]
    struct Shared(u32);

    #[local]
    struct Local;
}
