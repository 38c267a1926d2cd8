//! Pending and waiting on the host.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

/// Runs the interrupt in a scenario; does nothing otherwise.
pub fn pend(number: u16) {
    super::explore::pend(number);
}

/// Does nothing: a pended interrupt runs.
///
/// # Safety
/// As on the targets.
pub unsafe fn enable(_number: u16) {}

/// A set of interrupts without content: a pended interrupt runs.
#[must_use]
pub struct Interrupts;

impl Interrupts {
    /// Makes a set without interrupts.
    #[expect(clippy::new_without_default, reason = "only expansions use this")]
    pub const fn new() -> Self {
        Self
    }

    /// Does nothing.
    pub const fn add(&mut self, _number: u16) {}

    /// Does nothing.
    ///
    /// # Safety
    /// As on the targets.
    pub const unsafe fn enable(&self) {}
}

/// Does nothing: interrupts have no priorities here.
///
/// # Safety
/// As on the targets.
pub unsafe fn set_interrupt_priority(_number: u16, _priority: u8) {}

/// Does nothing: pended interrupts run at once.
pub fn take_pending() {}

/// Lets another thread run.
pub fn sleep_until_event() {
    std::thread::yield_now();
}

/// Does nothing: no context sleeps.
pub fn signal_event() {}
