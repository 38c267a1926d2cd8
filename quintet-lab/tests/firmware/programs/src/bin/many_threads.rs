//! An application with more threads than the memory protection unit has regions. It is looked at,
//! not run.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;
}

#[quintet::app(device = crate::device, peripherals = false)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = hosted::spawn();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn hosted(_: hosted::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn first(_: first::Context) {
        let _ = at_will::start();
    }

    #[thread(priority = 2, stack = 256)]
    fn second(_: second::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn third(_: third::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn fourth(_: fourth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn fifth(_: fifth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn sixth(_: sixth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn seventh(_: seventh::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn eighth(_: eighth::Context) {}

    #[thread(priority = 3, stack = 256, manual)]
    fn at_will(_: at_will::Context) {}
}
