//! Pending and waiting on the host: remembered, for tests to look at.

use std::sync::atomic::{AtomicU32, Ordering};

/// The pended interrupts 0 to 31, a bit for each.
static PENDED: AtomicU32 = AtomicU32::new(0);

/// Remembers that the interrupt `number` was pended.
pub fn pend(number: u16) {
    PENDED.fetch_or(1 << (number % 32), Ordering::SeqCst);
}

/// The interrupts that were pended since the last call, a bit for each.
pub fn pended() -> u32 {
    PENDED.swap(0, Ordering::SeqCst)
}

/// Lets another thread run.
pub fn sleep_until_event() {
    std::thread::yield_now();
}

/// Nothing to do: nobody sleeps.
pub fn signal_event() {}
