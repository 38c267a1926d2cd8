//! R41: `#[lock_free]` is a bare word, for shared resources.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        #[lock_free(always)]
        count: u32,
    }

    #[local]
    struct Local {
        #[lock_free]
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local { own: 0 })
    }
}
