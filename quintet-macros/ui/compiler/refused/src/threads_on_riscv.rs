//! Threads on RISC-V, where there are none yet: one message, and nothing that follows from it.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = again::start(1);
        (Shared { count: 0 }, Local {})
    }

    #[thread(priority = 1, stack = 512, shared = [count])]
    fn worker(mut cx: worker::Context) {
        cx.shared.count.lock(|count| *count += 1);
        cx.thread.yield_now();
        again::handle().resume();
    }

    #[thread(priority = 1, stack = 512, manual)]
    fn again(_: again::Context, _count: u32) {}

    #[task(priority = 1, shared = [count])]
    async fn hosted(mut cx: hosted::Context) {
        cx.shared.count.lock(|count| *count += 1);
    }
}
