//! Alarms that are put off, or set, in the last cycles before the one that was; an interrupt above
//! the kernel's ceiling reads the clock now and then. The test compares the clock with the
//! simulator's cycles.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use embassy_time::{Duration, Instant};
use quintet::time::SoftwareTimer;
use time_firmware::{enable_interrupts, start_clock};

/// What the test reads: the clock's last reading (low, high), how often it went back, and the
/// number of rounds; then nothing.
#[unsafe(no_mangle)]
static REPORT: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];

/// What the interrupt is set for, in ticks from then.
const AHEAD: u64 = 3000;

/// What is put off: its time is that for which the interrupt is set.
static FIRST: SoftwareTimer = SoftwareTimer::new(|_| {});
/// Lets the interrupt come at once.
static NOW: SoftwareTimer = SoftwareTimer::new(|_| {});

/// Reads the clock. The test stops here, and when this returns.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn read_clock() {
    let now = Instant::now().as_ticks();
    let before = u64::from(REPORT[1].load(Ordering::Relaxed)) << 32
        | u64::from(REPORT[0].load(Ordering::Relaxed));
    if now < before {
        REPORT[2].store(REPORT[2].load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    REPORT[0].store(now as u32, Ordering::Relaxed);
    REPORT[1].store((now >> 32) as u32, Ordering::Relaxed);
}

/// Above the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn UP() {
    read_clock();
}

/// At the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn KERNEL() {}

#[cortex_m_rt::entry]
fn main() -> ! {
    enable_interrupts();
    start_clock();
    loop {
        let rounds = REPORT[3].load(Ordering::Relaxed) + 1;
        REPORT[3].store(rounds, Ordering::Relaxed);
        // What the interrupt is set for isn't awaited any more, and may be about to come, when the
        // handler sets it for a time that is far.
        FIRST.start(Duration::from_ticks(AHEAD));
        FIRST.stop();
        cortex_m::asm::delay(rounds % AHEAD as u32 / 2);
        if rounds & 1 != 0 {
            cortex_m::asm::nop();
        }
        NOW.start_at(Instant::from_ticks(0), Duration::from_ticks(0));
        // And one that is near.
        FIRST.start(Duration::from_ticks(u64::from(rounds % 700)));
        while FIRST.is_running() {}
    }
}
