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
//!   before it. Time: constant, in two sections.
//! - *Cancel*: the node's subtrees become loose, and it leaves its ring. Time: constant.
//! - *Expiry*: the first root's subtrees become loose, and it leaves; then, step by step, loose
//!   trees are paired and placed. A step is chosen in one kernel section and done in the next,
//!   anything may happen between two sections, and a step's time is constant. The number of steps
//!   is the logarithm of the number of nodes on average; a node that leaves without subtrees (the
//!   common case of a short delay among long ones) needs none.
//!
//! The *alarm* is the time for which the hardware is set. INVARIANT(alarm): outside the driver's
//! own work, the alarm is no later than any deadline. It is exact after each expiry; cancelling the
//! earliest node leaves it early, and what then comes is one look at the queue.
//!
//! All functions take the proof of the kernel's lock, and run nothing of the user's.
//! A node takes 32 bytes on a 32-bit target, the queue 32.
//! `docs/decisions/0011-keep-timers-in-a-pairing-heap.md` has the alternatives and the numbers.

#![expect(unsafe_code, reason = "nodes lie in their users and are linked by pointers")]

use ::core::cell::UnsafeCell;
use ::core::hint::cold_path;
use ::core::marker::PhantomPinned;
use ::core::mem::MaybeUninit;
use ::core::ptr;
use ::core::task::Waker;

use super::lock::Kernel;
use super::wake::Wakee;
use ring::Link;
pub use tidy::Pairing;

mod ring;
#[cfg(test)]
mod tests;
mod tidy;

/// What waits for a deadline.
///
/// INVARIANT(linked): while its sibling link is in a ring, a node is *armed*: it neither moves nor
/// goes away, it is touched under the kernel's lock only, and its children's ring and its wakee are
/// valid. Otherwise it is its owner's. `sibling` comes first: a link's place is its node's.
#[repr(C)]
struct Entry {
    /// In the ring of the parent's children, of the roots, or of the loose trees.
    sibling: Link,
    children: Link,
    deadline: u64,
    /// Whom to wake.
    wakee: MaybeUninit<Wakee>,
}

/// A timer: in a queue, or not.
pub struct Node {
    entry: UnsafeCell<Entry>,
    /// Links point to it.
    _pinned: PhantomPinned,
}

// SAFETY: while the node is armed, everything in it is guarded by the kernel's lock; while it
// isn't, only the deadline and the link's state are read through a shared reference.
unsafe impl Sync for Node {}
// SAFETY: a node that isn't armed is plain data with a wakee, which is `Send`.
unsafe impl Send for Node {}

impl Node {
    /// A timer for `deadline` that is not armed.
    #[must_use]
    pub const fn new(deadline: u64) -> Self {
        let entry = Entry {
            sibling: Link::unlinked(),
            children: Link::unlinked(),
            deadline,
            wakee: MaybeUninit::uninit(),
        };
        Self { entry: UnsafeCell::new(entry), _pinned: PhantomPinned }
    }

    /// When it is due.
    ///
    /// # Safety
    /// Nobody changes the deadline meanwhile: the caller owns the node, or holds the kernel's lock.
    #[inline(always)]
    pub unsafe fn deadline(&self) -> u64 {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline }
    }

    /// Changes when it is due.
    ///
    /// # Safety
    /// The node is not armed; the caller owns it, or holds the kernel's lock.
    #[inline(always)]
    pub unsafe fn set_deadline(&self, deadline: u64) {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline = deadline };
    }

    /// Whether it is in a queue.
    #[inline(always)]
    pub fn is_armed(&self, _kernel: &Kernel<'_>) -> bool {
        // SAFETY: links are guarded by the kernel's lock.
        unsafe { (*self.entry.get()).sibling.is_linked() }
    }

    /// Whether it may be in a queue; if not, it is its owner's again. Needs no lock: only its owner
    /// arms it, so a "no" lasts. A "yes" may be over at once.
    ///
    /// # Safety
    /// The caller owns the node.
    #[inline(always)]
    pub unsafe fn may_be_armed(&self) -> bool {
        // SAFETY: a word, that an interrupt changes as a whole.
        unsafe { Link::may_be_linked(&raw const (*self.entry.get()).sibling) }
    }

    /// Whether it has left the queue since it was made or [renewed](Self::renew). Then it has
    /// fired, if its owner has not cancelled it; its deadline is past, without a look at the clock.
    /// Needs no lock, as a "yes" lasts.
    ///
    /// # Safety
    /// The caller owns the node.
    #[inline(always)]
    pub unsafe fn has_left(&self) -> bool {
        // SAFETY: the place is valid.
        unsafe { Link::has_left(&raw const (*self.entry.get()).sibling) }
    }

    /// Makes it a timer for `deadline` that has never been armed.
    ///
    /// # Safety
    /// The node is not armed; the caller owns it.
    #[inline(always)]
    pub unsafe fn renew(&self, deadline: u64) {
        let entry = self.entry.get();
        // SAFETY: the caller's.
        unsafe {
            (*entry).sibling = Link::unlinked();
            (*entry).deadline = deadline;
        }
    }

    /// Makes the caller the owner of a shared node that is not armed, until it arms it. False if
    /// somebody else is.
    #[inline(always)]
    pub fn claim(&self, _kernel: &Kernel<'_>) -> bool {
        // SAFETY: links are guarded by the kernel's lock.
        unsafe { (*self.entry.get()).sibling.claim() }
    }

    /// Tells it whom to wake the next time that it is armed.
    ///
    /// # Safety
    /// The node is not armed; the caller owns it, or holds the kernel's lock. It is armed next: the
    /// wakee of a node that isn't armed is never dropped.
    #[inline(always)]
    pub unsafe fn prepare(&self, wakee: Wakee) {
        let entry = self.entry.get();
        // SAFETY: the caller's.
        unsafe {
            (*entry).wakee.write(wakee);
            ring::make(&raw mut (*entry).children);
        }
    }

    /// Whom a node that was [cancelled](Queue::cancel) would have woken.
    ///
    /// # Safety
    /// It has been cancelled, and this is called once; the caller owns the node, or has held the
    /// kernel's lock since.
    #[inline(always)]
    pub unsafe fn take_wakee(&self) -> Wakee {
        // SAFETY: the caller's: an armed node has a wakee, and nobody else has taken it.
        unsafe { (*self.entry.get()).wakee.assume_init_read() }
    }

    /// Whether it is in a queue and will wake whom `waker` wakes.
    #[inline(always)]
    pub fn will_wake(&self, kernel: &Kernel<'_>, waker: &Waker) -> bool {
        // SAFETY: the lock is held, and an armed node has a wakee.
        self.is_armed(kernel) && unsafe { (*self.entry.get()).wakee.assume_init_ref().is(waker) }
    }
}

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

/// What a step of an expiry did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Something was cancelled since: look again for what is due.
    Again,
    /// It has others below it, which must be [set loose](Queue::free_below_due) first.
    Parent,
    /// The due node has left, and its wakee is the caller's: to be woken outside of the lock.
    Fired,
}

/// What became of arming in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The node is armed.
    Armed,
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
    /// The node that was put below another one last, if it is still armed. The alarm is no later
    /// than its deadline.
    recent: *mut Entry,
    /// What an expiry is about to take out or move, if nothing was cancelled since it was chosen.
    chosen: *mut Entry,
    alarm: u64,
}

impl Queue {
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
            alarm: 0,
        };
        Self { state: UnsafeCell::new(state) }
    }

    /// Arms `node` below the node that was put below another one last, if it is no earlier.
    /// Otherwise says what [`arm`](Self::arm) has to know. Constant time.
    ///
    /// # Safety
    /// As for [`arm`](Self::arm). `deadline` is the node's.
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm_in_order(&self, kernel: &Kernel<'_>, node: &Node, deadline: u64) -> Order {
        let state = self.state.get();
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe {
            let recent = (*state).recent;
            if !recent.is_null() && deadline >= (*recent).deadline {
                let entry = node.entry.get();
                (*state).recent = entry;
                ring::insert_behind(&raw mut (*recent).children, entry.cast());
                return Order::Armed;
            }
        }
        if self.is_late(kernel, deadline) { Order::Late } else { Order::InTime }
    }

    /// Whether the alarm is too late for `deadline`.
    #[inline(always)]
    #[must_use]
    pub fn is_late(&self, _kernel: &Kernel<'_>, deadline: u64) -> bool {
        // SAFETY: the lock is held.
        deadline < unsafe { (*self.state.get()).alarm }
    }

    /// Arms `node`. Returns whether it is the earliest of all. If it is, or if it is `late`, the
    /// alarm may be too late for it: the caller lowers it, in a section of its own. Constant time.
    ///
    /// `late` is what [`is_late`](Self::is_late) said of the deadline, in an earlier section of the
    /// same context. Not being the earliest doesn't do: whoever armed an earlier one may have been
    /// interrupted before it lowered the alarm, and less urgent contexts hold nobody up. What was
    /// said is still good: only an expiry puts the alarm off, and then no armed node is earlier.
    ///
    /// # Safety
    /// The node is [prepared](Node::prepare) and not armed, and stays where it is until it has
    /// fired or was cancelled. `deadline` is the node's.
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm(&self, _kernel: &Kernel<'_>, node: &Node, deadline: u64, late: bool) -> bool {
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe {
            let roots = &raw mut (*state).roots;
            let first = (*roots).next();
            let root = first.cast::<Entry>();
            if first == roots || deadline < (*root).deadline {
                ring::insert_behind(roots, entry.cast());
                return true;
            }
            ring::insert_behind(&raw mut (*root).children, entry.cast());
            if late {
                cold_path();
            } else {
                (*state).recent = entry;
            }
            false
        }
    }

    /// Takes `node` out, if nothing is below it. Its owner then [drops its wakee](Node::take_wakee)
    /// outside of the lock. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn cancel(&self, kernel: &Kernel<'_>, node: &Node) -> Cancel {
        if !node.is_armed(kernel) {
            return Cancel::NotArmed;
        }
        let (state, entry) = (self.state.get(), node.entry.get());
        // SAFETY: the lock is held and the node is armed.
        unsafe {
            if !ring::is_alone(&raw mut (*entry).children) {
                cold_path();
                return Cancel::Parent;
            }
            (*state).chosen = ptr::null_mut();
            if (*state).recent == entry {
                (*state).recent = ptr::null_mut();
            }
            ring::remove(entry.cast());
            (*entry).sibling.unlink();
        }
        Cancel::Done
    }

    /// Sets the subtrees of an armed node loose, as [`cancel`](Self::cancel) asked for.
    /// Constant time.
    #[inline(always)]
    pub fn free_below(&self, kernel: &Kernel<'_>, node: &Node) {
        if node.is_armed(kernel) {
            // SAFETY: the lock is held, and the node is armed.
            unsafe { self.free_children(node.entry.get()) };
        }
    }

    /// Chooses the first root if it is due at the time `now`: then [`fire`](Self::fire) takes it.
    /// Returns what will be its wakee if that succeeds. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn choose_due(&self, _kernel: &Kernel<'_>, now: u64) -> Option<MaybeUninit<Wakee>> {
        let state = self.state.get();
        // SAFETY: the lock is held; what is linked is valid.
        unsafe {
            let roots = &raw mut (*state).roots;
            let first = (*roots).next();
            if first == roots {
                return None;
            }
            let entry = first.cast::<Entry>();
            if (*entry).deadline > now {
                return None;
            }
            (*state).chosen = entry;
            if (*state).recent == entry {
                (*state).recent = ptr::null_mut();
            }
            // A copy: the node's own is not used if it fires.
            Some((&raw const (*entry).wakee).read())
        }
    }

    /// Takes the due node, if nothing is below it. Constant time.
    ///
    /// Only after [`choose_due`](Self::choose_due) has chosen, and
    /// [`free_below_due`](Self::free_below_due).
    #[inline(always)]
    #[must_use]
    pub fn fire(&self, _kernel: &Kernel<'_>) -> Expiry {
        let state = self.state.get();
        // SAFETY: the lock is held. What is chosen is armed, as every cancelling forgets it; and it
        // is not the recent node, as only one that is newly armed becomes that.
        unsafe {
            let entry = (*state).chosen;
            if entry.is_null() {
                return Expiry::Again;
            }
            if !ring::is_alone(&raw mut (*entry).children) {
                return Expiry::Parent;
            }
            (*state).chosen = ptr::null_mut();
            ring::remove(entry.cast());
            (*entry).sibling.unlink();
            Expiry::Fired
        }
    }

    /// Sets the subtrees of the due node loose, as [`fire`](Self::fire) asked for. Constant time.
    #[inline(always)]
    pub fn free_below_due(&self, _kernel: &Kernel<'_>) {
        // SAFETY: the lock is held, and what is chosen is armed.
        unsafe {
            let entry = (*self.state.get()).chosen;
            if !entry.is_null() {
                self.free_children(entry);
            }
        }
    }

    /// Whether `deadline` is the alarm: nobody has lowered it since.
    #[inline(always)]
    #[must_use]
    pub fn is_alarm(&self, _kernel: &Kernel<'_>, deadline: u64) -> bool {
        // SAFETY: the lock is held.
        unsafe { (*self.state.get()).alarm == deadline }
    }

    /// Makes `deadline` the alarm if that is earlier.
    #[inline(always)]
    #[must_use]
    pub fn lower_alarm(&self, _kernel: &Kernel<'_>, deadline: u64) -> bool {
        let state = self.state.get();
        // SAFETY: the lock is held.
        unsafe {
            let earlier = deadline < (*state).alarm;
            if earlier {
                (*state).alarm = deadline;
            }
            earlier
        }
    }

    /// Sets the subtrees of an armed node loose.
    ///
    /// # Safety
    /// The lock is held, and the node is armed.
    #[inline(always)]
    unsafe fn free_children(&self, entry: *mut Entry) {
        let state = self.state.get();
        // SAFETY: the caller's; what is linked is valid.
        unsafe { ring::move_all_behind(&raw mut (*state).loose, &raw mut (*entry).children) };
    }
}
