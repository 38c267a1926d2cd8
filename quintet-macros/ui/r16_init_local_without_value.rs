//! R16: the variables of `init` are declared in it.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        count: u32,
    }

    #[init(local = [count])]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { count: 0 })
    }
}
