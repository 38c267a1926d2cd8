//! R2: a peripheral access crate without its feature `rt` has interrupts, but no vectors.

#![no_std]
#![no_main]

use panic_halt as _;

/// Such a crate.
mod pac {
    #[cfg(feature = "rt")]
    pub use lm3s6965::interrupt;
    pub use lm3s6965::{Interrupt, NVIC_PRIO_BITS, Peripherals};
}

#[quintet::app(device = crate::pac, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(binds = GPIOA, priority = 2)]
    fn receive(_: receive::Context) {}

    #[task(priority = 1)]
    async fn blink(_: blink::Context) {}
}
