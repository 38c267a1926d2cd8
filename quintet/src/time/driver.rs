//! The driver: the timer queue, the clock and a source, put together.
//!
//! ```text
//!   arm ──> queue ──> earlier than the alarm? ──> source.set
//!                                                     │ interrupt
//!   wakers <── look, tidy <── on_interrupt <─────────┘
//! ```
//!
//! Where time is counted, what is armed waits among the [arrivals](crate::core::timer::Arrivals)
//! until the next tick, and nothing is set.
//!
//! There is one queue for everything that waits. The application places one driver, with
//! [`systick_timer`](crate::systick_timer) or [`timer_source`](crate::timer_source); it is the
//! driver of `embassy-time` as well.
//!
//! The handler runs at the kernel's ceiling or below, so that the kernel's lock holds it off.
//! Between the handler's steps everything of a higher priority may run, and may arm and cancel.

#![expect(unsafe_code, reason = "nodes lie in their users")]

use ::core::hint::cold_path;
use ::core::task::Waker;

use super::clock::{Base, Clock};
use super::counted::COUNTED;
use super::source::Source;
use super::timebase::Timebase;
use crate::arch::{at_hand, decided};
use crate::core::lock::{Kernel, Then, has_threads, kernel, kernel_and_then, wake};
use crate::core::timer::{Cancel, Look, Move, Node, Order, Pairing, QUEUE, Queue};
use crate::core::wake::Wakee;

#[cfg(test)]
pub mod tests;

/// The one driver of an application, over its time `T`.
#[repr(transparent)]
pub struct Driver<T> {
    time: T,
}

debug_by_name!([T] Driver<T>: "Driver");

impl<T: Timebase> Driver<T> {
    /// Whether time is counted.
    pub const IS_COUNTED: bool = T::IS_COUNTED;

    /// A driver that has not started: its time is 0, and what is armed waits.
    #[must_use]
    pub const fn new(time: T) -> Self {
        Self { time }
    }

    /// Begins to tick, and to look after what has been armed.
    ///
    /// # Safety
    /// Called once; the hardware has started. The interrupt's handler calls
    /// [`on_interrupt`](Self::on_interrupt), or counts, at the kernel's ceiling or below.
    pub unsafe fn start(&self) {
        // SAFETY: the caller's; the queue's alarm is 0, so that nobody has set the hardware so far.
        // The first interrupt comes at once, and sets the alarm.
        unsafe { self.time.begin() };
    }

    /// The present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.time.now()
    }

    /// Lets the hardware interrupt at `deadline`, if nothing is awaited earlier. Where time is
    /// counted, for a deadline that has passed.
    #[inline(always)]
    pub fn lower_alarm(&self, deadline: u64) {
        let at = self.time.setting(deadline);
        // Where time is counted, nobody looks at it.
        let queue = if T::IS_COUNTED { &QUEUE } else { queue() };
        kernel(|token| self.time.lower(token, queue, deadline, at));
    }

    /// Lets time stay right though the handler has more to do than in time.
    ///
    /// # Safety
    /// Called within the handler of the interrupt only.
    pub unsafe fn keep_up(&self) {
        // SAFETY: the caller's.
        unsafe { self.time.keep_up() };
    }
}

impl<S: Source> Driver<Clock<S>> {
    /// Wakes what is due, and sets the hardware for what is next.
    ///
    /// The number of sections is bounded by what is due and what has been armed and cancelled since
    /// the last time.
    ///
    /// # Safety
    /// Called from the handler of the interrupt only, after the start.
    #[inline(always)]
    pub unsafe fn on_interrupt(&self) {
        // SAFETY: the handler is one context, and doesn't nest. It runs only after `start`.
        let (base, now) = unsafe { self.time.refresh(S::acknowledge()) };
        let queue = queue();
        let next = expire(queue, now, now.saturating_add(Base::<S>::LEG_TICKS));
        Clock::<S>::set(queue, base, next);
    }
}

/// Wakes what is due at the time `now`. Returns the alarm, no later than `latest`.
#[inline(always)]
pub(super) fn expire(queue: &Queue, now: u64, latest: u64) -> u64 {
    loop {
        match kernel(|token| queue.look(token, now, latest)) {
            Look::Fired(wakee) => wake(wakee),
            Look::Parent => kernel(|token| queue.free_below_first(token)),
            Look::Loose => tidy(queue),
            Look::Next(next) => return next,
        }
    }
}

/// Puts what has lost its place back, in many short sections.
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

/// A function of its own.
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

/// The queue, whose address no section has to make.
#[inline(always)]
pub fn queue() -> &'static Queue {
    // SAFETY: the pointer is that of the reference.
    unsafe { &*at_hand(&raw const QUEUE) }
}

unsafe extern "Rust" {
    /// Lets the application's source interrupt at a deadline, if nothing is awaited earlier.
    /// Defined where the application places its source: if the linker misses it, none is placed.
    safe fn __quintet_needs_a_time_source_such_as_systick_timer(deadline: u64);
    /// Whether time is counted, by a handler in each tick: a constant.
    safe fn __quintet_time_is_counted() -> bool;
    /// Lets time stay right, from the handler.
    fn __quintet_time_keeps_up();
}

/// Lets time stay right though the handler, in which this is called, has more to do than in time:
/// what it has armed is due before it returns.
///
/// # Safety
/// Called within the handler of the interrupt only.
#[cold]
#[inline(never)]
pub unsafe fn keep_up() {
    // SAFETY: the caller's.
    unsafe { __quintet_time_keeps_up() };
}

/// Whether time is [counted](COUNTED): a constant.
#[inline(always)]
pub fn is_counted() -> bool {
    __quintet_time_is_counted()
}

/// Lets the source interrupt at `deadline`, if nothing is awaited earlier. Where time is counted,
/// for a deadline that has passed.
#[inline(always)]
pub fn lower_alarm(deadline: u64) {
    __quintet_needs_a_time_source_such_as_systick_timer(deadline);
}

/// A function of its own.
#[inline(never)]
fn lower_alarm_apart(deadline: u64) {
    lower_alarm(deadline);
}

/// Arms `node`, whose deadline is `deadline`, and which then wakes `wakee`: three short sections at
/// most. From every context that the kernel knows of.
///
/// No other thread runs between the sections. Whoever arms a node that isn't the earliest relies on
/// the alarm of the one that is, which would be in that thread's hands; and what the hardware is
/// set for is right only for a time.
///
/// # Safety
/// The caller owns the node, which is not armed; it stays where it is until it has fired or was
/// cancelled.
#[inline(always)]
pub unsafe fn arm(node: &Node, deadline: u64, wakee: Wakee) {
    let rest = |order| {
        if let Some(late) = behind(deadline, order, lower_alarm_apart) {
            // SAFETY: the caller's.
            unsafe { arm_behind(node, deadline, late, lower_alarm_apart) };
        }
    };
    // SAFETY: the caller's.
    unsafe { arm_in_order(node, deadline, wakee, rest) };
}

/// As [`arm`], in few instructions if the node is the first of all.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
pub unsafe fn arm_first(node: &Node, deadline: u64, wakee: Wakee) {
    // SAFETY: the caller's.
    unsafe {
        arm_in_order(node, deadline, wakee, |order| finish_arming(node, deadline, order));
    }
}

/// As [`arm`], for those who arm a node beside other work: a function of its own.
///
/// # Safety
/// As for [`arm`].
#[inline(never)]
pub unsafe fn arm_apart(node: &Node, deadline: u64, wakee: Wakee) {
    // SAFETY: the caller's.
    unsafe { arm_first(node, deadline, wakee) };
}

/// The first section of [`arm`], and the `rest` where that didn't do.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
unsafe fn arm_in_order(node: &Node, deadline: u64, wakee: Wakee, rest: impl FnOnce(Order)) {
    // SAFETY: the caller's.
    unsafe { node.prepare(wakee) };
    let queue = queue();
    // SAFETY: the caller's; prepared just now.
    let section = |token: &Kernel<'_>| unsafe { arm_within(token, queue, node, deadline) };
    // Where time is counted, who is held up is late by a tick, and nobody else.
    if is_counted() || !has_threads() {
        return rest(kernel(section));
    }
    let section = |token: &Kernel<'_>| match section(token) {
        Order::Armed => ((), Then::End),
        order => ((), Then::Rest(order)),
    };
    kernel_and_then(section, |order, _pause| rest(order));
}

/// What a section does that arms a node in few instructions: as [`Queue::arm_in_order`]; where time
/// is counted, always. The first of all is then one that is due.
///
/// # Safety
/// As for [`Queue::arm_in_order`].
#[inline(always)]
pub unsafe fn arm_within(kernel: &Kernel<'_>, queue: &Queue, node: &Node, deadline: u64) -> Order {
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

/// What is to be done behind [`arm_within`]: if the node isn't armed, whether the alarm is late for
/// it. `lower` is [`lower_alarm`], or the function of its own.
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

/// Does what is to be done behind [`arm_within`], in few instructions if the node was the first of
/// all. No other thread has run since.
///
/// # Safety
/// As for [`arm_within`]; the node is still the caller's if it isn't armed.
#[inline(always)]
pub unsafe fn finish_arming(node: &Node, deadline: u64, order: Order) {
    if let Some(late) = behind(deadline, order, lower_alarm) {
        // SAFETY: the caller's.
        unsafe { arm_behind_apart(node, deadline, late) };
    }
}

/// The rest of [`arm`].
///
/// # Safety
/// As for [`arm`], the node is prepared; `late` is what the first section has said.
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

/// A function of its own.
///
/// # Safety
/// As for [`arm_behind`].
#[inline(never)]
unsafe fn arm_behind_apart(node: &Node, deadline: u64, late: bool) {
    // SAFETY: the caller's.
    unsafe { arm_behind(node, deadline, late, lower_alarm) };
}

/// Takes `node` out of the queue. Drops its wakee outside of the section. False if it is not armed:
/// it has fired, or was cancelled.
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
    let wakee = unsafe { node.take_wakee() };
    if !wakee.is_thread() {
        // SAFETY: it isn't.
        drop(unsafe { wakee.into_job() });
    }
    true
}

/// Goes on with a node that had others below it. A function of its own: a loop around a section
/// brings what it needs into registers in the section.
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
