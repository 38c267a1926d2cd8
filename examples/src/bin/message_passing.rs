//! Message passing: tasks send each other arguments. A task takes one message at a time, unless it
//! is given a queue.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use lm3s6965::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        quintet::pend(Interrupt::GPIOA);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        semihosting::process::exit(0)
    }

    #[task(binds = GPIOA, priority = 3)]
    fn producer(_: producer::Context) {
        for sample in 1..=3 {
            // The task is busy from the first spawn until it has ended. A refused message comes
            // back.
            if let Err(sample) = average::spawn(sample) {
                println!("producer: average is busy, {sample} came back");
            }
        }
        for line in ["one", "two", "three", "four"] {
            // begin: spawn
            match print::spawn(line, line.len()) {
                Ok(()) => println!("producer: {line} is queued"),
                Err((line, _)) => println!("producer: the queue is full, {line} came back"),
            }
            // end: spawn
        }
    }

    #[task(priority = 2)]
    async fn average(_: average::Context, sample: u32) {
        println!("average: {sample}");
    }

    // begin: queue
    // An ordinary function, with room for three messages.
    #[task(priority = 1, capacity = 3)]
    fn print(_: print::Context, line: &'static str, length: usize) {
        println!("print: {line} has {length} letters");
    }
    // end: queue
}
