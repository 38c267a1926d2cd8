//! Handles: a spawned task can be cancelled, aborted, joined and restarted, if it says `joinable`.
#![no_std]
#![no_main]

use embassy_time::Timer;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use semihosting::println;

    use super::{Clock, Timer};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(operator::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn operator(_: operator::Context) {
        // begin: handle
        let Ok(fast) = blink::spawn(10) else { return };
        Timer::after_millis(25).await;
        // Another rhythm: the running instance is dropped, then a new one begins.
        let Ok(mut slow) = fast.restart(40).await else { return };
        Timer::after_millis(90).await;
        slow.abort();
        slow.join().await;
        println!("operator: dark again: {}", slow.has_ended());
        // end: handle
        semihosting::process::exit(0)
    }

    // begin: task
    #[task(priority = 2, joinable)]
    async fn blink(_: blink::Context, milliseconds: u64) {
        let _off = SwitchOff;
        loop {
            println!("blink: every {milliseconds} ms");
            Timer::after_millis(milliseconds).await;
        }
    }
    // end: task

    /// Whatever ends the task, the light is off afterwards.
    struct SwitchOff;

    impl Drop for SwitchOff {
        fn drop(&mut self) {
            println!("blink: off");
        }
    }
}
