//! A software timer whose time is counted tick by tick.
//!
//! The node of a timer that was started is armed in the same section, so nobody claims it. A timer
//! that isn't periodic runs as long as the node is armed. So its expiry only calls the function,
//! without a section. A periodic timer also runs between its time and the section that arms it
//! anew.

use ::core::hint::cold_path;

use super::{Cancel, KernelLock, SectionEnd, SoftwareTimer, driver, kernel, kernel_and_then};
use crate::time::counted::{COUNTED, counted};

impl SoftwareTimer {
    /// Calls the function once, in `ticks` ticks, at most [`LONGEST`], if time is counted. A timer
    /// that isn't armed needs a few instructions, which aren't worth a call.
    #[inline(always)]
    pub(super) fn start_in(&'static self, ticks: u64) {
        let counted = counted();
        let is_armed = kernel(|lock| {
            let deadline = counted.now() + ticks;
            // SAFETY: the word is for the node's table.
            unsafe { self.arrive(lock, counted, self.word(), deadline) }
        });
        if is_armed {
            cold_path();
            self.start_armed(ticks);
        }
    }

    /// As [`start_in`](Self::start_in), for a timer that was armed just now. Begins anew once for
    /// each time that an interrupt starts the timer meanwhile.
    #[cold]
    #[inline(never)]
    fn start_armed(&'static self, ticks: u64) {
        let section = |lock: &KernelLock<'_>| {
            let deadline = COUNTED.now() + ticks;
            // SAFETY: the word is for the node's table.
            if unsafe { self.arrive_anew(lock, self.word(), deadline) } {
                return ((), SectionEnd::Rest(deadline));
            }
            ((), SectionEnd::End)
        };
        // No other thread finds it stopped.
        kernel_and_then(section, |deadline, _pause| {
            self.leave(false);
            match deadline.saturating_sub(COUNTED.now()) {
                0 => self.start_now(),
                ticks => self.start_armed(ticks),
            }
        });
    }

    /// Calls the function at once, if time is counted.
    #[cold]
    #[inline(never)]
    pub(super) fn start_now(&'static self) {
        self.start_armed(0);
        // Its time has passed, as every one that is no later.
        driver::lower_alarm(0);
    }

    /// Stops the timer, if time is counted. Returns `true` if it was running.
    #[inline(always)]
    pub(super) fn stop_counted(&self) -> bool {
        kernel(|lock| self.cancel_part(lock)) == Cancel::Done || self.stop_slowly()
    }

    /// Stops a timer that has others below it, or whose time has come. Returns `true` if it was
    /// armed, or is periodic and isn't armed anew yet.
    #[cold]
    #[inline(never)]
    fn stop_slowly(&self) -> bool {
        let was_armed = self.leave(false);
        // A start that has come in between counts.
        let was_due = kernel(|lock| self.goes_on(lock) && self.end(lock));
        was_armed || was_due
    }
}
