//! A mutex that takes thread mode for one context, where it is one: there are no threads.

#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use core::cell::Cell;
    use embassy_sync::blocking_mutex::ThreadModeMutex;

    static COUNT: ThreadModeMutex<Cell<u32>> = ThreadModeMutex::new(Cell::new(0));

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        COUNT.lock(|count| count.set(count.get() + 1));
        (Shared {}, Local {})
    }
}
