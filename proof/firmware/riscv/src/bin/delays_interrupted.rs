//! Threads that wait for times, and judge themselves.
//!
//! The driver works between the marks `begin` and `end`. A test lets so much time pass at once,
//! before each instruction there, that all timers are due: none must be lost, or come early. If one
//! is lost, somebody waits for ever, and the program doesn't end.

#![no_std]
#![no_main]

use riscv_rt as _;
use semihosting as _;

quintet::machine_timer!(Clock, 10_000_000, clint = 0x0200_0000);

/// From here on the test lets time pass.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    unsafe { core::arch::asm!("nop") };
}

/// From here on it doesn't.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn end() {
    unsafe { core::arch::asm!("nop; nop") };
}

#[quintet::app(device = quintet::riscv)]
mod app {
    use quintet::sync::Semaphore;
    use quintet::time::{Duration, Instant, SoftwareTimer};

    use super::{Clock, begin, end};

    static NEVER: Semaphore = Semaphore::new(0);
    static TICKS: Semaphore = Semaphore::new(0);
    static TICK: SoftwareTimer = SoftwareTimer::new(|_| TICKS.give());

    #[init]
    fn init(cx: init::Context) {
        Clock::start(cx.core.MTIMER);
    }

    #[thread(priority = 2, stack = 1536)]
    fn driver(cx: driver::Context) {
        let this = &cx.thread;
        begin();
        let begun = Instant::now();
        this.delay(Duration::from_micros(50));
        assert!(begun.elapsed() >= Duration::from_micros(49), "the delay was too short");
        let begun = Instant::now();
        assert!(NEVER.take().block_for(this, Duration::from_micros(30)).is_err());
        assert!(begun.elapsed() >= Duration::from_micros(29), "the time was up too early");
        TICK.start(Duration::from_micros(40));
        TICKS.take().block(this);
        assert!(!TICK.is_running());
        TICK.start(Duration::from_secs(1000));
        assert!(TICK.stop(), "nobody has let so much time pass");
        end();
        assert_eq!(TICKS.available(), 0, "it has called although it was stopped");
        semihosting::process::exit(0)
    }

    #[thread(priority = 3, stack = 1024)]
    fn periodic(cx: periodic::Context) {
        let mut next = Instant::now();
        loop {
            next += Duration::from_micros(200);
            cx.thread.delay_until(next);
            let now = Instant::now();
            assert!(now >= next, "it is too early");
            // What was missed while much time has passed at once is left out.
            if now > next + Duration::from_millis(2) {
                next = now;
            }
        }
    }
}
