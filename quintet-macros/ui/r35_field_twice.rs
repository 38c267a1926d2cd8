//! R35: a struct has one field of a name, unless conditions exclude the others.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        count: u8,
    }

    #[local]
    struct Local {
        #[cfg(feature = "fast")]
        own: u32,
        own: u8,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local { own: 0 })
    }
}
