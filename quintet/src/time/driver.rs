//! The driver: the timer queue, the clock and a source, put together.
//!
//! ```text
//!   arm ──> queue ──> earlier than the alarm? ──> source.set
//!                                                     │ interrupt
//!   wakers <── expire, tidy, settle <── on_interrupt <┘
//! ```
//!
//! There is one queue for everything that waits. The application places one driver, with
//! [`systick_timer`](crate::systick_timer) or [`timer_source`](crate::timer_source); it is the
//! driver of `embassy-time` as well.
//!
//! The handler runs at the kernel's ceiling or below, so that the kernel's lock holds it off.
//! Between the handler's steps everything of a higher priority may run, and may arm and cancel.

#![expect(unsafe_code, reason = "nodes lie in their users")]

use ::core::task::Waker;

use super::clock::Clock;
use super::source::Source;
use crate::core::lock::kernel;
use crate::core::timer::{Expiry, Node, QUEUE, Turn};

#[cfg(test)]
mod tests;

/// The one driver of an application, over the source `S`.
pub struct Driver<S> {
    clock: Clock<S>,
}

impl<S: Source> Driver<S> {
    /// A driver that has not started: its time is 0, and what is armed waits.
    #[must_use]
    pub const fn new() -> Self {
        Self { clock: Clock::new() }
    }

    /// Begins to tick, and to look after what has been armed.
    ///
    /// # Safety
    /// Called once; the source has started. The interrupt's handler calls
    /// [`on_interrupt`](Self::on_interrupt), at the kernel's ceiling or below.
    pub unsafe fn start(&self) {
        // SAFETY: the caller's; the queue's alarm is 0, so that nobody has set the source so far.
        unsafe { self.clock.begin() };
        let _ = kernel(|token| {
            // Any time will do: what is earlier comes with this first interrupt.
            let _ = QUEUE.settle(token, QUEUE.earliest(token));
            S::set(S::counter());
        });
    }

    /// The present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Lets the source interrupt at `deadline`, if nothing is awaited earlier.
    #[inline(always)]
    pub fn lower_alarm(&self, deadline: u64) {
        let at = self.clock.counter_at(deadline);
        kernel(|token| {
            if QUEUE.lower_alarm(token, deadline) {
                S::set(at);
            }
        });
    }

    /// Wakes what is due, and sets the source for what is next.
    ///
    /// The number of sections is bounded by what is due and what has been armed and cancelled since
    /// the last time.
    ///
    /// # Safety
    /// Called from the handler of the source's interrupt only.
    #[inline(always)]
    pub unsafe fn on_interrupt(&self) {
        S::acknowledge();
        loop {
            // SAFETY: the handler is one context, and doesn't nest. The source runs only after
            // `start`.
            let now = unsafe { self.clock.advance() };
            loop {
                match kernel(|token| QUEUE.expire(token, now)) {
                    Expiry::Fired(waker) => waker.wake(),
                    Expiry::Prepared => {}
                    Expiry::Nothing => break,
                }
            }
            let mut turn = Turn::Pair;
            while kernel(|token| QUEUE.tidy(token, &mut turn)) {}
            let next = kernel(|token| QUEUE.earliest(token));
            if next <= now {
                continue;
            }
            let at = self.clock.counter_at(next);
            let settled = kernel(|token| {
                let settled = QUEUE.settle(token, next);
                if settled {
                    S::set(at);
                }
                settled
            });
            if settled {
                return;
            }
        }
    }
}

impl<S: Source> embassy_time_driver::Driver for Driver<S> {
    #[inline(always)]
    fn now(&self) -> u64 {
        Self::now(self)
    }

    #[inline(always)]
    fn schedule_wake(&self, at: u64, waker: &Waker) {
        super::wakes::schedule(at, waker);
    }
}

unsafe extern "Rust" {
    /// Lets the application's source interrupt at a deadline, if nothing is awaited earlier.
    /// Defined where the application places its source: if the linker misses it, none is placed.
    safe fn __quintet_needs_a_time_source_such_as_systick_timer(deadline: u64);
}

/// Arms `node` for its deadline. Two sections at most. From every context that the kernel knows of.
///
/// # Safety
/// The node is not armed, and stays where it is until it has fired or was cancelled.
#[inline(always)]
pub unsafe fn arm(node: &Node, waker: Waker) {
    // SAFETY: the caller owns the node, as it is not armed; and keeps it in its place.
    let (deadline, late) =
        unsafe { (node.deadline(), kernel(|token| QUEUE.arm(token, node, waker))) };
    if late {
        __quintet_needs_a_time_source_such_as_systick_timer(deadline);
    }
}

/// Lets the source interrupt at `deadline`, if nothing is awaited earlier.
#[inline(always)]
pub fn lower_alarm(deadline: u64) {
    __quintet_needs_a_time_source_such_as_systick_timer(deadline);
}

/// Takes `node` out of the queue. Drops its waker outside of the section. False if it is not armed:
/// it has fired, or was cancelled.
#[inline(always)]
pub fn cancel(node: &Node) -> bool {
    let waker = kernel(|token| QUEUE.cancel(token, node));
    waker.is_some()
}
