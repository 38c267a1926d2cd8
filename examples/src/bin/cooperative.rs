//! A cooperative scheduler: the same application as `preemptive`, with one word changed.
#![no_std]
#![no_main]

// begin: application
#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
mod app {
    use quintet::sync::Semaphore;
    use semihosting::println;

    static EVENTS: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 2, stack = 1024)]
    fn foreground(cx: foreground::Context) {
        loop {
            EVENTS.take().block(&cx.thread);
            println!("foreground: an event");
        }
    }

    #[thread(priority = 1, stack = 1024)]
    fn background(cx: background::Context) {
        for step in 1..=2 {
            println!("background: begins step {step}");
            EVENTS.give();
            println!("background: ends step {step}");
            cx.thread.yield_now();
        }
        semihosting::process::exit(0)
    }
}
// end: application
