//! [`First`]: whether an actor has yet to handle the event with which its start begins.
//!
//! That event doesn't wait in the queue, so nothing that is posted comes before it, also not at the
//! front. The actor's job makes the event when it finds the mark. An actor without such an event
//! has no mark, and its job doesn't look for one.

use ::core::sync::atomic::{AtomicBool, Ordering};

use super::definition::{Definition, take};
use crate::core::lock::{KernelLock, kernel};

/// The mark of an actor, or of an instance.
#[derive(Debug)]
pub struct First {
    waits: AtomicBool,
}

impl First {
    /// Returns the mark of an actor that is started, or isn't.
    #[must_use]
    pub const fn new(is_started: bool) -> Self {
        Self { waits: AtomicBool::new(is_started) }
    }

    /// Sets the mark, or takes it away, in the section that starts or stops the actor.
    pub(super) fn set(&self, _lock: &KernelLock<'_>, waits: bool) {
        self.waits.store(waits, Ordering::Relaxed);
    }

    /// Takes the mark away. Returns `true` if it was there. For the actor's job.
    #[inline(always)]
    #[must_use]
    pub fn take(&self) -> bool {
        self.waits.load(Ordering::Relaxed) && self.take_now()
    }

    /// As [`take`](Self::take): a stop may have come in between.
    #[cold]
    #[inline(never)]
    fn take_now(&self) -> bool {
        kernel(|lock| {
            let waits = self.waits.load(Ordering::Relaxed);
            self.set(lock, false);
            waits
        })
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
    if !first.take() {
        return take::<A, N>(instance);
    }
    // Posts of before have woken the actor, which takes their events from now on.
    if A::queue(instance).fill().len > 0 {
        A::wake(instance);
    }
    Some(event())
}
