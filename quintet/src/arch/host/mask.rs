//! Ceilings on the host: one lock for the process, for every ceiling.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// The mask that holds off all other users of a resource: everything, here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling;

impl Ceiling {
    /// The same for every priority.
    #[must_use]
    pub const fn new(_priority: u8, _priority_bits: u8, _interrupts: &[(u8, u16)]) -> Self {
        Self
    }

    /// The same for every priority byte.
    #[must_use]
    pub const fn of_hardware(_priority: u8) -> Self {
        Self
    }

    /// The same beside threads.
    #[must_use]
    pub const fn beside_threads(self) -> Self {
        self
    }

    /// Returns 0: sections hold off all interrupts here.
    #[cfg(feature = "time")]
    #[must_use]
    pub const fn hardware(self) -> u8 {
        0
    }

    /// The same for every priority.
    #[must_use]
    pub const fn with_threads(_priority: u8, _priority_bits: u8) -> Self {
        Self
    }

    /// The same for every priority.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self
    }
}

/// Returns the priority byte that the NVIC would have.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // The macro refuses a priority above the highest, with a message; so there is no second check
    // here.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// The state that a section restores: whether the section lies inside another one of this thread,
/// and whether switches were held off.
pub type Saved = u8;

/// Inside another section.
const WITHIN: u8 = 1;
/// Switches are held off.
const NO_SWITCH: u8 = 2;

/// `true` if a thread is inside a section.
static LOCKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// `true` if this thread is inside a section.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// `true` if switches are held off.
    static HELD_OFF: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if this thread is inside a section.
pub fn is_held() -> bool {
    INSIDE.get()
}

/// Returns `true` if switches of threads are held off.
pub fn switches_are_held_off() -> bool {
    INSIDE.get() || HELD_OFF.get()
}

/// Returns the value that [`raise`] would find now.
#[must_use]
pub fn held() -> Saved {
    (if INSIDE.get() { WITHIN } else { 0 }) | if HELD_OFF.get() { NO_SWITCH } else { 0 }
}

/// Begins a pause, in a section that found `saved` at its beginning: no switch of threads comes
/// until [`let_switch`]. Returns the value for the end of the section, and the value for the end of
/// the pause.
#[must_use]
pub const fn without_switches(saved: Saved) -> (Saved, Saved) {
    (saved | NO_SWITCH, saved)
}

/// Ends a pause within a section, whose end ends the pause.
///
/// # Safety
/// `saved` is from the beginning of the pause, and a section is open.
#[must_use]
pub const unsafe fn end_pause(saved: Saved) -> Saved {
    saved
}

/// Lets switches come again.
///
/// # Safety
/// As for `restore`.
pub unsafe fn let_switch(saved: Saved) {
    HELD_OFF.set(saved & NO_SWITCH != 0);
    super::explore::point();
}

/// Does nothing: pending interrupts have come already.
pub const fn take_pending_interrupts() {}

/// Returns `true`: sections hold off every context here.
#[must_use]
pub const fn holds_off_this(_ceiling: Ceiling) -> bool {
    true
}

/// Begins a section. Give the returned value to [`restore`].
#[must_use]
pub fn raise(_ceiling: Ceiling) -> Saved {
    super::explore::point();
    let saved = held();
    if INSIDE.get() {
        return saved;
    }
    while LOCKED.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    INSIDE.set(true);
    saved
}

/// Ends a section.
///
/// # Safety
/// `saved` is from the matching [`raise`]; sections end in the reverse order of their beginning.
pub unsafe fn restore(_ceiling: Ceiling, saved: Saved) {
    HELD_OFF.set(saved & NO_SWITCH != 0);
    if saved & WITHIN == 0 {
        INSIDE.set(false);
        LOCKED.store(false, Ordering::Release);
        super::explore::point();
    }
}

/// Begins a section, if no other section can be open.
#[must_use]
pub fn raise_alone(ceiling: Ceiling) -> Saved {
    raise(ceiling)
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
pub unsafe fn restore_alone(ceiling: Ceiling, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { restore(ceiling, saved) };
}
