//! Periodic work: a ticker keeps its beat however long the work takes, so that nothing drifts.
#![no_std]
#![no_main]

use embassy_time::{Duration, Instant, Ticker};

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use semihosting::println;

    use super::{Clock, Duration, Instant, Ticker};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(sample::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn sample(_: sample::Context) {
        let start = Instant::now();
        // begin: ticker
        let mut ticker = Ticker::every(Duration::from_millis(10));
        for sample in 1..=5 {
            ticker.next().await;
            let late = start.elapsed().as_millis() - 10 * sample;
            println!("sample {sample}, {late} ms late");
            // Work that takes a few milliseconds, and longer each time.
            cortex_m::asm::delay(6_000 * sample as u32);
        }
        // end: ticker
        semihosting::process::exit(0)
    }
}
