//! The same with threads, whose switch takes the lowest of the priorities.
#![no_std]
#![no_main]

use panic_halt as _;

mod device {
    pub const NVIC_PRIO_BITS: u8 = 8;

    pub use lm3s6965::interrupt;
}

#[quintet::app(device = crate::device, peripherals = false, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        counter: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { counter: 0 }, Local {})
    }

    #[thread(priority = 2, stack = 512, shared = [counter])]
    fn worker(mut cx: worker::Context) {
        cx.shared.counter.lock(|counter| *counter += 1);
    }

    #[task(binds = UART0, priority = 255, shared = [counter])]
    fn highest(mut cx: highest::Context) {
        cx.shared.counter.lock(|counter| *counter += 1);
    }

    #[task(priority = 1, shared = [counter])]
    async fn lowest(mut cx: lowest::Context) {
        cx.shared.counter.lock(|counter| *counter += 1);
    }
}
