//! Ceilings by BASEPRI: ARMv7-M and ARMv8-M with the main extension.
//!
//! Raising BASEPRI holds off every interrupt of the same or a lower priority, and no other.
//!
//! Ordering. The processor applies a raising MSR before the next instruction: no barrier is needed
//! (Arm DAI 0321A, 4.8), but on Cortex-M7 r0p0 and r0p1 (erratum 837070), where the feature
//! `cortex-m7-r0p1` writes BASEPRI under PRIMASK. A lowering MSR lets a pending interrupt in within
//! a couple of instructions, and surely before what is behind an ISB (4.7): where another section
//! follows at once, or the thread may have been suspended meanwhile, [`take_pending_interrupts`] is
//! one. The assembly that writes says neither `nomem` nor `readonly`, so that the compiler moves no
//! access out of a section or into it.
//!
//! Cost on a Cortex-M3: 4 cycles a section, 2 where nothing can be held outside it.

use ::core::arch::asm;

use super::primask;

/// What must be masked so that nobody else who uses a resource can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The value for BASEPRI; 0 stands for PRIMASK.
    basepri: u8,
}

impl Ceiling {
    /// The ceiling `priority` (1 to 2^`priority_bits`) on a chip with that many priority bits.
    ///
    /// BASEPRI can't mask the hardware's highest priority, 2^`priority_bits` here: PRIMASK does.
    /// `_interrupts` matters on cores without BASEPRI only.
    #[must_use]
    pub const fn new(priority: u8, priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        let basepri = hardware_priority(priority, priority_bits);
        Self { basepri }
    }

    /// The ceiling of a priority byte, as the NVIC has it.
    #[must_use]
    pub const fn of_hardware(priority: u8) -> Self {
        Self { basepri: priority }
    }

    /// The priority byte that it is; 0 if no BASEPRI masks it.
    #[must_use]
    pub const fn hardware(self) -> u8 {
        self.basepri
    }

    /// What a section writes, for the map: the priority byte, 0 for PRIMASK, and no sources.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (self.basepri, 0)
    }

    /// The ceiling of the kernel's data, which everything of `priority` and below may touch.
    #[must_use]
    pub const fn kernel(priority: u8, priority_bits: u8) -> Self {
        Self::new(priority, priority_bits, &[])
    }
}

/// Whether a section at the ceiling, wherever it may be open, has held off the running context: so
/// not if this is an interrupt above it.
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
        // Nothing holds these off.
        1..4 => return false,
        4..16 => SYSTEM_PRIORITIES + exception - 4,
        _ => PRIORITIES + exception - 16,
    };
    // SAFETY: a byte of the registers, which every core has for every exception.
    let priority = unsafe { ::core::ptr::with_exposed_provenance::<u8>(place).read_volatile() };
    priority >= ceiling.basepri
}

/// The priority byte of the NVIC for a priority of the application, 1 to 2^`priority_bits`.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // A priority above the highest is refused elsewhere, with a message; not here again, without.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// What a section has to put back. A whole register, so that nothing is cut to size on the way.
pub type Saved = u32;

/// Begins a section. What is returned goes to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.basepri == 0 {
        return u32::from(primask::raise());
    }
    let before: u32;
    // SAFETY: reading BASEPRI has no effect. It stays before what raises it, which may write to
    // memory for all that the compiler knows, and is left out if nobody asks.
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
        // SAFETY: handed on.
        return unsafe { primask::restore(saved as u8) };
    }
    // SAFETY: this is the value at the beginning of the section.
    unsafe { write(saved) };
}

/// Begins a section where no other can be open: neither in this context nor in one that it
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
    // SAFETY: handed on; BASEPRI was 0, as no section was open.
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
    // SAFETY: the same; PRIMASK is put back as it was.
    #[cfg(feature = "cortex-m7-r0p1")]
    unsafe {
        let before = primask::raise();
        asm!(
            "msr BASEPRI_MAX, {}",
            "isb",
            in(reg) u32::from(basepri),
            options(nostack, preserves_flags)
        );
        primask::restore(before);
    }
}

/// Sets BASEPRI.
///
/// # Safety
/// No section that is still open needs a higher one.
#[inline(always)]
unsafe fn write(basepri: u32) {
    // SAFETY: the caller answers for what is let in.
    unsafe { asm!("msr BASEPRI, {}", in(reg) basepri, options(nostack, preserves_flags)) };
}

/// What a section that began where `saved` was found has to put back, so that no switch of threads
/// comes behind it until [`let_switch`]. The switch has the lowest priority, which no interrupt
/// has.
///
/// For applications with threads, whose sections are all BASEPRI's.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub const fn without_switches(saved: Saved) -> Saved {
    if saved == 0 { 0xff } else { saved }
}

/// Puts back what was found where a section began that has ended [without
/// switches](without_switches). What became due meanwhile happens before what follows.
///
/// # Safety
/// `saved` is what was found there; no other section is open.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn let_switch(saved: Saved) {
    // SAFETY: handed on.
    unsafe { write(saved) };
    take_pending_interrupts();
}

/// Takes what is pending and not held off any more, before what follows.
#[inline(always)]
pub fn take_pending_interrupts() {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
}

/// The priority byte up to which the sections that are open now hold interrupts off; 0 if all of
/// them, by PRIMASK.
#[cfg(feature = "time")]
#[inline(always)]
#[must_use]
pub fn held_priority() -> u8 {
    held() as u8
}

/// What [`raise`] would find now.
#[cfg(threads)]
#[inline(always)]
#[must_use]
pub fn held() -> Saved {
    let basepri: u32;
    // SAFETY: reading BASEPRI has no effect.
    unsafe { asm!("mrs {}, BASEPRI", out(reg) basepri, options(nostack, preserves_flags)) };
    basepri
}
