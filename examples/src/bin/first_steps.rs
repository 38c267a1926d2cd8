//! First steps: an application with a task of each kind, and the order in which they run.
//!
//! `init` runs first, with every interrupt held off. A hardware task is an interrupt's routine. An
//! async task is spawned. `idle` runs when nothing else does.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use lm3s6965::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        presses: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        println!("init: nothing else runs yet");
        quintet::pend(Interrupt::GPIOA);
        (Shared {}, Local { presses: 0 })
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        println!("idle: nothing else has anything to do");
        quintet::pend(Interrupt::GPIOA);
        println!("idle: the end");
        semihosting::process::exit(0)
    }

    // A hardware task: the routine of the interrupt GPIOA. The variable is its own, so that no lock
    // is needed, and lives on between runs.
    #[task(binds = GPIOA, priority = 2, local = [presses])]
    fn button(cx: button::Context) {
        *cx.local.presses += 1;
        println!("button: pressed {} times", cx.local.presses);
        if count::spawn(*cx.local.presses).is_err() {
            println!("button: the last press is still being counted");
        }
    }

    // A software task: async, with arguments, run from the interrupt SSI0, which is free.
    #[task(priority = 1)]
    async fn count(_: count::Context, presses: u32) {
        println!("count: {presses}");
    }
}
