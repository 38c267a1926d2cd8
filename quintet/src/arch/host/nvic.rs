//! Pending and waiting on the host.

/// Runs the interrupt in a scenario; there is none otherwise.
pub fn pend(number: u16) {
    super::explore::pend(number);
}

/// Nothing to do: what is pended runs at once.
pub fn take_pending() {}

/// Lets another thread run.
pub fn sleep_until_event() {
    std::thread::yield_now();
}

/// Nothing to do: nobody sleeps.
pub fn signal_event() {}
