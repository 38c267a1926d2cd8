//! Time that is counted, tick by tick, and the handler that comes in each.
//!
//! Nothing is set when a timer is armed. The handler counts the tick, and looks at two words:
//! whether anything has been armed since the last, and whether the count is the queue's alarm. That
//! is a word equal to another one, as no tick is left out:
//!
//! ```text
//!   tick      ... 41 ───── 42 ───── 43 ───── 44 ...   the handler: count, look, return
//!   alarm                           43                expiry
//!   armed for 42     └─> 42                           expiry
//!   armed for 44     └─> 42 into the queue
//!   armed for 41     └─> too late: expiry at once
//! ```
//!
//! What is armed for a tick that has just passed would wait for the next: whoever arms it compares
//! it with the count, under the lock, and pends the interrupt. The handler then must not count:
//! COUNTFLAG tells it whether a tick has come as well.

#![expect(unsafe_code, reason = "one context counts, and nodes lie in their users")]

#[cfg(target_os = "none")]
use ::core::mem::offset_of;
use ::core::sync::atomic::{AtomicU32, Ordering, compiler_fence};
#[cfg(all(threads, target_os = "none"))]
use ::core::task::{RawWakerVTable, Waker};

use super::driver::{expire, queue};
use crate::arch::tick::{self, Count};
use crate::core::lock::{Kernel, has_threads, kernel, wake};
use crate::core::timer::{Arrival, Arrivals, Node};

#[cfg(test)]
pub mod tests;

/// Nobody has pended the interrupt.
const NOT: u32 = 0;
/// Software has. COUNTFLAG says whether a tick has come since. Or it is not to do so: before the
/// first tick, which comes anyway.
const BY_SOFTWARE: u32 = 1;
/// Software has, beside a tick.
const BESIDE_A_TICK: u32 = 2;

/// Time as it is counted.
// SAFETY: it is put into this static, and begins with the arrivals.
pub static COUNTED: Counted = unsafe { Counted::new((&raw const COUNTED).cast()) };

/// The longest delay: longer than time, and no sum with the present is too large.
pub const LONGEST: u64 = u64::MAX / 2;

/// The ticks, and what has been armed since the last.
#[repr(C)]
pub struct Counted {
    /// What waits for the next tick.
    pub arrivals: Arrivals,
    count: Count,
    /// Whether the interrupt is pended for a look at what has arrived. Written under the kernel's
    /// lock, or by the handler when it is not [`NOT`], which nobody else changes then.
    pended: AtomicU32,
}

debug_by_name!([] Counted: "Counted");

impl Counted {
    /// Where the count is, for assembly: its lower word. What has arrived lies at the beginning.
    #[cfg(target_os = "none")]
    pub const COUNT: usize = {
        assert!(offset_of!(Self, arrivals) == 0);
        offset_of!(Self, count)
    };
    /// Where it stands whether software has pended the interrupt: 0 if not.
    #[cfg(target_os = "none")]
    pub const PENDED: usize = offset_of!(Self, pended);

    /// No tick, and nothing armed. `arrivals` is the beginning of the static that this is for.
    ///
    /// # Safety
    /// It is put there.
    const unsafe fn new(arrivals: *const Arrivals) -> Self {
        // SAFETY: the caller's.
        let arrivals = unsafe { Arrivals::new(arrivals) };
        Self { arrivals, count: Count::new(), pended: AtomicU32::new(BY_SOFTWARE) }
    }

    /// The present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        let now = self.count.get();
        // SAFETY: to count that far takes more than a hundred thousand years.
        unsafe { ::core::hint::assert_unchecked(now < 1 << 63) };
        now
    }

    /// Arms `node`, whose deadline is `deadline`. Whether that has passed: then the handler is to
    /// [look at once](Self::look_at_once).
    ///
    /// # Safety
    /// As for [`Arrivals::arrive`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm(&self, kernel: &Kernel<'_>, node: &Node, deadline: u64) -> bool {
        // SAFETY: the caller's.
        unsafe { self.arrivals.arrive(kernel, node) };
        deadline <= self.now()
    }

    /// Lets the handler look at what has arrived at once.
    #[cold]
    #[inline(never)]
    pub fn look_at_once(&self, _kernel: &Kernel<'_>) {
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

    /// Counts the tick, if one has come and not only software has pended the interrupt. First thing
    /// in the interrupt's handler. Whether software has.
    ///
    /// # Safety
    /// Called from the handler only, which is one context.
    unsafe fn tick(&self) -> bool {
        let pended = self.pended.load(Ordering::Relaxed);
        if pended == NOT || self.has_come(pended) {
            // SAFETY: the caller's.
            unsafe { self.count.up() };
        }
        pended != NOT
    }

    /// Whether a tick has come beside what software has pended. Software may pend the interrupt
    /// again from here on, but where that is to come still.
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

/// Handles a tick from its beginning. For the handler, where that is not done in a few
/// instructions.
///
/// # Safety
/// Called from the handler only, which is one context, as its first thing.
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

/// Goes on with a tick in which something may have arrived, or be due in the queue.
///
/// # Safety
/// Called from the handler only, which is one context, behind the count.
#[inline(never)]
pub unsafe extern "C" fn on_arrival() {
    let (queue, now) = (queue(), COUNTED.now());
    let arrivals = &COUNTED.arrivals;
    loop {
        match kernel(|token| arrivals.look(token, now)) {
            Arrival::Due(wakee, more) => {
                wake(wakee);
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

/// Ends a tick in which one timer has arrived, was due, and has left: wakes whom it wakes, of whom
/// these are the parts.
///
/// # Safety
/// They are those of an owned waker.
#[cfg(all(threads, target_os = "none"))]
pub unsafe extern "C" fn wake_job(table: &'static RawWakerVTable, word: *const ()) {
    // SAFETY: the caller's.
    unsafe { Waker::new(word, table) }.wake();
}

/// Takes what has arrived longest ago into the queue, which is not due. The handler goes on with
/// this where it is the only one, and nothing in the queue is due: if it is another one by now,
/// that is in time for the next tick too, or has pended the interrupt.
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

/// Goes on with a tick in which nothing has arrived, and the count has come to the alarm. A
/// function of its own.
///
/// # Safety
/// As for [`on_arrival`].
#[inline(never)]
pub unsafe extern "C" fn on_alarm() {
    expire(queue(), COUNTED.now(), u64::MAX);
}
