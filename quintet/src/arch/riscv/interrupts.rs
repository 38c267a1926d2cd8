//! The bit MIE of `mstatus` holds off every interrupt.
//!
//! The hart looks for interrupts before each instruction, and at once after a write of `mstatus`
//! (RISC-V Privileged Architecture, 3.1.6.1 and 3.1.9). So the first instruction of a section isn't
//! interrupted, and interrupts that a section has held off come directly behind it.

use ::core::arch::asm;

/// The bit MIE of `mstatus`.
pub const MIE: u32 = 1 << 3;

/// Holds off every interrupt from here on.
#[inline(always)]
pub fn disable_interrupts() {
    // SAFETY: holding interrupts off breaks no memory safety. Without `nomem` the compiler moves no
    // access across.
    unsafe { asm!("csrci mstatus, {}", const MIE, options(nostack, preserves_flags)) };
}

/// Lets interrupts come.
///
/// # Safety
/// No critical section may be open.
#[inline(always)]
pub unsafe fn enable_interrupts() {
    // SAFETY: the caller has no critical section open.
    unsafe { asm!("csrsi mstatus, {}", const MIE, options(nostack, preserves_flags)) };
}

/// Returns `mstatus`.
#[inline(always)]
pub fn status() -> u32 {
    let status: u32;
    // SAFETY: reading has no effect.
    unsafe { asm!("csrr {}, mstatus", out(reg) status, options(nostack, preserves_flags)) };
    status
}

/// Holds off every interrupt from here on. Returns `MIE` if interrupts could come before, else 0.
#[inline(always)]
pub fn raise() -> u32 {
    let before: u32;
    // SAFETY: as for `disable_interrupts`.
    unsafe {
        asm!(
            "csrrci {}, mstatus, {}", out(reg) before, const MIE,
            options(nostack, preserves_flags)
        );
    }
    before & MIE
}

/// Ends the section that [`raise`] began.
///
/// # Safety
/// The matching [`raise`] has returned `before`, and sections end in the reverse order of their
/// beginning.
#[inline(always)]
pub unsafe fn restore(before: u32) {
    // SAFETY: as the caller's section began. To set no bit has no effect.
    unsafe { asm!("csrs mstatus, {}", in(reg) before, options(nostack, preserves_flags)) };
}
