//! Waits of threads that end at a time: the common part.
//!
//! ```text
//!              nothing to take                    granted
//!   ARMED ───────────────────────────> WAITING ─────────────> goes on, and takes the timer out
//!     │                                   │
//!     │ the timer                         │ the timer, if nothing was granted:
//!     v                                   v ends the wait
//!   EXPIRED <─────────────────────────────┘
//! ```
//!
//! The timer's handler decides, in one section of the kernel's lock, whether the time was up first.
//! So there is one outcome, nothing has to be given back, and the thread knows the outcome when it
//! goes on. A grant is handed over as to any other thread: the timer costs the giver nothing.
//!
//! The timer is armed before the thread says what it waits for, so that the wait begins in one
//! section. In this section the thread checks once more. So the thread takes a grant that came in
//! time, even if the thread was held up before it looked at the clock.

#![expect(unsafe_code, reason = "a timer points to what is on the stack")]

use ::core::fmt;
use ::core::marker::PhantomData;
use ::core::ptr;
use ::core::sync::atomic::{AtomicU8, Ordering};
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Instant;

use super::driver;
use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;
use crate::core::timer::Node;

/// The time was up before the wait ended by itself. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the time was up before what was waited for came: wait longer or again")
    }
}

impl ::core::error::Error for TimedOut {}

/// A wait that ends at a time. Lies on the stack of the waiting thread.
pub trait Expire {
    /// Returns `true` if the time was up before the wait: then no timer is needed, and the wait is
    /// only a check.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }

    /// Ends the wait, as the time is up. Called by the timer's handler, which no thread interrupts.
    fn expire(&self);
}

/// The functions of the timer's wake target. This wake target is no thread, but a function that the
/// handler calls.
struct Calls<E>(PhantomData<E>);

impl<E: Expire> Calls<E> {
    const TABLE: RawWakerVTable =
        RawWakerVTable::new(Self::copy, Self::expire, Self::expire, Self::forget);

    unsafe fn copy(wait: *const ()) -> RawWaker {
        RawWaker::new(wait, &Self::TABLE)
    }

    unsafe fn expire(wait: *const ()) {
        // SAFETY: from `limited`, which hasn't ended.
        unsafe { &*wait.cast::<E>() }.expire();
    }

    /// The wake target owns nothing.
    const unsafe fn forget(_wait: *const ()) {}
}

/// Runs `wait`, which the end of a time [ends](Expire) early.
#[inline(always)]
pub fn limited<E: Expire, T>(deadline: Instant, end: &E, wait: impl FnOnce() -> T) -> T {
    let node = Node::new(deadline.as_ticks());
    // SAFETY: it is called once, by the timer's handler, and owns nothing.
    let waker = unsafe { Waker::new(ptr::from_ref(end).cast(), &Calls::<E>::TABLE) };
    // SAFETY: both stay where they are until the node has fired or was cancelled.
    unsafe {
        if !end.is_over() {
            driver::arm_cold(&node, deadline.as_ticks(), WakeTarget::job(waker));
        }
        let result = wait();
        if node.may_be_armed() {
            driver::cancel(&node);
        }
        result
    }
}

/// The timer is armed; the thread doesn't wait yet.
const ARMED: u8 = 0;
/// The thread waits, or was granted what it waited for.
const WAITING: u8 = 1;
/// The time was up first.
const EXPIRED: u8 = 2;

/// The state of a wait. Changed under the kernel's lock. Afterwards the state belongs to the
/// thread, which reads it without the lock.
pub struct Phase(AtomicU8);

impl Phase {
    /// The thread doesn't wait yet, and will wait until `deadline`, which may be past. The thread
    /// checks once more afterwards.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        let is_over = Instant::now() >= deadline;
        Self(AtomicU8::new(if is_over { EXPIRED } else { ARMED }))
    }

    /// The thread waits from this section on.
    #[inline(always)]
    pub fn begin(&self, _lock: &KernelLock<'_>) {
        self.0.store(WAITING, Ordering::Relaxed);
    }

    /// The time is up. Returns `true` if the thread waits (`waits` answers this for a wait that has
    /// begun): then the caller ends the wait.
    #[inline(always)]
    #[must_use]
    pub fn expire(&self, _lock: &KernelLock<'_>, waits: impl FnOnce() -> bool) -> bool {
        let has_begun = self.0.load(Ordering::Relaxed) != ARMED;
        let ends = has_begun && waits();
        if ends || !has_begun {
            self.0.store(EXPIRED, Ordering::Relaxed);
        }
        ends
    }

    /// Returns `true` if the time was up first.
    #[inline(always)]
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.0.load(Ordering::Relaxed) == EXPIRED
    }
}
