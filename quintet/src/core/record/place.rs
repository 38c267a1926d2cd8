//! Where a thread waits: INVARIANT(place).
//!
//! - INVARIANT(place): a thread that is alive, but neither ready nor held back from it by its
//!   suspension alone, waits in the list that `place` points to; so does one that says that it
//!   `has_place`, until its waiter says otherwise. Otherwise `place` means nothing.

use ::core::cell::Cell;
use ::core::ptr;

use super::mutex::Ownership;
use super::thread::ThreadBlock;
use super::waiter::{WaitList, Waiter};

/// A place points to an [`Elsewhere`], not to a list.
pub(in crate::core) const ELSEWHERE: usize = 1;
/// The list is that of a mutex, of which it is the first field.
pub const OF_MUTEX: usize = 2;

/// Where a thread waits whose own waiter can't say what it wants. Lies on its stack.
pub struct Elsewhere {
    pub(in crate::core) list: *const WaitList<()>,
    pub(in crate::core) waiter: *const Waiter<()>,
}

impl Elsewhere {
    /// That `waiter` waits in `list`.
    pub(crate) const fn new<D>(list: &WaitList<D>, waiter: &Waiter<D>) -> Self {
        Self { list: list.any(), waiter: waiter.any() }
    }

    /// That `waiter` waits for a mutex.
    pub(crate) fn for_mutex(mutex: *const Ownership, waiter: &Waiter<()>) -> Self {
        Self { list: mutex.cast::<WaitList<()>>().wrapping_byte_add(OF_MUTEX), waiter }
    }
}

impl ThreadBlock {
    /// Says that the thread waits in `list`, with its own waiter.
    #[inline(always)]
    pub(crate) fn note_place(&self, list: &WaitList<()>) {
        self.place.set(list);
    }

    /// Says that it waits for a mutex, with its own waiter.
    #[inline(always)]
    pub(crate) fn note_place_at_mutex(&self, mutex: *const Ownership) {
        self.place.set(mutex.cast::<WaitList<()>>().wrapping_byte_add(OF_MUTEX));
    }

    /// Says that it waits with another waiter, until it no longer waits.
    #[inline(always)]
    pub(crate) fn note_place_elsewhere(&self, elsewhere: &Elsewhere) {
        let at = ptr::from_ref(elsewhere).cast::<WaitList<()>>();
        self.place.set(at.wrapping_byte_add(ELSEWHERE));
    }

    /// Says that it waits, but for no object.
    #[inline(always)]
    pub(crate) fn note_no_place(&self) {
        self.place.set(ptr::null());
    }

    /// The link to the first of the mutexes that it has and that count.
    #[inline(always)]
    pub(crate) const fn held(&self) -> &Cell<*const Ownership> {
        &self.held
    }
}
