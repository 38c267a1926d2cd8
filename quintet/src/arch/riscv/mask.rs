//! Masks: every section holds off all interrupts, by `mstatus`.
//!
//! So a section also delays tasks above its ceiling. The ceiling isn't lost: the application's
//! macro leaves sections out if no more urgent task uses the resource.

use super::interrupts;

/// The mask that holds off all other users of a resource: all interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling;

impl Ceiling {
    /// Makes the ceiling `priority`.
    #[must_use]
    pub const fn new(_priority: u8, _priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        Self
    }

    /// Makes the ceiling of the kernel's data.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self
    }

    /// Returns the values that a section writes, for the map: no priority byte and no bit of a
    /// controller, as every interrupt is held off.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (0, 0)
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

/// The value that a section restores: whether interrupts could come.
pub type Saved = u32;

/// Begins a section. Give the returned value to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(_ceiling: Ceiling) -> Saved {
    interrupts::raise()
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`], of the same ceiling; sections end in the reverse order
/// of their beginning.
#[inline(always)]
pub unsafe fn restore(_ceiling: Ceiling, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { interrupts::restore(saved) };
}

/// Begins a section, if no other section can be open.
#[inline(always)]
#[must_use]
pub fn raise_alone(_ceiling: Ceiling) -> Saved {
    interrupts::disable_interrupts();
    interrupts::MIE
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
#[inline(always)]
pub unsafe fn restore_alone(_ceiling: Ceiling, _saved: Saved) {
    // SAFETY: no other section is open, so interrupts could come when this one began.
    unsafe { interrupts::enable_interrupts() };
}

/// Does nothing: the end of a section takes pending interrupts at once.
#[inline(always)]
pub const fn take_pending_interrupts() {}
