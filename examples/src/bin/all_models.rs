//! Interrupt tasks, async tasks and threads in one image: one line of priorities, and the same
//! objects for all.
#![no_std]
#![no_main]

use embassy_time::{Duration, Timer};

quintet::systick_timer!(Clock, 12_000_000);

// begin: application
#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use lm3s6965::Interrupt;
    use quintet::sync::{Channel, Signal};
    use semihosting::println;

    use super::{Clock, Duration, Timer};

    /// Measurements: from an async task to a thread.
    static SAMPLES: Channel<u32, 4> = Channel::new();
    /// Results: from a thread to an async task.
    static RESULT: Signal<u32> = Signal::new();

    #[shared]
    struct Shared {
        /// Used by an interrupt task and by a thread: locking it holds off interrupts up to the
        /// task's priority.
        errors: u32,
        /// Used by a thread and by a task that a thread hosts: every interrupt stays open.
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(sample::spawn().is_ok() && report::spawn().is_ok());
        (Shared { errors: 0, sum: 0 }, Local {})
    }

    // Above all software: an interrupt.
    #[task(binds = GPIOA, priority = 5, shared = [errors])]
    fn fault(mut cx: fault::Context) {
        cx.shared.errors.lock(|errors| *errors += 1);
    }

    // Above the threads: an async task of a level of its own, which preempts them.
    #[task(priority = 4)]
    async fn sample(_: sample::Context) {
        for number in 1..=4 {
            Timer::after(Duration::from_millis(1)).await;
            SAMPLES.send(number * 10).await;
        }
        quintet::pend(Interrupt::GPIOA);
    }

    // A thread: it waits where it is.
    #[thread(priority = 3, stack = 1024, shared = [errors, sum])]
    fn filter(mut cx: filter::Context) {
        for _ in 0..4 {
            let sample = SAMPLES.receive().block(&cx.thread);
            cx.shared.sum.lock(|sum| *sum += sample);
        }
        cx.thread.delay(Duration::from_millis(1));
        println!("filter: {} errors", cx.shared.errors.lock(|errors| *errors));
        RESULT.signal(cx.shared.sum.lock(|sum| *sum));
    }

    // Below a thread: an async task that a thread hosts by itself.
    #[task(priority = 1, shared = [sum])]
    async fn report(mut cx: report::Context) {
        let result = RESULT.wait().await;
        println!("report: {result}, {}", cx.shared.sum.lock(|sum| *sum));
        semihosting::process::exit(0)
    }
}
// end: application
