//! Time on a Cortex-M0: delays, a period without drift, and a deadline, over SysTick.
//!
//! Quintet is the driver of `embassy-time`, so whatever waits with that crate waits here. (The
//! nRF51 on a real micro:bit has no SysTick; `embassy-nrf` has a driver over its real-time
//! counter.)
#![no_std]
#![no_main]

use semihosting as _;

quintet::systick_timer!(Clock, 16_000_000);

#[quintet::app(device = embassy_nrf, peripherals = false, dispatchers = [SWI0, SWI1])]
mod app {
    use core::future::pending;

    use embassy_time::{Duration, Instant, Ticker, Timer, with_timeout};
    use semihosting::println;

    use super::Clock;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // None has been spawned before.
        let _ = every_100_ms::spawn();
        let _ = after_250_ms::spawn();
        let _ = gives_up::spawn();
        (Shared {}, Local {})
    }

    /// Whole milliseconds since the start.
    fn now() -> u64 {
        Instant::now().as_millis()
    }

    #[task(priority = 2)]
    async fn every_100_ms(_: every_100_ms::Context) {
        let mut ticker = Ticker::every(Duration::from_millis(100));
        for _ in 0..4 {
            ticker.next().await;
            println!("{} ms: a period", now());
            // Work doesn't move the next period.
            Timer::after_millis(30).await;
        }
        semihosting::process::exit(0)
    }

    #[task(priority = 1)]
    async fn after_250_ms(_: after_250_ms::Context) {
        Timer::after_millis(250).await;
        println!("{} ms: a delay", now());
    }

    #[task(priority = 1)]
    async fn gives_up(_: gives_up::Context) {
        let answer = with_timeout(Duration::from_millis(120), pending::<()>()).await;
        println!("{} ms: no answer in time: {}", now(), answer.is_err());
    }
}
