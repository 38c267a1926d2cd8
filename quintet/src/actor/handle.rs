//! [`Handle`]: an actor that you post events to, without knowing more than the type of its events.
//!
//! Use a handle for replies, for time events and in libraries: your code posts events and need not
//! know the actor. A handle is one word, the address of an [`Address`], which says where the
//! actor's queue is, and how the actor is woken. Code that knows the actor calls the actor's own
//! `post` instead, which is straight code.

#![expect(unsafe_code, reason = "an actor's function is called with its word")]

use ::core::fmt;
use ::core::mem::ManuallyDrop;
#[cfg(feature = "time")]
use ::core::panic::Location;
use ::core::ptr;

use super::definition::Definition;
#[cfg(feature = "time")]
use super::queue::is_stopped;
use super::queue::{Fill, Queue, put_later, record_fill, refuse};
use super::ring::Places;
use crate::core::lock::kernel;

/// How events reach an actor: you make one static for each actor, or for each instance of an actor.
pub struct Address<E> {
    name: &'static str,
    /// Where the actor's queue is.
    places: Places<E>,
    /// Wakes the actor.
    wake: unsafe fn(*const ()),
    /// The argument of `wake`: the number of the instance, or the address of the actor.
    word: *const (),
}

// SAFETY: by the contract of `new`, the actor may be woken from every context, and the queue is for
// all; events are handed over, for which `E: Send` is enough.
unsafe impl<E: Send> Sync for Address<E> {}

impl<E: 'static> Address<E> {
    /// Returns the address of an instance of a defined actor, and of the instance's queue.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<A: Definition<N, Event = E>, const N: usize>(
        queue: &'static Queue<E, N>,
        instance: usize,
    ) -> Self {
        let wake: unsafe fn(*const ()) = |word| A::wake(word.addr());
        // SAFETY: the function takes the number, from every context.
        unsafe { Self::new(A::NAME, queue, wake, ptr::without_provenance(instance)) }
    }

    /// Returns the address of the actor `name`, which `wake` wakes.
    ///
    /// # Safety
    /// `wake` may be called with `word` from every context that the kernel knows of, as long as the
    /// program runs.
    pub(crate) const unsafe fn new<const N: usize>(
        name: &'static str,
        queue: &'static Queue<E, N>,
        wake: unsafe fn(*const ()),
        word: *const (),
    ) -> Self {
        Self { name, places: queue.places(), wake, word }
    }

    /// Returns a handle of the actor.
    #[must_use]
    pub const fn handle(&'static self) -> Handle<E> {
        Handle { address: self }
    }
}

impl<E> Address<E> {
    /// Puts an event into the queue, and wakes the actor. Returns `true` if there was room. Where
    /// the compiler knows the actor, this call becomes the actor's own post.
    ///
    /// # Safety
    /// `event` is a copy. If this function returns `true`, the event has moved away, and the caller
    /// no longer uses the original.
    #[inline]
    unsafe fn put<const FRONT: bool>(&self, event: ManuallyDrop<E>, free: u8) -> bool {
        let places = self.places;
        // SAFETY: the caller's; a static queue is there. The contract of `new`.
        unsafe {
            let is_put = kernel(|_lock| places.push::<FRONT>(&raw const *event, free))
                || put_later::<E, FRONT>(places, event, free);
            if is_put {
                record_fill(places.guarded());
                (self.wake)(self.word);
            }
            is_put
        }
    }
}

impl<E> fmt::Debug for Address<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Address").field(&self.name).finish()
    }
}

/// A handle of an actor that takes events of the type `E`. A handle is one word, and you may copy a
/// handle.
///
/// `#[actor]` defines `actor::handle()`. For an inbox, you make an [`Address`].
///
/// ```
/// use quintet::actor::{Address, Fill, Handle};
/// use quintet::sync::Inbox;
///
/// static DISPLAY: Inbox<u8, 2> = Inbox::new("display");
/// static ADDRESS: Address<u8> = DISPLAY.address();
///
/// /// Knows the events, and not who takes them.
/// fn report(to: Handle<u8>) {
///     to.post(1);
///     // Keeps one place free for others.
///     assert_eq!(to.try_post_margin(2, 1), Err(2));
///     to.post_front(0);
///     assert_eq!(to.try_post(3), Err(3));
/// }
///
/// let display = ADDRESS.handle();
/// report(display);
/// assert_eq!(display.queue(), Fill { len: 2, capacity: 2, high_water: 2 });
/// assert_eq!(display.name(), "display");
/// assert_eq!(DISPLAY.try_next(), Some(0));
/// ```
///
/// # Contexts
/// Every task, thread, interrupt task, `init` and `idle` may post, as with the actor's own
/// functions.
///
/// # Cost
/// Where the compiler knows the actor, a post costs as much as the actor's own function. Elsewhere
/// a post costs two more calls, one of them through a pointer. Each type of events has one such
/// function.
pub struct Handle<E: 'static> {
    address: &'static Address<E>,
}

impl<E> Handle<E> {
    /// Posts `event` behind the others.
    ///
    /// # Panics
    /// If the actor's queue is full, or the actor is stopped. The message names the actor.
    #[inline(always)]
    #[track_caller]
    pub fn post(self, event: E) {
        if let Err(event) = self.try_post(event) {
            self.refuse(event);
        }
    }

    /// Posts `event` before the others.
    ///
    /// # Panics
    /// As for [`post`](Self::post).
    #[inline(always)]
    #[track_caller]
    pub fn post_front(self, event: E) {
        if let Err(event) = self.try_post_front(event) {
            self.refuse(event);
        }
    }

    /// Posts `event` behind the others.
    ///
    /// # Errors
    /// If the actor's queue is full, or the actor is stopped, `event` comes back.
    #[inline(always)]
    pub fn try_post(self, event: E) -> Result<(), E> {
        self.try_post_margin(event, 0)
    }

    /// Posts `event` behind the others, if at least `free` places of the queue stay free.
    ///
    /// # Errors
    /// If fewer places would stay free, or the actor is stopped, `event` comes back.
    #[inline(always)]
    pub fn try_post_margin(self, event: E, free: u8) -> Result<(), E> {
        self.put::<false>(event, free)
    }

    /// Posts `event` before the others.
    ///
    /// # Errors
    /// As for [`try_post`](Self::try_post).
    #[inline(always)]
    pub fn try_post_front(self, event: E) -> Result<(), E> {
        self.put::<true>(event, 0)
    }

    /// Returns how full the actor's queue is: how many events wait, how many can wait, and how many
    /// ever waited at once.
    #[must_use]
    pub fn queue(self) -> Fill {
        // SAFETY: the lock is held, and a static queue is there.
        kernel(|_lock| unsafe { self.address.places.fill() })
    }

    /// Returns the actor's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.address.name
    }

    /// Posts `event` for a time event, whose line `place` may know. A stopped actor gets nothing.
    ///
    /// # Panics
    /// If there is no room.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub(super) fn post_in_time(
        self,
        event: E,
        place: impl FnOnce() -> Option<&'static Location<'static>>,
    ) {
        if let Err(event) = self.try_post(event) {
            self.refuse_in_time(event, place());
        }
    }

    /// Posts `event` for a time event, or drops it. Returns `true` if the event was dropped because
    /// there is no room, and `false` for a stopped actor.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub(super) fn is_lost(self, event: E) -> bool {
        // SAFETY: a static queue is there.
        self.try_post(event).is_err() && !is_stopped(unsafe { self.address.places.guarded() })
    }

    /// Ends a post of a time event, unless the actor is stopped.
    #[cfg(feature = "time")]
    #[cold]
    #[inline(never)]
    fn refuse_in_time(self, event: E, place: Option<&'static Location<'static>>) {
        let places = self.address.places;
        // SAFETY: a static queue is there.
        if is_stopped(unsafe { places.guarded() }) {
            return;
        }
        ::core::mem::forget(event);
        let (event, actor, capacity) =
            (::core::any::type_name::<E>(), self.address.name, places.capacity());
        let way_out = "make it longer by `queue = ..`, arm less often, or drop and count by \
                       `TimeEvent::lossy`";
        match place {
            Some(place) => panic!(
                "the time event of `{event}` at {place} found the queue of the actor `{actor}` \
                 full ({capacity} events): {way_out}"
            ),
            None => panic!(
                "a time event of `{event}` found the queue of the actor `{actor}` full \
                 ({capacity} events): {way_out}"
            ),
        }
    }

    /// Posts `event` at the front or behind the others.
    #[inline(always)]
    fn put<const FRONT: bool>(self, event: E, free: u8) -> Result<(), E> {
        let event = ManuallyDrop::new(event);
        // SAFETY: a valid event, which is used no more if it has moved away.
        if unsafe { self.address.put::<FRONT>(ptr::read(&raw const event), free) } {
            return Ok(());
        }
        Err(ManuallyDrop::into_inner(event))
    }

    /// Ends a post that can't return the event.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(self, event: E) -> ! {
        ::core::mem::forget(event);
        let places = self.address.places;
        // SAFETY: a static queue is there.
        refuse(self.address.name, unsafe { places.guarded() }, places.capacity())
    }
}

impl<E> Clone for Handle<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Handle<E> {}

impl<E> PartialEq for Handle<E> {
    /// Returns `true` if both handles are of the same instance of the same actor.
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.address, other.address)
    }
}

impl<E> Eq for Handle<E> {}

impl<E> fmt::Debug for Handle<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Handle").field(&self.name()).finish()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Address, Handle};
    use crate::actor::definition::{self, Definition};
    use crate::actor::{Fill, Queue};
    use crate::arch::pend;

    /// An actor of up to 3 events, in two instances, whose slots are levels 1 and 2.
    struct Table;

    static QUEUES: [Queue<u8, 3>; 2] = [const { Queue::new() }; 2];
    static ADDRESSES: [Address<u8>; 2] =
        [Address::of::<Table, 3>(&QUEUES[0], 0), Address::of::<Table, 3>(&QUEUES[1], 1)];

    impl Definition<3> for Table {
        type Event = u8;
        const NAME: &'static str = "table";

        fn queue(instance: usize) -> &'static Queue<u8, 3> {
            &QUEUES[instance]
        }

        fn wake(instance: usize) {
            pend(instance as u16 + 1);
        }
    }

    /// Another, of one event, without a slot, in an instance for each test.
    struct Short;

    static SHORT: [Queue<u8, 1>; 4] = [const { Queue::new() }; 4];
    static SHORT_ADDRESSES: [Address<u8>; 4] = [
        Address::of::<Short, 1>(&SHORT[0], 0),
        Address::of::<Short, 1>(&SHORT[1], 1),
        Address::of::<Short, 1>(&SHORT[2], 2),
        Address::of::<Short, 1>(&SHORT[3], 3),
    ];

    impl Definition<1> for Short {
        type Event = u8;
        const NAME: &'static str = "short";

        fn queue(instance: usize) -> &'static Queue<u8, 1> {
            &SHORT[instance]
        }

        fn wake(_instance: usize) {}
    }

    /// A handle of an actor with a queue of one place, and the queue.
    pub fn short(instance: usize) -> (Handle<u8>, &'static Queue<u8, 1>) {
        (SHORT_ADDRESSES[instance].handle(), &SHORT[instance])
    }

    #[test]
    fn it_posts_to_its_instance() {
        let (handle, queue) = (ADDRESSES[1].handle(), &QUEUES[1]);
        handle.post(1);
        handle.post_front(0);
        assert_eq!(handle.try_post_margin(2, 1), Err(2));
        assert_eq!(handle.try_post(2), Ok(()));
        assert_eq!((handle.try_post(3), handle.try_post_front(4)), (Err(3), Err(4)));
        assert_eq!(handle.queue(), Fill { len: 3, capacity: 3, high_water: 3 });
        let taken: Vec<_> = ::core::iter::from_fn(|| queue.take()).collect();
        assert_eq!(taken, [(0, true), (1, true), (2, false)]);
        assert_eq!(
            (handle.name(), format!("{handle:?}")),
            ("table", "Handle(\"table\")".to_owned())
        );
        assert!(handle != ADDRESSES[0].handle());
        assert_eq!(QUEUES[0].fill().high_water, 0);
    }

    #[test]
    fn an_actor_takes_one_event_at_a_time() {
        definition::post::<Short, 1>(2, 1);
        assert_eq!(definition::try_post::<Short, 1>(2, 2), Err(2));
        assert_eq!(definition::take::<Short, 1>(2), Some(1));
        definition::post_front::<Short, 1>(2, 3);
        assert_eq!(definition::take::<Short, 1>(2), Some(3));
        assert_eq!(definition::take::<Short, 1>(2), None);
    }

    #[test]
    #[should_panic = "the queue of the actor `short` is full (1 events)"]
    fn it_refuses_by_the_name_of_the_actor() {
        let (handle, _) = short(0);
        handle.post(0);
        handle.post(1);
    }

    #[test]
    #[should_panic = "the actor `short` is stopped: start it before you post"]
    fn it_refuses_for_a_stopped_actor() {
        SHORT[3].stop();
        definition::post::<Short, 1>(3, 0);
    }
}
