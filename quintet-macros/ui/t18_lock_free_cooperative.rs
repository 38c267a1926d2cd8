//! T18: where the scheduler is cooperative, an interrupt preempts software tasks of its priority.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
mod app {
    #[shared]
    struct Shared {
        #[lock_free]
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[task(binds = UART0, priority = 1, shared = [count])]
    fn receive(_: receive::Context) {}

    #[task(priority = 1, shared = [count])]
    fn parse(_: parse::Context) {}
}
