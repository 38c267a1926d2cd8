//! Group `async`, the rows of time: Quintet's timer queue.
//!
//! The scenario is written down in `scenarios/async.toml`.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

#[quintet::app(
    device = quintet_bench_common::device,
    peripherals = false,
    dispatchers = [EXTI1, EXTI2, EXTI3]
)]
mod app {
    use core::hint::spin_loop;
    use core::pin::pin;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use quintet::time::{Instant, Timer};
    use quintet_bench_common::device::{Interrupt, pend};
    use quintet_bench_common::park::{Parking, hold, once};
    use quintet_bench_common::{exit, mark};
    use quintet_benches::time;

    /// Where the task waits that arms the others.
    static HOLDER: Parking = Parking::new();
    /// How many others it has to arm.
    static OTHERS: AtomicUsize = AtomicUsize::new(0);
    static IS_EXPIRED: AtomicBool = AtomicBool::new(false);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        time::start(5);
        holder::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_0::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_1::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_2::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_3::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_4::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_5::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_6::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "sleepers_8")]
        sleeper_7::spawn().unwrap_or_else(|_| exit(103));
        (Shared {}, Local {})
    }

    /// Measures with so many other timers armed.
    macro_rules! phase {
        ($begin:literal, $end:literal, $others:literal) => {
            OTHERS.store($others, Ordering::Relaxed);
            pend(Interrupt::TIM3);
            mark!($begin);
            measure();
            mark!($end);
        };
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        phase!("phase_1", "phase_1_end", 1);
        phase!("phase_8", "phase_8_end", 8);
        phase!("phase_64", "phase_64_end", 64);
        exit(0)
    }

    #[inline(never)]
    fn measure() {
        armer::spawn(Instant::now().as_ticks() + 1000).unwrap_or_else(|_| exit(103));
        armer::spawn(2_000_000).unwrap_or_else(|_| exit(103));
        IS_EXPIRED.store(false, Ordering::Relaxed);
        expiring::spawn(Instant::now().as_ticks() + 500).unwrap_or_else(|_| exit(103));
        while !IS_EXPIRED.load(Ordering::Relaxed) {
            spin_loop();
        }
    }

    /// Wakes the holder.
    #[task(binds = TIM3, priority = 5)]
    fn wake(_: wake::Context) {
        HOLDER.waker().wake_by_ref();
    }

    #[task(priority = 1)]
    async fn armer(_: armer::Context, at: u64) {
        {
            mark!("arm");
            let mut delay = pin!(Timer::at(Instant::from_ticks(at)));
            let polled = once(delay.as_mut()).await;
            mark!("armed");
            if polled.is_ready() {
                exit(105);
            }
            mark!("cancel");
        }
        mark!("cancelled");
    }

    #[task(priority = 2)]
    async fn expiring(_: expiring::Context, at: u64) {
        Timer::at(Instant::from_ticks(at)).await;
        mark!("expired");
        IS_EXPIRED.store(true, Ordering::Relaxed);
    }

    #[task(priority = 3)]
    async fn holder(_: holder::Context) {
        let at = |index| Instant::from_ticks(1_000_000 + index as u64 * 1000);
        hold::<_, 64>(|index| Timer::at(at(index)), &HOLDER, &OTHERS).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_0(_: sleeper_0::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_1(_: sleeper_1::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_2(_: sleeper_2::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_3(_: sleeper_3::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_4(_: sleeper_4::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_5(_: sleeper_5::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_6(_: sleeper_6::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }

    #[cfg(feature = "sleepers_8")]
    #[task(priority = 1)]
    async fn sleeper_7(_: sleeper_7::Context) {
        Timer::at(Instant::from_ticks(3_000_000)).await;
    }
}
