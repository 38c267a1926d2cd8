//! Ceilings by BASEPRI: ARMv7-M and ARMv8-M with the main extension.
//!
//! A raised BASEPRI holds off every interrupt of the same or a lower priority, and no other.
//!
//! Ordering. The processor applies a raising MSR before the next instruction, so no barrier is
//! needed (Arm DAI 0321A, 4.8). The exception is the Cortex-M7 r0p0 and r0p1 (erratum 837070), for
//! which the feature `cortex-m7-r0p1` writes BASEPRI under PRIMASK. After a lowering MSR, a pending
//! interrupt comes within a couple of instructions, and at the latest before the instruction after
//! an ISB (4.7). So if another section follows at once, or the thread may have been suspended
//! meanwhile, [`take_pending_interrupts`] executes an ISB. The assembly that writes is neither
//! `nomem` nor `readonly`, so that the compiler moves no access out of a section or into it.
//!
//! Cost on a Cortex-M3: 4 cycles for a section, 2 if no other section can be open around it.

use ::core::arch::asm;

use super::primask;

/// The mask that holds off all other users of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The value for BASEPRI; 0 stands for PRIMASK.
    basepri: u8,
}

impl Ceiling {
    /// Makes the ceiling `priority` (1 to 2^`priority_bits`) on a chip with `priority_bits`
    /// priority bits.
    ///
    /// BASEPRI can't mask the hardware's highest priority, which is 2^`priority_bits` here: PRIMASK
    /// does this. `_interrupts` matters only on cores without BASEPRI.
    #[must_use]
    pub const fn new(priority: u8, priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        let basepri = hardware_priority(priority, priority_bits);
        Self { basepri }
    }

    /// Makes the ceiling of a priority byte, in the NVIC's form.
    #[must_use]
    pub const fn of_hardware(priority: u8) -> Self {
        Self { basepri: priority }
    }

    /// Returns the same ceiling: sections are the same beside threads.
    #[must_use]
    pub const fn beside_threads(self) -> Self {
        self
    }

    /// Returns the ceiling's priority byte; 0 if PRIMASK masks the priority, as no BASEPRI does.
    #[must_use]
    pub const fn hardware(self) -> u8 {
        self.basepri
    }

    /// Returns the values that a section writes, for the map: the priority byte, or 0 for PRIMASK,
    /// and no sources.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (self.basepri, 0)
    }

    /// Makes the ceiling `priority` of data that threads share with levels: it holds off switches
    /// too.
    #[must_use]
    pub const fn with_threads(priority: u8, priority_bits: u8) -> Self {
        Self::new(priority, priority_bits, &[])
    }

    /// Makes the ceiling of the kernel's data, which all contexts of `priority` and below may
    /// touch.
    #[must_use]
    pub const fn kernel(priority: u8, priority_bits: u8) -> Self {
        Self::new(priority, priority_bits, &[])
    }
}

/// Returns `true` if a section at the ceiling, in any context, holds off the running context.
/// Returns `false` in an interrupt above the ceiling.
#[inline(always)]
#[must_use]
pub fn holds_off_this(ceiling: Ceiling) -> bool {
    /// The priorities of exceptions from 4 on.
    const SYSTEM_PRIORITIES: usize = 0xe000_ed18;
    /// The priorities of interrupts, from exception 16 on.
    const PRIORITIES: usize = 0xe000_e400;
    let exception: usize;
    // SAFETY: reading the register has no effect.
    unsafe {
        asm!("mrs {}, IPSR", out(reg) exception, options(pure, nomem, nostack, preserves_flags));
    }
    let place = match exception {
        // Thread mode.
        0 => return true,
        // Nothing holds these exceptions off.
        1..4 => return false,
        4..16 => SYSTEM_PRIORITIES + exception - 4,
        _ => PRIORITIES + exception - 16,
    };
    // SAFETY: a byte of the registers, which every core has for every exception.
    let priority = unsafe { ::core::ptr::with_exposed_provenance::<u8>(place).read_volatile() };
    priority >= ceiling.basepri
}

/// Returns the priority byte of the NVIC for a priority of the application, 1 to 2^`priority_bits`.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // The macro refuses a priority above the highest, with a message; so there is no second check
    // here.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// The value that a section restores. A whole register, so that no instruction truncates the value.
pub type Saved = u32;

/// Begins a section. Give the returned value to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.basepri == 0 {
        return u32::from(primask::raise());
    }
    let before: u32;
    // SAFETY: reading BASEPRI has no effect. The read stays before the raise, as the raise may
    // write to memory for all that the compiler knows. The compiler removes the read if nothing
    // uses its result.
    unsafe {
        asm!("mrs {}, BASEPRI", out(reg) before, options(pure, readonly, nostack, preserves_flags));
    }
    raise_to(ceiling.basepri);
    before
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`], of the same ceiling; sections end in the reverse order
/// of their beginning.
#[inline(always)]
pub unsafe fn restore(ceiling: Ceiling, saved: Saved) {
    if ceiling.basepri == 0 {
        // SAFETY: the caller's.
        return unsafe { primask::restore(saved as u8) };
    }
    // SAFETY: this is the value at the beginning of the section.
    unsafe { write(saved) };
}

/// Begins a section, if no other section can be open, neither in this context nor in one that it
/// interrupted.
#[inline(always)]
#[must_use]
pub fn raise_alone(ceiling: Ceiling) -> Saved {
    if ceiling.basepri == 0 {
        return u32::from(primask::raise());
    }
    raise_to(ceiling.basepri);
    0
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
#[inline(always)]
pub unsafe fn restore_alone(ceiling: Ceiling, saved: Saved) {
    // SAFETY: the caller's; BASEPRI was 0, as no section was open.
    unsafe { restore(ceiling, saved) };
}

/// Raises BASEPRI, and never lowers it.
#[inline(always)]
fn raise_to(basepri: u8) {
    // SAFETY: holding interrupts off breaks no memory safety.
    #[cfg(not(feature = "cortex-m7-r0p1"))]
    unsafe {
        asm!("msr BASEPRI_MAX, {}", in(reg) u32::from(basepri), options(nostack, preserves_flags));
    }
    // SAFETY: the same; PRIMASK is restored.
    #[cfg(feature = "cortex-m7-r0p1")]
    unsafe {
        let before = primask::raise();
        asm!(
            "msr BASEPRI_MAX, {}",            // the mask rises, and never falls
            "isb",                            // and has its effect from here on
            in(reg) u32::from(basepri),
            options(nostack, preserves_flags)
        );
        primask::restore(before);
    }
}

/// Sets BASEPRI.
///
/// # Safety
/// No section that is still open needs a higher value.
#[inline(always)]
unsafe fn write(basepri: u32) {
    // SAFETY: the caller answers for the interrupts that can come now.
    unsafe { asm!("msr BASEPRI, {}", in(reg) basepri, options(nostack, preserves_flags)) };
}

/// Begins a pause, in a section that found `saved` at its beginning: no switch of threads comes
/// until [`let_switch`]. Returns the value for the end of the section, and the value for the end of
/// the pause. The switch has the lowest priority, which no interrupt has.
///
/// For applications with threads, whose sections all use BASEPRI.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub const fn without_switches(saved: Saved) -> (Saved, Saved) {
    (if saved == 0 { 0xff } else { saved }, saved)
}

/// Ends a pause within a section. Returns the value for the end of the section, which ends the
/// pause.
///
/// # Safety
/// `saved` is from the beginning of the [pause](without_switches), and a section is open.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub const unsafe fn end_pause(saved: Saved) -> Saved {
    saved
}

/// Restores the mask from before a section that has ended [without switches](without_switches). A
/// switch that became due meanwhile happens before the next instruction.
///
/// # Safety
/// The section found `saved` at its beginning; no other section is open.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn let_switch(saved: Saved) {
    // SAFETY: the caller's.
    unsafe { write(saved) };
    take_pending_interrupts();
}

/// Takes interrupts that are pending and no longer held off, before the next instruction.
#[inline(always)]
pub fn take_pending_interrupts() {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
}

/// Returns the value that [`raise`] would find now.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub fn held() -> Saved {
    let basepri: u32;
    // SAFETY: reading BASEPRI has no effect.
    unsafe { asm!("mrs {}, BASEPRI", out(reg) basepri, options(nostack, preserves_flags)) };
    basepri
}
