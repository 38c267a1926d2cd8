//! A mutex that takes thread mode for one context, and who clears a pended switch, beside threads.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use core::cell::Cell;
    use cortex_m::peripheral::SCB;
    use embassy_sync::blocking_mutex::ThreadModeMutex;

    static COUNT: ThreadModeMutex<Cell<u32>> = ThreadModeMutex::new(Cell::new(0));

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512)]
    fn counts(_: counts::Context) {
        COUNT.lock(|count| count.set(count.get() + 1));
        SCB::clear_pendsv();
        semihosting::process::exit(0)
    }
}
