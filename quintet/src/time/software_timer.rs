//! [`SoftwareTimer`]: a function that is called at a time, or periodically.
//!
//! Its node waits in the queue of everything that waits for a time, and its wakee is no task but a
//! function of this file. So a timer that isn't running costs nothing, and one that is costs what a
//! delay does.
//!
//! # Invariants
//! - INVARIANT(claimed): who finds the node unarmed under the kernel's lock claims it there, and is
//!   its owner until it has armed it. `period` is touched under the lock only.

#![expect(unsafe_code, reason = "the queue links to the timer's node")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::{Duration, Instant};

use super::driver;
use super::timer::from_now;
use crate::core::lock::{Kernel, kernel};
use crate::core::timer::{Cancel, Node, Order, QUEUE, Queue};
use crate::core::wake::Wakee;

/// Calls a function at a time, or periodically without drift. A static of 44 bytes.
///
/// ```no_run
/// # use quintet::sync::Semaphore;
/// use quintet::time::{Duration, SoftwareTimer};
///
/// static TOGGLE: Semaphore = Semaphore::new(0);
/// static BLINK: SoftwareTimer = SoftwareTimer::new(|_| TOGGLE.give());
///
/// BLINK.start_periodic(Duration::from_millis(500));
/// ```
///
/// # The function
/// It is called in the interrupt of the time source, with the timer as its argument, after the
/// timer has stopped or was armed for the next time: so it may start or stop it, also itself. It
/// may do what interrupt tasks may: give, send, signal, wake, but not wait. Nothing of the same or
/// a lower priority runs meanwhile, and other timers' times wait for its end: keep it short, and
/// give what takes longer to a thread or a task. A periodic function that takes longer than its
/// period leaves no time for anything below.
///
/// # Contexts
/// Every context that the kernel knows of, also its own function. If one context starts or stops a
/// timer while it interrupts another one that is doing so, it is as if the first had come first.
///
/// # Cost
/// Starting and stopping take constant time, whatever else is armed, in short sections of the
/// kernel's lock.
#[repr(C)]
pub struct SoftwareTimer {
    node: Node,
    period: Cell<Period>,
    callback: fn(&'static Self),
}

/// A period, and whether the timer runs: it was started, and has neither ended nor was stopped.
#[derive(Clone, Copy)]
struct Period {
    /// The lower word of the period in ticks.
    low: u32,
    /// The upper word, but for [`RUNNING`] and [`PERIODIC`].
    high: u32,
}

/// Beside the upper word: it runs.
const RUNNING: u32 = 1 << 31;
/// Beside the upper word: it doesn't end after its first time.
const PERIODIC: u32 = 1 << 30;
/// The longest period.
const PERIOD_MAX: u64 = (1 << 62) - 1;

impl Period {
    /// That of a timer that runs.
    const fn running(ticks: u64) -> Self {
        let periodic = if ticks == 0 { 0 } else { PERIODIC };
        Self { low: ticks as u32, high: (ticks >> 32) as u32 | RUNNING | periodic }
    }

    /// Whether it runs, and ends after its first time.
    const fn is_single(self) -> bool {
        self.high == RUNNING
    }

    const fn is_running(self) -> bool {
        self.high & RUNNING != 0
    }

    const fn stopped(self) -> Self {
        Self { high: self.high & !RUNNING, ..self }
    }

    const fn ticks(self) -> u64 {
        ((self.high & !(RUNNING | PERIODIC)) as u64) << 32 | self.low as u64
    }
}

// SAFETY: INVARIANT(claimed): contexts take turns.
unsafe impl Sync for SoftwareTimer {}

/// The functions of the nodes' wakees, whose word is the timer's address.
static HANDLER: RawWakerVTable = RawWakerVTable::new(copy, expire, expire, forget);

unsafe fn copy(timer: *const ()) -> RawWaker {
    RawWaker::new(timer, &HANDLER)
}

/// They own nothing.
const unsafe fn forget(_timer: *const ()) {}

/// What the driver calls when the time has come.
unsafe fn expire(timer: *const ()) {
    // SAFETY: from `arm`: a static.
    unsafe { &*timer.cast::<SoftwareTimer>() }.on_time();
}

impl SoftwareTimer {
    /// A timer that calls `callback`, and isn't running.
    #[must_use]
    pub const fn new(callback: fn(&'static Self)) -> Self {
        Self {
            node: Node::with_table(&HANDLER),
            period: Cell::new(Period { low: 0, high: 0 }),
            callback,
        }
    }

    /// Calls the function once, after `delay` from now. A timer that is running begins anew.
    #[inline]
    pub fn start(&'static self, delay: Duration) {
        self.start_at(from_now(delay), Duration::from_ticks(0));
    }

    /// Calls the function every `period`, a period from now first. A timer that is running begins
    /// anew. A period of 0 is one tick of the clock.
    ///
    /// The times are multiples of the period from the first one on, however late a call is.
    #[inline]
    pub fn start_periodic(&'static self, period: Duration) {
        let period = period.max(Duration::from_ticks(1));
        self.start_at(from_now(period), period);
    }

    /// Calls the function at `first`, and every `period` behind it, if that isn't 0. A timer that
    /// is running begins anew.
    pub fn start_at(&'static self, first: Instant, period: Duration) {
        let period = Period::running(period.as_ticks().min(PERIOD_MAX));
        let (deadline, queue) = (first.as_ticks(), driver::queue());
        match kernel(|lock| self.begin(lock, queue, deadline, period)) {
            // SAFETY: if it isn't armed, it is claimed; and a static stays where it is.
            Some(order) => unsafe { driver::finish_arming(&self.node, deadline, order) },
            None => self.begin_anew(deadline, period),
        }
    }

    /// Stops it. Whether it was running: if so, the function isn't called any more.
    pub fn stop(&self) -> bool {
        let (was_running, cancel) = kernel(|lock| (self.end(lock), QUEUE.cancel(lock, &self.node)));
        if cancel == Cancel::Parent {
            // Unless somebody starts it meanwhile.
            while self.leave(|lock| !self.runs(lock)) {}
        }
        was_running
    }

    /// Whether it was started, and has neither ended nor was stopped.
    #[must_use]
    pub fn is_running(&self) -> bool {
        kernel(|lock| self.runs(lock))
    }

    /// When the function is called next, if it is running.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        kernel(|lock| {
            // SAFETY: the lock is held.
            self.runs(lock).then(|| Instant::from_ticks(unsafe { self.node.deadline() }))
        })
    }

    /// Arms the node for these times, or claims it, if it isn't armed and nobody else has.
    #[inline(always)]
    fn begin(
        &'static self,
        lock: &Kernel<'_>,
        queue: &Queue,
        first: u64,
        period: Period,
    ) -> Option<Order> {
        if !self.claim(lock, first, period) {
            return None;
        }
        // SAFETY: claimed, and a static stays where it is.
        unsafe {
            self.node.prepare_word(self.word());
            Some(driver::arm_within(lock, queue, &self.node, first))
        }
    }

    /// Arms the node for these times, which is armed for others, or claimed.
    #[cold]
    #[inline(never)]
    fn begin_anew(&'static self, first: u64, period: Period) {
        while !kernel(|lock| self.claim(lock, first, period)) {
            if !self.leave(|_lock| true) {
                // Interrupted, another context is about to arm it: that comes after this.
                return;
            }
        }
        // SAFETY: claimed, not armed, and a static stays where it is.
        unsafe { driver::arm_apart(&self.node, first, self.wakee()) };
    }

    /// Claims the node for these times, if it isn't armed and nobody else has.
    #[inline(always)]
    fn claim(&self, lock: &Kernel<'_>, first: u64, period: Period) -> bool {
        let claimed = !self.node.is_armed(lock) && self.node.claim(lock);
        if claimed {
            // SAFETY: not armed, under the lock.
            unsafe { self.node.set_deadline(first) };
            self.period.set(period);
        }
        claimed
    }

    /// Whether it is running.
    const fn runs(&self, _lock: &Kernel<'_>) -> bool {
        self.period.get().is_running()
    }

    /// It is running no more. Whether it was.
    fn end(&self, _lock: &Kernel<'_>) -> bool {
        let period = self.period.get();
        self.period.set(period.stopped());
        period.is_running()
    }

    /// Takes the node out of the queue if `wanted` says so, or prepares that: then again. False if
    /// there is nothing to do.
    fn leave(&self, wanted: impl FnOnce(&Kernel<'_>) -> bool) -> bool {
        let cancel =
            kernel(
                |lock| {
                    if wanted(lock) { QUEUE.cancel(lock, &self.node) } else { Cancel::NotArmed }
                },
            );
        // Its wakee owns nothing: there is nothing to drop.
        if cancel == Cancel::Parent {
            kernel(|lock| QUEUE.free_below(lock, &self.node));
        }
        cancel != Cancel::NotArmed
    }

    /// Whom the node wakes: the timer.
    #[inline(always)]
    fn wakee(&'static self) -> Wakee {
        // SAFETY: the handler is for this timer, and nothing is owned.
        Wakee::job(unsafe { Waker::new(self.word(), &HANDLER) })
    }

    /// The word of that.
    #[inline(always)]
    const fn word(&'static self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// The time has come: the node has left the queue.
    #[inline(always)]
    fn on_time(&'static self) {
        let is_last = kernel(|lock| {
            let is_last = self.period.get().is_single() && !self.node.is_armed(lock);
            if is_last {
                self.end(lock);
            }
            is_last
        });
        if is_last {
            (self.callback)(self);
        } else {
            self.renew();
        }
    }

    /// Arms it for the next time, and calls the function; unless it was stopped since its time has
    /// come, or started anew.
    #[inline(never)]
    fn renew(&'static self) {
        let is_next = kernel(|lock| {
            let is_next = self.runs(lock) && !self.node.is_armed(lock) && self.node.claim(lock);
            if is_next {
                let period = self.period.get().ticks();
                // SAFETY: claimed, under the lock.
                unsafe { self.node.set_deadline(self.node.deadline().saturating_add(period)) };
            }
            is_next
        });
        if is_next {
            // SAFETY: claimed, not armed, and a static stays where it is.
            unsafe { driver::arm_apart(&self.node, self.node.deadline(), self.wakee()) };
            (self.callback)(self);
        }
    }
}

impl fmt::Debug for SoftwareTimer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SoftwareTimer").field("deadline", &self.deadline()).finish()
    }
}

#[cfg(test)]
mod tests;
