//! A clock that goes on when a script says so.

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;
use quintet::time::{Hardware, Source};

/// The source of the time.
pub struct Scripted;

static NOW: AtomicU32 = AtomicU32::new(0);
static ALARM: AtomicU32 = AtomicU32::new(0);

impl Scripted {
    /// Lets the timer's interrupt come if it is time.
    fn look() {
        let left = ALARM.load(Ordering::Relaxed).wrapping_sub(Self::counter()) as i32;
        if left <= 0 {
            NVIC::pend(Interrupt::GPIOF);
        }
    }

    /// Moves the clock on. Nobody comes between that and the timer's interrupt.
    pub fn tick(ticks: u32) {
        cortex_m::interrupt::free(|_| {
            NOW.fetch_add(ticks, Ordering::Relaxed);
            Self::look();
        });
    }
}

impl Source for Scripted {
    /// A count is a tick.
    const HZ: u32 = 12_000_000;
    const LEG: u32 = 1 << 30;

    fn counter() -> u32 {
        NOW.load(Ordering::Relaxed)
    }

    fn set(at: u32) {
        ALARM.store(at, Ordering::Relaxed);
        Self::look();
    }

    fn acknowledge() -> u32 {
        Self::counter()
    }
}

impl Hardware for Scripted {
    /// GPIOF.
    const INTERRUPT: u16 = 30;

    unsafe fn begin() {}
}
