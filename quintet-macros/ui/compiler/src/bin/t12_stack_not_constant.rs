//! T12: the size of a stack is a constant number of bytes.

#![no_std]
#![no_main]

use panic_halt as _;

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

    fn size() -> usize {
        1024
    }

    #[thread(priority = 2, stack = size())]
    fn worker(_: worker::Context) {}

    #[thread(priority = 2, stack = "1024")]
    fn reader(_: reader::Context) {}
}
