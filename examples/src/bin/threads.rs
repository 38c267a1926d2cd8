//! Threads and a semaphore: functions with a stack of their own, which wait where they are.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use quintet::sync::Semaphore;
    use semihosting::println;

    // begin: semaphore
    /// Presses of a button that nobody has looked at.
    static PRESSES: Semaphore = Semaphore::new(0);
    // end: semaphore

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    // begin: thread
    // Runs whenever there is a press, before any less urgent thread goes on.
    #[thread(priority = 2, stack = 1024, local = [count: u32 = 0])]
    fn counter(cx: counter::Context) {
        loop {
            PRESSES.take().block(&cx.thread);
            *cx.local.count += 1;
            println!("{}: {} presses", cx.thread.name(), cx.local.count);
        }
    }
    // end: thread

    #[thread(priority = 1, stack = 1024)]
    fn worker(_: worker::Context) {
        for step in 1..=3 {
            println!("worker: step {step}");
            quintet::pend(Interrupt::GPIOA);
        }
        println!("worker: the counter is {}", counter::handle().name());
        semihosting::process::exit(0)
    }

    // begin: interrupt
    // Interrupt tasks can't wait, but they can give.
    #[task(binds = GPIOA, priority = 3)]
    fn button(_: button::Context) {
        PRESSES.give();
    }
    // end: interrupt
}
