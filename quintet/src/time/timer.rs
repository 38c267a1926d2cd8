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
use crate::core::timer::Node;
use crate::core::wake::Wakee;

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

    /// Ready when `duration` from now has passed by the clock. One that ends after the end of time
    /// never is.
    ///
    /// The present tick of the clock has begun already: so n ticks last more than n - 1 ticks, but
    /// may last less than n. Over [`systick_tick`](crate::systick_tick) a single tick may be almost
    /// none. Where `duration` is the least, add a tick, as [`Delay`](super::Delay) does.
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
        // SAFETY: the reference is exclusive; cancelled, the node is not armed.
        unsafe {
            driver::cancel(&self.node);
            self.node.renew(deadline.as_ticks());
        }
    }

    /// Looks at the clock, and lets the node wake whom `waker` wakes.
    ///
    /// Apart from `poll`, whose usual call finds that the node has fired and needs none of this.
    #[inline(never)]
    fn wait(self: Pin<&Self>, waker: &Waker) -> Poll<()> {
        if Instant::now() >= self.deadline() {
            return Poll::Ready(());
        }
        // SAFETY: the timer owns its node.
        if unsafe { self.node.may_be_armed() } && self.will_wake(waker) {
            return Poll::Pending;
        }
        // SAFETY: it is not armed; the timer owns it, is pinned, and takes it out when dropped.
        unsafe { driver::arm(&self.node, self.deadline().as_ticks(), Wakee::job(copy(waker))) };
        Poll::Pending
    }

    /// Whether the armed node will wake whom `waker` wakes. If not, it is not armed any more: it
    /// has fired, or was armed by a poll with another waker.
    #[cold]
    #[inline(never)]
    fn will_wake(&self, waker: &Waker) -> bool {
        let will_wake = kernel(|token| self.node.will_wake(token, waker));
        if !will_wake {
            // SAFETY: the timer owns its node.
            unsafe { driver::cancel(&self.node) };
        }
        will_wake
    }
}

impl ::core::fmt::Debug for Timer {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        let deadline = self.deadline();
        formatter.debug_struct("Timer").field("deadline", &deadline).finish_non_exhaustive()
    }
}

impl Future for Timer {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the timer owns its node. It is cancelled only to be renewed, armed again or
        // dropped: if it has left the queue, it has fired.
        if unsafe { self.node.has_left() } {
            return Poll::Ready(());
        }
        self.as_ref().wait(context.waker())
    }
}

impl Drop for Timer {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the timer owns its node.
        unsafe {
            if self.node.may_be_armed() {
                driver::cancel(&self.node);
            }
        }
    }
}

/// The instant after `duration` from now; the end of time if there is none.
#[inline(always)]
pub fn from_now(duration: Duration) -> Instant {
    Instant::now().checked_add(duration).unwrap_or(Instant::MAX)
}

/// Waits until `duration` has passed by the clock, which may be up to a tick sooner. As
/// [`Timer::after`].
///
/// # Cancel safety
/// Dropping the future disarms its timer; nothing is lost but the time.
#[inline(always)]
pub fn delay(duration: Duration) -> Timer {
    Timer::after(duration)
}

/// Waits until `deadline`. As [`Timer::at`].
///
/// # Cancel safety
/// As [`delay`].
#[inline(always)]
pub fn delay_until(deadline: Instant) -> Timer {
    Timer::at(deadline)
}
