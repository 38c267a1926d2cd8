//! Only local resources: `()` stands in the place of the shared ones.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[local]
    struct Local {
        count: u32,
    }

    #[init]
    fn init(_: init::Context) -> ((), Local) {
        ((), Local { count: 0 })
    }

    #[task(binds = UART0, local = [count])]
    fn receive(cx: receive::Context) {
        *cx.local.count += 1;
    }
}
