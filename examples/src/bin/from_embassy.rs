//! Moving from Embassy, second step: its tasks have become tasks of the application.
//!
//! What `main` did is in `init`, a pool is a number of instances, and an executor is a priority.
#![no_std]
#![no_main]

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
    use embassy_sync::channel::Channel;
    use embassy_time::{Duration, Instant, Ticker, Timer};
    use semihosting::println;

    use super::Clock;

    // Objects of embassy-sync stay as they are.
    static READINGS: Channel<CriticalSectionRawMutex, u32, 4> = Channel::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    // begin: main
    // What `#[embassy_executor::main]` did before it waited for the first time.
    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        sample::spawn().ok();
        blink::spawn("red", Duration::from_millis(15)).ok();
        blink::spawn("green", Duration::from_millis(20)).ok();
        rest_of_main::spawn().ok();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn rest_of_main(_: rest_of_main::Context) {
        let mut sum = 0;
        for _ in 0..3 {
            sum += READINGS.receive().await;
            println!("sum: {sum} after {} ms", Instant::now().as_millis());
        }
        semihosting::process::exit(0)
    }
    // end: main

    // begin: pool
    // `pool_size = 2`.
    #[task(priority = 1, instances = 2)]
    async fn blink(_: blink::Context, name: &'static str, period: Duration) {
        let mut ticker = Ticker::every(period);
        loop {
            ticker.next().await;
            println!("{name}: {} ms", Instant::now().as_millis());
        }
    }
    // end: pool

    // begin: executor
    // What ran on an `InterruptExecutor` has a higher priority.
    #[task(priority = 2)]
    async fn sample(_: sample::Context) {
        for reading in 1..=3 {
            Timer::after_millis(10).await;
            READINGS.send(reading).await;
        }
    }
    // end: executor
}
