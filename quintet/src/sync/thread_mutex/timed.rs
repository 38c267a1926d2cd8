//! Waits for a mutex until a time.
//!
//! The timer's handler takes the waiter out and lowers the owner's priority. The thread itself
//! couldn't do this, as it doesn't preempt an owner that is as urgent.

#![expect(unsafe_code, reason = "the handler unlinks a waiter that a thread has linked")]

use embassy_time::Instant;

use crate::core::list::Waiter;
use crate::core::ownership::Ownership;
use crate::core::park;
use crate::core::scheduler::ThreadBlock;
use crate::time::expiry::{Expire, limited};

/// A thread that waits for a mutex. Lies on the thread's stack.
struct Timed<'a> {
    ownership: &'a Ownership,
    waiter: &'a Waiter<()>,
    control: &'static ThreadBlock,
}

/// Lets the running thread, whose waiter is linked, wait until it is granted the mutex, or gives up
/// at `deadline`.
///
/// # Safety
/// The waiter was linked by the running thread `control`, and doesn't move.
pub unsafe fn wait_until(
    ownership: &Ownership,
    waiter: &Waiter<()>,
    control: &'static ThreadBlock,
    deadline: Instant,
) {
    let timed = Timed { ownership, waiter, control };
    limited(deadline, &timed, || {
        park::until(|| (waiter.is_granted() || waiter.is_idle()).then_some(()));
    });
}

impl Expire for Timed<'_> {
    fn expire(&self) {
        // SAFETY: the waiter was linked before the timer was armed.
        if unsafe { self.ownership.give_up(self.control, self.waiter) } {
            park::wake_here(self.control);
        }
    }
}
