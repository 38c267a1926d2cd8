//! Processes on ARMv6-M, which has none: one message, and nothing that follows from it.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 1,
        count = 2,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [],
    ],
)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
