//! Threads of a cooperative scheduler: interrupts and threads make more urgent ones ready, and none
//! of them runs before the present one waits or yields.
#![no_std]
#![no_main]

/// Only one thread is between two of its waits.
struct Alone(core::sync::atomic::AtomicBool);

impl Alone {
    /// What a thread does between two waits.
    fn run(&self, work: impl FnOnce()) {
        use core::sync::atomic::Ordering::Relaxed;
        assert!(!self.0.load(Relaxed), "a thread runs in the middle of another");
        self.0.store(true, Relaxed);
        work();
        self.0.store(false, Relaxed);
    }
}

static ALONE: Alone = Alone(core::sync::atomic::AtomicBool::new(false));

#[quintet::app(device = lm3s6965, peripherals = false, scheduler = "cooperative")]
mod app {
    use campaign::begin;
    use campaign::threads::{Counted, over, wait_until_over};

    use super::ALONE;

    static HIGHS: Counted = Counted::new();
    static LOWS: Counted = Counted::new();
    static DRIVERS: Counted = Counted::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    // Whoever waits then waits for ever.
    #[idle]
    fn idle(_: idle::Context) -> ! {
        wait_until_over(|| [&HIGHS, &LOWS, &DRIVERS].into_iter().for_each(Counted::judge), || ())
    }

    #[thread(priority = 3, stack = 768)]
    fn high(_: high::Context) {
        loop {
            HIGHS.take();
            ALONE.run(|| {
                DRIVERS.give();
                LOWS.give();
            });
        }
    }

    #[thread(priority = 2, stack = 768)]
    fn driver(cx: driver::Context) {
        begin();
        for _ in 0..2 {
            ALONE.run(|| {
                HIGHS.give();
                LOWS.give();
                HIGHS.try_take();
            });
            cx.thread.yield_now();
            ALONE.run(|| HIGHS.give());
            DRIVERS.take();
        }
        over();
    }

    #[thread(priority = 1, stack = 768)]
    fn low(_: low::Context) {
        loop {
            LOWS.take();
            ALONE.run(|| DRIVERS.give());
        }
    }

    #[task(binds = GPIOB, priority = 4)]
    fn between(_: between::Context) {
        HIGHS.give();
        DRIVERS.give();
    }

    #[task(binds = GPIOD, priority = 5)]
    fn above(_: above::Context) {
        LOWS.give();
        HIGHS.try_take();
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        HIGHS.give();
        LOWS.give();
    }
}
