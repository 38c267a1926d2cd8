//! Waiting for a time: [`Timer`], and the functions [`delay`] and [`delay_until`] that make one.
//!
//! A timer's node lies in the future, so waiting needs no memory elsewhere, and a dropped timer is
//! taken out of the queue: it wakes nobody later. (`embassy_time::Timer` needs one node for each
//! task instead, and its wake comes even if the timer was dropped.)

#![expect(unsafe_code, reason = "the queue links to the future's node")]

use ::core::future::Future;
use ::core::pin::Pin;
use ::core::task::{Context, Poll, Waker};

use embassy_time::{Duration, Instant};

use super::driver;
use super::wakes::copy;
use crate::core::lock::kernel;
use crate::core::timer::{Node, QUEUE};

/// Ready at its time, or at the first poll after it. 32 bytes.
///
/// # Contexts
/// It may be polled and dropped in every context that the kernel knows of, not above its ceiling.
///
/// # Cancel safety
/// Dropping it takes it out of the queue, in a few instructions whatever else is armed. A wake that
/// has been sent already stays sent.
#[must_use = "it waits only while it is awaited"]
pub struct Timer {
    node: Node,
}

impl Timer {
    /// Ready at `deadline`; at the first poll if that has passed.
    #[inline(always)]
    pub const fn at(deadline: Instant) -> Self {
        Self { node: Node::new(deadline.as_ticks()) }
    }

    /// Ready after `duration` from now, at the earliest. One that ends after the end of time never
    /// is.
    #[inline(always)]
    pub fn after(duration: Duration) -> Self {
        Self::at(from_now(duration))
    }

    /// When it is ready.
    #[inline(always)]
    #[must_use]
    pub fn deadline(&self) -> Instant {
        // SAFETY: it is changed through an exclusive reference only.
        Instant::from_ticks(unsafe { self.node.deadline() })
    }

    /// Waits for another time from now on, ready or not.
    #[inline(always)]
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        driver::cancel(&self.node);
        // SAFETY: not armed, and the reference is exclusive.
        unsafe { self.node.set_deadline(deadline.as_ticks()) };
    }

    /// Arms the node, which is not armed.
    ///
    /// # Safety
    /// The node is not armed.
    #[inline(always)]
    unsafe fn arm(self: Pin<&Self>, waker: Waker) {
        // SAFETY: not armed, and owned; the timer is pinned, and takes its node out when it is
        // dropped.
        let earliest = unsafe {
            self.node.prepare(waker);
            kernel(|token| QUEUE.arm(token, &self.node))
        };
        if earliest {
            driver::lower_alarm(self.deadline().as_ticks());
        }
    }

    /// Sees that the node will wake whom `waker` wakes.
    #[cold]
    fn look(self: Pin<&Self>, waker: &Waker) {
        // What the section takes out is dropped behind it.
        let stale = kernel(|token| {
            if self.node.will_wake(token, waker) {
                return None;
            }
            Some(QUEUE.cancel(token, &self.node))
        });
        if stale.is_some() {
            // SAFETY: it has just been cancelled, or has fired.
            unsafe { self.arm(copy(waker)) };
        }
    }
}

impl Future for Timer {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline() {
            return Poll::Ready(());
        }
        // SAFETY: the timer owns its node.
        if unsafe { self.node.may_be_armed() } {
            self.as_ref().look(context.waker());
        } else {
            // SAFETY: it is not armed, and nobody else arms it.
            unsafe { self.as_ref().arm(copy(context.waker())) };
        }
        Poll::Pending
    }
}

impl Drop for Timer {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the timer owns its node.
        if unsafe { self.node.may_be_armed() } {
            driver::cancel(&self.node);
        }
    }
}

/// The instant after `duration` from now; the end of time if there is none.
#[inline(always)]
pub fn from_now(duration: Duration) -> Instant {
    Instant::now().checked_add(duration).unwrap_or(Instant::MAX)
}

/// Waits for `duration`, at least. As [`Timer::after`].
#[inline(always)]
pub fn delay(duration: Duration) -> Timer {
    Timer::after(duration)
}

/// Waits until `deadline`. As [`Timer::at`].
#[inline(always)]
pub fn delay_until(deadline: Instant) -> Timer {
    Timer::at(deadline)
}
