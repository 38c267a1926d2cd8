//! Pending and waiting on the host.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

/// Runs the interrupt in a scenario; there is none otherwise.
pub fn pend(number: u16) {
    super::explore::pend(number);
}

/// Nothing to do: an interrupt that is pended runs.
///
/// # Safety
/// As on the targets.
pub unsafe fn enable(_number: u16) {}

/// Nothing to do: an interrupt that is pended runs.
#[must_use]
pub struct Interrupts;

impl Interrupts {
    /// None.
    #[expect(clippy::new_without_default, reason = "it is for expansions")]
    pub const fn new() -> Self {
        Self
    }

    /// This one, too.
    pub const fn add(&mut self, _number: u16) {}

    /// Nothing to do.
    ///
    /// # Safety
    /// As on the targets.
    pub const unsafe fn enable(&self) {}
}

/// Nothing to do: interrupts have no priorities here.
///
/// # Safety
/// As on the targets.
pub unsafe fn set_interrupt_priority(_number: u16, _priority: u8) {}

/// Nothing to do: what is pended runs at once.
pub fn take_pending() {}

/// Lets another thread run.
pub fn sleep_until_event() {
    std::thread::yield_now();
}

/// Nothing to do: nobody sleeps.
pub fn signal_event() {}
