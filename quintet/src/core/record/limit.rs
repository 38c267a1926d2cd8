//! What may preempt a thread, and the ring that it belongs to.

use super::priority::{PRIORITY_MAX, bit_of, is_ceiling, own_limit};
use super::thread::ThreadBlock;
use crate::core::application;

impl ThreadBlock {
    /// The ceiling that it is under, or its own priority.
    pub(crate) fn ceiling(&self) -> u8 {
        31 - self.true_limit().leading_zeros() as u8
    }

    /// What preempts it: bits above.
    pub(in crate::core) fn true_limit(&self) -> u32 {
        let limit = self.limit.get();
        if is_ceiling(limit) { own_limit(self.bit_of_ceiling()) } else { limit }
    }

    /// The bit of the ring that it belongs to: its ceiling's if it was preempted under one.
    #[inline(always)]
    pub(in crate::core) fn true_bit(&self) -> u32 {
        if application::has_ceilings() && self.promoted.get() {
            self.bit_of_ceiling()
        } else {
            bit_of(self.priority.get())
        }
    }

    /// The bit of its ceiling, or of its own priority if that is higher.
    fn bit_of_ceiling(&self) -> u32 {
        bit_of(self.priority.get().max(self.ceiling.get() & PRIORITY_MAX))
    }
}
