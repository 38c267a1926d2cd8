//! A timer of an urgent task is on time whatever less urgent task was arming one: also when a task
//! in between takes long.
#![no_std]
#![no_main]

/// The processor's clock, and that of `embassy-time` here: a tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::systick_timer!(Clock, HZ);

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0])]
mod app {
    use super::Clock;
    use campaign::{Count, begin, end, succeed};
    use core::future::Future;
    use core::pin::pin;
    use core::task::Context;
    use embassy_time::{Duration, Instant};
    use quintet::time::{Timer, delay};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// The delay of the urgent task.
    const DELAY: u64 = 600;
    /// How late it may be: its own way, and the interrupts of its timer and of another one.
    const LATE_MAX: u64 = 1000;
    /// How long the task in between runs.
    const BUSY: u64 = 4000;

    /// Urgent tasks that were spawned, and those that have ended.
    static SPAWNED: Count = Count::new();
    static ENDED: Count = Count::new();

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        for ticks in [500, 300] {
            // Earlier than anything else.
            let timer = pin!(Timer::after(Duration::from_ticks(ticks)));
            let _ = timer.poll(&mut Context::from_waker(&urgent::waker()));
        }
        end();
        while ENDED.get() < SPAWNED.get() {
            cortex_m::asm::wfe();
        }
        succeed()
    }

    #[task(priority = 4)]
    async fn urgent(_: urgent::Context) {
        let timer = delay(Duration::from_ticks(DELAY));
        let deadline = timer.deadline();
        timer.await;
        let now = Instant::now();
        assert!(now >= deadline, "early");
        assert!((now - deadline).as_ticks() < LATE_MAX, "late");
        ENDED.add();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn busy(_: busy::Context) {
        if urgent::spawn().is_ok() {
            SPAWNED.add();
        }
        let start = Instant::now();
        while (Instant::now() - start).as_ticks() < BUSY {}
    }
}
