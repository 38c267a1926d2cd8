//! [`Queue`]: the events that wait for an actor, in order.
//!
//! ```text
//!   post_front ──> 3 1 2 ... <── post        from any context, under the kernel's lock
//!                  │
//!                  └──> take                 by the actor's job: one event, and whether more wait
//! ```
//!
//! Who has posted wakes the actor's slot; who has taken an event and was told that more wait wakes
//! it again. That is the caller's, outside of the lock: straight code that sets a level's slot and
//! pends.
//!
//! A stopped queue admits nothing, and is empty: an event that was posted before a stop is never
//! taken behind it.

#![expect(unsafe_code, reason = "events are moved out of where posts have them")]

use ::core::fmt;
use ::core::mem::{self, ManuallyDrop};

use super::ring::Ring;
use crate::arch::take_pending;
use crate::core::guarded::Guarded;
use crate::core::lock::{Kernel, kernel};

/// Up to `N` events (1 to 255) that wait for one actor.
///
/// # Contexts
/// Posting, taking, starting and stopping: every task, thread, interrupt task, `init` and `idle`;
/// not kernel-free interrupts (see [`sync`](crate::sync#contexts)).
///
/// ```compile_fail
/// use quintet::actor::Queue;
///
/// // An event of more than 16 bytes.
/// static QUEUE: Queue<[u32; 5], 4> = Queue::new();
/// ```
///
/// # Cost
/// 4 bytes, and for each place the event's size. Each operation holds the kernel's lock once, for a
/// bounded number of instructions; stopping does for each event that waits.
pub struct Queue<E, const N: usize> {
    ring: Guarded<Ring<E, N>>,
}

/// How full a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// How many events wait now.
    pub len: u8,
    /// How many can.
    pub capacity: u8,
    /// How many ever waited at once.
    pub high_water: u8,
}

impl<E, const N: usize> Queue<E, N> {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self { ring: Guarded::new(Ring::new(false)) }
    }

    /// An empty queue that is stopped until it is [started](Self::start).
    #[must_use]
    pub const fn new_stopped() -> Self {
        Self { ring: Guarded::new(Ring::new(true)) }
    }

    /// Puts `event` behind the others; the caller then wakes the actor.
    ///
    /// # Errors
    /// If the queue is full or stopped, `event` comes back.
    #[inline(always)]
    pub fn post(&self, event: E) -> Result<(), E> {
        self.post_margin(event, 0)
    }

    /// Puts `event` behind the others, if at least `free` places stay free; the caller then wakes
    /// the actor.
    ///
    /// # Errors
    /// If they don't, or the queue is stopped, `event` comes back.
    #[inline(always)]
    pub fn post_margin(&self, event: E, free: u8) -> Result<(), E> {
        // SAFETY: `put` hands it a valid event, and takes its word.
        self.put(event, |ring, event| unsafe { ring.push_back(event, free) })
    }

    /// Puts `event` before the others; the caller then wakes the actor.
    ///
    /// # Errors
    /// If the queue is full or stopped, `event` comes back.
    #[inline(always)]
    pub fn post_front(&self, event: E) -> Result<(), E> {
        // SAFETY: the same.
        self.put(event, |ring, event| unsafe { ring.push_front(event) })
    }

    /// Takes the first event, if there is one, and says whether more wait: then the caller wakes
    /// the actor again.
    #[inline(always)]
    #[must_use]
    pub fn take(&self) -> Option<(E, bool)> {
        kernel(|lock| self.ring.get(lock).pop())
    }

    /// Admits no more events, and drops those that wait. A start that comes meanwhile ends it.
    pub fn stop(&self) {
        kernel(|lock| self.ring.get(lock).close(true));
        // As often as events wait, which is at most `N` times: none is added.
        while let Some(event) = kernel(|lock| self.pop_if_closed(lock)) {
            drop(event);
        }
    }

    /// Admits events. Those that a stop has yet to drop are dropped before.
    pub fn start(&self) {
        // As for `stop`.
        loop {
            let stale = kernel(|lock| {
                let stale = self.pop_if_closed(lock);
                if stale.is_none() {
                    self.ring.get(lock).close(false);
                }
                stale
            });
            if stale.is_none() {
                return;
            }
        }
    }

    /// Admits events, with `event` as the first of them, if it is stopped: whether it was. Then the
    /// caller wakes the actor.
    #[must_use]
    pub fn start_with(&self, event: E) -> bool {
        let event = ManuallyDrop::new(event);
        // As for `stop`.
        loop {
            let stale = kernel(|lock| {
                let ring = self.ring.get(lock);
                if !ring.is_closed() {
                    return Err(false);
                }
                let Some((stale, _)) = ring.pop() else {
                    ring.close(false);
                    // SAFETY: it is valid, and is used no more if it has moved away.
                    return Err(unsafe { ring.push_back(&raw const *event, 0) });
                };
                Ok(stale)
            });
            match stale {
                Ok(stale) => drop(stale),
                Err(true) => return true,
                Err(false) => {
                    drop(ManuallyDrop::into_inner(event));
                    return false;
                }
            }
        }
    }

    /// Whether it is stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        kernel(|lock| self.ring.get(lock).is_closed())
    }

    /// How many events wait, can wait, and ever waited at once.
    #[must_use]
    pub fn fill(&self) -> Fill {
        kernel(|lock| self.ring.get(lock).fill())
    }

    /// Ends a post to the actor `name` that can't return the event.
    ///
    /// # Panics
    /// Always: the queue is full, or stopped.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub fn refuse(&self, event: E, name: &str) -> ! {
        mem::forget(event);
        refuse(name, N as u8, self.is_stopped())
    }

    /// The same, unless it is stopped: then the event is dropped.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn refuse_unless_stopped(&self, event: E, name: &str) {
        if !self.is_stopped() {
            self.refuse(event, name);
        }
    }

    /// Puts an event there by `push`, which says whether it has moved it away. Written out: through
    /// the ring's function for that a post takes up to three cycles more.
    #[inline(always)]
    fn put(&self, event: E, push: impl Fn(&Ring<E, N>, *const E) -> bool) -> Result<(), E> {
        let event = ManuallyDrop::new(event);
        if kernel(|lock| push(self.ring.get(lock), &raw const *event))
            || self.put_later(&raw const *event, push)
        {
            return Ok(());
        }
        Err(ManuallyDrop::into_inner(event))
    }

    /// The second look at a queue that is full, behind what is pending: where the actor is more
    /// urgent than the caller, and was woken just now, it takes an event there.
    #[cold]
    #[inline(never)]
    fn put_later(&self, event: *const E, push: impl Fn(&Ring<E, N>, *const E) -> bool) -> bool {
        take_pending();
        kernel(|lock| push(self.ring.get(lock), event))
    }

    /// Takes an event that was posted before a stop.
    #[inline(always)]
    fn pop_if_closed(&self, lock: &Kernel<'_>) -> Option<E> {
        let ring = self.ring.get(lock);
        if ring.is_closed() { ring.pop().map(|(event, _)| event) } else { None }
    }
}

/// Says why an event can't be posted to the actor `name`.
#[cold]
#[inline(never)]
#[track_caller]
pub fn refuse(name: &str, capacity: u8, is_stopped: bool) -> ! {
    if is_stopped {
        panic!(
            "the actor `{name}` is stopped: start it before you post to it, or use `try_post`, \
             which returns the event"
        )
    }
    panic!(
        "the queue of the actor `{name}` is full ({capacity} events): make it longer by \
         `queue = ..`, or use `try_post`, which returns the event"
    )
}

impl<E, const N: usize> Default for Queue<E, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E, const N: usize> fmt::Debug for Queue<E, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Queue").field("fill", &self.fill()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
