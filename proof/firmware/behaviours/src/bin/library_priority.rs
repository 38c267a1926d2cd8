//! Libraries over RTIC's wakers, such as `rtic-monotonics`, find the symbol that says up to which
//! priority their interrupts may run.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    unsafe extern "C" {
        static RTIC_ASYNC_MAX_LOGICAL_PRIO: u8;
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the expansion defines it, and nobody writes to it.
        hprintln!("{}", unsafe { RTIC_ASYNC_MAX_LOGICAL_PRIO });
        debug::exit(debug::EXIT_SUCCESS);
        (Shared {}, Local {})
    }

    #[task(binds = UART0, priority = 5)]
    fn five(_: five::Context) {}

    #[task(binds = UART1, priority = 7)]
    fn seven(_: seven::Context) {}

    #[task(priority = 6)]
    async fn six(_: six::Context) {}
}
