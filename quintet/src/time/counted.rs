//! Time that is counted tick by tick, and the handler that runs in each tick.
//!
//! Arming a timer sets no hardware. The handler counts the tick, and checks two words: whether a
//! timer was armed since the last tick, and whether the count is the queue's alarm. The second
//! check compares for equality, as no tick is left out:
//!
//! ```text
//!   tick      ... 41 ───── 42 ───── 43 ───── 44 ...   the handler: count, look, return
//!   alarm                           43                expiry
//!   armed for 42     └─> 42                           expiry
//!   armed for 44     └─> 42 into the queue
//!   armed for 41     └─> too late: expiry at once
//! ```
//!
//! A timer for a tick that has just passed would wait for the next tick. So the context that arms
//! the timer compares the deadline with the count, under the lock, and pends the interrupt. The
//! handler must not count this interrupt: COUNTFLAG says whether a tick has come as well.

#![expect(unsafe_code, reason = "one context counts, and nodes lie in their users")]

use ::core::sync::atomic::{Ordering, compiler_fence};
#[cfg(all(threads, target_os = "none"))]
use ::core::task::{RawWakerVTable, Waker};

use super::driver::{expire, queue};
use crate::arch::{at_hand, tick};
use crate::core::application::has_threads;
#[cfg(all(threads, target_os = "none"))]
use crate::core::lock::Section;
use crate::core::lock::{KernelLock, kernel};
#[cfg(all(threads, target_os = "none"))]
use crate::core::record::ThreadBlock;
use crate::core::section::wake;
use crate::core::timer::counted::{BESIDE_A_TICK, BY_SOFTWARE, NOT};
pub use crate::core::timer::counted::{COUNTED, Counted};
use crate::core::timer::{Arrival, Node};

debug_by_name!([] Counted: "Counted");

#[cfg(test)]
pub mod tests;

/// The longest delay: longer than any use of time, and short enough that no sum with the present
/// overflows.
pub const LONGEST: u64 = u64::MAX / 2;

/// Returns the counted time, so that no section has to make its address.
#[inline(always)]
pub fn counted() -> &'static Counted {
    // SAFETY: the pointer is that of the reference.
    unsafe { &*at_hand(&raw const COUNTED) }
}

impl Counted {
    /// Arms `node` for `deadline`. Returns `true` if the deadline has passed: then the handler must
    /// [look at once](Self::look_at_once).
    ///
    /// # Safety
    /// As for [`Arrivals::arrive`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm(&self, kernel: &KernelLock<'_>, node: &Node, deadline: u64) -> bool {
        // SAFETY: the caller's.
        unsafe { self.arrivals.arrive(kernel, node) };
        deadline <= self.now()
    }

    /// Lets the handler look at the arrivals at once.
    #[cold]
    #[inline(never)]
    pub fn look_at_once(&self, _kernel: &KernelLock<'_>) {
        if self.pended.load(Ordering::Relaxed) != NOT {
            return;
        }
        // A tick that ends up to here is pending, or the handler has begun to count it; one behind
        // has the flag.
        tick::take_ended();
        let pended = if tick::is_pending() { BESIDE_A_TICK } else { BY_SOFTWARE };
        self.pended.store(pended, Ordering::Relaxed);
        tick::pend();
    }

    /// Counts the tick, if a tick has come, and the interrupt wasn't only pended by software. The
    /// handler of the interrupt begins with this call. Returns `true` if software has pended the
    /// interrupt.
    ///
    /// # Safety
    /// Only the handler calls this; the handler is one context.
    unsafe fn tick(&self) -> bool {
        let pended = self.pended.load(Ordering::Relaxed);
        if pended == NOT || self.has_come(pended) {
            // SAFETY: the caller's.
            unsafe { self.count.up() };
        }
        pended != NOT
    }

    /// Returns `true` if a tick has come besides software's pend. From here on software may pend
    /// the interrupt again, unless a tick is still to come.
    fn has_come(&self, pended: u32) -> bool {
        // While it is pended, nobody else takes COUNTFLAG. A tick that has ended since the handler
        // was entered is pending, and counted by the next.
        let has_ended = tick::take_ended();
        let is_pending = tick::is_pending();
        if is_pending && !has_ended && !tick::take_ended() {
            // Software has pended it since the handler was entered, which was for a tick, and has
            // taken the flag of that. Another tick may end before what is pended comes.
            return true;
        }
        let has_come = has_ended && !is_pending || pended == BESIDE_A_TICK;
        compiler_fence(Ordering::SeqCst);
        self.pended.store(NOT, Ordering::Relaxed);
        has_come
    }
}

/// Handles a tick from its beginning, for a handler that can't do so in a few instructions.
///
/// # Safety
/// Only the handler calls this, as its first step; the handler is one context.
pub unsafe extern "C" fn on_tick() {
    // SAFETY: the caller's.
    unsafe {
        let is_look = COUNTED.tick();
        on_arrival();
        // Who interrupted the tick before may have put a timer for a time that is past into the
        // place of one that was about to be admitted, and so was it. They have pended this. The
        // first tick counts as a look, too: it sets the alarm.
        if is_look {
            on_alarm();
        }
    }
}

/// Continues a tick in which a timer may have arrived, or may be due in the queue.
///
/// # Safety
/// Only the handler calls this, after the count; the handler is one context.
#[inline(never)]
pub unsafe extern "C" fn on_arrival() {
    let (queue, now) = (queue(), COUNTED.now());
    let arrivals = &COUNTED.arrivals;
    loop {
        match kernel(|token| arrivals.look(token, now)) {
            Arrival::Due(target, more) => {
                wake(target);
                // With threads, one alone doesn't come here. (Tests have both.)
                if !more && (cfg!(test) || !has_threads()) {
                    break;
                }
            }
            // SAFETY: the caller's.
            Arrival::Early => unsafe { admit() },
            Arrival::None => break,
        }
    }
    if queue.is_due(now) {
        // SAFETY: the caller's.
        unsafe { on_alarm() };
    }
}

/// Ends a tick in which one timer has arrived, was due, and has left the arrivals: wakes the
/// timer's wake target, whose parts are the arguments.
///
/// # Safety
/// The parts are those of an owned waker.
#[cfg(all(threads, target_os = "none"))]
pub unsafe extern "C" fn wake_job(table: &'static RawWakerVTable, word: *const ()) {
    // SAFETY: the caller's.
    unsafe { Waker::new(word, table) }.wake();
}

/// Continues a tick in which a timer was due in the queue, and has left the queue: wakes the
/// timer's wake target, whose parts are the arguments, and looks again.
///
/// # Safety
/// As for [`wake_job`] and [`on_alarm`].
#[cfg(all(threads, target_os = "none"))]
#[inline(never)]
pub unsafe extern "C" fn job_due(table: &'static RawWakerVTable, word: *const ()) {
    // SAFETY: the caller's.
    unsafe {
        wake_job(table, word);
        on_alarm();
    }
}

/// As [`job_due`], for a timer of a thread.
///
/// # Safety
/// As for [`on_alarm`]. The thread waits, and is in no ring.
#[cfg(all(threads, target_os = "none"))]
#[inline(never)]
pub unsafe extern "C" fn thread_due(thread: &'static ThreadBlock) {
    // SAFETY: the caller's.
    unsafe {
        Section::begin_unchecked().ready(thread);
        on_alarm();
    }
}

/// Takes the oldest arrival, which is not due, into the queue. The handler continues with this if
/// there is only one arrival, and nothing in the queue is due. By now another timer may be the
/// oldest: that one is in time for the next tick, too, or has pended the interrupt.
///
/// # Safety
/// As for [`on_arrival`].
#[inline(never)]
pub unsafe extern "C" fn admit() {
    let queue = queue();
    if let Some(deadline) = kernel(|token| COUNTED.arrivals.admit(token, queue)) {
        // SAFETY: the caller's: the handler alone writes the alarm, where time is counted.
        unsafe { queue.lower_alarm_alone(deadline) };
    }
}

/// Continues a tick without arrivals, in which the count has reached the alarm. A separate
/// function.
///
/// # Safety
/// As for [`on_arrival`].
#[inline(never)]
pub unsafe extern "C" fn on_alarm() {
    expire(queue(), COUNTED.now(), u64::MAX);
}
