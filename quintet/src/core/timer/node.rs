//! Nodes: what is in the timer queue.

use ::core::cell::UnsafeCell;
use ::core::marker::PhantomPinned;
use ::core::mem::MaybeUninit;
#[cfg(all(threads, target_os = "none"))]
use ::core::mem::offset_of;
use ::core::task::{RawWakerVTable, Waker};

use super::ring::Link;
use crate::core::lock::KernelLock;
#[cfg(threads)]
use crate::core::record::ThreadBlock;
use crate::core::record::WakeTarget;

/// A time or a duration in ticks, aligned as a word is: what holds one is no larger than it must
/// be.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub struct Ticks(pub u64);

/// What waits for a deadline.
///
/// INVARIANT(linked): while its sibling link is in a ring, a node is *armed*: it neither moves nor
/// goes away, it is touched under the kernel's lock only, and its children's ring and its wake
/// target are valid. Otherwise it is its owner's. `sibling` comes first: a link's place is its
/// node's.
#[repr(C)]
pub(super) struct Entry {
    /// In the ring of the parent's children, of the roots, or of the loose trees.
    pub sibling: Link,
    /// The owner of their ring. Unlinked where there is none; those that leave by themselves leave
    /// it alone in its ring, until it is [set loose](super::Queue::free_below).
    pub children: Link,
    pub deadline: Ticks,
    /// Whom to wake.
    pub target: MaybeUninit<WakeTarget>,
}

/// A timer: in a queue, or not.
#[repr(transparent)]
pub struct Node {
    pub(super) entry: UnsafeCell<Entry>,
    /// Links point to it.
    _pinned: PhantomPinned,
}

// SAFETY: while the node is armed, everything in it is guarded by the kernel's lock; while it
// isn't, only the deadline and the link's state are read through a shared reference.
unsafe impl Sync for Node {}
// SAFETY: a node that isn't armed is plain data with a wake target, which is `Send`.
unsafe impl Send for Node {}

impl Node {
    /// A timer for `deadline` that is not armed.
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

    /// Where it is linked, for assembly.
    #[cfg(all(threads, target_os = "none"))]
    pub const LINK: usize = offset_of!(Entry, sibling);
    /// Where the ring of those below it is.
    #[cfg(all(threads, target_os = "none"))]
    pub const BELOW: usize = offset_of!(Entry, children);
    /// Where the deadline is.
    #[cfg(all(threads, target_os = "none"))]
    pub const DEADLINE: usize = offset_of!(Entry, deadline);
    /// Where the wake target's table is; none for a thread.
    #[cfg(all(threads, target_os = "none"))]
    pub const TABLE: usize = offset_of!(Entry, target) + WakeTarget::TABLE;
    /// Where the wake target's word is; a thread's control block.
    #[cfg(all(threads, target_os = "none"))]
    pub const DATA: usize = offset_of!(Entry, target) + WakeTarget::DATA;

    /// The timer whose entry is at `entry`.
    ///
    /// # Safety
    /// It is armed, and the kernel's lock is held as long as the reference is used.
    #[inline(always)]
    pub(super) const unsafe fn of<'a>(entry: *mut Entry) -> &'a Self {
        // SAFETY: the caller's; transparent.
        unsafe { &*entry.cast() }
    }

    /// A timer for `deadline` in a place of which nothing is used: only what arming doesn't write
    /// is written. It is [prepared](Self::prepare) and armed next.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn place(place: &mut MaybeUninit<Self>, deadline: u64) -> &Self {
        let node = place.as_mut_ptr();
        // SAFETY: the place is valid, and exclusive. What isn't written now has no value that must
        // not be, and is not read before the node is armed.
        unsafe {
            let entry = UnsafeCell::raw_get(&raw const (*node).entry);
            (&raw mut (*entry).children).write(Link::unlinked());
            (&raw mut (*entry).deadline).write(Ticks(deadline));
            &*node
        }
    }

    /// When it is due.
    ///
    /// # Safety
    /// Nobody changes the deadline meanwhile: the caller owns the node, or holds the kernel's lock.
    #[inline(always)]
    pub unsafe fn deadline(&self) -> u64 {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline.0 }
    }

    /// Changes when it is due.
    ///
    /// # Safety
    /// The node is not armed; the caller owns it, or holds the kernel's lock.
    #[inline(always)]
    pub unsafe fn set_deadline(&self, deadline: u64) {
        // SAFETY: the caller's.
        unsafe { (*self.entry.get()).deadline = Ticks(deadline) };
    }

    /// Whether it is in a queue.
    #[inline(always)]
    pub fn is_armed(&self, _kernel: &KernelLock<'_>) -> bool {
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
            (*entry).deadline = Ticks(deadline);
        }
    }

    /// Makes the caller the owner of a shared node that is not armed, until it arms it. False if
    /// somebody else is.
    #[inline(always)]
    pub fn claim(&self, _kernel: &KernelLock<'_>) -> bool {
        // SAFETY: links are guarded by the kernel's lock.
        unsafe { (*self.entry.get()).sibling.claim() }
    }

    /// Tells it whom to wake the next time that it is armed.
    ///
    /// # Safety
    /// The node is not armed; the caller owns it, or holds the kernel's lock. It is armed next: the
    /// wake target of a node that isn't armed is never dropped.
    #[inline(always)]
    pub unsafe fn prepare(&self, target: WakeTarget) {
        let entry = self.entry.get();
        // SAFETY: the caller's.
        unsafe { (*entry).target.write(target) };
    }

    /// A timer that is not armed, and always wakes by a waker of this function table.
    #[must_use]
    pub const fn with_table(table: &'static RawWakerVTable) -> Self {
        let mut node = Self::new(0);
        node.entry.get_mut().target = MaybeUninit::new(WakeTarget::of_table(table));
        node
    }

    /// Tells a node [with a table](Self::with_table) its waker's word.
    ///
    /// # Safety
    /// As for [`prepare`](Self::prepare); the word is one for the table.
    #[inline(always)]
    pub unsafe fn prepare_word(&self, word: *const ()) {
        // SAFETY: the caller's; the wake target is valid from the beginning.
        unsafe { (*self.entry.get()).target.assume_init_mut().set_word(word) };
    }

    /// Names the thread that an armed node wakes, which was armed with
    /// [no thread yet](WakeTarget::no_thread_yet).
    #[cfg(threads)]
    #[inline(always)]
    pub fn name_thread(&self, control: &'static ThreadBlock, _kernel: &KernelLock<'_>) {
        // SAFETY: the lock is held, and an armed node has a wake target.
        unsafe { (*self.entry.get()).target.assume_init_mut().name_thread(control) };
    }

    /// Whom a node that was [cancelled](super::Queue::cancel) would have woken.
    ///
    /// # Safety
    /// It has been cancelled, and this is called once; the caller owns the node, or has held the
    /// kernel's lock since.
    #[inline(always)]
    pub unsafe fn take_target(&self) -> WakeTarget {
        // SAFETY: the caller's: an armed node has a wake target, and nobody else has taken it.
        unsafe { (*self.entry.get()).target.assume_init_read() }
    }

    /// Whether it is in a queue and will wake whom `waker` wakes.
    #[inline(always)]
    pub fn will_wake(&self, kernel: &KernelLock<'_>, waker: &Waker) -> bool {
        // SAFETY: the lock is held, and an armed node has a wake target.
        self.is_armed(kernel) && unsafe { (*self.entry.get()).target.assume_init_ref().is(waker) }
    }
}
