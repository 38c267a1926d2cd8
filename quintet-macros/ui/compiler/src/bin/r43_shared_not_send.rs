//! R43: what crosses from `init` to a task is `Send`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        pointer: *mut u8,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { pointer: core::ptr::null_mut() }, Local {})
    }

    #[task(binds = UART0, shared = [pointer])]
    fn receive(_: receive::Context) {}
}
