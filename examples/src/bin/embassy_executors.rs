//! Moving from Embassy, first step: its executors and tasks stay as they are, in an application.
//!
//! The thread executor runs in `idle`, an interrupt executor in a hardware task. Beside them are
//! tasks of Quintet's; both sides wait for its timers and talk through its objects.
#![no_std]
#![no_main]

use embassy_executor::InterruptExecutor;
use embassy_time::{Instant, Timer};
use quintet::sync::Channel;
use semihosting::println;

quintet::systick_timer!(Clock, 12_000_000);

static URGENT: InterruptExecutor = InterruptExecutor::new();
static READINGS: Channel<u32, 4> = Channel::new();

// begin: tasks
#[embassy_executor::task]
async fn sample() {
    for reading in 1..=3 {
        Timer::after_millis(10).await;
        READINGS.send(reading).await;
    }
}

#[embassy_executor::task]
async fn blink() {
    loop {
        println!("blink: {} ms", Instant::now().as_millis());
        Timer::after_millis(15).await;
    }
}
// end: tasks

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use embassy_executor::Executor;

    use super::*;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    // begin: init
    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        let spawner = URGENT.start(lm3s6965::Interrupt::UART1);
        spawner.spawn(sample().unwrap());
        let spawned = sum::spawn().is_ok();
        assert!(spawned);
        (Shared {}, Local {})
    }
    // end: init

    // begin: executors
    // The interrupt executor: its interrupt has the priority of the task.
    #[task(binds = UART1, priority = 3)]
    fn urgent(_: urgent::Context) {
        // SAFETY: `init` has started it, and nobody else calls this.
        unsafe { URGENT.on_interrupt() }
    }

    // The thread executor: below everything else.
    #[idle(local = [executor: Option<Executor> = None])]
    fn idle(cx: idle::Context) -> ! {
        let executor = cx.local.executor.insert(Executor::new());
        executor.run(|spawner| spawner.spawn(blink().unwrap()))
    }
    // end: executors

    // A task of Quintet's between the two.
    #[task(priority = 2)]
    async fn sum(_: sum::Context) {
        let mut sum = 0;
        for _ in 0..3 {
            sum += READINGS.receive().await;
            println!("sum: {sum} after {} ms", Instant::now().as_millis());
        }
        semihosting::process::exit(0)
    }
}
