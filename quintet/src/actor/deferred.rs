//! [`Deferred`]: events that an actor can't handle yet, and looks at later.
//!
//! ```text
//!   queue ──> handler ──defer──> deferred: 1 2 3
//!     ^                                    │
//!     └────────── recall, to the front ────┘
//! ```

use ::core::fmt;

use super::Handle;
use super::ring::{Ring, assert_event_size};

/// Holds up to `N` events (1 to 255) that an actor has deferred, to handle them later. You keep a
/// `Deferred` in a local resource of the actor.
///
/// ```
/// use quintet::actor::{Deferred, Handle};
///
/// enum Event {
///     Request(u32),
///     Ready,
/// }
///
/// fn handle(event: Event, is_busy: bool, later: &mut Deferred<Event, 4>, me: Handle<Event>) {
///     match event {
///         Event::Request(_) if is_busy => {
///             if later.defer(event).is_err() { /* One too many: it is dropped. */ }
///         }
///         Event::Request(_) => { /* Serve it. */ }
///         Event::Ready => {
///             later.recall(me);
///         }
///     }
/// }
/// ```
///
/// # Contexts
/// The actor's own context only: the operations take an exclusive reference.
///
/// # Cost
/// 4 bytes, and the event's size for each place. A `Deferred` holds no lock. Recalling costs as
/// much as a post to the front.
pub struct Deferred<E, const N: usize> {
    ring: Ring<E, N>,
}

impl<E, const N: usize> Deferred<E, N> {
    /// Returns an empty `Deferred`.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_event_size::<E>() };
        Self { ring: Ring::new(false) }
    }

    /// Defers `event`, behind the events that are deferred already.
    ///
    /// # Errors
    /// If `N` events are deferred already, `event` comes back.
    #[inline(always)]
    pub fn defer(&mut self, event: E) -> Result<(), E> {
        self.ring.put_back(event)
    }

    /// Posts the event that was deferred first to the front of the queue of `actor`, so that the
    /// actor takes this event next.
    ///
    /// Returns `true` if an event was posted. Returns `false` if no event is deferred, or if the
    /// queue is full or stopped: then the event stays the first of the deferred ones.
    #[inline(always)]
    pub fn recall(&mut self, actor: Handle<E>) -> bool {
        let Some((event, _)) = self.ring.pop() else { return false };
        match actor.try_post_front(event) {
            Ok(()) => true,
            Err(event) => self.keep(event),
        }
    }

    /// Drops all deferred events, and returns their number.
    pub fn flush(&mut self) -> usize {
        // As many as there are, so `N` at most.
        ::core::iter::from_fn(|| self.ring.pop()).count()
    }

    /// Returns the number of deferred events.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.ring.fill().len)
    }

    /// Returns `true` if no event is deferred.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts an event that couldn't be recalled back to the first place.
    #[cold]
    #[inline(never)]
    fn keep(&mut self, event: E) -> bool {
        // Its place is free since it was taken.
        let _kept = self.ring.put_front(event);
        false
    }
}

impl<E, const N: usize> Default for Deferred<E, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E, const N: usize> fmt::Debug for Deferred<E, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Deferred").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
