//! A cooperative scheduler without threads: one place runs all software tasks, and their wakers say
//! each one's own priority. So who waits is served in that order, and a mutex knows its tasks.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::sync::{Mutex, Semaphore};

    static EVENTS: Semaphore = Semaphore::new(0);
    static VALUE: Mutex<u32> = Mutex::for_priority(3, 0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = low::spawn();
        let _ = later::spawn();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn low(_: low::Context) {
        EVENTS.take().await;
        hprintln!("low has an event");
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[task(priority = 3)]
    async fn high(_: high::Context) {
        *VALUE.lock().await += 1;
        EVENTS.take().await;
        hprintln!("high has an event, value {}", *VALUE.lock().await);
    }

    #[task]
    fn later(_: later::Context) {
        let _ = high::spawn();
        let _ = later_still::spawn();
    }

    #[task]
    fn later_still(_: later_still::Context) {
        hprintln!("low waited first");
        EVENTS.give();
        EVENTS.give();
    }
}
