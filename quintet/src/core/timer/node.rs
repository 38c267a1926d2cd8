//! Nodes, the elements of the timer queue.

use ::core::cell::UnsafeCell;
use ::core::marker::PhantomPinned;
use ::core::mem::MaybeUninit;
#[cfg(all(threads, target_os = "none"))]
use ::core::mem::offset_of;
use ::core::task::{RawWakerVTable, Waker};

use super::ring::{self, Link};
use crate::core::lock::KernelLock;
#[cfg(threads)]
use crate::core::record::ThreadBlock;
use crate::core::record::WakeTarget;

/// A time or a duration in ticks, aligned as a word, so that a struct with such a field has no
/// padding.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub struct Ticks(pub u64);

/// The part of a node that the queue uses.
///
/// INVARIANT(linked): while its sibling link is in a ring, a node is *armed*. An armed node keeps
/// its address and isn't freed, is touched only under the kernel's lock, and has a valid ring of
/// children and a valid wake target. Otherwise the node belongs to its owner. `sibling` comes
/// first, so that a link has the address of its node.
#[repr(C)]
pub(super) struct Entry {
    /// The link in the ring of the parent's children, of the roots, or of the loose trees.
    pub sibling: Link,
    /// The owner of the ring of children, or unlinked without children. If all children leave by
    /// themselves, the owner stays alone in its ring until it is [set
    /// loose](super::Queue::free_below). Unlinked, it may be marked, which means that the node
    /// waits among the [arrivals](super::Arrivals) if it is armed.
    pub children: Link,
    pub deadline: Ticks,
    /// The target to wake.
    pub target: MaybeUninit<WakeTarget>,
}

/// A timer, armed or not.
#[repr(transparent)]
pub struct Node {
    pub(super) entry: UnsafeCell<Entry>,
    /// Links point to the node.
    _pinned: PhantomPinned,
}

// SAFETY: while the node is armed, the kernel's lock guards all its fields; while it isn't, only
// the deadline and the link's state are read through a shared reference.
unsafe impl Sync for Node {}
// SAFETY: a node that isn't armed is plain data with a wake target, which is `Send`.
unsafe impl Send for Node {}

impl Node {
    /// Makes a timer for `deadline` that is not armed.
    #[must_use]
    pub const fn new(deadline: u64) -> Self {
        let entry = Entry {
            sibling: Link::unlinked(),
            children: Link::unlinked(),
            deadline: Ticks(deadline),
            target: MaybeUninit::uninit(),
        };
        Self { entry: UnsafeCell::new(entry), _pinned: PhantomPinned }
    }

    /// The offset of the sibling link, for assembly.
    #[cfg(all(threads, target_os = "none"))]
    pub const LINK: usize = offset_of!(Entry, sibling);
    /// The offset of the owner of the ring of children.
    #[cfg(all(threads, target_os = "none"))]
    pub const BELOW: usize = offset_of!(Entry, children);
    /// The offset of the deadline.
    #[cfg(all(threads, target_os = "none"))]
    pub const DEADLINE: usize = offset_of!(Entry, deadline);
    /// The offset of the wake target's table, which is null for a thread.
    #[cfg(all(threads, target_os = "none"))]
    pub const TABLE: usize = offset_of!(Entry, target) + WakeTarget::TABLE;
    /// The offset of the wake target's word, which is a thread's control block.
    #[cfg(all(threads, target_os = "none"))]
    pub const DATA: usize = offset_of!(Entry, target) + WakeTarget::DATA;

    /// Returns the timer whose entry is at `entry`.
    ///
    /// # Safety
    /// The timer is armed, and the kernel's lock is held as long as the reference is used.
    #[inline(always)]
    pub(super) const unsafe fn of<'a>(entry: *mut Entry) -> &'a Self {
        // SAFETY: the caller's; transparent.
        unsafe { &*entry.cast() }
    }

    /// Makes a timer for `deadline` in an unused place, and writes only the fields that arming
    /// doesn't write. The caller [prepares](Self::prepare) and arms the timer next.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn place(place: &mut MaybeUninit<Self>, deadline: u64) -> &Self {
        let node = place.as_mut_ptr();
        // SAFETY: the place is valid, and exclusive. The fields that aren't written now may have
        // any value, and are not read before the node is armed.
        unsafe {
            let entry = UnsafeCell::raw_get(&raw const (*node).entry);
            (&raw mut (*entry).children).write(Link::unlinked());
            (&raw mut (*entry).deadline).write(Ticks(deadline));
            &*node
        }
    }

    /// Returns the deadline.
    ///
    /// # Safety
    /// No other context changes the deadline meanwhile: the caller owns the node, or holds the
    /// kernel's lock.
    #[inline(always)]
    pub unsafe fn deadline(&self) -> u64 {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline.0 }
    }

    /// Changes the deadline.
    ///
    /// # Safety
    /// The node is not armed; the caller owns the node, or holds the kernel's lock.
    #[inline(always)]
    pub unsafe fn set_deadline(&self, deadline: u64) {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline = Ticks(deadline) };
    }

    /// Returns `true` if the node [has arrived](super::Arrivals::arrive_movable) and no tick has
    /// taken the node into the queue. There is no order among the arrivals, so the node may be due
    /// at any time instead. May return `false` for a node that has [arrived
    /// otherwise](super::Arrivals::arrive).
    #[inline(always)]
    pub fn may_move(&self, kernel: &KernelLock<'_>) -> bool {
        let entry = self.entry.get();
        // SAFETY: the lock is held.
        self.is_armed(kernel) && unsafe { (*entry).children.is_marked(entry.cast()) }
    }

    /// Takes a node out that [may be moved](Self::may_move). The owner then [drops the wake
    /// target](Self::take_target) outside of the lock.
    ///
    /// # Safety
    /// The node may be moved.
    #[inline(always)]
    pub unsafe fn withdraw(&self, _kernel: &KernelLock<'_>) {
        let entry = self.entry.get();
        // SAFETY: the lock is held, and the node is armed.
        unsafe {
            ring::remove(entry.cast());
            (*entry).sibling.unlink();
        }
    }

    /// Changes the deadline of an armed node.
    ///
    /// # Safety
    /// The node [may be moved](Self::may_move).
    #[inline(always)]
    pub unsafe fn move_deadline(&self, _kernel: &KernelLock<'_>, deadline: u64) {
        // SAFETY: the lock is held.
        unsafe { (*self.entry.get()).deadline = Ticks(deadline) };
    }

    /// Returns `true` if the node is armed.
    #[inline(always)]
    pub fn is_armed(&self, _kernel: &KernelLock<'_>) -> bool {
        // SAFETY: links are guarded by the kernel's lock.
        unsafe { (*self.entry.get()).sibling.is_linked() }
    }

    /// Returns `true` if the node may be armed. If the result is `false`, the node belongs to its
    /// owner again. Needs no lock: only the owner arms the node, so `false` stays right, but `true`
    /// may be out of date at once.
    ///
    /// # Safety
    /// The caller owns the node.
    #[inline(always)]
    pub unsafe fn may_be_armed(&self) -> bool {
        // SAFETY: a word that an interrupt writes only as a whole.
        unsafe { Link::may_be_linked(&raw const (*self.entry.get()).sibling) }
    }

    /// Returns `true` if the node has left the queue since it was made or [renewed](Self::renew).
    /// Unless the owner has cancelled the node, it has fired, and its deadline is past, without a
    /// look at the clock. Needs no lock, as `true` stays right.
    ///
    /// # Safety
    /// The caller owns the node.
    #[inline(always)]
    pub unsafe fn has_left(&self) -> bool {
        // SAFETY: the place is valid.
        unsafe { Link::has_left(&raw const (*self.entry.get()).sibling) }
    }

    /// Resets the node to a timer for `deadline` that has never been armed.
    ///
    /// # Safety
    /// The node is not armed, and the caller owns the node.
    #[inline(always)]
    pub unsafe fn renew(&self, deadline: u64) {
        let entry = self.entry.get();
        // SAFETY: the caller's.
        unsafe {
            (*entry).sibling = Link::unlinked();
            (*entry).deadline = Ticks(deadline);
        }
    }

    /// Makes the caller the owner of a shared node that is not armed, until the caller arms the
    /// node. Returns `false` if the node has another owner.
    #[inline(always)]
    pub fn claim(&self, _kernel: &KernelLock<'_>) -> bool {
        // SAFETY: links are guarded by the kernel's lock.
        unsafe { (*self.entry.get()).sibling.claim() }
    }

    /// Sets the target to wake the next time that the node is armed.
    ///
    /// # Safety
    /// The node is not armed; the caller owns the node, or holds the kernel's lock. The caller arms
    /// the node next: the wake target of a node that isn't armed is never dropped.
    #[inline(always)]
    pub unsafe fn prepare(&self, target: WakeTarget) {
        let entry = self.entry.get();
        // SAFETY: the caller's.
        unsafe { (*entry).target.write(target) };
    }

    /// Makes a timer that is not armed, and always wakes by a waker of this function table.
    #[must_use]
    pub const fn with_table(table: &'static RawWakerVTable) -> Self {
        let mut node = Self::new(0);
        node.entry.get_mut().target = MaybeUninit::new(WakeTarget::of_table(table));
        node
    }

    /// Sets the waker's word of a node [with a table](Self::with_table).
    ///
    /// # Safety
    /// As for [`prepare`](Self::prepare); the word is valid for the table.
    #[inline(always)]
    pub unsafe fn prepare_word(&self, word: *const ()) {
        // SAFETY: the caller's; the wake target is valid from the beginning.
        unsafe { (*self.entry.get()).target.assume_init_mut().set_word(word) };
    }

    /// Names the thread that an armed node wakes. The node was armed with [no thread
    /// yet](WakeTarget::no_thread_yet).
    #[cfg(threads)]
    #[inline(always)]
    pub fn name_thread(&self, control: &'static ThreadBlock, _kernel: &KernelLock<'_>) {
        // SAFETY: the lock is held, and an armed node has a wake target.
        unsafe { (*self.entry.get()).target.assume_init_mut().name_thread(control) };
    }

    /// Returns the wake target of a [cancelled](super::Queue::cancel) node.
    ///
    /// # Safety
    /// The node has been cancelled, and this is called once. The caller owns the node, or has held
    /// the kernel's lock since.
    #[inline(always)]
    pub unsafe fn take_target(&self) -> WakeTarget {
        // SAFETY: the caller's: an armed node has a wake target, and no other context has taken the
        // target.
        unsafe { (*self.entry.get()).target.assume_init_read() }
    }

    /// Returns `true` if the node is armed, and will wake the same target as `waker`.
    #[inline(always)]
    pub fn will_wake(&self, kernel: &KernelLock<'_>, waker: &Waker) -> bool {
        // SAFETY: the lock is held, and an armed node has a wake target.
        self.is_armed(kernel) && unsafe { (*self.entry.get()).target.assume_init_ref().is(waker) }
    }
}
