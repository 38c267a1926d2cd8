//! PRIMASK: every interrupt held off, whatever its priority.
//!
//! Used where BASEPRI can't express a ceiling, on cores without BASEPRI, and at start-up.

use ::core::arch::asm;

/// Lets no interrupt in from here on. Costs 2 cycles.
#[inline(always)]
pub fn disable_interrupts() {
    // SAFETY: holding interrupts off breaks no memory safety. The processor orders the change
    // before the next instruction; without `nomem` the compiler moves no access across it.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Lets interrupts in.
///
/// # Safety
/// No critical section may be open.
#[inline(always)]
pub unsafe fn enable_interrupts() {
    // SAFETY: the caller has no critical section open.
    unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
}

/// Lets no interrupt in from here on, and says whether that was so before.
#[inline(always)]
pub fn raise() -> u8 {
    let before: u32;
    // SAFETY: as for `disable_interrupts`; reading PRIMASK has no effect.
    unsafe {
        asm!("mrs {}, PRIMASK", "cpsid i", out(reg) before, options(nostack, preserves_flags));
    };
    (before & 1) as u8
}

/// Ends the section that [`raise`] began.
///
/// # Safety
/// `before` is what the matching [`raise`] returned, and sections end in the reverse order of their
/// beginning.
#[inline(always)]
pub unsafe fn restore(before: u8) {
    if before == 0 {
        // SAFETY: interrupts were open where this section began.
        unsafe { enable_interrupts() };
    }
}
