//! A timer that is started before the clock is, for at once: it waits for that. Ends by semihosting
//! with the number of calls before the start, and ten times that behind it.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use embassy_time::Duration;
use quintet::time::SoftwareTimer;
use time_firmware::{enable_interrupts, start_clock};

static CALLS: AtomicU32 = AtomicU32::new(0);
static AT_ONCE: SoftwareTimer = SoftwareTimer::new(|_| {
    CALLS.store(CALLS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
});

/// The calls up to a while from now, in which several ticks come where they are counted.
fn calls() -> u32 {
    for _ in 0..3000 {
        cortex_m::asm::nop();
    }
    CALLS.load(Ordering::Relaxed)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    enable_interrupts();
    AT_ONCE.start(Duration::from_ticks(0));
    let before = calls();
    start_clock();
    exit(before + 10 * (calls() - before))
}

/// Ends the program by semihosting.
fn exit(code: u32) -> ! {
    let block = [0x2_0026, code];
    // SAFETY: SYS_EXIT_EXTENDED with a reason and a code.
    unsafe {
        core::arch::asm!("bkpt #0xab", in("r0") 0x20, in("r1") &block, options(noreturn));
    }
}
