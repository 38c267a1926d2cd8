//! R10: resources become static variables, which have one type.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[shared]
    struct Shared<T> {
        count: T,
    }

    #[local]
    struct Local {}
}
