//! Async delays: tasks that wait for time, with the timers of `embassy-time`, and sleep meanwhile.
#![no_std]
#![no_main]

use embassy_time::{Duration, Instant, Timer, with_timeout};

// begin: clock
// SysTick is the source of time. The processor runs at 12 MHz.
quintet::systick_timer!(Clock, 12_000_000);
// end: clock

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use semihosting::println;

    use super::{Clock, Duration, Instant, Timer, with_timeout};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        // begin: start
        Clock::start(cx.core.SYST);
        // end: start
        let spawned = slow::spawn().is_ok() && fast::spawn().is_ok() && patient::spawn().is_ok();
        assert!(spawned);
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn slow(_: slow::Context) {
        for round in 1..=3 {
            Timer::after(Duration::from_millis(100)).await;
            println!("{:3} ms: slow {round}", Instant::now().as_millis());
        }
        semihosting::process::exit(0)
    }

    #[task(priority = 2)]
    async fn fast(_: fast::Context) {
        for round in 1..=4 {
            Timer::after_millis(30).await;
            println!("{:3} ms: fast {round}", Instant::now().as_millis());
        }
    }

    // begin: timeout
    #[task(priority = 2)]
    async fn patient(_: patient::Context) {
        let too_long = Timer::after_secs(3600);
        let answer = with_timeout(Duration::from_millis(250), too_long).await;
        println!("{:3} ms: patient {answer:?}", Instant::now().as_millis());
    }
    // end: timeout
}
