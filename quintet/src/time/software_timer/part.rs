//! A timer as a part of a larger object, such as a time event. If time is counted, the timer's
//! expiry calls the function of this object at once. Otherwise the timer is an ordinary timer,
//! whose function is the callback.
//!
//! Such a timer counts as armed only while its node is armed, and not from its time on. A context
//! that finds the timer unarmed knows that the function was called, or is about to be called. So
//! only the expiry of a periodic timer needs a section.
//!
//! `whole` is the word of the table that the timer was made with: the address of the whole object.

use ::core::hint::cold_path;

use super::{Cancel, Cell, Node, PERIOD_MAX, Period, RawWakerVTable, SoftwareTimer, kernel};
use crate::core::lock::KernelLock;
use crate::core::timer::QUEUE;
use crate::time::counted::{COUNTED, Counted, LONGEST, counted};

/// The period of a timer that isn't periodic.
const SINGLE: Period = Period { low: 0, high: 0 };

impl SoftwareTimer {
    /// Returns a timer that calls `callback`. If time is counted, the timer wakes by `table`
    /// instead, whose function calls [`renew_part`](Self::renew_part) if the timer [is
    /// periodic](Self::part_is_periodic).
    pub(crate) const fn part(callback: fn(&'static Self), table: &'static RawWakerVTable) -> Self {
        Self { node: Node::with_table(table), period: Cell::new(SINGLE), callback }
    }

    /// Arms the timer once, for `ticks` ticks from now; `ticks` is not 0. If the timer is armed,
    /// its time begins anew.
    ///
    /// # Safety
    /// `whole` is a static that fits the table.
    #[inline(always)]
    pub(crate) unsafe fn arm_part(&'static self, whole: *const (), ticks: u64) {
        let (counted, ticks) = (counted(), ticks.min(LONGEST));
        let is_armed = kernel(|lock| {
            let deadline = counted.now() + ticks;
            // SAFETY: the caller's.
            unsafe { self.arrive(lock, counted, whole, deadline) }
        });
        if is_armed {
            cold_path();
            // SAFETY: the caller's.
            unsafe { self.arm_part_anew(whole, ticks) };
        }
    }

    /// As [`arm_part`](Self::arm_part), for a timer that is armed.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[cold]
    #[inline(never)]
    unsafe fn arm_part_anew(&'static self, whole: *const (), ticks: u64) {
        // SAFETY: the caller's.
        unsafe { self.arm_part_at(whole, COUNTED.now() + ticks, 0) };
    }

    /// Arms the timer for a deadline, and then every `period` ticks, if `period` isn't 0. If the
    /// timer is armed, its time begins anew.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[inline(never)]
    pub(crate) unsafe fn arm_part_at(&'static self, whole: *const (), deadline: u64, period: u64) {
        let period = if period == 0 { SINGLE } else { Period::running(period.min(PERIOD_MAX)) };
        loop {
            let is_armed = kernel(|lock| {
                // SAFETY: the caller's.
                let is_armed = unsafe { self.arrive_anew(lock, whole, deadline) };
                if !is_armed {
                    self.period.set(period);
                }
                is_armed
            });
            if !is_armed {
                break;
            }
            // Once for each time that an interrupt arms it meanwhile.
            self.leave_part();
        }
        if deadline <= COUNTED.now() {
            kernel(|lock| COUNTED.look_at_once(lock));
        }
    }

    /// Disarms the timer. Returns `true` if it was armed.
    #[inline(always)]
    pub(crate) fn disarm_part(&self) -> bool {
        match kernel(|lock| self.cancel_part(lock)) {
            Cancel::Done => true,
            Cancel::NotArmed => self.end_part(),
            Cancel::Parent => self.leave_part(),
        }
    }

    /// Lets an armed timer that no tick has seen yet be due once, in `ticks` ticks from now
    /// instead. Returns `false` for another timer, which stays unchanged. `ticks` is not 0.
    #[inline(always)]
    pub(crate) fn move_part(&self, ticks: u64) -> bool {
        let (counted, ticks) = (counted(), ticks.min(LONGEST));
        kernel(|lock| {
            if !self.node.may_move(lock) {
                cold_path();
                return false;
            }
            self.period.set(Period { high: 0, ..self.period.get() });
            // SAFETY: the lock is held, and there is no order among the arrivals.
            unsafe { self.node.move_deadline(lock, counted.now() + ticks) };
            true
        })
    }

    /// Takes the timer out of the queue, and prevents its renewal: this call may interrupt an
    /// expiry that is about to arm the timer again.
    #[inline(always)]
    pub(super) fn cancel_part(&self, lock: &KernelLock<'_>) -> Cancel {
        // Most timeouts end before a tick has seen them.
        if self.node.may_move(lock) {
            self.period.set(Period { high: 0, ..self.period.get() });
            // SAFETY: just looked.
            unsafe { self.node.withdraw(lock) };
            return Cancel::Done;
        }
        cold_path();
        self.cancel_armed(lock)
    }

    /// As [`cancel_part`](Self::cancel_part), for a timer that may be in the queue.
    #[inline(always)]
    fn cancel_armed(&self, lock: &KernelLock<'_>) -> Cancel {
        let done = QUEUE.cancel(lock, &self.node);
        if done == Cancel::Done {
            self.period.set(Period { high: 0, ..self.period.get() });
        }
        done
    }

    /// Returns `true` if the timer is armed.
    pub(crate) fn part_is_armed(&self) -> bool {
        kernel(|lock| self.node.is_armed(lock))
    }

    /// Returns when the timer is due, if it is armed.
    pub(crate) fn part_deadline(&self) -> Option<u64> {
        // SAFETY: the lock is held.
        kernel(|lock| self.node.is_armed(lock).then(|| unsafe { self.node.deadline() }))
    }

    /// The time has come, if time isn't counted: the word is the timer's address. For the function
    /// of the timer's table.
    ///
    /// # Safety
    /// The address is that of a static timer.
    #[inline(always)]
    pub(crate) unsafe fn expire_part(word: *const ()) {
        // SAFETY: the caller's.
        unsafe { super::expire(word) };
    }

    /// Returns `true` if the timer is periodic. Otherwise nothing has to be done for the timer when
    /// its time has come.
    #[inline(always)]
    pub(crate) fn part_is_periodic(&self) -> bool {
        // SAFETY: a word that interrupts change as a whole.
        unsafe { Period::high_word(self.period.as_ptr()).read_volatile() != 0 }
    }

    /// The time has come: arms the timer for its next time, if it is still periodic. For the
    /// function of the timer's table.
    #[inline(never)]
    pub(crate) fn renew_part(&'static self) {
        let late = kernel(|lock| {
            let period = self.period.get();
            if period.high == 0 || self.node.is_armed(lock) {
                return false;
            }
            // SAFETY: the lock is held, it isn't armed, and its word is what it was. Its time has
            // come, so this is far from the end of time.
            unsafe {
                let next = self.node.deadline() + period.ticks();
                self.node.set_deadline(next);
                COUNTED.arm(lock, &self.node, next)
            }
        });
        if late {
            kernel(|lock| COUNTED.look_at_once(lock));
        }
    }

    /// Unless the timer is armed, lets the timer wait for the next tick, for a deadline, once.
    /// Returns `true` if the timer is armed.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[inline(always)]
    pub(super) unsafe fn arrive(
        &'static self,
        lock: &KernelLock<'_>,
        counted: &Counted,
        whole: *const (),
        deadline: u64,
    ) -> bool {
        if self.node.is_armed(lock) {
            return true;
        }
        self.period.set(Period { high: 0, ..self.period.get() });
        // SAFETY: not armed, under the lock; the caller's.
        unsafe {
            self.node.set_deadline(deadline);
            self.node.prepare_word(whole);
            counted.arrivals.arrive_movable(lock, &self.node);
        }
        false
    }

    /// As [`arrive`](Self::arrive), for a timer that was armed just now. Returns `true` if the
    /// timer must leave the queue first.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[inline(always)]
    pub(super) unsafe fn arrive_anew(
        &'static self,
        lock: &KernelLock<'_>,
        whole: *const (),
        deadline: u64,
    ) -> bool {
        if !self.node.may_move(lock) {
            // SAFETY: the caller's.
            return unsafe { self.arrive(lock, &COUNTED, whole, deadline) };
        }
        self.period.set(Period { high: 0, ..self.period.get() });
        // SAFETY: the lock is held, and there is no order among the arrivals.
        unsafe { self.node.move_deadline(lock, deadline) };
        false
    }

    /// Prevents the renewal of a timer whose time has come, and whose function may be about to
    /// renew it; unless the timer has been armed since. Returns `false` if the timer was not armed.
    #[cold]
    #[inline(never)]
    fn end_part(&self) -> bool {
        kernel(|lock| {
            if !self.node.is_armed(lock) {
                self.period.set(SINGLE);
            }
        });
        false
    }

    /// Takes the timer out of the queue, after setting the nodes below it loose, as a context has
    /// found the timer armed. Returns `true` if the timer was in the queue. The node's wake target
    /// owns nothing.
    #[cold]
    #[inline(never)]
    fn leave_part(&self) -> bool {
        // Once for each time that another one was put below it meanwhile.
        loop {
            kernel(|lock| QUEUE.free_below(lock, &self.node));
            match kernel(|lock| self.cancel_part(lock)) {
                Cancel::Done => return true,
                Cancel::NotArmed => return self.end_part(),
                Cancel::Parent => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
