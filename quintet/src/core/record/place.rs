//! The place where a thread waits: INVARIANT(place).
//!
//! - INVARIANT(place): if a thread is alive but neither ready nor held back only by its suspension,
//!   the thread waits in the list that `place` points to. The same holds for a thread for which
//!   `has_place` returns `true`, as long as its waiter is linked. Otherwise `place` means nothing.

use ::core::cell::Cell;
use ::core::ptr;

use super::mutex::Ownership;
use super::thread::ThreadBlock;
use super::waiter::{WaitList, Waiter};

/// Set in a place that points to an [`Elsewhere`], not to a list.
pub(in crate::core) const ELSEWHERE: usize = 1;
/// Set in a place whose list is the first field of a mutex.
pub const OF_MUTEX: usize = 2;

/// The place of a thread whose own waiter has no room for the thread's demand. The record lies on
/// the thread's stack.
pub struct Elsewhere {
    pub(in crate::core) list: *const WaitList<()>,
    pub(in crate::core) waiter: *const Waiter<()>,
}

impl Elsewhere {
    /// Makes the place of `waiter` in `list`.
    pub(crate) const fn new<D>(list: &WaitList<D>, waiter: &Waiter<D>) -> Self {
        Self { list: list.any(), waiter: waiter.any() }
    }

    /// Makes the place of a `waiter` for a mutex.
    pub(crate) fn for_mutex(mutex: *const Ownership, waiter: &Waiter<()>) -> Self {
        Self { list: mutex.cast::<WaitList<()>>().wrapping_byte_add(OF_MUTEX), waiter }
    }
}

impl ThreadBlock {
    /// Notes that the thread waits in `list`, with the thread's own waiter.
    #[inline(always)]
    pub(crate) fn note_place(&self, list: &WaitList<()>) {
        self.place.set(list);
    }

    /// Notes that the thread waits for a mutex, with the thread's own waiter.
    #[inline(always)]
    pub(crate) fn note_place_at_mutex(&self, mutex: *const Ownership) {
        self.place.set(mutex.cast::<WaitList<()>>().wrapping_byte_add(OF_MUTEX));
    }

    /// Notes that the thread waits with another waiter, until the wait ends.
    #[inline(always)]
    pub(crate) fn note_place_elsewhere(&self, elsewhere: &Elsewhere) {
        let at = ptr::from_ref(elsewhere).cast::<WaitList<()>>();
        self.place.set(at.wrapping_byte_add(ELSEWHERE));
    }

    /// Notes that the thread waits, but for no object.
    #[inline(always)]
    pub(crate) fn note_no_place(&self) {
        self.place.set(ptr::null());
    }

    /// Returns the link to the first mutex that the thread has and that counts for the thread's
    /// priority.
    #[inline(always)]
    pub(crate) const fn held(&self) -> &Cell<*const Ownership> {
        &self.held
    }
}
