//! Ceilings on the host: one lock for the process, whatever the ceiling.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// What must be masked so that nobody else who uses a resource can run: everything, here.
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

    /// The same for every priority.
    #[must_use]
    pub const fn kernel(_priority: u8, _priority_bits: u8) -> Self {
        Self
    }
}

/// The priority byte that the NVIC would have.
#[must_use]
pub const fn hardware_priority(priority: u8, priority_bits: u8) -> u8 {
    // A priority above the highest is refused elsewhere, with a message; not here again, without.
    ((1_u16 << priority_bits).saturating_sub(priority as u16) << (8 - priority_bits)) as u8
}

/// What a section has to put back: whether it stands inside another one of this thread, and whether
/// switches were held off.
pub type Saved = u8;

/// Inside another section.
const WITHIN: u8 = 1;
/// Switches are held off.
const NO_SWITCH: u8 = 2;

/// Whether a thread is inside a section.
static LOCKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Whether switches are held off.
    static HELD_OFF: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a section.
pub fn is_held() -> bool {
    INSIDE.get()
}

/// Whether switches of threads are held off.
pub fn switches_are_held_off() -> bool {
    INSIDE.get() || HELD_OFF.get()
}

/// What [`raise`] would find now.
#[must_use]
pub fn held() -> Saved {
    (if INSIDE.get() { WITHIN } else { 0 }) | if HELD_OFF.get() { NO_SWITCH } else { 0 }
}

/// What a section that began where `saved` was found has to put back, so that no switch of threads
/// comes behind it until [`let_switch`].
#[must_use]
pub const fn without_switches(saved: Saved) -> Saved {
    saved | NO_SWITCH
}

/// The end of that.
///
/// # Safety
/// As for `restore`.
pub unsafe fn let_switch(saved: Saved) {
    HELD_OFF.set(saved & NO_SWITCH != 0);
    super::explore::point();
}

/// Takes what is pending: it was, here.
pub const fn take_pending_interrupts() {}

/// Whether sections hold off the running context: all of them, here.
#[must_use]
pub const fn holds_off_this(_ceiling: Ceiling) -> bool {
    true
}

/// The priority byte up to which sections hold interrupts off: all of them, here.
#[cfg(feature = "time")]
#[must_use]
pub fn held_priority() -> u8 {
    0
}

/// Begins a section. What is returned goes to [`restore`].
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

/// Begins a section where no other can be open.
#[must_use]
pub fn raise_alone(ceiling: Ceiling) -> Saved {
    raise(ceiling)
}

/// Ends a section that [`raise_alone`] began.
///
/// # Safety
/// As for [`restore`].
pub unsafe fn restore_alone(ceiling: Ceiling, saved: Saved) {
    // SAFETY: handed on.
    unsafe { restore(ceiling, saved) };
}
