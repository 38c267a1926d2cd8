//! Timers behind the longest time that SysTick counts at once, and behind the wrap of its counter.
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
    use quintet::time::{Timer, delay_until};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// How late a task may be, in cycles.
    const LATE_MAX: u64 = 3000;
    /// The last time; the counter of 24 bits has wrapped once by then.
    const END: u64 = (1 << 24) + 2000;

    static DONE: Count = Count::new();

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        assert!(long::spawn().is_ok());
        while DONE.get() < 1 {
            cortex_m::asm::wfe();
        }
        end();
        succeed()
    }

    #[task(priority = 1)]
    async fn long(_: long::Context) {
        for ticks in [1 << 23, (1 << 24) - 300, 1 << 24, END] {
            let deadline = Instant::from_ticks(ticks);
            delay_until(deadline).await;
            let now = Instant::now();
            assert!(now >= deadline, "early");
            assert!((now - deadline).as_ticks() < LATE_MAX, "late");
        }
        DONE.add();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        let before = Instant::now();
        let timer = pin!(Timer::after(Duration::from_ticks(500)));
        let _ = timer.poll(&mut Context::from_waker(&long::waker()));
        let now = Instant::now();
        assert!(before <= now, "the clock goes back");
        assert!((now - before).as_ticks() < LATE_MAX, "the clock jumps");
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        long::waker().wake();
        let before = Instant::now();
        assert!(before.as_ticks() < END + LATE_MAX, "the clock jumps");
    }
}
