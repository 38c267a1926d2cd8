//! Masks: a section at a ceiling raises the level of the [controller in software](super::software).
//! Sections of the kernel hold off all interrupts, by `mstatus`.
//!
//! The handlers that an application has for other interrupts than that of software may wake, and
//! use the kernel's objects. Only the kernel's sections hold them off.

use super::{interrupts, software};

/// The mask that holds off all other users of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The level that a section raises; `ALL` stands for `mstatus`.
    level: u8,
}

/// Every interrupt.
const ALL: u8 = u8::MAX;

impl Ceiling {
    /// Makes the ceiling `priority`.
    #[must_use]
    pub const fn new(priority: u8, _priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        Self { level: priority }
    }

    /// Makes the ceiling of the kernel's data: every interrupt, as handlers of the application's
    /// own may use the kernel.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self { level: ALL }
    }

    /// Returns the values that a section writes, for the map: the level, or 0 if every interrupt is
    /// held off; and no bit of a controller.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (if self.level == ALL { 0 } else { self.level }, 0)
    }
}

/// Returns `false`. The question is whether a section at the ceiling, in any context, holds off the
/// running context. Only wakes of threads ask, and there are no threads.
#[inline(always)]
#[must_use]
pub const fn holds_off_this(_ceiling: Ceiling) -> bool {
    false
}

/// Returns the priority byte for a priority of the application: the priority itself.
#[must_use]
pub const fn hardware_priority(priority: u8, _priority_bits: u8) -> u8 {
    priority
}

/// The value that a section restores: the level, or whether interrupts could come.
pub type Saved = u32;

/// Begins a section. Give the returned value to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.level == ALL {
        return interrupts::raise();
    }
    u32::from(software::raise(ceiling.level))
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`], of the same ceiling; sections end in the reverse order
/// of their beginning.
#[inline(always)]
pub unsafe fn restore(ceiling: Ceiling, saved: Saved) {
    // SAFETY: the caller's.
    unsafe {
        if ceiling.level == ALL {
            interrupts::restore(saved);
        } else {
            software::restore(saved as u8);
        }
    }
}

/// Begins a section, if no other section can be open. Not cheaper than [`raise`] here.
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
    // SAFETY: the caller's.
    unsafe { restore(ceiling, saved) };
}

/// Does nothing: the end of a section takes pending interrupts at once.
#[inline(always)]
pub const fn take_pending_interrupts() {}
