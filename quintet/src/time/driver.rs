//! The driver: the timer queue, the clock and a source, put together.
//!
//! ```text
//!   arm ──> queue ──> earlier than the alarm? ──> source.set
//!                                                     │ interrupt
//!   wakers <── look, tidy <── on_interrupt <─────────┘
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

use super::clock::{Base, Clock};
use super::source::Source;
use crate::arch::{at_hand, decided};
use crate::core::lock::{kernel, wake};
use crate::core::timer::{Cancel, Look, Node, Order, Pairing, QUEUE, Queue};
use crate::core::wake::Wakee;

#[cfg(test)]
pub(super) mod tests;

/// The one driver of an application, over the source `S`.
pub struct Driver<S> {
    clock: Clock<S>,
}

impl<S: Source> Driver<S> {
    /// A driver that has not started: its time is 0, and what is armed waits.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for a static")]
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
        // The first interrupt comes at once, and sets the alarm.
        let now = S::counter();
        kernel(|_| S::set(now));
    }

    /// The present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Lets the source interrupt at `deadline`, if nothing is awaited earlier.
    #[inline(always)]
    pub fn lower_alarm(&self, deadline: u64) {
        let at = self.clock.base().counter_at(deadline);
        let queue = queue();
        kernel(|token| {
            if let Some(low) = queue.lower_alarm(token, deadline, S::LEG) {
                // The alarm was no more than a leg ahead of the handler that has set it: what is
                // earlier by more is past, as is the time a leg before it.
                S::set(if Base::<S>::SAME { low } else { at });
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
        let counter = S::acknowledge();
        // SAFETY: the handler is one context, and doesn't nest. The source runs only after `start`.
        let (base, now) = unsafe { self.clock.refresh(counter) };
        let queue = queue();
        let latest = now.saturating_add(Base::<S>::LEG_TICKS);
        let next = loop {
            match kernel(|token| queue.look(token, now, latest)) {
                Look::Fired(wakee) => wake(wakee),
                Look::Parent => kernel(|token| queue.free_below_first(token)),
                Look::Loose => Self::tidy(queue),
                Look::Next(next) => break next,
            }
        };
        let at = base.counter_at(next);
        kernel(|token| {
            // If somebody has lowered the alarm since, they have set the source.
            if queue.is_alarm(token, next) {
                S::set(at);
            }
        });
    }

    /// Puts what has lost its place back, in many short sections.
    #[cold]
    #[inline(never)]
    fn tidy(queue: &Queue) {
        // SAFETY: each plan is carried out once, before the next is made.
        let carry_out = |planned| unsafe { kernel(|token| queue.carry_out(token, planned)) };
        loop {
            match kernel(|token| queue.plan_pair(token)) {
                Pairing::Settled => return,
                Pairing::Single => {}
                Pairing::Pair(planned) => carry_out(planned),
            }
            if let Some(planned) = kernel(|token| queue.plan_place(token)) {
                carry_out(planned);
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

/// The queue, whose address no section has to make.
#[inline(always)]
fn queue() -> &'static Queue {
    // SAFETY: the pointer is that of the reference.
    unsafe { &*at_hand(&raw const QUEUE) }
}

unsafe extern "Rust" {
    /// Lets the application's source interrupt at a deadline, if nothing is awaited earlier.
    /// Defined where the application places its source: if the linker misses it, none is placed.
    safe fn __quintet_needs_a_time_source_such_as_systick_timer(deadline: u64);
}

/// Lets the source interrupt at `deadline`, if nothing is awaited earlier.
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
/// # Safety
/// The caller owns the node, which is not armed; it stays where it is until it has fired or was
/// cancelled.
#[inline(always)]
pub unsafe fn arm(node: &Node, deadline: u64, wakee: Wakee) {
    // SAFETY: the caller's.
    if let Some(late) = unsafe { arm_in_order(node, deadline, wakee, lower_alarm_apart) } {
        // SAFETY: the same.
        unsafe { arm_behind(node, deadline, late, lower_alarm_apart) };
    }
}

/// As [`arm`], in few instructions if the node is the first of all.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
pub unsafe fn arm_first(node: &Node, deadline: u64, wakee: Wakee) {
    // SAFETY: the caller's.
    if let Some(late) = unsafe { arm_in_order(node, deadline, wakee, lower_alarm) } {
        // SAFETY: the same.
        unsafe { arm_behind_apart(node, deadline, late) };
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

/// The first section of [`arm`]. If it didn't do, whether the alarm is late for the node. `lower`
/// is [`lower_alarm`], or the function of its own.
///
/// # Safety
/// As for [`arm`].
#[inline(always)]
unsafe fn arm_in_order(
    node: &Node,
    deadline: u64,
    wakee: Wakee,
    lower: impl FnOnce(u64),
) -> Option<bool> {
    // SAFETY: the caller's.
    unsafe { node.prepare(wakee) };
    let queue = queue();
    // SAFETY: the caller's; prepared just now.
    match kernel(|token| unsafe { queue.arm_in_order(token, node, deadline) }) {
        Order::Armed => None,
        Order::First => {
            lower(deadline);
            None
        }
        Order::InTime => Some(false),
        Order::Late => Some(true),
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
