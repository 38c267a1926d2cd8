//! Group `threads`, the rows of resources: sections that hold interrupts off, and sections that
//! only threads keep out of.
//!
//! The scenario is written down in `scenarios/threads.toml`.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

#[quintet::app(device = quintet_bench_common::device, peripherals = false)]
mod app {
    use core::hint::black_box;
    use quintet_bench_common::{exit, mark};

    const ROUNDS: u32 = 3;

    #[shared]
    struct Shared {
        with_interrupt: u32,
        with_thread: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { with_interrupt: 0, with_thread: 0 }, Local {})
    }

    /// Makes its resource one whose sections hold interrupts off. It is never pended.
    #[task(binds = TIM3, priority = 8, shared = [with_interrupt])]
    fn interrupt(mut cx: interrupt::Context) {
        cx.shared.with_interrupt.lock(|value| *value += 1);
    }

    /// Makes its resource one that threads share. It ends at once.
    #[thread(priority = 6, stack = 512, shared = [with_thread])]
    fn high(mut cx: high::Context) {
        cx.shared.with_thread.lock(|value| *value += 1);
    }

    #[thread(priority = 4, stack = 512, shared = [with_interrupt, with_thread])]
    fn low(mut cx: low::Context) {
        mark!("start");
        for _ in 0..black_box(ROUNDS) {
            mark!("crit_from");
            cx.shared.with_interrupt.lock(|value| {
                mark!("crit_entered");
                *value += 1;
                mark!("crit_leaving");
            });
            mark!("crit_to");
            mark!("slock_from");
            cx.shared.with_thread.lock(|value| {
                mark!("slock_entered");
                *value += 1;
                mark!("slock_leaving");
            });
            mark!("slock_to");
        }
        mark!("end");
        exit(0)
    }
}
