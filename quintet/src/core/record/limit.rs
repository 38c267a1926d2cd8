//! The limit of a thread, which says which threads may preempt it; and the ring that the thread
//! belongs to.

use super::priority::{PRIORITY_MAX, bit_of, is_ceiling, own_limit};
use super::thread::ThreadBlock;
use crate::core::application;

impl ThreadBlock {
    /// Returns the ceiling that the thread is under, or the thread's own priority.
    pub(crate) fn ceiling(&self) -> u8 {
        31 - self.true_limit().leading_zeros() as u8
    }

    /// Returns the thread's limit: a thread with a larger bit preempts.
    pub(in crate::core) fn true_limit(&self) -> u32 {
        let limit = self.limit.get();
        if is_ceiling(limit) { own_limit(self.bit_of_ceiling()) } else { limit }
    }

    /// Returns the bit of the thread's ring. If the thread was preempted under a ceiling, this is
    /// the bit of the ceiling.
    #[inline(always)]
    pub(in crate::core) fn true_bit(&self) -> u32 {
        self.true_bit_with(self.priority.get())
    }

    /// Returns the bit with which the thread is ready once it has this priority.
    pub(in crate::core) fn true_bit_with(&self, priority: u8) -> u32 {
        if application::has_ceilings() && self.promoted.get() {
            bit_of(priority.max(self.ceiling.get() & PRIORITY_MAX))
        } else {
            bit_of(priority)
        }
    }

    /// Returns the bit of the thread's ceiling, or of the thread's own priority if that is higher.
    fn bit_of_ceiling(&self) -> u32 {
        bit_of(self.priority.get().max(self.ceiling.get() & PRIORITY_MAX))
    }
}
