//! Statistics: what share of the processor each thread has, how often it was switched to, and how
//! much of its stack it has used, told by the firmware itself.
#![no_std]
#![no_main]

use embassy_time::{Duration, Instant};

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::thread::{self, Processor, Statistics, Thread};
    use semihosting::println;

    use super::{Clock, Duration, Instant};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    /// Works for three of every ten milliseconds, which are 36 000 cycles.
    #[thread(priority = 2, stack = 512)]
    fn worker(cx: worker::Context) {
        let mut next = Instant::now();
        loop {
            cortex_m::asm::delay(12_000);
            next += Duration::from_millis(10);
            cx.thread.delay_until(next);
        }
    }

    // begin: monitor
    /// Says what the last tenth of a second was like.
    #[thread(priority = 1, stack = 1024)]
    fn monitor(cx: monitor::Context) {
        for _ in 0..2 {
            let worker = worker::handle();
            let (before, all_before) = (worker.statistics(), thread::processor());
            cx.thread.delay(Duration::from_millis(100));
            let all = thread::processor().since(all_before);
            say(worker, worker.statistics().since(before), all);
            println!("idle: {} %", percent(all.idle, all));
        }
        semihosting::process::exit(0)
    }

    fn say(thread: &Thread, its: Statistics, all: Processor) {
        let (used, size) = (thread.stack_high_water(), thread.stack_size());
        let share = percent(its, all);
        println!("{}: {share} %, {} switches", thread.name(), its.switches);
        println!("more than half of its stack is left: {}", used < size / 2);
    }

    fn percent(whose: Statistics, all: Processor) -> u16 {
        (all.permille(whose) + 5) / 10
    }
    // end: monitor
}
