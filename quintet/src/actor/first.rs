//! [`First`]: the event with which each start of an actor begins.
//!
//! That event doesn't wait in the queue, so nothing that is posted comes before it, also not at the
//! front. Until it is handled, the queue hides its events: the actor's job finds none, and only then
//! asks whether the first event is due. So later events cost nothing more.

use ::core::cell::Cell;

use super::definition::{Definition, take};
use super::ring::Head;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::KernelLock;

/// What is kept of an actor with a first event, or of an instance.
pub struct First {
    /// The most events that ever waited at once, while the queue keeps something else there.
    most: KernelCell<Cell<u8>>,
}

impl First {
    /// Nothing is due yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { most: KernelCell::new(Cell::new(0)) }
    }

    /// The first event is due, in the section that opens the empty queue.
    pub(super) fn arrive(&self, lock: &KernelLock<'_>, head: &Head) {
        self.most.get(lock).set(head.hide());
    }

    /// The first event is no longer due. Returns `true` if it was.
    #[inline(always)]
    pub(super) fn leave(&self, lock: &KernelLock<'_>, head: &Head) -> bool {
        head.reveal(self.most.get(lock).get())
    }
}

impl Default for First {
    fn default() -> Self {
        Self::new()
    }
}

impl ::core::fmt::Debug for First {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("First").finish_non_exhaustive()
    }
}

/// As [`take`], for an actor whose starts begin with the event that `event` makes.
#[inline(always)]
#[must_use]
pub fn take_after<A: Definition<N>, const N: usize>(
    instance: usize,
    first: &First,
    event: impl FnOnce() -> A::Event,
) -> Option<A::Event> {
    if let Some(event) = take::<A, N>(instance) {
        return Some(event);
    }
    begins::<A, N>(instance, first).then(event)
}

/// Returns `true` if the first event is due: it is handled now.
#[cold]
#[inline(never)]
pub fn begins<A: Definition<N>, const N: usize>(instance: usize, first: &First) -> bool {
    let queue = A::queue(instance);
    let is_due = queue.with_head(|lock, head| first.leave(lock, head));
    if is_due && queue.fill().len > 0 {
        // The posts have woken the actor, which takes their events from now on.
        A::wake(instance);
    }
    is_due
}

/// The first event of a started actor is due, as the application begins.
pub fn begin_first<A: Definition<N>, const N: usize>(instance: usize, first: &First) {
    A::queue(instance).with_head(|lock, head| first.arrive(lock, head));
    A::wake(instance);
}
