//! Waits of threads that end at a time: the one function that every `x_blocking_until` calls.
//!
//! ```text
//!              nothing to take: linked            granted
//!   ARMED ───────────────────────────> WAITING ─────────────> goes on, and takes the timer out
//!     │                                   │
//!     │ the timer                         │ the timer, if nothing was granted:
//!     v                                   v takes the waiter out
//!   EXPIRED <─────────────────────────────┘
//! ```
//!
//! A grant is handed over as to any thread: it costs the giver nothing that there is a timer. The
//! timer's handler decides, in one section of the kernel's lock, whether the time was up first; if
//! so, it takes the waiter out of its list in the same section. So there is one outcome, nothing
//! has to be given back, and a thread that goes on knows which it is.
//!
//! The timer is armed before the waiter is linked, so that the thread begins to wait in one
//! section.

#![expect(unsafe_code, reason = "waiters and timers are linked through pointers")]

use ::core::fmt;
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::sync::atomic::{AtomicU8, Ordering};
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Instant;

use crate::arch::switch;
use crate::core::guarded::Guarded;
use crate::core::list::{Linked, Search, Waiter};
use crate::core::lock::{self, Kernel, kernel};
use crate::core::park;
use crate::core::scheduler::{Control, Elsewhere, SCHEDULER};
use crate::core::timer::Node;
use crate::core::wait::Supply;
use crate::core::wake::Wakee;
use crate::time::driver;

#[cfg(test)]
mod tests;

/// The time was up before what was waited for came. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the time was up before what was waited for came: wait longer or again")
    }
}

impl ::core::error::Error for TimedOut {}

/// The timer is armed; the thread doesn't wait yet.
const ARMED: u8 = 0;
/// The thread waits, or was granted what it waited for.
const WAITING: u8 = 1;
/// The time was up first.
const EXPIRED: u8 = 2;

/// A thread that waits for `supply`, and for a time. On its stack.
struct Timed<'a, S: Supply> {
    supply: &'a Guarded<S>,
    waiter: Waiter<S::Demand>,
    control: &'static Control,
    /// Changed under the kernel's lock; afterwards the thread's, which reads it without.
    phase: AtomicU8,
}

/// Lets the running thread wait for `supply` to grant `demand`, until the clock shows `deadline`.
/// Returns what `read` finds in it. What is there at once is taken whatever the time is.
///
/// For the thread that runs, and holds no ceiling, as [`block`](crate::core::wait::block).
#[inline]
pub fn until<S: Supply, T>(
    supply: &Guarded<S>,
    demand: S::Demand,
    deadline: Instant,
    read: impl FnOnce(&S::Demand) -> T,
) -> Result<T, TimedOut> {
    if kernel(|lock| supply.get(lock).take(lock, &demand)) {
        return Ok(read(&demand));
    }
    wait(supply, demand, deadline, read)
}

/// Parks the running thread until `granted` says so, or the clock shows `deadline`. For waiters
/// that have the thread's waker.
///
/// For the thread that runs, and holds no ceiling.
pub fn park_until(granted: impl Fn() -> bool, deadline: Instant) {
    let control = park::may_wait();
    let node = Node::new(deadline.as_ticks());
    // SAFETY: the node is this function's, and stays here until it has fired or was cancelled.
    unsafe {
        driver::arm_apart(&node, deadline.as_ticks(), Wakee::job(park::waker(control)));
        park::until(|| (granted() || Instant::now() >= deadline).then_some(()));
        if node.may_be_armed() {
            driver::cancel(&node);
        }
    }
}

/// As [`until`], where there was nothing to take.
#[inline(never)]
fn wait<S: Supply, T>(
    supply: &Guarded<S>,
    demand: S::Demand,
    deadline: Instant,
    read: impl FnOnce(&S::Demand) -> T,
) -> Result<T, TimedOut> {
    let control = park::may_wait();
    if Instant::now() >= deadline {
        return Err(TimedOut);
    }
    let waiter = Waiter::of_thread(control, control.waiting_priority(), demand);
    let timed = Timed { supply, waiter, control, phase: AtomicU8::new(ARMED) };
    let node = Node::new(deadline.as_ticks());
    // SAFETY: both stay where they are until the node has fired or was cancelled, and the waiter is
    // in no list; `timed` isn't moved.
    let granted = unsafe {
        driver::arm_apart(&node, deadline.as_ticks(), timed.wakee());
        let granted = timed.wait();
        if node.may_be_armed() {
            driver::cancel(&node);
        }
        granted
    };
    if granted { Ok(read(timed.waiter.demand())) } else { Err(TimedOut) }
}

impl<S: Supply> Timed<'_, S> {
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
        let wakee = kernel(|lock| {
            if timed.phase.load(Ordering::Relaxed) == ARMED {
                timed.phase.store(EXPIRED, Ordering::Relaxed);
                return None;
            }
            if !SCHEDULER.is_waiting(timed.control, lock) {
                return None;
            }
            timed.phase.store(EXPIRED, Ordering::Relaxed);
            // It is made ready in a section of its own. Who changes its priority before that would
            // look for its waiter in the list: INVARIANT(place).
            timed.control.note_no_place();
            // SAFETY: it waits, so it is in the list in which `wait` has linked it.
            Some(unsafe { timed.supply.get(lock).waiters().unlink(lock, &timed.waiter) })
        });
        if let Some(wakee) = wakee {
            lock::wake(wakee);
        }
    }

    /// Lets the thread wait. Whether it was granted what it wants.
    ///
    /// # Safety
    /// For the thread that runs, with the timer armed; `self` isn't moved any more.
    unsafe fn wait(&self) -> bool {
        // SAFETY: the caller's.
        let waiter = unsafe { Pin::new_unchecked(&self.waiter) };
        let mut search = Search::new();
        loop {
            let saved = lock::acquire();
            // SAFETY: acquired above, and released by every path below.
            let held = unsafe { Kernel::held() };
            let supply = self.supply.get(&held);
            let granted = supply.take(&held, waiter.demand());
            if granted || self.phase.load(Ordering::Relaxed) == EXPIRED {
                // SAFETY: from the matching call.
                unsafe { lock::release(saved) };
                return granted;
            }
            // It may have changed since the waiter was made, or since the search began, which then
            // begins anew: INVARIANT(ranked).
            let priority = self.control.priority(&held);
            if priority != waiter.priority(&held) {
                waiter.set_priority(priority, &held);
            }
            // SAFETY: it is idle, and holds its thread; granted or taken out, it is in no list.
            let linked = unsafe {
                let waiter = NonNull::from(waiter.get_ref()).cast();
                supply.waiters().any().link_thread(&held, waiter, priority, &mut search)
            };
            if linked == Linked::Done {
                let elsewhere = Elsewhere::new(supply.waiters(), &waiter);
                self.control.note_place_elsewhere(&elsewhere);
                self.phase.store(WAITING, Ordering::Relaxed);
                // SAFETY: the lock is held, and handed over; a grant or the timer makes the thread
                // ready.
                unsafe { switch::block(saved) };
                return self.phase.load(Ordering::Relaxed) != EXPIRED;
            }
            // SAFETY: from the matching call.
            unsafe { lock::release(saved) };
            lock::let_in();
        }
    }
}
