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
use ::core::hint::cold_path;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::{Duration, Instant};

use super::counted::{COUNTED, LONGEST};
use super::driver;
use super::timer::from_now;
use crate::arch::decided;
use crate::core::lock::{Kernel, Then, kernel, kernel_and_then};
use crate::core::timer::{Cancel, Node, Order, QUEUE, Queue};
use crate::core::wake::Wakee;

mod part;

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
/// period leaves no time for anything below. (The time itself stays right, as long as one call of
/// each timer that is due takes less than 2<sup>22</sup> cycles over SysTick, all of them together,
/// less than a quarter of the counter's round over another timer; over a
/// [tick](crate::systick_tick), whatever keeps the interrupt for longer than that loses ticks.)
///
/// # Contexts
/// Every context that the kernel knows of, also its own function. Threads start and stop it one
/// after the other. An interrupt in the middle of a start comes before that if it starts the timer
/// too, and before or behind it if it stops it.
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

/// Why a timer's node can't be armed.
enum Busy {
    /// It is.
    Armed,
    /// Another context is about to.
    Claimed,
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

    /// Where the upper word of one is.
    const fn high_word(place: *mut Self) -> *mut u32 {
        // SAFETY: only an address is computed, of a field.
        unsafe { &raw mut (*place).high }
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
    ///
    /// The present tick of the clock has begun already: so n ticks last more than n - 1, but may
    /// last less than n. With 0 the clock's interrupt is pended and calls the function there, as
    /// soon as it may come.
    #[inline]
    pub fn start(&'static self, delay: Duration) {
        match delay.as_ticks() {
            _ if !driver::is_counted() => self.start_at(from_now(delay), Duration::from_ticks(0)),
            0 => self.start_now(),
            ticks => self.start_in(ticks.min(LONGEST)),
        }
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
        let section = |lock: &Kernel<'_>| match self.begin(lock, queue, deadline, period) {
            Ok(Order::Armed) => ((), Then::End),
            begun => ((), Then::Rest(begun)),
        };
        // No other thread runs while it is claimed: its start would wait for this one's end.
        kernel_and_then(section, |begun, _pause| match begun {
            // SAFETY: if it isn't armed, it is claimed; and a static stays where it is.
            Ok(order) => unsafe { driver::finish_arming(&self.node, deadline, order) },
            Err(_) => self.begin_anew(deadline, period),
        });
    }

    /// Calls the function once, in `ticks` ticks, at most [`LONGEST`], where time is counted.
    #[inline(never)]
    fn start_in(&'static self, ticks: u64) {
        let section = |lock: &Kernel<'_>| {
            let deadline = COUNTED.now() + ticks;
            if self.prepare(lock, deadline, Period::running(0)).is_err() {
                return ((), Then::Rest(deadline));
            }
            // SAFETY: prepared, and a static stays where it is.
            unsafe { COUNTED.arrivals.arrive(lock, &self.node) };
            ((), Then::End)
        };
        kernel_and_then(section, |deadline, _pause| self.start_anew(deadline));
    }

    /// Calls the function once, at `deadline`, where time is counted; it runs. All begins anew once
    /// for each time that an interrupt starts it meanwhile.
    #[cold]
    #[inline(never)]
    fn start_anew(&'static self, deadline: u64) {
        self.leave(false);
        match deadline.saturating_sub(COUNTED.now()) {
            0 => self.start_now(),
            ticks => self.start_in(ticks),
        }
    }

    /// Calls the function at once, where time is counted.
    #[cold]
    #[inline(never)]
    fn start_now(&'static self) {
        self.start_in(0);
        // Its time has passed, as every one that is no later.
        driver::lower_alarm(0);
    }

    /// Stops it. Whether it was running: if so, the function isn't called any more.
    ///
    /// But for one call, if this interrupts the interrupt of the time source: a context that is
    /// more urgent than that may stop a periodic timer whose time has come, and which is about to
    /// call the function for it. So what the function uses is not to be taken away there; behind
    /// that interrupt, and in all that it may interrupt, nothing is called any more.
    pub fn stop(&self) -> bool {
        let queue = driver::queue();
        let (was_running, cancel) = kernel(|lock| (self.end(lock), queue.cancel(lock, &self.node)));
        if cancel == Cancel::Parent {
            self.leave(true);
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
    ) -> Result<Order, Busy> {
        self.prepare(lock, first, period)?;
        // SAFETY: prepared, and a static stays where it is.
        Ok(unsafe { driver::arm_within(lock, queue, &self.node, first) })
    }

    /// Prepares the node for these times, and claims it, if it isn't armed and nobody else has.
    #[inline(always)]
    fn prepare(&'static self, lock: &Kernel<'_>, first: u64, period: Period) -> Result<(), Busy> {
        if self.node.is_armed(lock) {
            return Err(Busy::Armed);
        }
        // Where time is counted, what is claimed is armed in the same section.
        if !driver::is_counted() && !self.node.claim(lock) {
            cold_path();
            // Another context's start comes after this: also behind a stop since it claimed it.
            let theirs = self.period.get();
            self.period.set(Period { high: theirs.high | RUNNING, ..theirs });
            return Err(Busy::Claimed);
        }
        self.period.set(period);
        // SAFETY: not armed, under the lock, and claimed; the word is for the node's table.
        unsafe {
            self.node.set_deadline(first);
            self.node.prepare_word(self.word());
        }
        Ok(())
    }

    /// Arms the node for these times, which is armed for others, or claimed.
    #[cold]
    #[inline(never)]
    fn begin_anew(&'static self, first: u64, period: Period) {
        loop {
            match kernel(|lock| self.arm_or_claim(lock, first, period)) {
                Ok(order) => return self.finish(first, order),
                // Interrupted, another context is about to arm it: that comes after this.
                Err(Busy::Claimed) => return,
                Err(Busy::Armed) => self.leave(false),
            };
        }
    }

    /// Arms the node for these times where time is counted, and claims it elsewhere: for those who
    /// do other things as well in the section. Then comes [`finish`](Self::finish).
    #[inline(always)]
    fn arm_or_claim(
        &'static self,
        lock: &Kernel<'_>,
        first: u64,
        period: Period,
    ) -> Result<Option<Order>, Busy> {
        if driver::is_counted() {
            return self.begin(lock, &QUEUE, first, period).map(Some);
        }
        self.prepare(lock, first, period).map(|()| None)
    }

    /// Does what is to be done behind [`arm_or_claim`](Self::arm_or_claim).
    #[inline(always)]
    fn finish(&'static self, first: u64, order: Option<Order>) {
        // SAFETY: if it isn't armed, it is claimed; and a static stays where it is.
        unsafe {
            match order {
                Some(order) => driver::finish_arming(&self.node, first, order),
                None => driver::arm_apart(&self.node, first, self.wakee()),
            }
        }
    }

    /// Whether it is running.
    const fn runs(&self, _lock: &Kernel<'_>) -> bool {
        self.period.get().is_running()
    }

    /// It is running no more. Whether it was.
    fn end(&self, _lock: &Kernel<'_>) -> bool {
        let period = self.period.get();
        self.period.set(Period { high: period.high & !RUNNING, ..period });
        period.is_running()
    }

    /// Takes the node out of the queue; where the timer `stops`, unless somebody starts it
    /// meanwhile. Its wakee owns nothing: there is nothing to drop.
    #[cold]
    #[inline(never)]
    fn leave(&self, stops: bool) {
        let queue = driver::queue();
        let cancel = |lock: &Kernel<'_>| {
            // Decided in each round: otherwise there are two loops.
            if decided(stops) && self.runs(lock) {
                Cancel::NotArmed
            } else {
                queue.cancel(lock, &self.node)
            }
        };
        while kernel(cancel) == Cancel::Parent {
            kernel(|lock| queue.free_below(lock, &self.node));
        }
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
        #[cfg(not(target_os = "none"))]
        if super::virtual_clock::is_ending() {
            kernel(|lock| self.end(lock));
            return;
        }
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
        let begun = kernel(|lock| {
            if !self.goes_on(lock) {
                return None;
            }
            let period = self.period.get();
            // SAFETY: the lock is held.
            let deadline = unsafe { self.node.deadline() };
            // It has come, so this is far from the end of time.
            let next = deadline + period.ticks();
            if !driver::is_counted() {
                // The interrupt has come for another time, which this may have been armed behind.
                return Some((next, None, !QUEUE.is_alarm(lock, deadline)));
            }
            Some((next, Some(self.begin(lock, &QUEUE, next, period).ok()?), false))
        });
        let Some((next, order, may_be_late)) = begun else { return };
        if may_be_late {
            // SAFETY: times come in the handler only.
            unsafe { driver::keep_up() };
        }
        if order.is_some() {
            self.finish(next, order);
        } else if !self.rearm(next) {
            return;
        }
        (self.callback)(self);
    }

    /// Whether it runs, and hasn't been started anew since its time has come. For the driver, which
    /// alone lets times come.
    #[inline(always)]
    fn goes_on(&self, lock: &Kernel<'_>) -> bool {
        self.runs(lock) && !self.node.is_armed(lock)
    }

    /// Arms the node for `next` where time isn't counted, as long as it [goes on](Self::goes_on).
    /// Whether it did. The node is not claimed: a start from another context would take that for
    /// one that comes behind it.
    fn rearm(&'static self, next: u64) -> bool {
        let order = kernel(|lock| {
            self.goes_on(lock).then(|| {
                // SAFETY: not armed, under the lock; its waker's word is what it was, and a static
                // stays where it is.
                unsafe {
                    self.node.set_deadline(next);
                    QUEUE.arm_in_order(lock, &self.node, next)
                }
            })
        });
        let Some(order) = order else { return false };
        let Some(late) = driver::behind(next, order, driver::lower_alarm) else { return true };
        let is_first = kernel(|lock| {
            // SAFETY: the same.
            self.goes_on(lock).then(|| unsafe { QUEUE.arm(lock, &self.node, next, late) })
        });
        let Some(is_first) = is_first else { return false };
        if is_first || late {
            driver::lower_alarm(next);
        }
        true
    }
}

impl fmt::Debug for SoftwareTimer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SoftwareTimer").field("deadline", &self.deadline()).finish()
    }
}

#[cfg(test)]
mod tests;
