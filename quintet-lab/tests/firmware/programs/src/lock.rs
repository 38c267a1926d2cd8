//! Two values that SysTick must see equal, under a lock inside which another lock is taken. Leaving
//! the inner one restores what was before, or 0.

use crate::interrupted::{end, in_window};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cortex_m::register::basepri;

/// Masks SysTick.
const CEILING: u8 = 0x40;

static FIRST: AtomicU32 = AtomicU32::new(0);
static SECOND: AtomicU32 = AtomicU32::new(0);
static SEEN_APART: AtomicBool = AtomicBool::new(false);

#[cortex_m_rt::exception]
fn SysTick() {
    if FIRST.load(Ordering::Relaxed) != SECOND.load(Ordering::Relaxed) {
        SEEN_APART.store(true, Ordering::Relaxed);
    }
}

/// Above every lock.
#[cortex_m_rt::exception]
unsafe fn NonMaskableInt() {
    cortex_m::asm::nop();
}

#[inline(always)]
fn locked(restores: bool, section: impl FnOnce()) {
    let before = basepri::read();
    // SAFETY: it only masks more.
    unsafe { basepri::write(CEILING) };
    section();
    // SAFETY: without `restores` this is the mistake that the tool must find.
    unsafe { basepri::write(if restores { before } else { 0 }) };
}

/// Writes both values; takes the inner lock in between.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn write_both(restores: bool) {
    locked(restores, || {
        FIRST.store(1, Ordering::Relaxed);
        locked(restores, cortex_m::asm::nop);
        SECOND.store(1, Ordering::Relaxed);
    });
}

pub fn run(restores: bool) -> ! {
    in_window(|| write_both(restores));
    end(!SEEN_APART.load(Ordering::Relaxed))
}
