//! Timers, armed, cancelled and expiring while others are armed and cancelled at every moment: none
//! is early, late or lost, and the clock never goes back.
#![no_std]
#![no_main]

use lm3s6965::interrupt;

/// The processor's clock, and that of `embassy-time` here: a tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::systick_timer!(Clock, HZ);

/// Above every mask: it wakes, and looks at the clock.
#[interrupt]
fn ADC0_SEQUENCE_0() {
    app::look();
    app::first::waker().wake();
}

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use super::Clock;
    use campaign::{Count, begin, end, succeed, urgent};
    use core::future::{Future, pending};
    use core::pin::pin;
    use core::task::{Context, Waker};
    use cortex_m::peripheral::DWT;
    use embassy_time::{Duration, Instant};
    use quintet::time::{Ticker, Timer, delay, timeout};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// How late a task may be, in cycles: everything that runs before it, and what is injected.
    const LATE_MAX: u64 = 5000;
    /// Longer than all else: if this is the alarm instead of an earlier one, that one is late.
    const LONG: u64 = 30_000;

    /// What lies between the two counters' readings, at most.
    const SKEW: i32 = 100;
    /// The clock when the processor's cycles were 0.
    static OFFSET: Count = Count::new();
    /// Tasks that have seen all of their timers.
    static DONE: Count = Count::new();

    #[init]
    fn init(mut cx: init::Context) -> (Shared, Local) {
        cx.core.DCB.enable_trace();
        cx.core.DWT.enable_cycle_counter();
        Clock::start(cx.core.SYST);
        let cycles = DWT::cycle_count();
        OFFSET.put((Instant::now().as_ticks() as u32).wrapping_sub(cycles));
        urgent::enable();
        (Shared {}, Local {})
    }

    /// The clock goes on, exactly as the processor's cycles do.
    #[inline]
    pub fn look() {
        let before = DWT::cycle_count();
        let now = Instant::now().as_ticks() as u32;
        let after = DWT::cycle_count();
        let now = now.wrapping_sub(OFFSET.get());
        let (since, until) = (now.wrapping_sub(before) as i32, after.wrapping_sub(now) as i32);
        assert!(since > -SKEW && until > -SKEW, "the clock is off by {since} or {until}");
    }

    /// The present is behind the deadline, and not far.
    #[inline]
    fn check(deadline: Instant) {
        look();
        let now = Instant::now();
        assert!(now >= deadline, "early");
        assert!((now - deadline).as_ticks() < LATE_MAX, "late");
    }

    /// Arms a timer for a waker, and cancels it.
    #[inline]
    fn arm_and_cancel(ticks: u64, waker: &Waker) {
        let timer = pin!(Timer::after(Duration::from_ticks(ticks)));
        let _ = timer.poll(&mut Context::from_waker(waker));
    }

    /// Arms the timer of a task's own, which can't be cancelled.
    #[inline]
    fn schedule(ticks: u64, waker: &Waker) {
        let timer = pin!(embassy_time::Timer::after_ticks(ticks));
        let _ = timer.poll(&mut Context::from_waker(waker));
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let long = pin!(Timer::after(Duration::from_ticks(LONG)));
        let _ = long.poll(&mut Context::from_waker(&first::waker()));
        begin();
        assert!(first::spawn().is_ok());
        assert!(second::spawn().is_ok());
        assert!(third::spawn().is_ok());
        assert!(fourth::spawn().is_ok());
        look();
        arm_and_cancel(70, &first::waker());
        schedule(50, &second::waker());
        look();
        // The event of an interrupt that comes between the two ends the wait.
        while DONE.get() < 4 {
            cortex_m::asm::wfe();
        }
        end();
        look();
        succeed()
    }

    #[task(priority = 1)]
    async fn first(_: first::Context) {
        for ticks in [450, 40, 0] {
            let timer = delay(Duration::from_ticks(ticks));
            let deadline = timer.deadline();
            timer.await;
            check(deadline);
        }
        DONE.add();
    }

    #[task(priority = 1)]
    async fn second(_: second::Context) {
        let mut ticker = Ticker::every(Duration::from_ticks(400));
        let first = ticker.next().await;
        check(first);
        let next = ticker.next().await;
        check(next);
        assert!((next - first).as_ticks() == 400, "a period drifts");
        DONE.add();
    }

    #[task(priority = 3)]
    async fn third(_: third::Context) {
        for ticks in [300, 100] {
            let deadline = Instant::now() + Duration::from_ticks(ticks);
            embassy_time::Timer::at(deadline).await;
            check(deadline);
        }
        DONE.add();
    }

    #[task(priority = 3)]
    async fn fourth(_: fourth::Context) {
        let deadline = Instant::now() + Duration::from_ticks(350);
        let result = timeout(Duration::from_ticks(350), pending::<()>()).await;
        assert!(result.is_err());
        check(deadline);
        let result = timeout(Duration::from_ticks(1000), delay(Duration::from_ticks(60))).await;
        assert!(result.is_ok());
        DONE.add();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        look();
        arm_and_cancel(30, &second::waker());
        schedule(90, &first::waker());
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        schedule(20, &third::waker());
        arm_and_cancel(0, &first::waker());
        arm_and_cancel(200, &first::waker());
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        look();
        arm_and_cancel(5, &fourth::waker());
        fourth::waker().wake();
    }
}
