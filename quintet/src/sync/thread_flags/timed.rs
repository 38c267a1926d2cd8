//! Waits of a thread for its own flags until a time.
//!
//! If the [time is up](crate::time::expiry) first, its handler takes the mark away in the section
//! in which the handler sees that the thread still waits.

#![expect(unsafe_code, reason = "a thread that waits is switched from")]

use embassy_time::Instant;

use super::ThreadFlags;
use crate::arch::switch;
use crate::core::lock::{Section, kernel};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::scheduler::ThreadBlock;
use crate::core::section::kernel_and_wake;
use crate::time::expiry::{Expire, Phase, TimedOut, limited};

/// A thread that waits for its own flags, and for a time. Lies on the thread's stack.
struct Timed<'a> {
    flags: &'a ThreadFlags,
    control: &'static ThreadBlock,
    phase: Phase,
}

/// Lets the running thread, which owns `flags`, wait until enough flags of `mask` are set, or until
/// the clock shows `deadline`. Flags that are set at once are taken at any time.
#[inline(never)]
pub fn until(
    flags: &ThreadFlags,
    how: usize,
    mask: u32,
    deadline: Instant,
) -> Result<u32, TimedOut> {
    if let Some(hits) = kernel(|lock| flags.board.get(lock).take(how, mask)) {
        return Ok(hits);
    }
    let control = park::check_may_wait();
    let timed = Timed { flags, control, phase: Phase::until(deadline) };
    // SAFETY: the timer is armed, or the time is up.
    limited(deadline, &timed, || unsafe { timed.wait(how, mask) }).ok_or(TimedOut)
}

impl Expire for Timed<'_> {
    fn is_over(&self) -> bool {
        self.phase.has_expired()
    }

    fn expire(&self) {
        kernel_and_wake(|lock| {
            let waits = || self.control.wanted(self.flags, lock).is_some();
            if !self.phase.expire(lock, waits) {
                return ((), None);
            }
            self.control.end_wanted(0, lock);
            ((), Some(WakeTarget::of_thread(self.control)))
        });
    }
}

impl Timed<'_> {
    /// Lets the thread wait. Returns the granted flags, if they came in time.
    ///
    /// # Safety
    /// For the running thread, with the timer armed, or the time up.
    unsafe fn wait(&self, how: usize, mask: u32) -> Option<u32> {
        let section = Section::begin();
        let there = self.flags.board.get(&section).take(how, mask);
        if there.is_some() || self.phase.has_expired() {
            section.end();
            return there;
        }
        self.phase.begin(&section);
        // SAFETY: the thread owns the flags; a grant or the timer makes the thread ready.
        unsafe { switch::wait_for_own(self.flags.mark(how), section.into_saved(), mask) };
        if self.phase.has_expired() { None } else { Some(self.control.granted()) }
    }
}
