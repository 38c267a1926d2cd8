//! R10: there is one struct of each kind.

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

    #[shared]
    struct More {
        count: u32,
    }

    #[local]
    struct Own {
        count: u32,
    }
}
