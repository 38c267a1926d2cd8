//! PRIMASK holds off every interrupt of any priority.
//!
//! It is used for ceilings that BASEPRI can't express, on cores without BASEPRI, and at start-up.

use ::core::arch::asm;

/// Holds off every interrupt from here on. Costs 2 cycles.
#[inline(always)]
pub fn disable_interrupts() {
    // SAFETY: holding interrupts off breaks no memory safety. The processor orders the change
    // before the next instruction; without `nomem` the compiler moves no access across it.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Lets interrupts come.
///
/// # Safety
/// No critical section may be open.
#[inline(always)]
pub unsafe fn enable_interrupts() {
    // SAFETY: the caller has no critical section open.
    unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
}

/// Holds off every interrupt from here on. Returns 1 if this was so before, else 0.
#[inline(always)]
pub fn raise() -> u8 {
    let before: u32;
    // SAFETY: as for `disable_interrupts`; reading PRIMASK has no effect.
    unsafe {
        asm!("mrs {}, PRIMASK", "cpsid i", out(reg) before, options(nostack, preserves_flags));
    };
    (before & 1) as u8
}

/// As [`raise`], with the whole register, of which the other bits are 0.
#[cfg(noted_pauses)]
#[inline(always)]
pub fn raise_word() -> u32 {
    let before: u32;
    // SAFETY: as for `raise`.
    unsafe {
        asm!("mrs {}, PRIMASK", "cpsid i", out(reg) before, options(nostack, preserves_flags));
    };
    before
}

/// Returns the value that [`raise_word`] would find now.
#[cfg(noted_pauses)]
#[inline(always)]
pub fn held() -> u32 {
    let held: u32;
    // SAFETY: reading PRIMASK has no effect.
    unsafe { asm!("mrs {}, PRIMASK", out(reg) held, options(nostack, preserves_flags)) };
    held
}

/// Ends the section that [`raise`] began.
///
/// # Safety
/// The matching [`raise`] has returned `before`, and sections end in the reverse order of their
/// beginning.
#[inline(always)]
pub unsafe fn restore(before: u8) {
    if before == 0 {
        // SAFETY: interrupts were enabled when this section began.
        unsafe { enable_interrupts() };
    }
}
