//! Changes of a thread's priority: the thread moves to its new place among the ready threads.
//! `core::ownership`, on a floor above, changes priorities.

use ::core::ptr;

use crate::arch::switch;
use crate::core::lock::KernelLock;
use crate::core::record::priority::{is_ceiling, own_limit};
use crate::core::record::{Scheduler, ThreadBlock};

impl Scheduler {
    /// Changes the priority of a thread to `priority`, and moves the thread to its new place among
    /// the ready threads. The caller moves the thread among waiters.
    pub(crate) fn change_priority(
        &self,
        control: &ThreadBlock,
        priority: u8,
        lock: &KernelLock<'_>,
    ) {
        control.priority.set(priority);
        if control.is_suspended(lock) {
            return;
        }
        // Under a ceiling, the ceiling still counts.
        let bit = control.true_bit();
        if bit == control.bit.get() {
            return self.look();
        }
        let ready = self.is_ready(control);
        if ready {
            self.remove(control);
        }
        #[cfg(feature = "time")]
        self.let_others_turn(control);
        control.bit.set(bit);
        if !is_ceiling(control.limit.get()) {
            control.limit.set(own_limit(bit));
        } else if control.ceiling.get() == 0 {
            // The thread was interrupted at the end of a section, and may be about to restore its
            // old limit. After this, the thread looks at `promoted` and sets the new limit.
            control.promoted.set(true);
        }
        if !ready {
            return;
        }
        self.append(control, lock);
        if ptr::eq(self.running.get(), control) {
            self.put_first(control);
        }
        if switch::in_handler() {
            // A switch that was interrupted may be about to let this thread run, or another one
            // instead.
            switch::pend();
        } else {
            self.look();
        }
    }
}
