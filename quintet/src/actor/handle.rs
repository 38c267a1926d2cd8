//! [`Handle`]: an actor that events are posted to, of which only the type of its events is known.
//!
//! For replies, for time events and for libraries: whoever has a handle posts, and need not know
//! the actor. A handle is one word, the address of an [`Address`], which has the actor's functions.
//! Who knows the actor calls its own `post` instead, which is straight code.

#![expect(unsafe_code, reason = "an actor's functions are called with its word")]

use ::core::fmt;

use super::queue::{Fill, refuse};

/// Puts an event behind the others, if so many places stay free, and wakes the actor. If not,
/// returns it.
pub type PostBack<E> = unsafe fn(*const (), E, u8) -> Result<(), E>;
/// Puts an event before the others, and wakes the actor; or returns it.
pub type PostFront<E> = unsafe fn(*const (), E) -> Result<(), E>;
/// How full the queue is, and whether it is stopped.
pub type Look = unsafe fn(*const ()) -> (Fill, bool);

/// How events reach an actor: a static for each actor, or for each instance of one.
pub struct Address<E> {
    name: &'static str,
    /// What the functions are called with: the number of the instance, or where the actor is.
    word: *const (),
    back: PostBack<E>,
    front: PostFront<E>,
    look: Look,
}

// SAFETY: by the contract of `new`, the functions may be called with the word from every context;
// they hand events over, for which `E: Send` is enough.
unsafe impl<E: Send> Sync for Address<E> {}

impl<E> Address<E> {
    /// That of the actor `name`.
    ///
    /// # Safety
    /// The functions may be called with `word` from every context that the kernel knows of, as long
    /// as the program runs.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn new(
        name: &'static str,
        word: *const (),
        back: PostBack<E>,
        front: PostFront<E>,
        look: Look,
    ) -> Self {
        Self { name, word, back, front, look }
    }

    /// A handle of the actor.
    #[must_use]
    pub const fn handle(&'static self) -> Handle<E> {
        Handle { address: self }
    }
}

impl<E> fmt::Debug for Address<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Address").field(&self.name).finish()
    }
}

/// An actor that takes events of the type `E`. One word, which is copied.
///
/// `#[actor]` defines `actor::handle()`; an inbox has an [`Address`].
///
/// # Contexts
/// Posting: as by the actor's own functions, every task, thread, interrupt task, `init` and `idle`.
///
/// # Cost
/// That of the actor's own function, and a call through a pointer.
pub struct Handle<E: 'static> {
    address: &'static Address<E>,
}

impl<E> Handle<E> {
    /// Posts `event` behind the others.
    ///
    /// # Panics
    /// If the actor's queue is full, or the actor is stopped; with its name.
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
    /// If they don't, or the actor is stopped, `event` comes back.
    #[inline(always)]
    pub fn try_post_margin(self, event: E, free: u8) -> Result<(), E> {
        let Address { word, back, .. } = *self.address;
        // SAFETY: the contract of `Address::new`.
        unsafe { back(word, event, free) }
    }

    /// Posts `event` before the others.
    ///
    /// # Errors
    /// As for [`try_post`](Self::try_post).
    #[inline(always)]
    pub fn try_post_front(self, event: E) -> Result<(), E> {
        let Address { word, front, .. } = *self.address;
        // SAFETY: the contract of `Address::new`.
        unsafe { front(word, event) }
    }

    /// How many events wait, can wait, and ever waited at once.
    #[must_use]
    pub fn queue(self) -> Fill {
        // SAFETY: the contract of `Address::new`.
        unsafe { (self.address.look)(self.address.word) }.0
    }

    /// The actor's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.address.name
    }

    /// Ends a post that can't return the event, unless the actor is stopped.
    #[cfg(feature = "time")]
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_unless_stopped(self, event: E) {
        // SAFETY: the contract of `Address::new`.
        let (_, is_stopped) = unsafe { (self.address.look)(self.address.word) };
        if !is_stopped {
            self.refuse(event);
        }
    }

    /// Ends a post that can't return the event.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(self, event: E) -> ! {
        ::core::mem::forget(event);
        // SAFETY: the contract of `Address::new`.
        let (fill, is_stopped) = unsafe { (self.address.look)(self.address.word) };
        refuse(self.address.name, fill.capacity, is_stopped)
    }
}

impl<E> Clone for Handle<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Handle<E> {}

impl<E> PartialEq for Handle<E> {
    /// Whether both are of the same actor, and the same instance of it.
    fn eq(&self, other: &Self) -> bool {
        ::core::ptr::eq(self.address, other.address)
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
    use crate::actor::{Fill, Queue};
    use crate::arch::pend;
    use crate::sync::tests::model::keep;

    /// A handle of an actor that is only a queue, whose job is a level's, by its number.
    pub fn handle_of<E: Send, const N: usize>(
        queue: &'static Queue<E, N>,
        level: u16,
    ) -> Handle<E> {
        let word = keep((queue, level));
        // SAFETY: the word is what the functions expect, and lives for ever.
        let address = unsafe {
            Address::new(
                "table",
                ::core::ptr::from_ref(word).cast(),
                back::<E, N>,
                front::<E, N>,
                look::<E, N>,
            )
        };
        keep(address).handle()
    }

    type Word<E, const N: usize> = (&'static Queue<E, N>, u16);

    unsafe fn back<E: 'static, const N: usize>(
        word: *const (),
        event: E,
        free: u8,
    ) -> Result<(), E> {
        // SAFETY: from `handle_of`.
        let (queue, level) = unsafe { *word.cast::<Word<E, N>>() };
        queue.post_margin(event, free).map(|()| pend(level))
    }

    unsafe fn front<E: 'static, const N: usize>(word: *const (), event: E) -> Result<(), E> {
        // SAFETY: from `handle_of`.
        let (queue, level) = unsafe { *word.cast::<Word<E, N>>() };
        queue.post_front(event).map(|()| pend(level))
    }

    unsafe fn look<E: 'static, const N: usize>(word: *const ()) -> (Fill, bool) {
        // SAFETY: from `handle_of`.
        let (queue, _) = unsafe { *word.cast::<Word<E, N>>() };
        (queue.fill(), queue.is_stopped())
    }

    #[test]
    fn it_posts_to_its_actor() {
        let queue = keep(Queue::<u8, 3>::new());
        let handle = handle_of(queue, 1);
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
        assert_eq!(handle, handle.clone());
    }

    #[test]
    #[should_panic = "the queue of the actor `table` is full (1 events)"]
    fn it_refuses_by_the_name_of_the_actor() {
        let handle = handle_of(keep(Queue::<u8, 1>::new()), 1);
        handle.post(0);
        handle.post(1);
    }
}
