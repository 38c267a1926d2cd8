//! Ceilings by source: cores without BASEPRI disable the interrupts of the other users.
//!
//! Each interrupt of the application up to the ceiling is disabled in the NVIC, those above stay
//! open. Exceptions such as SysTick can't be disabled there: the application is refused when one of
//! them contends for a resource.
//!
//! Ordering. An interrupt that is disabled may still be taken until the write has reached the NVIC
//! and the pipeline is refilled: a DSB and an ISB stand behind it (Arm DAI 0321A, 4.5).

use ::core::arch::asm;

use super::primask;

/// Set-enable register; reads say what is enabled.
const ISER: *mut u32 = 0xe000_e100 as *mut u32;
/// Clear-enable register.
const ICER: *mut u32 = 0xe000_e180 as *mut u32;

/// What must be masked so that nobody else who uses a resource can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The interrupts to disable, a bit for each; `ALL` stands for PRIMASK.
    sources: u32,
}

/// Every interrupt and exception.
const ALL: u32 = u32::MAX;

impl Ceiling {
    /// The ceiling `priority` (1 to 2^`priority_bits`) in an application that uses `interrupts`,
    /// each with its priority and its number.
    ///
    /// An interrupt with a number above 31 (ARMv8-M baseline) is held off by PRIMASK.
    #[must_use]
    pub const fn new(priority: u8, priority_bits: u8, interrupts: &[(u8, u16)]) -> Self {
        let mut sources = 0;
        let mut index = 0;
        while index < interrupts.len() {
            let (of, number) = interrupts[index];
            if of <= priority {
                if number >= 32 {
                    return Self { sources: ALL };
                }
                sources |= 1 << number;
            }
            index += 1;
        }
        if priority as u16 >= 1 << priority_bits {
            sources = ALL;
        }
        Self { sources }
    }

    /// What a section writes, for the map: no priority byte, and the interrupts that it disables, a
    /// bit for each, or none if PRIMASK holds off everything.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (0, if self.sources == ALL { 0 } else { self.sources })
    }

    /// The ceiling of the kernel's data: every interrupt and exception, as the latter can't be
    /// disabled one by one.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self { sources: ALL }
    }
}

/// Whether a section at the ceiling, wherever it may be open, has held off the running context.
/// Always `false`: only wakes of threads ask, and these cores have no threads.
#[inline(always)]
#[must_use]
pub const fn holds_off_this(_ceiling: Ceiling) -> bool {
    false
}

/// The priority byte of the NVIC for a priority of the application, 1 to 2^`priority_bits`.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // A priority above the highest is refused elsewhere, with a message; not here again, without.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// What a section has to put back: the interrupts that were enabled.
pub type Saved = u32;

/// Begins a section. What is returned goes to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.sources == ALL {
        return u32::from(primask::raise());
    }
    // SAFETY: disabling interrupts breaks no memory safety; both registers exist on every core.
    unsafe {
        let enabled = ISER.read_volatile() & ceiling.sources;
        ICER.write_volatile(ceiling.sources);
        asm!("dsb", "isb", options(nostack, preserves_flags));
        enabled
    }
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`], of the same ceiling; sections end in the reverse order
/// of their beginning.
#[inline(always)]
pub unsafe fn restore(ceiling: Ceiling, saved: Saved) {
    if ceiling.sources == ALL {
        // SAFETY: handed on.
        return unsafe { primask::restore(saved as u8) };
    }
    // SAFETY: these interrupts were enabled where the section began. The empty assembly keeps the
    // compiler from moving an access of the section behind its end.
    unsafe {
        asm!("", options(nostack, preserves_flags));
        ISER.write_volatile(saved);
    }
}

/// Begins a section where no other can be open. Nothing is cheaper here for knowing it.
#[inline(always)]
#[must_use]
pub fn raise_alone(ceiling: Ceiling) -> Saved {
    raise(ceiling)
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
#[inline(always)]
pub unsafe fn restore_alone(ceiling: Ceiling, saved: Saved) {
    // SAFETY: handed on.
    unsafe { restore(ceiling, saved) };
}

/// The priority byte up to which the sections that are open now hold interrupts off: all of them,
/// as the kernel's lock is PRIMASK on these cores.
#[cfg(feature = "time")]
#[inline(always)]
#[must_use]
pub fn held_priority() -> u8 {
    0
}

/// Takes what is pending and not held off any more, before what follows.
#[inline(always)]
pub fn take_pending_interrupts() {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
}
