//! Changes of a thread's priority: a ready thread leaves its ring in one section, and enters its
//! new ring in the next. A third one looks whether a switch is due. `core::ownership`, on a floor
//! above, changes priorities.

use ::core::ptr;

use crate::arch::switch;
use crate::core::lock::{KernelLock, kernel, take_pending_interrupts};
use crate::core::record::priority::{is_ceiling, own_limit};
use crate::core::record::{Scheduler, ThreadBlock};

/// The rest of a change of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Change {
    /// There is none.
    None,
    /// A switch may be due.
    Looks,
    /// The thread is between two rings, and enters the new one: INVARIANT(moves).
    Moves,
}

impl Scheduler {
    /// Changes the priority of a thread to `priority`. The caller moves the thread among waiters.
    ///
    /// If the thread has to move among the ready threads, takes the thread out of its ring. The
    /// caller [finishes](Self::finish_change) the change, before which no other thread runs:
    /// INVARIANT(moves).
    pub(crate) fn change_priority(
        &self,
        control: &ThreadBlock,
        priority: u8,
        _lock: &KernelLock<'_>,
    ) -> Change {
        // Under a ceiling, the ceiling still counts.
        let (old, bit) = (control.bit.get(), control.true_bit_with(priority));
        // A suspended thread gets its bit when it is resumed, and one that moves in its new ring.
        if old == 0 || old == bit {
            control.priority.set(priority);
            return if old == 0 { Change::None } else { Change::Looks };
        }
        let ready = self.is_ready(control);
        if ready {
            self.remove(control);
        }
        #[cfg(feature = "time")]
        self.let_others_turn(control);
        if ready {
            control.begin_to_move();
            return Change::Moves;
        }
        control.priority.set(priority);
        Self::set_bit(control, bit);
        Change::None
    }

    /// Does the rest of a change to `priority`, in further sections. No other thread runs before
    /// their end. Returns `false` if `is_current` says that the priority is no longer due when the
    /// thread enters its ring: then the thread has kept the one that it has.
    pub(crate) fn finish_change(
        &self,
        control: &ThreadBlock,
        change: Change,
        priority: u8,
        is_current: impl Fn(&KernelLock<'_>) -> bool,
    ) -> bool {
        let current = change != Change::Moves || {
            take_pending_interrupts();
            kernel(|lock| {
                // Another context may have suspended the thread, and resumed it.
                let has_moved = !control.moves() && !control.is_suspended(lock);
                let current = is_current(lock) && !has_moved;
                if current {
                    control.priority.set(priority);
                }
                self.end_move(control, lock);
                current
            })
        };
        if change == Change::None {
            return current;
        }
        if switch::in_handler() {
            // A switch that was interrupted may be about to let this thread run, or another one
            // instead.
            switch::pend();
        } else {
            self.look_after();
        }
        current
    }

    /// Puts a thread into its new ring, behind the others of its priority or, if the thread is the
    /// running one, before them. Does nothing if another context has suspended the thread since.
    #[inline(always)]
    fn end_move(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if !control.end_to_move() {
            return;
        }
        Self::set_bit(control, control.true_bit());
        self.append(control, lock);
        if ptr::eq(self.running.get(), control) {
            self.put_first(control);
        }
    }

    /// Sets the bit of a thread that is in no ring, and the thread's own limit.
    fn set_bit(control: &ThreadBlock, bit: u32) {
        control.bit.set(bit);
        if !is_ceiling(control.limit.get()) {
            control.limit.set(own_limit(bit));
        } else if control.ceiling.get() == 0 {
            // The thread was interrupted at the end of a section, and may be about to restore its
            // old limit. After this, the thread looks at `promoted` and sets the new limit.
            control.promoted.set(true);
        }
    }
}
