//! A software timer whose function takes longer than its period, for minutes; an interrupt above
//! the kernel's ceiling reads the clock now and then. The test compares the clock with the
//! simulator's cycles.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use embassy_time::{Duration, Instant};
use quintet::time::SoftwareTimer;
use time_firmware::{enable_interrupts, start_clock};

/// What the test reads: the clock's last reading (low, high), how often it went back, and the
/// number of calls; then nothing.
#[unsafe(no_mangle)]
static REPORT: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];

/// The calls, each of which is late for the next, but not for a second one.
const RESTARTS: u32 = 30_000;
/// What a call takes, in cycles.
const CALL: u32 = 2000;
/// A quarter of that over the fastest clock.
const PERIOD: Duration = Duration::from_micros(40);

static TIMER: SoftwareTimer = SoftwareTimer::new(on_time);

/// Is late for the next call from the first one on. In the first part the interrupt returns behind
/// each call; in the second it has more calls to make each time, as many as the last ones took.
fn on_time(timer: &'static SoftwareTimer) {
    let calls = REPORT[3].load(Ordering::Relaxed) + 1;
    REPORT[3].store(calls, Ordering::Relaxed);
    cortex_m::asm::delay(CALL);
    if calls < RESTARTS {
        timer.start(Duration::from_ticks(1));
    } else if calls == RESTARTS {
        timer.start_periodic(PERIOD);
    }
}

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
extern "C" fn KERNEL() {
    cortex_m::asm::delay(20_000);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    enable_interrupts();
    start_clock();
    TIMER.start(Duration::from_ticks(1));
    loop {
        cortex_m::asm::wfi();
    }
}
