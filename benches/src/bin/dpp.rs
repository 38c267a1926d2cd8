//! Groups `qp-3` and `qp-4`, and the rows of `qp-1` that only actors have: the dining philosophers.
//!
//! The scenario is written down in `scenarios/qp-3.toml`. A feature chooses the kernel.

#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

quintet_bench_common::vectors!();

// The clock of qp-1 has no tick.
#[cfg(feature = "ticks")]
quintet::systick_tick!(Clock, 8_000_000);
#[cfg(not(feature = "ticks"))]
quintet::systick_timer!(Clock, 8_000_000);

#[cfg(not(any(feature = "cooperative", feature = "hosted")))]
dinner::dinner! { [dispatchers = [EXTI1, EXTI2]] }

#[cfg(feature = "cooperative")]
dinner::dinner! { [scheduler = "cooperative"] }

#[cfg(feature = "hosted")]
dinner::dinner! {
    [dispatchers = [EXTI1, EXTI2]]

    /// Waits beside them: who is below is hosted by threads.
    #[thread(priority = 1, stack = 256)]
    fn test(cx: test::Context) {
        loop {
            cx.thread.delay(quintet::time::Duration::from_millis(700));
        }
    }
}
