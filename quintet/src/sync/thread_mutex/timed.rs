//! Waiting for a mutex until a time.
//!
//! The timer's handler takes the waiter out and lets the owner's priority go back: the thread
//! itself couldn't, as it doesn't preempt an owner that is as urgent.

#![expect(unsafe_code, reason = "a timer points to a waiter on the stack")]

use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Instant;

use crate::core::list::Waiter;
use crate::core::ownership::Ownership;
use crate::core::park;
use crate::core::scheduler::Control;
use crate::core::timer::Node;
use crate::core::wake::Wakee;
use crate::time::driver;

/// A thread that waits for a mutex. On its stack.
struct Timed<'a> {
    ownership: &'a Ownership,
    waiter: &'a Waiter<()>,
    control: &'static Control,
}

/// Lets the running thread, whose waiter is linked, wait until it is granted the mutex, or gives up
/// at `deadline`.
///
/// # Safety
/// The waiter was linked by the running thread `control`, and stays where it is.
pub unsafe fn wait_until(
    ownership: &Ownership,
    waiter: &Waiter<()>,
    control: &'static Control,
    deadline: Instant,
) {
    let timed = Timed { ownership, waiter, control };
    let node = Node::new(deadline.as_ticks());
    // SAFETY: both stay where they are until the node has fired or was cancelled.
    unsafe {
        driver::arm_apart(&node, deadline.as_ticks(), timed.wakee());
        park::until(|| (waiter.is_granted() || waiter.is_idle()).then_some(()));
        if node.may_be_armed() {
            driver::cancel(&node);
        }
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
        // SAFETY: it was linked before the timer was armed.
        if unsafe { timed.ownership.give_up(timed.control, timed.waiter) } {
            park::wake_here(timed.control);
        }
    }
}
