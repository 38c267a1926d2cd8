//! The timer queue: the armed timers, ordered so that the next one is found at once.
//!
//! A *node* waits for its *deadline*, and holds a target to wake then. The queue is a pairing heap
//! of nodes that lie in their users (futures, task slots). Nothing is allocated, and every
//! operation is a few stores.
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
//! - *Arm*: if the node is no earlier than the node that was put below another one last, the node
//!   goes below that one (so equal periods form a chain). Otherwise the node goes below the first
//!   root, or before the first root if it is the earliest of all. Time: constant, in at most two
//!   sections.
//! - *Cancel*: the node's subtrees become loose, and the node leaves its ring. Time: constant.
//! - *Expiry*: a look at the first root. If the root is due, its subtrees become loose, and then
//!   the root leaves in the section of the look. After this, loose trees are paired and placed step
//!   by step. One section chooses such a step and the next carries it out. Anything may happen
//!   between two sections, and the time of a step is constant. On average, the number of steps is
//!   the logarithm of the number of nodes. A node that leaves without subtrees (the common case of
//!   a short delay among long ones) needs no step.
//!
//! The *alarm* is the time for which the hardware is set. INVARIANT(alarm): outside the driver's
//! own work, the alarm is no later than any deadline, and no further ahead of the last expiry than
//! the hardware can be set. The alarm is exact after each expiry. After a cancel of the earliest
//! node, the alarm is early, which costs one look at the queue.
//!
//! If time is counted by ticks, armed timers wait among the [arrivals](Arrivals) until the next
//! tick, and only timers that aren't due then come here. So only the tick's handler arms timers
//! here, and lowers the alarm.
//!
//! All functions take the proof of the kernel's lock, and run no user code. A node takes 32 bytes
//! on a 32-bit target, and the queue takes 32 bytes.
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

/// The result of a step of a cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// The node is not armed: it has fired, or was cancelled.
    NotArmed,
    /// The node has others below it, which the caller must [set loose](Queue::free_below) first.
    Parent,
    /// The node has left.
    Done,
}

/// The result of a look at the queue.
#[derive(Debug)]
pub enum Look {
    /// A node was due and has left. The caller wakes its wake target outside of the lock. There may
    /// be more to do.
    Fired(WakeTarget),
    /// A node is due and has others below it, which the caller must [set
    /// loose](Queue::free_below_first) first.
    Parent,
    /// No node in the heap is due, and there are loose trees, which must be tidied.
    Loose,
    /// No node is due. This time has become the alarm: the caller sets the hardware for this time.
    Next(u64),
}

/// The result of [`Queue::arm_in_order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The node is armed.
    Armed,
    /// The node is armed, and the earliest of all. The alarm may be too late for the node: the
    /// caller lowers the alarm, in a separate section.
    First,
    /// The node isn't armed, and the alarm is early enough for the node.
    InTime,
    /// The node isn't armed, and the alarm is too late for the node.
    Late,
}

/// The only queue of an application.
// SAFETY: the value is put into this static.
pub static QUEUE: Queue = unsafe { Queue::new(&raw const QUEUE) };

/// Timers, by deadline.
pub struct Queue {
    state: UnsafeCell<State>,
}

// SAFETY: every access is under the kernel's lock.
unsafe impl Sync for Queue {}

#[repr(C)]
struct State {
    roots: Link,
    loose: Link,
    /// The node that was put below another one last, if this node is armed and has not moved since.
    /// The alarm is no later than this node's deadline.
    recent: *mut Entry,
    /// The tree that tidying is about to move, if nothing was cancelled since the choice.
    chosen: *mut Entry,
    alarm: Alarm,
}

/// The time for which the hardware is set, in two words. Usually the upper word is that of every
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
    /// The offset of the alarm's lower word, for assembly.
    #[cfg(target_os = "none")]
    pub const ALARM_LOW: usize = offset_of!(State, alarm) + offset_of!(Alarm, low);

    /// The offset of the ring of loose trees, for assembly. The ring of roots lies at the
    /// beginning.
    #[cfg(target_os = "none")]
    pub const LOOSE: usize = {
        assert!(offset_of!(Self, state) == 0 && offset_of!(State, roots) == 0);
        offset_of!(State, loose)
    };

    /// Makes an empty queue in the static `this`. The queue's alarm is 0, so that no deadline
    /// lowers the alarm before the first expiry.
    ///
    /// # Safety
    /// The returned value is put at `this`, and doesn't move from there.
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

    /// Arms `node` below the node that was put below another one last, if `node` is no earlier. If
    /// there is no such node, arms `node` before the first root, if `node` is earlier than that
    /// root. Otherwise returns the fact that [`arm`](Self::arm) needs. Constant time.
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
        // SAFETY: the lock is held, the caller keeps the node in its place, and all linked nodes
        // are valid by INVARIANT(linked).
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

    /// Arms `node` in one section, for a caller with enough time. `node` goes below the node that
    /// was put below another one last, if `node` is no earlier, or else as in [`arm`](Self::arm).
    /// Returns `true` if `node` is the earliest of all. Constant time.
    ///
    /// # Safety
    /// As for [`arm`](Self::arm).
    #[inline(always)]
    #[must_use]
    unsafe fn admit(&self, _kernel: &KernelLock<'_>, node: &Node, deadline: u64) -> bool {
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held, the caller keeps the node in its place, and all linked nodes
        // are valid by INVARIANT(linked).
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

    /// Returns `true` if the alarm is too late for `deadline`.
    #[inline(always)]
    #[must_use]
    pub fn is_late(&self, _kernel: &KernelLock<'_>, deadline: u64) -> bool {
        // SAFETY: the lock is held.
        deadline < unsafe { (*self.state.get()).alarm.ticks() }
    }

    /// Arms `node`. Returns `true` if `node` is the earliest of all. Then, or if `late`, the alarm
    /// may be too late for `node`: the caller lowers the alarm, in a separate section. Constant
    /// time.
    ///
    /// `late` is the answer of [`is_late`](Self::is_late) for the deadline, in an earlier section
    /// of the same context, after which no other thread has run. It is not enough that `node` isn't
    /// the earliest: the context that has armed an earlier node may have been interrupted before it
    /// lowered the alarm, and less urgent contexts must not delay this one. The earlier answer is
    /// still right. Only an expiry moves the alarm to a later time, and then no armed node is
    /// earlier; and every context that has interrupted since has finished.
    ///
    /// # Safety
    /// The node is [prepared](Node::prepare) and not armed. It stays at its address until it has
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
        // SAFETY: the lock is held, the caller keeps the node in its place, and all linked nodes
        // are valid by INVARIANT(linked).
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

    /// Takes `node` out, if nothing is below `node`. The owner then [drops the wake
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

    /// Sets the subtrees of a node loose, after [`cancel`](Self::cancel) has returned
    /// `Cancel::Parent`. Constant time.
    #[inline(always)]
    pub fn free_below(&self, _kernel: &KernelLock<'_>, node: &Node) {
        // SAFETY: the lock is held; a node that isn't armed has nothing below it.
        unsafe { self.free_children(node.entry.get()) };
    }

    /// Sets the subtrees of the present first root loose, after [`look`](Self::look) has returned
    /// `Look::Parent`. Constant time.
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
    /// The lock is held; all nodes below the node are linked.
    #[inline(always)]
    unsafe fn free_children(&self, entry: *mut Entry) {
        let state = self.state.get();
        // SAFETY: the caller's; linked nodes are valid.
        unsafe {
            let children = &raw mut (*entry).children;
            if (*children).is_linked() {
                ring::move_all_behind(&raw mut (*state).loose, children);
            }
        }
    }

    /// Takes the first root, if the root is due at the time `now` and has nothing below it. If no
    /// node is due and no tree is loose, the alarm becomes the earliest deadline, but no later than
    /// `latest`. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, _kernel: &KernelLock<'_>, now: u64, latest: u64) -> Look {
        let state = self.state.get();
        // SAFETY: the lock is held; linked nodes are valid, and armed nodes have wake targets. A
        // root is not the recent node: that node was put below another one, or is forgotten when it
        // moves.
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

    /// Returns `true` if the alarm is still `next`, as [`look`](Self::look) has set it. (The alarm
    /// may have been lowered by whole rounds of its lower word, into the past. Then the hardware
    /// interrupts at once for any setting.)
    #[inline(always)]
    #[must_use]
    pub fn is_alarm(&self, _kernel: &KernelLock<'_>, next: u64) -> bool {
        // SAFETY: the lock is held.
        unsafe { (*self.state.get()).alarm.low == next as u32 }
    }

    /// Returns the earliest deadline, if a node is armed. Looks at the root of every tree, even of
    /// loose ones: for tests, which have enough time.
    #[cfg(not(target_os = "none"))]
    #[must_use]
    pub fn earliest(&self, _kernel: &KernelLock<'_>) -> Option<u64> {
        let state = self.state.get();
        // SAFETY: the lock is held, and all linked nodes are valid by INVARIANT(linked).
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

    /// Makes `deadline` the alarm if `deadline` is earlier. Then returns the lower word of
    /// `deadline`, or of the time that is `near` before the old alarm if `deadline` is even earlier
    /// than that time.
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

    /// Makes `deadline` the alarm if `deadline` is earlier.
    ///
    /// # Safety
    /// The caller is the only context that writes the alarm.
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

    /// Returns `true` if the alarm's lower word is that of `now`: the alarm is due, if no tick is
    /// left out. From any context.
    #[inline(always)]
    #[must_use]
    pub fn is_due(&self, now: u64) -> bool {
        // SAFETY: a word that an interrupt writes only as a whole.
        unsafe { (&raw const (*self.state.get()).alarm.low).read_volatile() == now as u32 }
    }
}
