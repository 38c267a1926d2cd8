//! Waiting for a time: [`Timer`], and the functions [`delay`] and [`delay_until`], which return a
//! `Timer`.
//!
//! A timer's node lies in the future. So waiting needs no other memory, and a timer that you drop
//! leaves the queue and wakes no task later. (`embassy_time::Timer` needs one node for each task
//! instead, and its wake comes even if you have dropped the timer.)

#![expect(unsafe_code, reason = "the queue links to the future's node")]

use ::core::future::Future;
use ::core::pin::Pin;
use ::core::task::{Context, Poll, Waker};

use embassy_time::{Duration, Instant};

use super::driver;
use super::wakes::copy;
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::timer::Node;

/// A future that is ready at its time, or at the first poll after that. 32 bytes.
///
/// ```
/// use quintet::time::{Duration, Instant, Timer, VirtualClock, delay, delay_until};
///
/// quintet::virtual_clock!();
///
/// let clock = VirtualClock::take();
/// clock.run(async {
///     delay(Duration::from_millis(5)).await;
///     delay_until(Instant::from_millis(20)).await;
///     Timer::after(Duration::from_millis(5)).await;
/// });
/// assert_eq!(clock.now(), Instant::from_millis(25));
/// ```
///
/// # Contexts
/// You may poll and drop a timer in every context that the kernel knows of, but not above the
/// kernel's ceiling.
///
/// # Cancel safety
/// If you drop the timer, it leaves the queue, in a few instructions, however many timers are
/// armed. A wake that has been sent already stays sent.
#[must_use = "it waits only while it is awaited"]
pub struct Timer {
    node: Node,
}

impl Timer {
    /// Returns a timer that is ready at `deadline`, or at the first poll if `deadline` has passed.
    #[inline(always)]
    pub const fn at(deadline: Instant) -> Self {
        Self { node: Node::new(deadline.as_ticks()) }
    }

    /// Returns a timer that is ready when `duration` from now has passed by the clock. If that is
    /// after the end of time, the timer is never ready.
    ///
    /// The present tick of the clock has begun already. So a delay of n ticks lasts more than n - 1
    /// ticks, but may last less than n. With [`systick_tick`](crate::systick_tick) as the clock, a
    /// single tick may take almost no time. If `duration` is the least time that you need, add a
    /// tick, as [`Delay`](super::Delay) does.
    #[inline(always)]
    pub fn after(duration: Duration) -> Self {
        Self::at(from_now(duration))
    }

    /// Returns when the timer is ready.
    #[inline(always)]
    #[must_use]
    pub fn deadline(&self) -> Instant {
        // SAFETY: it is changed through an exclusive reference only.
        Instant::from_ticks(unsafe { self.node.deadline() })
    }

    /// Lets the timer wait for another time from now on, ready or not.
    #[inline(always)]
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        // SAFETY: the reference is exclusive; cancelled, the node is not armed.
        unsafe {
            driver::cancel(&self.node);
            self.node.renew(deadline.as_ticks());
        }
    }

    /// Looks at the clock, and lets the node wake the task of `waker`.
    ///
    /// A separate function: the usual call of `poll` finds that the node has fired, and needs none
    /// of this.
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
        unsafe {
            driver::arm(&self.node, self.deadline().as_ticks(), WakeTarget::job(copy(waker)));
        };
        Poll::Pending
    }

    /// Returns `true` if the armed node will wake the task of `waker`. Otherwise the node is no
    /// longer armed: it has fired, or was armed by a poll with another waker.
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

/// Returns the instant after `duration` from now, or the end of time if there is none.
#[inline(always)]
pub fn from_now(duration: Duration) -> Instant {
    Instant::now().checked_add(duration).unwrap_or(Instant::MAX)
}

/// Waits until `duration` has passed by the clock, which may be up to a tick earlier. As
/// [`Timer::after`].
///
/// # Cancel safety
/// If you drop the future, its timer is disarmed; nothing is lost but the time.
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
