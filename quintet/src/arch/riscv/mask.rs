//! Masks: a section at a ceiling raises the level of the [controller in software](super::software).
//! Sections of the kernel hold off all interrupts, by `mstatus`.
//!
//! The handlers that an application has for other interrupts than that of software may wake, and
//! use the kernel's objects. Only the kernel's sections hold them off.

use super::{interrupts, software};

/// The mask that holds off all other users of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The level that a section raises; `ALL` and `BESIDE_THREADS` stand for `mstatus`.
    level: u8,
}

/// Every interrupt.
const ALL: u8 = u8::MAX;
/// Every interrupt, in an application with threads.
const BESIDE_THREADS: u8 = u8::MAX - 1;

impl Ceiling {
    /// Makes the ceiling `priority`.
    #[must_use]
    pub const fn new(priority: u8, _priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        Self { level: priority }
    }

    /// Makes the ceiling `priority` of data that threads share with levels: switches come at the
    /// lowest level only.
    #[must_use]
    pub const fn with_threads(priority: u8, _priority_bits: u8) -> Self {
        Self { level: priority }
    }

    /// Makes the ceiling of the kernel's data: every interrupt, as handlers of the application's
    /// own may use the kernel.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self { level: ALL }
    }

    /// Makes the same ceiling for an application with threads, whose sections tell whether a thread
    /// may wait.
    #[must_use]
    pub const fn beside_threads(self) -> Self {
        Self { level: if self.level == ALL { BESIDE_THREADS } else { self.level } }
    }

    /// Makes the ceiling of the kernel's data in a program without an application. The priority
    /// has no meaning here.
    #[must_use]
    pub const fn of_hardware(_priority: u8) -> Self {
        Self { level: BESIDE_THREADS }
    }

    /// Returns the values that a section writes, for the map: the level, or 0 if every interrupt is
    /// held off; and no bit of a controller.
    #[must_use]
    pub const fn mapped(self) -> (u8, u32) {
        (if self.level >= BESIDE_THREADS { 0 } else { self.level }, 0)
    }
}

/// Returns `true` if sections at the ceiling hold off every context, as the kernel's do. May return
/// `false` for a context that they hold off.
#[inline(always)]
#[must_use]
pub const fn holds_off_this(ceiling: Ceiling) -> bool {
    ceiling.level >= BESIDE_THREADS
}

/// Returns the priority byte for a priority of the application: the priority itself.
#[must_use]
pub const fn hardware_priority(priority: u8, _priority_bits: u8) -> u8 {
    priority
}

/// The value that a section restores: the level, or whether interrupts could come. Beside threads,
/// the kernel's sections find 0 in a thread or idle within no other section. Otherwise they find
/// [`WERE_OFF`] if no interrupt could come, and the level above the lowest byte.
pub type Saved = u32;

/// In a [`Saved`] of the kernel beside threads: no interrupt could come.
const WERE_OFF: u32 = interrupts::MIE;

/// Returns the level that a section of the kernel found.
#[inline(always)]
pub const fn level_of(saved: Saved) -> u8 {
    (saved >> 8) as u8
}

/// Returns `true` if a section of the kernel found that no interrupt could come.
#[inline(always)]
pub const fn were_off(saved: Saved) -> bool {
    saved & WERE_OFF != 0
}

/// Returns the value that a section of the kernel finds now, beside threads.
#[inline(always)]
#[must_use]
pub fn held() -> Saved {
    found(interrupts::status())
}

/// Returns the value that a section beside threads has found, before which `mstatus` was `before`.
#[inline(always)]
fn found(before: u32) -> Saved {
    (before & WERE_OFF ^ WERE_OFF) | u32::from(software::level()) << 8
}

/// Begins a pause, in a section that found `saved`: no switch of threads comes until
/// [`let_switch`], as the level is the lowest, which only the switch has. Returns the value for the
/// end of the section, and the value for the end of the pause.
#[inline(always)]
#[must_use]
pub fn without_switches(saved: Saved) -> (Saved, Saved) {
    if level_of(saved) == 0 {
        software::hold_switches_off();
    }
    (saved, saved)
}

/// Ends a pause within a section. Returns the value for the section's end.
///
/// # Safety
/// `saved` is from the beginning of the pause, and a section is open.
#[inline(always)]
#[must_use]
pub unsafe fn end_pause(saved: Saved) -> Saved {
    // SAFETY: the caller's.
    unsafe { let_switch(saved) };
    saved
}

/// Restores the level from before a section that has ended [without switches](without_switches). A
/// switch that became due meanwhile happens before the next instruction, or at the end of the
/// section that is open.
///
/// # Safety
/// The section found `saved` at its beginning.
#[inline(always)]
pub unsafe fn let_switch(saved: Saved) {
    if level_of(saved) == 0 {
        software::let_switches_in();
    }
}

/// Begins a section. Give the returned value to [`restore`].
#[inline(always)]
#[must_use]
pub fn raise(ceiling: Ceiling) -> Saved {
    if ceiling.level == ALL {
        return interrupts::raise();
    }
    if ceiling.level == BESIDE_THREADS {
        return found(interrupts::raise());
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
        } else if ceiling.level == BESIDE_THREADS {
            interrupts::restore(saved & WERE_OFF ^ WERE_OFF);
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
