//! A thread that waits for a notification until a time, and one that waits for its end, while it is
//! notified at any moment: a wait has one outcome, and no notification is lost or made.
#![no_std]
#![no_main]

use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::thread::{CurrentThread, JoinError};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
// The last two of the lines interrupt its handler.
quintet::systick_timer!(Clock, HZ, priority = 3, priority_bits = 3);

quintet::thread!(static PARKED, priority = 5, stack = 1024, entry = parked);
quintet::thread!(static DRIVER, priority = 3, stack = 1024, entry = driver);

/// How often it waits for what comes or not.
const WAITS: u32 = 3;
/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(1);

/// Notifications, and waits that ended by one.
static SENT: Count = Count::new();
static CAME: Count = Count::new();
static ENDED: Count = Count::new();
static LAST: AtomicBool = AtomicBool::new(false);
/// When the first came since this was 0.
static FIRST_AT: AtomicU32 = AtomicU32::new(0);

/// Both or neither, for whoever runs next.
fn notify() {
    cortex_m::interrupt::free(|_| {
        if FIRST_AT.load(Ordering::Relaxed) == 0 {
            FIRST_AT.store(ticks(Instant::now()), Ordering::Relaxed);
        }
        PARKED.unpark();
        SENT.add();
    });
}

fn ticks(at: Instant) -> u32 {
    at.as_ticks() as u32
}

fn parked(this: &CurrentThread<'_>) {
    for round in 0..WAITS {
        FIRST_AT.store(0, Ordering::Relaxed);
        let sent = SENT.get();
        let until = Instant::now() + Duration::from_ticks(250 + 150 * u64::from(round));
        match this.park_until(until) {
            Ok(()) => {
                CAME.add();
            }
            Err(_) => {
                assert!(Instant::now() >= until, "early");
                // One that came since then is for the next wait.
                if SENT.get() != sent {
                    assert!(FIRST_AT.load(Ordering::Relaxed) >= ticks(until), "it came in time");
                    assert!(this.park_until(until).is_ok(), "a notification is lost");
                    CAME.add();
                }
            }
        }
        ENDED.add();
    }
    while !LAST.load(Ordering::Relaxed) {
        assert!(this.park_timeout(LONG).is_ok(), "a notification is lost");
        CAME.add();
    }
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    assert!(PARKED.start().is_ok());
    this.delay(Duration::from_ticks(300));
    notify();
    while ENDED.get() < WAITS {
        let until = Instant::now() + Duration::from_ticks(1000);
        assert!(PARKED.join_until(this, until) == Err(JoinError::TimedOut), "it has not ended");
        assert!(Instant::now() >= until, "early");
    }
    LAST.store(true, Ordering::Relaxed);
    notify();
    assert!(PARKED.join_timeout(this, LONG).is_ok(), "its end is lost");
    over();
}

fn judge() {
    assert!(ENDED.get() == WAITS, "a wait has no end, or two");
    assert!(CAME.get() <= SENT.get(), "a notification is made");
    assert!(!PARKED.is_alive());
}

handlers! {
    GPIOA {
        notify();
    }
    GPIOB {
        notify();
    }
    // Its time is up, or it is notified, while it is suspended.
    GPIOD {
        let _running = PARKED.suspend();
        notify();
        PARKED.resume();
    }
    GPIOE {
        let priority = if PARKED.base_priority() == 5 { 2 } else { 5 };
        assert!(PARKED.set_priority(priority).is_ok());
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&DRIVER], judge)
}
