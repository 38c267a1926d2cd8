//! R37: the value of a variable is constant.

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

    #[task(binds = UART0, local = [a: u32 = compute()])]
    fn receive(_: receive::Context) {}

    fn compute() -> u32 {
        1
    }
}
