//! Time over a tick of 1 kHz, as other kernels have it: a thread that sleeps, a task that waits
//! with a time limit, and a function that is called periodically.
//!
//! The one line that differs from time without a tick is the clock's; the rate is a feature of
//! `embassy-time` in the manifest.
#![no_std]
#![no_main]

// begin: clock
quintet::systick_tick!(Clock, 12_000_000);
// end: clock

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use embassy_time::{Duration, Instant};
    use quintet::sync::Semaphore;
    use quintet::time::{SoftwareTimer, timeout};
    use semihosting::println;

    use super::Clock;

    /// Given every 20 ticks.
    static BEATS: Semaphore = Semaphore::new(0);
    static BEAT: SoftwareTimer = SoftwareTimer::new(|_| BEATS.give());
    /// Never given.
    static ANSWER: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        BEAT.start_periodic(Duration::from_ticks(20));
        // It has not been spawned before.
        let _ = ask::spawn();
        (Shared {}, Local {})
    }

    /// The ticks since the start.
    fn now() -> u64 {
        Instant::now().as_ticks()
    }

    #[task(priority = 3)]
    async fn ask(_: ask::Context) {
        let answer = timeout(Duration::from_ticks(35), ANSWER.take()).await;
        println!("tick {}: no answer in time: {}", now(), answer.is_err());
    }

    #[thread(priority = 2, stack = 1024)]
    fn sleep(cx: sleep::Context) {
        for _ in 0..3 {
            cx.thread.delay(Duration::from_ticks(30));
            println!("tick {}: a delay", now());
        }
        semihosting::process::exit(0)
    }

    #[thread(priority = 1, stack = 1024)]
    fn count(cx: count::Context) {
        for beat in 1.. {
            BEATS.take().block(&cx.thread);
            println!("tick {}: beat {beat}", now());
        }
    }
}
