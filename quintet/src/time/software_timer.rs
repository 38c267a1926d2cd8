//! [`SoftwareTimer`]: a function that is called at a time, or periodically.
//!
//! A software timer's node waits in the queue of all timers. The node's wake target is no task but
//! a function of this file. So a stopped timer costs nothing, and a running timer costs as much as
//! a delay.
//!
//! # Invariants
//! - INVARIANT(claimed): a context that finds the node unarmed under the kernel's lock claims the
//!   node there, and owns the node until it has armed it. `period` is accessed under the lock only,
//!   but for the expiry over a tick, which reads a word of it.

#![expect(unsafe_code, reason = "the queue links to the timer's node")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::hint::cold_path;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::{Duration, Instant};

use super::counted::LONGEST;
use super::driver;
use super::timer::from_now;
use crate::arch::decided;
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::section::{SectionEnd, kernel_and_then};
use crate::core::timer::{Cancel, Node, Order, QUEUE, Queue};

mod by_ticks;
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
/// The interrupt of the time source calls your function, with the timer as its argument. The timer
/// has stopped then, or is armed for its next time. So your function may start or stop any timer,
/// even its own. Your function may do what interrupt tasks may do: give, send, signal, wake, but
/// not wait.
///
/// Keep the function short, and hand longer work to a thread or a task. While the function runs, no
/// code of the same or a lower priority runs, and other timers wait for its end. A periodic
/// function that takes longer than its period leaves no time for code of lower priorities.
///
/// Time itself stays right as long as the calls are short enough. Add up one call of each timer
/// that is due. Over SysTick, the sum must be less than 2<sup>22</sup> cycles; over another timer,
/// less than a quarter of the counter's round. Over a [tick](crate::systick_tick), time loses ticks
/// if anything keeps the interrupt off for longer than a tick.
///
/// # Contexts
/// Every context that the kernel knows of, including the timer's own function. If several threads
/// start and stop the timer, they do so one after the other. Suppose that an interrupt comes in the
/// middle of a start: if the interrupt starts the timer, its start counts as the earlier one; if
/// the interrupt stops the timer, its stop counts as before or after the start.
///
/// # Cost
/// Starting and stopping take constant time, however many timers are armed, in short sections of
/// the kernel's lock.
#[repr(C)]
pub struct SoftwareTimer {
    node: Node,
    period: Cell<Period>,
    callback: fn(&'static Self),
}

/// A period, and whether the timer runs: the timer was started, and has neither ended nor been
/// stopped.
#[derive(Clone, Copy)]
struct Period {
    /// The lower word of the period in ticks.
    low: u32,
    /// The upper word, except for [`RUNNING`] and [`PERIODIC`].
    high: u32,
}

/// Why a timer's node can't be armed.
enum Busy {
    /// The node is armed.
    Armed,
    /// Another context is about to arm the node.
    Claimed,
}

/// A bit beside the upper word: the timer runs.
const RUNNING: u32 = 1 << 31;
/// A bit beside the upper word: the timer doesn't end after its first time.
const PERIODIC: u32 = 1 << 30;
/// The longest period.
const PERIOD_MAX: u64 = (1 << 62) - 1;

impl Period {
    /// Returns the period of a timer that runs. If time is counted, that of a timer that isn't
    /// periodic is 0.
    #[inline(always)]
    fn running(ticks: u64) -> Self {
        let periodic = if ticks == 0 { 0 } else { PERIODIC };
        let running = if ticks == 0 && driver::is_counted() { 0 } else { RUNNING };
        Self { low: ticks as u32, high: (ticks >> 32) as u32 | running | periodic }
    }

    /// Returns `true` if the timer runs, and ends after its first time.
    const fn is_single(self) -> bool {
        self.high == RUNNING
    }

    const fn is_running(self) -> bool {
        self.high & RUNNING != 0
    }

    /// Returns where the upper word of a period is.
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

/// The functions of the nodes' wake targets. Their word is the timer's address.
static HANDLER: RawWakerVTable = RawWakerVTable::new(copy, expire, expire, forget);

unsafe fn copy(timer: *const ()) -> RawWaker {
    RawWaker::new(timer, &HANDLER)
}

/// The wake targets own nothing.
const unsafe fn forget(_timer: *const ()) {}

/// The driver calls this function when the time has come.
unsafe fn expire(timer: *const ()) {
    // SAFETY: from `arm`: a static.
    unsafe { &*timer.cast::<SoftwareTimer>() }.on_time();
}

impl SoftwareTimer {
    /// Returns a stopped timer that calls `callback`.
    #[must_use]
    pub const fn new(callback: fn(&'static Self)) -> Self {
        Self {
            node: Node::with_table(&HANDLER),
            period: Cell::new(Period { low: 0, high: 0 }),
            callback,
        }
    }

    /// Calls the function once, after `delay` from now. If the timer is running, its time begins
    /// anew.
    ///
    /// The present tick of the clock has begun already. So a delay of n ticks lasts more than n - 1
    /// ticks, but may last less than n. With a delay of 0 the clock's interrupt is pended, and
    /// calls the function as soon as the interrupt may run.
    #[inline]
    pub fn start(&'static self, delay: Duration) {
        match delay.as_ticks() {
            _ if !driver::is_counted() => self.start_at(from_now(delay), Duration::from_ticks(0)),
            0 => self.start_now(),
            ticks => self.start_in(ticks.min(LONGEST)),
        }
    }

    /// Calls the function every `period`; the first time is one period from now. If the timer is
    /// running, its time begins anew. A period of 0 is one tick of the clock.
    ///
    /// The times are multiples of the period from the first time on, however late a call is.
    #[inline]
    pub fn start_periodic(&'static self, period: Duration) {
        let period = period.max(Duration::from_ticks(1));
        self.start_at(from_now(period), period);
    }

    /// Calls the function at `first`, and then every `period`, if `period` isn't 0. If the timer is
    /// running, its time begins anew.
    pub fn start_at(&'static self, first: Instant, period: Duration) {
        let period = Period::running(period.as_ticks().min(PERIOD_MAX));
        let (deadline, queue) = (first.as_ticks(), driver::queue());
        let section = |lock: &KernelLock<'_>| match self.begin(lock, queue, deadline, period) {
            Ok(Order::Armed) => ((), SectionEnd::End),
            begun => ((), SectionEnd::Rest(begun)),
        };
        // No other thread runs while it is claimed: its start would wait for this one's end.
        kernel_and_then(section, |begun, _pause| match begun {
            // SAFETY: if it isn't armed, it is claimed; and a static stays where it is.
            Ok(order) => unsafe { driver::finish_arming(&self.node, deadline, order) },
            Err(_) => self.begin_anew(deadline, period),
        });
    }

    /// Stops the timer. Returns `true` if the timer was running: then the function isn't called any
    /// more.
    ///
    /// There is one exception, if your code interrupts the interrupt of the time source. A context
    /// above that interrupt may stop a periodic timer whose time has come, while the interrupt is
    /// about to call the function: this one call still happens. Over a
    /// [tick](crate::systick_tick), this is so for every timer, and `stop` returns `false` for one
    /// that isn't periodic. So don't take away there what the function uses. After that interrupt,
    /// and in all code that it may interrupt, no call happens any more.
    pub fn stop(&self) -> bool {
        if driver::is_counted() {
            return self.stop_counted();
        }
        let queue = driver::queue();
        let (was_running, cancel) = kernel(|lock| (self.end(lock), queue.cancel(lock, &self.node)));
        if cancel == Cancel::Parent {
            let _left = self.leave(true);
        }
        was_running
    }

    /// Returns `true` if the timer was started, and has neither ended nor been stopped.
    #[must_use]
    pub fn is_running(&self) -> bool {
        kernel(|lock| self.runs(lock))
    }

    /// Returns when the function is called next, if the timer is running.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        kernel(|lock| {
            // SAFETY: the lock is held.
            self.runs(lock).then(|| Instant::from_ticks(unsafe { self.node.deadline() }))
        })
    }

    /// Arms the node for these times, or claims the node, if the node is neither armed nor claimed.
    #[inline(always)]
    fn begin(
        &'static self,
        lock: &KernelLock<'_>,
        queue: &Queue,
        first: u64,
        period: Period,
    ) -> Result<Order, Busy> {
        self.prepare(lock, first, period)?;
        // SAFETY: prepared, and a static stays where it is.
        Ok(unsafe { driver::arm_within(lock, queue, &self.node, first) })
    }

    /// Prepares the node for these times, and claims it, if the node is neither armed nor claimed.
    #[inline(always)]
    fn prepare(
        &'static self,
        lock: &KernelLock<'_>,
        first: u64,
        period: Period,
    ) -> Result<(), Busy> {
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

    /// Arms the node for these times. The node is armed for others, or claimed.
    #[cold]
    #[inline(never)]
    fn begin_anew(&'static self, first: u64, period: Period) {
        loop {
            match kernel(|lock| self.arm_or_claim(lock, first, period)) {
                Ok(order) => return self.finish(first, order),
                // Interrupted, another context is about to arm it: that comes after this.
                Err(Busy::Claimed) => return,
                Err(Busy::Armed) => _ = self.leave(false),
            };
        }
    }

    /// Arms the node for these times if time is counted, and otherwise claims the node: for callers
    /// that do other work as well in the section. The caller then calls [`finish`](Self::finish).
    #[inline(always)]
    fn arm_or_claim(
        &'static self,
        lock: &KernelLock<'_>,
        first: u64,
        period: Period,
    ) -> Result<Option<Order>, Busy> {
        if driver::is_counted() {
            return self.begin(lock, &QUEUE, first, period).map(Some);
        }
        self.prepare(lock, first, period).map(|()| None)
    }

    /// Finishes [`arm_or_claim`](Self::arm_or_claim).
    #[inline(always)]
    fn finish(&'static self, first: u64, order: Option<Order>) {
        // SAFETY: if it isn't armed, it is claimed; and a static stays where it is.
        unsafe {
            match order {
                Some(order) => driver::finish_arming(&self.node, first, order),
                None => driver::arm_cold(&self.node, first, self.target()),
            }
        }
    }

    /// Returns `true` if the timer is running. If time is counted, a timer that isn't periodic runs
    /// while it is armed, and its period is 0.
    fn runs(&self, lock: &KernelLock<'_>) -> bool {
        let is_counted = driver::is_counted();
        self.period.get().is_running() || is_counted && self.node.is_armed(lock)
    }

    /// Marks the timer as stopped. Returns `true` if it was running, unless time is counted and the
    /// timer isn't periodic.
    fn end(&self, _lock: &KernelLock<'_>) -> bool {
        let period = self.period.get();
        let high = if driver::is_counted() { 0 } else { period.high & !RUNNING };
        self.period.set(Period { high, ..period });
        period.is_running()
    }

    /// Takes the node out of the queue. If the timer `stops`, does so unless another context starts
    /// the timer meanwhile. Returns `true` if the node has left. The node's wake target owns
    /// nothing, so that nothing has to be dropped.
    #[cold]
    #[inline(never)]
    fn leave(&self, stops: bool) -> bool {
        let queue = driver::queue();
        let cancel = |lock: &KernelLock<'_>| {
            // Decided in each round: otherwise there are two loops.
            if decided(stops) && self.runs(lock) {
                Cancel::NotArmed
            } else {
                queue.cancel(lock, &self.node)
            }
        };
        loop {
            match kernel(cancel) {
                Cancel::Parent => kernel(|lock| queue.free_below(lock, &self.node)),
                left => return left == Cancel::Done,
            }
        }
    }

    /// Returns the node's wake target: the timer.
    #[inline(always)]
    fn target(&'static self) -> WakeTarget {
        // SAFETY: the handler is for this timer, and nothing is owned.
        WakeTarget::job(unsafe { Waker::new(self.word(), &HANDLER) })
    }

    /// Returns the wake target's word.
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
        if driver::is_counted() {
            if self.part_is_periodic() {
                self.renew();
            } else {
                (self.callback)(self);
            }
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

    /// Arms the timer for its next time, and calls the function, unless the timer was stopped or
    /// started anew since its time has come.
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

    /// Returns `true` if the timer runs, and hasn't been started anew since its time has come. For
    /// the driver, which alone lets times come.
    #[inline(always)]
    fn goes_on(&self, lock: &KernelLock<'_>) -> bool {
        self.runs(lock) && !self.node.is_armed(lock)
    }

    /// If time isn't counted, arms the node for `next` as long as the timer [goes
    /// on](Self::goes_on). Returns `true` if it did. The node is not claimed: a start from another
    /// context would take a claim for a later start.
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
