//! Priority inversion, and what ends it: while an urgent thread waits for a mutex, its owner is as
//! urgent, so that a thread in between can't hold up both.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::sync::{InheritanceMutex, Semaphore};
    use semihosting::println;

    static TABLE: InheritanceMutex<u32> = InheritanceMutex::new(0);
    static START: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 3, stack = 1024)]
    fn urgent(cx: urgent::Context) {
        START.take().block(&cx.thread);
        println!("urgent: needs the table");
        let table = TABLE.lock().block(&cx.thread);
        println!("urgent: has the table, {}", *table);
    }

    #[thread(priority = 2, stack = 1024)]
    fn between(cx: between::Context) {
        START.take().block(&cx.thread);
        println!("between: works for a long time, and needs nothing");
    }

    // begin: low
    #[thread(priority = 1, stack = 1024)]
    fn low(cx: low::Context) {
        let mut table = TABLE.lock().block(&cx.thread);
        START.give(); // `urgent` runs, and waits for the table
        println!("low: has priority {} now", low::handle().priority());
        START.give(); // `between` is ready, but less urgent than that
        *table += 1;
        println!("low: leaves the table");
        drop(table); // `urgent` goes on, and then `between`
        println!("low: has priority {} again", low::handle().priority());
        semihosting::process::exit(0)
    }
    // end: low
}
