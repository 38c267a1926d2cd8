//! Waiting for flags of one's own until a time.
//!
//! As in [`until`](crate::sync::until), the timer's handler decides whether the time was up first:
//! if so, it takes the mark away in the section in which it sees that the thread still waits. So
//! there is one outcome.

#![expect(unsafe_code, reason = "a timer points to what is on the stack")]

use ::core::sync::atomic::{AtomicU8, Ordering};
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Instant;

use super::ThreadFlags;
use crate::arch::switch;
use crate::core::lock::{self, Kernel, kernel, kernel_and_wake};
use crate::core::park;
use crate::core::scheduler::Control;
use crate::core::timer::Node;
use crate::core::wake::Wakee;
use crate::sync::until::TimedOut;
use crate::time::driver;

/// The timer is armed; the thread doesn't wait yet.
const ARMED: u8 = 0;
/// The thread waits, or was granted what it waited for.
const WAITING: u8 = 1;
/// The time was up first.
const EXPIRED: u8 = 2;

/// A thread that waits for flags of its own, and for a time. On its stack.
struct Timed<'a> {
    flags: &'a ThreadFlags,
    control: &'static Control,
    /// Changed under the kernel's lock; afterwards the thread's, which reads it without.
    phase: AtomicU8,
}

/// Lets the running thread, which owns `flags`, wait until enough of `mask` is set, or until the
/// clock shows `deadline`. What is there at once is taken whatever the time is.
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
    let control = park::may_wait();
    if Instant::now() >= deadline {
        return Err(TimedOut);
    }
    let timed = Timed { flags, control, phase: AtomicU8::new(ARMED) };
    let node = Node::new(deadline.as_ticks());
    // SAFETY: both stay where they are until the node has fired or was cancelled.
    unsafe {
        driver::arm_apart(&node, deadline.as_ticks(), timed.wakee());
        let granted = timed.wait(how, mask);
        if node.may_be_armed() {
            driver::cancel(&node);
        }
        granted.ok_or(TimedOut)
    }
}

impl Timed<'_> {
    /// The timer's wakee is no thread, but a function that its handler calls.
    const HANDLER: RawWakerVTable =
        RawWakerVTable::new(Self::copy, Self::expire, Self::expire, Self::forget);

    unsafe fn copy(timed: *const ()) -> RawWaker {
        RawWaker::new(timed, &Self::HANDLER)
    }

    /// It owns nothing.
    const unsafe fn forget(_timed: *const ()) {}

    /// What the timer does.
    fn wakee(&self) -> Wakee {
        // SAFETY: `expire` is called once, by the timer's handler, and owns nothing.
        Wakee::job(unsafe { Waker::new(::core::ptr::from_ref(self).cast(), &Self::HANDLER) })
    }

    /// Ends the wait, if nothing was granted.
    ///
    /// # Safety
    /// Called by the timer's handler, which no thread interrupts: `timed` is where it was.
    unsafe fn expire(timed: *const ()) {
        // SAFETY: the caller's.
        let timed = unsafe { &*timed.cast::<Self>() };
        kernel_and_wake(|lock| {
            let waits = timed.control.wanted(timed.flags, lock).is_some();
            if waits || timed.phase.load(Ordering::Relaxed) == ARMED {
                timed.phase.store(EXPIRED, Ordering::Relaxed);
            }
            if waits {
                timed.control.end_wanted(0, lock);
            }
            ((), waits.then(|| Wakee::of_thread(timed.control)))
        });
    }

    /// Lets the thread wait. What it was granted, if it was in time.
    ///
    /// # Safety
    /// For the thread that runs, with the timer armed.
    unsafe fn wait(&self, how: usize, mask: u32) -> Option<u32> {
        let saved = lock::acquire();
        // SAFETY: acquired above, and released or handed over.
        let held = unsafe { Kernel::held() };
        let there = self.flags.board.get(&held).take(how, mask);
        if there.is_some() || self.phase.load(Ordering::Relaxed) == EXPIRED {
            // SAFETY: from the matching call.
            unsafe { lock::release(saved) };
            return there;
        }
        self.phase.store(WAITING, Ordering::Relaxed);
        // SAFETY: the thread owns the flags; a grant or the timer makes it ready.
        unsafe { switch::wait_for_own(self.flags.mark(how), saved, mask) };
        let expired = self.phase.load(Ordering::Relaxed) == EXPIRED;
        if expired { None } else { Some(self.control.granted()) }
    }
}
