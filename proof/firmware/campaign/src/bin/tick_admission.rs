//! Timers over a tick that aren't due when the tick looks at them, and are cancelled or started
//! anew before it has admitted them to the queue, by interrupts that are more urgent than it: none
//! that is due, or that waits for a time to come, is lost.
#![no_std]
#![no_main]

use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::thread::CurrentThread;
use quintet::time::SoftwareTimer;

/// What a tick takes, in cycles: the processor's clock is said to be so much faster than it is, as
/// in `ticks`.
const TICK: u32 = 350;

quintet::kernel!(hardware_priority = 0x40);
// The last two of the lines interrupt its handler.
quintet::systick_tick!(Clock, 12_000_000 * TICK, priority = 3, priority_bits = 3);

quintet::thread!(static DRIVER, priority = 1, stack = 1024, entry = driver);

/// How late the thread and the functions of timers may be, in ticks: all that is injected.
const LATE_MAX: u64 = 8;
/// The time of what is cancelled, in ticks: longer than the program takes.
const FAR: u64 = 1000;

/// It arrives before what is due. Interrupts stop it, or start it for a time that is past.
static EARLY: SoftwareTimer = SoftwareTimer::new(|_| {
    CALLED.add();
});
static CALLED: Count = Count::new();
static STARTED: Count = Count::new();
static STOPPED: Count = Count::new();

/// Waits behind another timer.
fn wait(this: &CurrentThread<'_>, ticks: u64) {
    let deadline = Instant::now() + Duration::from_ticks(ticks);
    this.delay(Duration::from_ticks(ticks));
    let now = Instant::now();
    assert!(now >= deadline, "early");
    let late = (now - deadline).as_ticks();
    assert!(late < LATE_MAX, "late by {late}");
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for ticks in [1, 2, 3] {
        EARLY.start(Duration::from_ticks(FAR));
        STARTED.add();
        wait(this, ticks);
        if EARLY.stop() {
            STOPPED.add();
        }
    }
    over();
}

fn judge() {
    assert!(CALLED.get() + STOPPED.get() == STARTED.get(), "a timer has no end, or two");
    assert!(!DRIVER.is_alive(), "the thread has not ended");
}

handlers! {
    GPIOA {
        wake_up();
    }
    GPIOB {
        wake_up();
    }
    GPIOD {
        if EARLY.stop() {
            STOPPED.add();
        }
    }
    GPIOE {
        if EARLY.stop() {
            EARLY.start_at(Instant::now(), Duration::from_ticks(0));
        }
    }
}

/// Starts a timer of its own for the tick to come, behind what has arrived.
fn wake_up() {
    static NEXT: SoftwareTimer = SoftwareTimer::new(|_| {});
    NEXT.start(Duration::from_ticks(1));
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    let peripherals = unsafe { cortex_m::Peripherals::steal() };
    Clock::start(peripherals.SYST);
    run(&[&DRIVER], judge)
}
