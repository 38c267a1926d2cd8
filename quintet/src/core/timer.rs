//! The timer queue: what waits for a time, and which of it is next.
//!
//! A *node* waits for its *deadline*, and knows whom to wake then. The queue is a pairing heap of
//! nodes that lie in their users (futures, task slots): nothing is allocated, and every operation
//! is a few stores.
//!
//! ```text
//!  roots:  3 ──── 10 ──── 40          ascending: the first root is the earliest of all
//!                 │       │
//!                 25      50 ── 41    every node is no earlier than its parent
//!                                │
//!                                60
//!  loose:  70 ─ 20                    trees whose parent has left: `tidy` puts them back
//! ```
//!
//! - *Arm*: a node goes below the one that was put below another last, if it is no earlier (so
//!   equal periods form a chain); or else below the first root; or, if it is the earliest of all,
//!   before it. Time: constant, in two sections at most.
//! - *Cancel*: the node's subtrees become loose, and it leaves its ring. Time: constant.
//! - *Expiry*: a look at the first root. If it is due it leaves in the same section, when its
//!   subtrees have become loose; then, step by step, loose trees are paired and placed. Such a step
//!   is chosen in one kernel section and done in the next, anything may happen between two
//!   sections, and a step's time is constant. The number of steps is the logarithm of the number of
//!   nodes on average; a node that leaves without subtrees (the common case of a short delay among
//!   long ones) needs none.
//!
//! The *alarm* is the time for which the hardware is set. INVARIANT(alarm): outside the driver's
//! own work, the alarm is no later than any deadline, and no further ahead of the last expiry than
//! the hardware can be set. It is exact after each expiry; cancelling the earliest node leaves it
//! early, and what then comes is one look at the queue.
//!
//! Over a tick, what is armed waits among the [arrivals](Arrivals) until the next, and only what
//! isn't due then comes here: the tick's handler alone arms, and leaves the alarm.
//!
//! All functions take the proof of the kernel's lock, and run nothing of the user's.
//! A node takes 32 bytes on a 32-bit target, the queue 32.
//! `docs/decisions/0011-keep-timers-in-a-pairing-heap.md` has the alternatives and the numbers.

#![expect(unsafe_code, reason = "nodes lie in their users and are linked by pointers")]

use ::core::cell::UnsafeCell;
use ::core::hint::cold_path;
#[cfg(target_os = "none")]
use ::core::mem::offset_of;
use ::core::ptr;

use super::lock::KernelLock;
use super::record::WakeTarget;
pub use arrivals::{Arrival, Arrivals};
use node::Entry;
pub use node::Node;
#[cfg(threads)]
pub use node::Ticks;
use ring::Link;
pub use tidy::{Move, Pairing};

mod arrivals;
pub mod counted;
mod node;
mod ring;
#[cfg(test)]
mod tests;
mod tidy;

/// What a step of a cancelling did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// The node is not armed: it has fired, or was cancelled.
    NotArmed,
    /// It has others below it, which must be [set loose](Queue::free_below) first.
    Parent,
    /// It has left.
    Done,
}

/// What an expiry finds.
#[derive(Debug)]
pub enum Look {
    /// A node was due and has left. Its wake target is the caller's: to be woken outside of the
    /// lock. There may be more to do.
    Fired(WakeTarget),
    /// A node is due and has others below it, which must be [set loose](Queue::free_below_first)
    /// first.
    Parent,
    /// Nothing in the heap is due, and there are loose trees, which must be tidied.
    Loose,
    /// Nothing is due. This has become the alarm: the caller sets the hardware for it.
    Next(u64),
}

/// What became of arming in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The node is armed.
    Armed,
    /// The node is armed, and the earliest of all. The alarm may be too late for it: the caller
    /// lowers it, in a section of its own.
    First,
    /// It isn't; the alarm is early enough for it.
    InTime,
    /// It isn't, and the alarm is too late for it.
    Late,
}

/// The one queue of an application.
// SAFETY: it is put into this static.
pub static QUEUE: Queue = unsafe { Queue::new(&raw const QUEUE) };

/// Timers, by deadline.
pub struct Queue {
    state: UnsafeCell<State>,
}

// SAFETY: every access is under the kernel's lock.
unsafe impl Sync for Queue {}

struct State {
    roots: Link,
    loose: Link,
    /// The node that was put below another one last, if it is armed and was not moved since. The
    /// alarm is no later than its deadline.
    recent: *mut Entry,
    /// What tidying is about to move, if nothing was cancelled since it was chosen.
    chosen: *mut Entry,
    alarm: Alarm,
}

/// The time for which the hardware is set. In words: usually the upper one is that of every
/// deadline that comes near.
#[derive(Clone, Copy)]
#[repr(C)]
struct Alarm {
    low: u32,
    high: u32,
}

impl Alarm {
    #[inline(always)]
    const fn ticks(self) -> u64 {
        (self.high as u64) << 32 | self.low as u64
    }
}

impl Queue {
    /// Where the alarm's lower word is, for assembly.
    #[cfg(target_os = "none")]
    pub const ALARM_LOW: usize = offset_of!(State, alarm) + offset_of!(Alarm, low);

    /// The empty queue that lies in the static `this`. Its alarm is 0: it is not lowered before the
    /// first expiry.
    ///
    /// # Safety
    /// `this` is where the returned value is put, and it doesn't move.
    #[must_use]
    pub const unsafe fn new(this: *const Self) -> Self {
        // SAFETY: only addresses inside of `this` are computed.
        let (roots, loose) = unsafe {
            let state = UnsafeCell::raw_get(&raw const (*this).state);
            (&raw mut (*state).roots, &raw mut (*state).loose)
        };
        let state = State {
            roots: Link::alone(roots),
            loose: Link::alone(loose),
            recent: ptr::null_mut(),
            chosen: ptr::null_mut(),
            alarm: Alarm { low: 0, high: 0 },
        };
        Self { state: UnsafeCell::new(state) }
    }

    /// Arms `node` below the node that was put below another one last, if it is no earlier. If
    /// there is none, before the first root, if it is earlier than that. Otherwise says what
    /// [`arm`](Self::arm) has to know. Constant time.
    ///
    /// # Safety
    /// As for [`arm`](Self::arm). `deadline` is the node's.
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm_in_order(
        &self,
        kernel: &KernelLock<'_>,
        node: &Node,
        deadline: u64,
    ) -> Order {
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe {
            let recent = (*state).recent;
            if recent.is_null() {
                let roots = &raw mut (*state).roots;
                let first = (*roots).next();
                if first == roots || deadline < (*first.cast::<Entry>()).deadline.0 {
                    ring::insert_behind(roots, entry.cast());
                    return Order::First;
                }
            } else if deadline >= (*recent).deadline.0 {
                (*state).recent = entry;
                ring::insert_below(&raw mut (*recent).children, entry.cast());
                return Order::Armed;
            }
        }
        if self.is_late(kernel, deadline) { Order::Late } else { Order::InTime }
    }

    /// Arms `node`, in one section, for who is in no hurry: below the node that was put below
    /// another one last, if it is no earlier, or else as [`arm`](Self::arm). Whether it is the
    /// earliest of all. Constant time.
    ///
    /// # Safety
    /// As for [`arm`](Self::arm).
    #[inline(always)]
    #[must_use]
    unsafe fn admit(&self, _kernel: &KernelLock<'_>, node: &Node, deadline: u64) -> bool {
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe {
            let mut parent = (*state).recent;
            if parent.is_null() || deadline < (*parent).deadline.0 {
                let roots = &raw mut (*state).roots;
                parent = (*roots).next().cast();
                if parent.cast() == roots || deadline < (*parent).deadline.0 {
                    ring::insert_behind(roots, entry.cast());
                    return true;
                }
            }
            (*state).recent = entry;
            ring::insert_below(&raw mut (*parent).children, entry.cast());
            false
        }
    }

    /// Whether the alarm is too late for `deadline`.
    #[inline(always)]
    #[must_use]
    pub fn is_late(&self, _kernel: &KernelLock<'_>, deadline: u64) -> bool {
        // SAFETY: the lock is held.
        deadline < unsafe { (*self.state.get()).alarm.ticks() }
    }

    /// Arms `node`. Returns whether it is the earliest of all. If it is, or if it is `late`, the
    /// alarm may be too late for it: the caller lowers it, in a section of its own. Constant time.
    ///
    /// `late` is what [`is_late`](Self::is_late) said of the deadline, in an earlier section of the
    /// same context, behind which no other thread has run. Not being the earliest doesn't do:
    /// whoever armed an earlier one may have been interrupted before it lowered the alarm, and less
    /// urgent contexts hold nobody up. What was said is still good: only an expiry puts the alarm
    /// off, and then no armed node is earlier; and who has come since is through.
    ///
    /// # Safety
    /// The node is [prepared](Node::prepare) and not armed, and stays where it is until it has
    /// fired or was cancelled. `deadline` is the node's.
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm(
        &self,
        _kernel: &KernelLock<'_>,
        node: &Node,
        deadline: u64,
        late: bool,
    ) -> bool {
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe {
            let roots = &raw mut (*state).roots;
            let first = (*roots).next();
            let root = first.cast::<Entry>();
            if first == roots || deadline < (*root).deadline.0 {
                ring::insert_behind(roots, entry.cast());
                return true;
            }
            ring::insert_below(&raw mut (*root).children, entry.cast());
            if late {
                cold_path();
            } else {
                (*state).recent = entry;
            }
            false
        }
    }

    /// Takes `node` out, if nothing is below it. Its owner then [drops its wake
    /// target](Node::take_target) outside of the lock. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn cancel(&self, kernel: &KernelLock<'_>, node: &Node) -> Cancel {
        if !node.is_armed(kernel) {
            return Cancel::NotArmed;
        }
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held and the node is armed.
        unsafe {
            if (*entry).children.is_linked() {
                cold_path();
                return Cancel::Parent;
            }
            (*state).chosen = ptr::null_mut();
            if (*state).recent == entry {
                cold_path();
                (*state).recent = ptr::null_mut();
            }
            ring::remove(entry.cast());
            (*entry).sibling.unlink();
        }
        Cancel::Done
    }

    /// Sets the subtrees of a node loose, as [`cancel`](Self::cancel) asked for. Constant time.
    #[inline(always)]
    pub fn free_below(&self, _kernel: &KernelLock<'_>, node: &Node) {
        // SAFETY: the lock is held; a node that isn't armed has nothing below it.
        unsafe { self.free_children(node.entry.get()) };
    }

    /// Sets the subtrees of the first root loose, as [`look`](Self::look) asked for; whichever that
    /// is now. Constant time.
    #[inline(always)]
    pub fn free_below_first(&self, _kernel: &KernelLock<'_>) {
        // SAFETY: the lock is held, and a root is armed.
        unsafe {
            let roots = &raw mut (*self.state.get()).roots;
            let first = (*roots).next();
            if first != roots {
                self.free_children(first.cast());
            }
        }
    }

    /// Sets the subtrees of a node loose.
    ///
    /// # Safety
    /// The lock is held; what is below the node is linked.
    #[inline(always)]
    unsafe fn free_children(&self, entry: *mut Entry) {
        let state = self.state.get();
        // SAFETY: the caller's; what is linked is valid.
        unsafe {
            let children = &raw mut (*entry).children;
            if (*children).is_linked() {
                ring::move_all_behind(&raw mut (*state).loose, children);
            }
        }
    }

    /// Takes the first root if it is due at the time `now`, and has nothing below it. If nothing is
    /// due or loose, the alarm becomes the earliest deadline, but no later than `latest`. Constant
    /// time.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, _kernel: &KernelLock<'_>, now: u64, latest: u64) -> Look {
        let state = self.state.get();
        // SAFETY: the lock is held; what is linked is valid, and armed nodes have wake targets. A
        // root is not the recent node, which was put below another, or is forgotten when it moves.
        unsafe {
            let roots = &raw mut (*state).roots;
            let first = (*roots).next();
            let mut next = latest;
            if first != roots {
                let entry = first.cast::<Entry>();
                let deadline = (*entry).deadline.0;
                if deadline <= now {
                    if (*entry).children.is_linked() {
                        cold_path();
                        return Look::Parent;
                    }
                    ring::remove_first(roots, first);
                    (*first).unlink();
                    return Look::Fired((*entry).target.assume_init_read());
                }
                next = next.min(deadline);
            }
            let loose = &raw mut (*state).loose;
            if !ring::is_alone(loose) {
                cold_path();
                return Look::Loose;
            }
            (*state).alarm = Alarm { low: next as u32, high: (next >> 32) as u32 };
            Look::Next(next)
        }
    }

    /// Whether the alarm is as [`look`](Self::look) has left it, `next`: nobody has lowered it
    /// since. (Or by whole rounds of its lower word, into the past: then the hardware interrupts at
    /// once, whatever it is set for.)
    #[inline(always)]
    #[must_use]
    pub fn is_alarm(&self, _kernel: &KernelLock<'_>, next: u64) -> bool {
        // SAFETY: the lock is held.
        unsafe { (*self.state.get()).alarm.low == next as u32 }
    }

    /// The earliest deadline, if a node is armed. Looks at the root of every tree, also of loose
    /// ones: for tests, which aren't in a hurry.
    #[cfg(not(target_os = "none"))]
    #[must_use]
    pub fn earliest(&self, _kernel: &KernelLock<'_>) -> Option<u64> {
        let state = self.state.get();
        // SAFETY: the lock is held, and what is linked is valid by INVARIANT(linked).
        unsafe {
            let rings = [&raw mut (*state).roots, &raw mut (*state).loose];
            let mut earliest: Option<u64> = None;
            for ring in rings {
                let mut link = (*ring).next();
                while link != ring {
                    let deadline = (*link.cast::<Entry>()).deadline.0;
                    earliest = Some(earliest.map_or(deadline, |other| other.min(deadline)));
                    link = (*link).next();
                }
            }
            earliest
        }
    }

    /// Makes `deadline` the alarm if that is earlier. Then returns its lower word; or that of the
    /// time which is `near` before the alarm that was, if it is earlier still.
    #[inline(always)]
    #[must_use]
    pub fn lower_alarm(&self, _kernel: &KernelLock<'_>, deadline: u64, near: u32) -> Option<u32> {
        let state = self.state.get();
        let (low, high) = (deadline as u32, (deadline >> 32) as u32);
        // SAFETY: the lock is held.
        unsafe {
            let alarm = (*state).alarm;
            let Alarm { low: alarm_low, high: alarm_high } = alarm;
            if high != alarm_high {
                cold_path();
                if high > alarm_high {
                    return None;
                }
                (*state).alarm = Alarm { low, high };
                let is_near = alarm.ticks() - deadline <= near.into();
                return Some(if is_near { low } else { alarm_low.wrapping_sub(near) });
            }
            if low >= alarm_low {
                return None;
            }
            (*state).alarm.low = low;
            if alarm_low - low > near {
                cold_path();
                return Some(alarm_low - near);
            }
            Some(low)
        }
    }

    /// Makes `deadline` the alarm if that is earlier.
    ///
    /// # Safety
    /// The caller is the one context that writes the alarm.
    #[inline(always)]
    pub unsafe fn lower_alarm_alone(&self, deadline: u64) {
        let state = self.state.get();
        // SAFETY: the caller's.
        unsafe {
            if deadline < (*state).alarm.ticks() {
                (*state).alarm = Alarm { low: deadline as u32, high: (deadline >> 32) as u32 };
            }
        }
    }

    /// Whether the alarm's lower word is that of `now`: it has come, where no tick is left out.
    /// From any context.
    #[inline(always)]
    #[must_use]
    pub fn is_due(&self, now: u64) -> bool {
        // SAFETY: a word, that an interrupt changes as a whole.
        unsafe { (&raw const (*self.state.get()).alarm.low).read_volatile() == now as u32 }
    }
}
