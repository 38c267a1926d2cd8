//! Nothing woken is lost, nothing runs that was not woken.

use crate::Count;

/// The wakes and polls of one task.
#[derive(Default)]
pub struct Wakes {
    /// Wakes, counted before they are made.
    asked: Count,
    /// How many of them the last poll has found.
    seen: Count,
    polls: Count,
}

impl Wakes {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { asked: Count::new(), seen: Count::new(), polls: Count::new() }
    }

    /// The caller is about to wake the task, or to spawn it.
    #[inline]
    pub fn ask(&self) {
        self.asked.add();
    }

    /// The task is polled. Returns how often it was before.
    #[inline]
    pub fn poll(&self) -> u32 {
        self.seen.put(self.asked.get());
        self.polls.add()
    }

    /// Nothing comes any more. Every wake was followed by a poll; no poll came without a wake.
    pub fn judge(&self) {
        let (asked, seen, polls) = (self.asked.get(), self.seen.get(), self.polls.get());
        assert!(asked == seen, "{asked} wakes, but the last poll came after {seen}");
        assert!(polls <= asked, "{polls} polls for {asked} wakes");
        assert!(polls > 0 || asked == 0, "{asked} wakes, and no poll");
    }
}
