//! The driver: the timer queue, the clock and a source, put together.
//!
//! ```text
//!   arm ──> queue ──> earlier than the alarm? ──> source.set
//!                                                     │ interrupt
//!   wakers <── look, tidy <── on_interrupt <─────────┘
//! ```
//!
//! If time is counted, armed timers wait among the [arrivals](crate::core::timer::Arrivals) until
//! the next tick, and no hardware is set.
//!
//! One queue holds everything that waits for a time. The application places one driver, with
//! [`systick_timer`](crate::systick_timer) or [`timer_source`](crate::timer_source); this driver is
//! also the driver of `embassy-time`.
//!
//! The handler runs at the kernel's ceiling or below, so that the kernel's lock holds the handler
//! off. Between the handler's steps, code of a higher priority may run, and may arm and cancel
//! timers.

#![expect(unsafe_code, reason = "nodes lie in their users")]

use ::core::hint::cold_path;
use ::core::task::Waker;

use super::clock::{Base, Clock};
use super::counted::COUNTED;
use super::source::Source;
use super::timebase::Timebase;
use crate::arch::{at_hand, decided};
use crate::core::application::has_threads;
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::section::{SectionEnd, kernel_and_then, wake};
use crate::core::timer::{Cancel, Look, Move, Node, Order, Pairing, QUEUE, Queue};

#[cfg(test)]
pub mod tests;

/// The one driver of an application, over its time `T`.
#[repr(transparent)]
pub struct Driver<T> {
    time: T,
}

debug_by_name!([T] Driver<T>: "Driver");

impl<T: Timebase> Driver<T> {
    /// `true` if time is counted.
    pub const IS_COUNTED: bool = T::IS_COUNTED;

    /// Returns a driver that has not started: its time is 0, and armed timers wait.
    #[must_use]
    pub const fn new(time: T) -> Self {
        Self { time }
    }

    /// Begins to tick, and to serve armed timers.
    ///
    /// # Safety
    /// Called once; the hardware has started. The interrupt's handler calls
    /// [`on_interrupt`](Self::on_interrupt), or counts, at the kernel's ceiling or below.
    pub unsafe fn start(&self) {
        // SAFETY: the caller's; the queue's alarm is 0, so that nobody has set the hardware so far.
        // The first interrupt comes at once, and sets the alarm.
        unsafe { self.time.begin() };
    }

    /// Returns the present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.time.now()
    }

    /// Lets the hardware interrupt at `deadline`, unless it interrupts earlier anyway. If time is
    /// counted, the deadline has passed.
    #[inline(always)]
    pub fn lower_alarm(&self, deadline: u64) {
        let at = self.time.setting(deadline);
        // Where time is counted, nobody looks at it.
        let queue = if T::IS_COUNTED { &QUEUE } else { queue() };
        kernel(|token| self.time.lower(token, queue, deadline, at));
    }

    /// Keeps time right while the handler has more to do than fits into its time.
    ///
    /// # Safety
    /// Only the handler of the interrupt calls this.
    pub unsafe fn keep_up(&self) {
        // SAFETY: the caller's.
        unsafe { self.time.keep_up() };
    }
}

impl<S: Source> Driver<Clock<S>> {
    /// Wakes the timers that are due, and sets the hardware for the next deadline.
    ///
    /// The number of sections is bounded by the number of timers that are due, or that were armed
    /// or cancelled since the last time.
    ///
    /// # Safety
    /// Only the handler of the interrupt calls this, after the start.
    #[inline(always)]
    pub unsafe fn on_interrupt(&self) {
        // SAFETY: the handler is one context, and doesn't nest. It runs only after `start`.
        let (base, now) = unsafe { self.time.refresh(S::acknowledge()) };
        let queue = queue();
        let next = expire(queue, now, now.saturating_add(Base::<S>::LEG_TICKS));
        Clock::<S>::set(queue, base, next);
    }
}

/// Wakes the timers that are due at the time `now`. Returns the alarm, which is no later than
/// `latest`.
#[inline(always)]
pub(super) fn expire(queue: &Queue, now: u64, latest: u64) -> u64 {
    loop {
        match kernel(|token| queue.look(token, now, latest)) {
            Look::Fired(target) => wake(target),
            Look::Parent => kernel(|token| queue.free_below_first(token)),
            Look::Loose => tidy(queue),
            Look::Next(next) => return next,
        }
    }
}

/// Puts nodes that have lost their place back, in many short sections.
#[cold]
#[inline(never)]
fn tidy(queue: &Queue) {
    loop {
        // SAFETY: each plan is carried out once, before the next is made.
        unsafe {
            match kernel(|token| queue.plan_pair(token)) {
                Pairing::Settled => return,
                Pairing::Single => {}
                Pairing::Pair(planned) => carry_out(queue, planned),
            }
            if let Some(planned) = kernel(|token| queue.plan_place(token)) {
                carry_out(queue, planned);
            }
        }
    }
}

/// A separate function.
///
/// # Safety
/// As for [`Queue::carry_out`].
#[inline(never)]
unsafe fn carry_out(queue: &Queue, planned: Move) {
    // SAFETY: the caller's.
    kernel(|token| unsafe { queue.carry_out(token, planned) });
}

impl<T: Timebase> embassy_time_driver::Driver for Driver<T> {
    #[inline(always)]
    fn now(&self) -> u64 {
        Self::now(self)
    }

    #[inline(always)]
    fn schedule_wake(&self, at: u64, waker: &Waker) {
        super::wakes::schedule(at, waker);
    }
}

/// Returns the queue, so that no section has to make its address.
#[inline(always)]
pub fn queue() -> &'static Queue {
    // SAFETY: the pointer is that of the reference.
    unsafe { &*at_hand(&raw const QUEUE) }
}

unsafe extern "Rust" {
    /// Lets the application's source interrupt at a deadline, unless it interrupts earlier anyway.
    /// The application's source defines this symbol: if the linker misses the symbol, the
    /// application has no source.
    safe fn __quintet_needs_a_time_source_such_as_systick_timer(deadline: u64);
    /// Whether time is counted, by a handler in each tick: a constant.
    safe fn __quintet_time_is_counted() -> bool;
    /// Keeps time right, from the handler.
    fn __quintet_time_keeps_up();
}

/// Keeps time right while the handler, which calls this, has more to do than fits into its time:
/// timers that the handler has armed are due before it returns.
///
/// # Safety
/// Only the handler of the interrupt calls this.
#[cold]
#[inline(never)]
pub unsafe fn keep_up() {
    // SAFETY: the caller's.
    unsafe { __quintet_time_keeps_up() };
}

/// Returns `true` if time is [counted](COUNTED): a constant.
#[inline(always)]
pub fn is_counted() -> bool {
    __quintet_time_is_counted()
}

/// Lets the source interrupt at `deadline`, unless it interrupts earlier anyway. If time is
/// counted, the deadline has passed.
#[inline(always)]
pub fn lower_alarm(deadline: u64) {
    __quintet_needs_a_time_source_such_as_systick_timer(deadline);
}

/// A separate function.
#[inline(never)]
fn lower_alarm_cold(deadline: u64) {
    lower_alarm(deadline);
}

/// Arms `node` for `deadline`, to wake `target` then, in at most three short sections. From every
/// context that the kernel knows of.
///
/// No other thread runs between the sections, for two reasons. A context that arms a later node
/// relies on the alarm for the earliest node, which that thread would still have to set. And the
/// setting of the hardware is right only for some time.
///
/// # Safety
/// The caller owns the node, which is not armed. The node stays at its address until it has fired
/// or was cancelled.
#[inline(always)]
pub unsafe fn arm(node: &Node, deadline: u64, target: WakeTarget) {
    let rest = |order| {
        if let Some(late) = behind(deadline, order, lower_alarm_cold) {
            // SAFETY: the caller's.
            unsafe { arm_behind(node, deadline, late, lower_alarm_cold) };
        }
    };
    // SAFETY: the caller's.
    unsafe { arm_in_order(node, deadline, target, rest) };
}

/// As [`arm`], in few instructions if the node is the first of all.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
pub unsafe fn arm_first(node: &Node, deadline: u64, target: WakeTarget) {
    // SAFETY: the caller's.
    unsafe {
        arm_in_order(node, deadline, target, |order| finish_arming(node, deadline, order));
    }
}

/// As [`arm`], for callers that arm a node beside other work: a separate function.
///
/// # Safety
/// As for [`arm`].
#[inline(never)]
pub unsafe fn arm_cold(node: &Node, deadline: u64, target: WakeTarget) {
    // SAFETY: the caller's.
    unsafe { arm_first(node, deadline, target) };
}

/// The first section of [`arm`], and then `rest` if the first section was not enough.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
unsafe fn arm_in_order(node: &Node, deadline: u64, target: WakeTarget, rest: impl FnOnce(Order)) {
    // SAFETY: the caller's.
    unsafe { node.prepare(target) };
    let queue = queue();
    // SAFETY: the caller's; prepared just now.
    let section = |token: &KernelLock<'_>| unsafe { arm_within(token, queue, node, deadline) };
    // Where time is counted, who is held up is late by a tick, and nobody else.
    if is_counted() || !has_threads() {
        return rest(kernel(section));
    }
    let section = |token: &KernelLock<'_>| match section(token) {
        Order::Armed => ((), SectionEnd::End),
        order => ((), SectionEnd::Rest(order)),
    };
    kernel_and_then(section, |order, _pause| rest(order));
}

/// The part of a section that arms a node in few instructions, as [`Queue::arm_in_order`] does. If
/// time is counted, this is always enough: the first node of all is then one that is due.
///
/// # Safety
/// As for [`Queue::arm_in_order`].
#[inline(always)]
pub unsafe fn arm_within(
    kernel: &KernelLock<'_>,
    queue: &Queue,
    node: &Node,
    deadline: u64,
) -> Order {
    // SAFETY: the caller's.
    unsafe {
        if !is_counted() {
            return queue.arm_in_order(kernel, node, deadline);
        }
        if COUNTED.arm(kernel, node, deadline) {
            cold_path();
            return Order::First;
        }
    }
    Order::Armed
}

/// Finishes [`arm_within`]. If the node isn't armed, returns whether the alarm is late for the
/// node. `lower` is [`lower_alarm`], or the separate function.
#[inline(always)]
pub fn behind(deadline: u64, order: Order, lower: impl FnOnce(u64)) -> Option<bool> {
    match order {
        Order::Armed => None,
        Order::First => {
            lower(deadline);
            None
        }
        Order::InTime => Some(false),
        Order::Late => Some(true),
    }
}

/// Finishes [`arm_within`], in few instructions if the node was the first of all. No other thread
/// has run since.
///
/// # Safety
/// As for [`arm_within`]. If the node isn't armed, it still belongs to the caller.
#[inline(always)]
pub unsafe fn finish_arming(node: &Node, deadline: u64, order: Order) {
    if let Some(late) = behind(deadline, order, lower_alarm) {
        // SAFETY: the caller's.
        unsafe { arm_behind_cold(node, deadline, late) };
    }
}

/// The rest of [`arm`].
///
/// # Safety
/// As for [`arm`], and the node is prepared. `late` is the answer of the first section.
#[inline(always)]
unsafe fn arm_behind(node: &Node, deadline: u64, late: bool, lower: impl FnOnce(u64)) {
    let queue = queue();
    // Now: no section has to decide what was known before it.
    let late = decided(late);
    // SAFETY: the caller's.
    if kernel(|token| unsafe { queue.arm(token, node, deadline, late) }) || late {
        lower(deadline);
    }
}

/// A separate function.
///
/// # Safety
/// As for [`arm_behind`].
#[inline(never)]
unsafe fn arm_behind_cold(node: &Node, deadline: u64, late: bool) {
    // SAFETY: the caller's.
    unsafe { arm_behind(node, deadline, late, lower_alarm) };
}

/// Takes `node` out of the queue. Drops the node's wake target outside of the section. Returns
/// `false` if the node is not armed: it has fired, or was cancelled.
///
/// # Safety
/// The caller owns the node.
#[inline(always)]
pub unsafe fn cancel(node: &Node) -> bool {
    // SAFETY: the pointer is that of the reference.
    let (queue, node) = (queue(), unsafe { &*at_hand(node) });
    match kernel(|token| queue.cancel(token, node)) {
        Cancel::NotArmed => return false,
        Cancel::Parent => {
            if !cancel_parent(node) {
                return false;
            }
        }
        Cancel::Done => {}
    }
    // SAFETY: cancelled just now, and the node is the caller's.
    let target = unsafe { node.take_target() };
    if !target.is_thread() {
        // SAFETY: it isn't.
        drop(unsafe { target.into_job() });
    }
    true
}

/// Continues with a node that had others below it. A separate function, as a loop around a section
/// moves the section's values into registers within the section.
#[cold]
#[inline(never)]
fn cancel_parent(node: &Node) -> bool {
    loop {
        kernel(|token| QUEUE.free_below(token, node));
        match kernel(|token| QUEUE.cancel(token, node)) {
            Cancel::NotArmed => return false,
            Cancel::Parent => {}
            Cancel::Done => return true,
        }
    }
}
