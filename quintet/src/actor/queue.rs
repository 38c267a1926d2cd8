//! [`Queue`]: the events that wait for an actor, in order.
//!
//! ```text
//!   post_front ──> 3 1 2 ... <── post        from any context, under the kernel's lock
//!                  │
//!                  └──> take                 by the actor's job: one event, and whether more wait
//! ```
//!
//! After a post, the caller wakes the actor's slot. After a take that says that more events wait,
//! the caller wakes the slot again. The caller does so outside of the lock, in straight code that
//! sets the slot of a level and pends.
//!
//! A stopped queue admits no event, and is empty: after a stop, the actor never takes an event that
//! was posted before the stop.

#![expect(unsafe_code, reason = "events are moved out of where posts have them")]

use ::core::fmt;
use ::core::mem::{self, ManuallyDrop};
use ::core::ptr;

use super::ring::{Head, Places, Ring, assert_event_size};
use crate::arch::take_pending;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};

/// A queue of up to `N` events (1 to 255) that wait for one actor.
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
/// 4 bytes, and the event's size for each place. Each operation holds the kernel's lock once, for a
/// bounded number of instructions. Stopping holds the lock once for each event that waits.
pub struct Queue<E, const N: usize> {
    ring: KernelCell<Ring<E, N>>,
}

/// How full a queue is, and was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// How many events wait now.
    pub len: u8,
    /// How many events can wait.
    pub capacity: u8,
    /// The largest number of events that ever waited at once.
    pub high_water: u8,
}

impl<E, const N: usize> Queue<E, N> {
    /// Returns an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_event_size::<E>() };
        Self::of_actor(false)
    }

    /// Returns an empty queue that is stopped until you [start](Self::start) the queue.
    #[must_use]
    pub const fn new_stopped() -> Self {
        const { assert_event_size::<E>() };
        Self::of_actor(true)
    }

    /// Returns an empty queue of an actor, whose expansion has judged the size of events.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_actor(is_stopped: bool) -> Self {
        Self { ring: KernelCell::new(Ring::new(is_stopped)) }
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
    /// If fewer places would stay free, or the queue is stopped, `event` comes back.
    #[inline(always)]
    pub fn post_margin(&self, event: E, free: u8) -> Result<(), E> {
        self.put::<false>(event, free)
    }

    /// Puts `event` before the others; the caller then wakes the actor.
    ///
    /// # Errors
    /// If the queue is full or stopped, `event` comes back.
    #[inline(always)]
    pub fn post_front(&self, event: E) -> Result<(), E> {
        self.put::<true>(event, 0)
    }

    /// Takes the first event, if there is one. The `bool` is `true` if more events wait: then the
    /// caller wakes the actor again.
    #[inline(always)]
    #[must_use]
    pub fn take(&self) -> Option<(E, bool)> {
        let taken = kernel(|lock| self.ring.get(lock).pop());
        if taken.is_some() {
            record_fill(self.head());
        }
        taken
    }

    /// Admits no more events, and drops the events that wait. A start in the meantime ends the
    /// stop.
    pub fn stop(&self) {
        kernel(|lock| self.ring.get(lock).close(true));
        // As often as events wait, which is at most `N` times: none is added.
        while let Some(event) = kernel(|lock| self.pop_if_closed(lock)) {
            drop(event);
        }
    }

    /// Admits events. Events that a stop has yet to drop are dropped first.
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

    /// If the queue is stopped, admits events, with `event` as the first of them. Returns `true` if
    /// the queue was stopped: then the caller wakes the actor.
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
                    return Err(unsafe { ring.push::<false>(&raw const *event, 0) });
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

    /// Drops the events that wait, and then admits events. If `first` is an event, that event is
    /// the first of them, and the caller wakes the actor.
    ///
    /// A post in the meantime is refused only if there is no room. An event of such a post is
    /// dropped with the earlier ones.
    pub fn restart(&self, first: Option<E>) {
        let first = first.map(ManuallyDrop::new);
        // As often as events wait, and are posted meanwhile.
        loop {
            let stale = kernel(|lock| {
                let ring = self.ring.get(lock);
                let stale = ring.pop();
                if stale.is_none() {
                    ring.close(false);
                    if let Some(first) = &first {
                        // SAFETY: it is valid, moves away, as all places are free, and is used no
                        // more.
                        let _is_put = unsafe { ring.push::<false>(&raw const **first, 0) };
                    }
                }
                stale
            });
            let Some((stale, _)) = stale else { return };
            drop(stale);
        }
    }

    /// Returns `true` if the queue is stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        kernel(|lock| self.ring.get(lock).is_closed())
    }

    /// Returns how many events wait, how many can wait, and how many ever waited at once.
    #[must_use]
    pub fn fill(&self) -> Fill {
        kernel(|lock| self.ring.get(lock).fill())
    }

    /// Ends a post to the actor `name` that can't return the event.
    ///
    /// # Panics
    /// Always: the queue is full, or stopped.
    #[inline(always)]
    #[track_caller]
    pub fn refuse(&self, event: E, name: &str) -> ! {
        mem::forget(event);
        refuse(name, self.head(), N as u8)
    }

    /// As `refuse`, but if the queue is stopped, the event is only dropped.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn refuse_unless_stopped(&self, event: E, name: &str) {
        refuse_unless_stopped(event, name, self.head(), N as u8);
    }

    /// The places of the queue, as of a queue of any length.
    #[inline(always)]
    pub(super) const fn places(&self) -> Places<E> {
        Ring::<E, N>::places((&raw const self.ring).cast())
    }

    /// The part that all queues have in common.
    #[inline(always)]
    const fn head(&self) -> &KernelCell<Head> {
        // SAFETY: this is there.
        unsafe { self.places().guarded() }
    }

    /// Puts an event into the queue, at the front or behind the others.
    #[inline(always)]
    fn put<const FRONT: bool>(&self, event: E, free: u8) -> Result<(), E> {
        let event = ManuallyDrop::new(event);
        // SAFETY: a valid event, which is used no more if it has moved away; this is there.
        let is_put = unsafe {
            kernel(|lock| self.ring.get(lock).push::<FRONT>(&raw const *event, free))
                || put_later::<E, FRONT>(self.places(), ptr::read(&raw const event), free)
        };
        if is_put {
            record_fill(self.head());
            Ok(())
        } else {
            Err(ManuallyDrop::into_inner(event))
        }
    }

    /// Takes an event that was posted before a stop.
    #[inline(always)]
    fn pop_if_closed(&self, lock: &KernelLock<'_>) -> Option<E> {
        let ring = self.ring.get(lock);
        if ring.is_closed() { ring.pop().map(|(event, _)| event) } else { None }
    }
}

/// Looks a second time at a full queue, after pending interrupts have run: if the actor is more
/// urgent than the caller, and was woken just now, the actor takes an event there.
///
/// # Safety
/// The queue outlives the call. `event` is a copy. If this function returns `true`, the event has
/// moved away, and the caller no longer uses the original.
#[expect(clippy::needless_pass_by_value, reason = "a pointer would keep the caller's in memory")]
#[cold]
#[inline(never)]
pub(super) unsafe fn put_later<E, const FRONT: bool>(
    places: Places<E>,
    event: ManuallyDrop<E>,
    free: u8,
) -> bool {
    take_pending();
    // SAFETY: the caller's; the lock is held.
    kernel(|_lock| unsafe { places.push::<FRONT>(&raw const *event, free) })
}

/// Drops an event for the actor `name`, if the actor's queue is stopped.
///
/// # Panics
/// If the queue isn't stopped: then the queue is full.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refuse_unless_stopped<E>(
    event: E,
    name: &str,
    head: &KernelCell<Head>,
    capacity: u8,
) {
    if !is_stopped(head) {
        mem::forget(event);
        refuse(name, head, capacity)
    }
}

/// Tells the recorder how many events wait in a queue, if its feature is on.
#[inline(always)]
pub(super) fn record_fill(head: &KernelCell<Head>) {
    #[cfg(feature = "recorder")]
    crate::arch::recorder::record_queue(ptr::from_ref(head).cast());
    #[cfg(not(feature = "recorder"))]
    let _ = head;
}

/// Whether a queue is stopped.
pub(super) fn is_stopped(head: &KernelCell<Head>) -> bool {
    kernel(|lock| head.get(lock).is_closed())
}

/// Says why an event can't be posted to the actor `name`.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refuse(name: &str, head: &KernelCell<Head>, capacity: u8) -> ! {
    if is_stopped(head) {
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
