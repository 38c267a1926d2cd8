//! Thread mode sleeps until SysTick has come, once; it looks with interrupts masked or not.

use crate::interrupted::{end, in_window};
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m::peripheral::SYST;

static CAME: AtomicBool = AtomicBool::new(false);

/// It comes once: the counter stops.
#[cortex_m_rt::exception]
fn SysTick() {
    // SAFETY: writing 0 stops the counter, which nobody else touches any more.
    unsafe { (*SYST::PTR).csr.write(0) };
    CAME.store(true, Ordering::Relaxed);
}

/// An interrupt between the look and the sleep is slept over.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn wait_open() {
    while !CAME.load(Ordering::Relaxed) {
        cortex_m::asm::wfi();
    }
}

/// A masked interrupt that is pending ends the sleep too.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn wait_masked() {
    let mut came = false;
    while !came {
        cortex_m::interrupt::free(|_| {
            came = CAME.load(Ordering::Relaxed);
            if !came {
                cortex_m::asm::wfi();
            }
        });
    }
}

pub fn run(masked: bool) -> ! {
    in_window(|| {
        // SAFETY: nobody else has the timer: the counter runs for 500 cycles, with its interrupt.
        unsafe {
            (*SYST::PTR).rvr.write(500);
            (*SYST::PTR).cvr.write(0);
            (*SYST::PTR).csr.write(0b111);
        }
        if masked { wait_masked() } else { wait_open() }
    });
    end(CAME.load(Ordering::Relaxed))
}
