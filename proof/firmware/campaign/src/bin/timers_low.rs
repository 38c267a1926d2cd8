//! The timer's interrupt at a priority below that of tasks that arm timers: they come between its
//! steps, and are on time as soon as it may run.
#![no_std]
#![no_main]

/// The processor's clock, and that of `embassy-time` here: a tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::systick_timer!(Clock, HZ, priority = 2, priority_bits = 3);

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
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

    /// How late a task may be.
    const LATE_MAX: u64 = 2500;
    /// Longer than any test: if this is the alarm instead of an earlier one, that one is late.
    const LONG: u64 = 20_000;

    static SPAWNED: Count = Count::new();
    static ENDED: Count = Count::new();

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    /// Waits, and is on time.
    async fn wait(ticks: u64) {
        let timer = delay(Duration::from_ticks(ticks));
        let deadline = timer.deadline();
        timer.await;
        let now = Instant::now();
        assert!(now >= deadline, "early");
        assert!((now - deadline).as_ticks() < LATE_MAX, "late");
    }

    /// Spawns the urgent task.
    fn spawn() {
        if urgent::spawn().is_ok() {
            SPAWNED.add();
        }
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let long = pin!(Timer::after(Duration::from_ticks(LONG)));
        let _ = long.poll(&mut Context::from_waker(&low::waker()));
        SPAWNED.add();
        begin();
        assert!(low::spawn().is_ok());
        while ENDED.get() < SPAWNED.get() {
            cortex_m::asm::wfe();
        }
        end();
        // What came last may still wait.
        while ENDED.get() < SPAWNED.get() {
            cortex_m::asm::wfe();
        }
        succeed()
    }

    #[task(priority = 1)]
    async fn low(_: low::Context) {
        wait(300).await;
        spawn();
        wait(200).await;
        ENDED.add();
    }

    #[task(priority = 3)]
    async fn urgent(_: urgent::Context) {
        wait(100).await;
        ENDED.add();
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        spawn();
    }

    #[task(binds = GPIOE, priority = 5)]
    fn far_above(_: far_above::Context) {
        let timer = pin!(Timer::after(Duration::from_ticks(60)));
        let _ = timer.poll(&mut Context::from_waker(&urgent::waker()));
    }
}
