//! A timer as a part of something larger, such as a time event: where time is counted, its expiry
//! calls the function of that at once. Elsewhere it is a timer as any other, whose function is the
//! callback.
//!
//! Such a timer is armed while its node is, and not from its time on: who finds it unarmed knows
//! that the function was called, or is about to be. So an expiry needs no section, but for a
//! periodic timer.
//!
//! `whole` is the word of the table that the timer was made with: the address of the whole.

use ::core::hint::cold_path;

use super::{Cancel, Cell, Node, PERIOD_MAX, Period, RawWakerVTable, SoftwareTimer, kernel};
use crate::core::lock::Kernel;
use crate::core::timer::QUEUE;
use crate::time::counted::{COUNTED, LONGEST};

/// Of a timer that isn't periodic.
const SINGLE: Period = Period { low: 0, high: 0 };

impl SoftwareTimer {
    /// A timer that calls `callback`; or, where time is counted, wakes by `table`, whose function
    /// calls [`renew_part`](Self::renew_part) if the timer [is
    /// periodic](Self::part_is_periodic).
    pub(crate) const fn part(callback: fn(&'static Self), table: &'static RawWakerVTable) -> Self {
        Self { node: Node::with_table(table), period: Cell::new(SINGLE), callback }
    }

    /// Arms it for once, in `ticks` ticks, which are not 0. Armed, it begins anew.
    ///
    /// # Safety
    /// `whole` is one for its table, and a static.
    #[inline(always)]
    pub(crate) unsafe fn arm_part(&'static self, whole: *const (), ticks: u64) {
        let ticks = ticks.min(LONGEST);
        let is_armed = kernel(|lock| {
            let deadline = COUNTED.now() + ticks;
            // SAFETY: the caller's.
            unsafe { self.arrive(lock, whole, deadline) }
        });
        if is_armed {
            cold_path();
            // SAFETY: the caller's.
            unsafe { self.arm_part_anew(whole, ticks) };
        }
    }

    /// The same for one that is armed.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[cold]
    #[inline(never)]
    unsafe fn arm_part_anew(&'static self, whole: *const (), ticks: u64) {
        // SAFETY: the caller's.
        unsafe { self.arm_part_at(whole, COUNTED.now() + ticks, 0) };
    }

    /// Arms it for a deadline, and every `period` ticks behind that, if it isn't 0. Armed, it
    /// begins anew.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[inline(never)]
    pub(crate) unsafe fn arm_part_at(&'static self, whole: *const (), deadline: u64, period: u64) {
        let period = if period == 0 { SINGLE } else { Period::running(period.min(PERIOD_MAX)) };
        loop {
            let is_armed = kernel(|lock| {
                // SAFETY: the caller's.
                let is_armed = unsafe { self.arrive(lock, whole, deadline) };
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

    /// Disarms it. Whether it was armed.
    #[inline(always)]
    pub(crate) fn disarm_part(&self) -> bool {
        match kernel(|lock| self.cancel_part(lock)) {
            Cancel::Done => true,
            Cancel::NotArmed => self.end_part(),
            Cancel::Parent => self.leave_part(),
        }
    }

    /// Takes it out of the queue, and lets it not be renewed: this may interrupt an expiry, behind
    /// which it was armed periodically.
    #[inline(always)]
    fn cancel_part(&self, lock: &Kernel<'_>) -> Cancel {
        let done = crate::time::driver::queue().cancel(lock, &self.node);
        if done == Cancel::Done {
            self.period.set(Period { high: 0, ..self.period.get() });
        }
        done
    }

    /// Whether it is armed.
    pub(crate) fn part_is_armed(&self) -> bool {
        kernel(|lock| self.node.is_armed(lock))
    }

    /// When it is due, if it is armed.
    pub(crate) fn part_deadline(&self) -> Option<u64> {
        // SAFETY: the lock is held.
        kernel(|lock| self.node.is_armed(lock).then(|| unsafe { self.node.deadline() }))
    }

    /// Its time has come, where time isn't counted: the timer's address is the word. For the
    /// function of its table.
    ///
    /// # Safety
    /// It is that of a static timer.
    #[inline(always)]
    pub(crate) unsafe fn expire_part(word: *const ()) {
        // SAFETY: the caller's.
        unsafe { super::expire(word) };
    }

    /// Whether it is periodic. If not, nothing is to be done for it when its time has come.
    #[inline(always)]
    pub(crate) fn part_is_periodic(&self) -> bool {
        // SAFETY: a word that interrupts change as a whole.
        unsafe { Period::high_word(self.period.as_ptr()).read_volatile() != 0 }
    }

    /// Its time has come: arms it for the next, if it is still periodic. For the function of its
    /// table.
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

    /// Lets it wait for the next tick, for a deadline, once; unless it is armed. Whether it is.
    ///
    /// # Safety
    /// As for [`arm_part`](Self::arm_part).
    #[inline(always)]
    unsafe fn arrive(&'static self, lock: &Kernel<'_>, whole: *const (), deadline: u64) -> bool {
        if self.node.is_armed(lock) {
            return true;
        }
        self.period.set(Period { high: 0, ..self.period.get() });
        // SAFETY: not armed, under the lock; the caller's.
        unsafe {
            self.node.set_deadline(deadline);
            self.node.prepare_word(whole);
            COUNTED.arrivals.arrive(lock, &self.node);
        }
        false
    }

    /// Lets it not be renewed: its time has come, and its function may be about to do that. Unless
    /// it has been armed since. False: it was not armed.
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

    /// Takes it out of the queue, with what is below it set loose first, as somebody has found it
    /// armed. Whether it was there. Its wakee owns nothing.
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
