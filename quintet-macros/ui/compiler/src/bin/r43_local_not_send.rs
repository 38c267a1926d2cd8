//! R43: the same for a local resource.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        pointer: *mut u8,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { pointer: core::ptr::null_mut() })
    }

    #[task(binds = UART0, local = [pointer])]
    fn receive(_: receive::Context) {}
}
