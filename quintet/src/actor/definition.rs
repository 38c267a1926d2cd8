//! [`Definition`]: the properties of an actor, which its expansion defines, and the operations on
//! actors with this trait.
//!
//! All operations are straight code: the compiler knows the queue and the wake of the actor at each
//! call.

#![expect(unsafe_code, reason = "statics of a type that was judged elsewhere")]

use super::queue::Queue;

/// An actor: where the actor's queue of up to `N` events is, and how the actor is woken.
///
/// `instance` is the number of the instance if an actor has several, and 0 otherwise.
pub trait Definition<const N: usize> {
    /// The type of the events that are posted to the actor.
    type Event: Event + 'static;

    /// The actor's name in messages of panics.
    const NAME: &'static str;

    /// The queue of an instance.
    fn queue(instance: usize) -> &'static Queue<Self::Event, N>;

    /// Wakes an instance: sets the bit of the instance's slot, if it has one, and pends. You may
    /// call this from every context that the kernel knows of.
    fn wake(instance: usize);
}

mod sealed {
    /// A type of events: every type that is `Send`.
    ///
    /// Not `Send` itself, so that the compiler's message has the way out. Nobody else can implement
    /// the trait.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` isn't `Send`, but an event goes from whoever posts it to its actor",
        label = "not `Send`: let the event have what is, or an index of what the actor keeps"
    )]
    pub trait Event {}

    #[diagnostic::do_not_recommend]
    impl<T: Send> Event for T {}
}

use sealed::Event;

/// A static of an expansion, with events of a defined actor in it. The compiler has judged these by
/// [`Definition::Event`], and says of this static nothing more.
#[derive(Debug)]
pub struct Static<T>(T);

// SAFETY: the contract of `new`.
unsafe impl<T> Sync for Static<T> {}

impl<T> Static<T> {
    /// Wraps `value`.
    ///
    /// # Safety
    /// `T` would be `Sync` if the events in it were `Send`, and they are those of a [`Definition`].
    #[must_use]
    pub const unsafe fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value.
    #[inline(always)]
    #[must_use]
    pub const fn get(&self) -> &T {
        &self.0
    }
}

/// Posts `event` behind the others.
///
/// # Panics
/// If the queue is full or stopped. The message names the actor.
#[inline(always)]
#[track_caller]
pub fn post<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) {
    if let Err(event) = try_post::<A, N>(instance, event) {
        A::queue(instance).refuse(event, A::NAME);
    }
}

/// Posts `event` before the others.
///
/// # Panics
/// As for [`post`].
#[inline(always)]
#[track_caller]
pub fn post_front<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) {
    if let Err(event) = try_post_front::<A, N>(instance, event) {
        A::queue(instance).refuse(event, A::NAME);
    }
}

/// Posts `event` behind the others.
///
/// # Errors
/// If the queue is full or stopped, `event` comes back.
#[inline(always)]
pub fn try_post<A: Definition<N>, const N: usize>(
    instance: usize,
    event: A::Event,
) -> Result<(), A::Event> {
    try_post_margin::<A, N>(instance, event, 0)
}

/// Posts `event` behind the others, if at least `free` places stay free.
///
/// # Errors
/// If fewer places would stay free, or the queue is stopped, `event` comes back.
#[inline(always)]
pub fn try_post_margin<A: Definition<N>, const N: usize>(
    instance: usize,
    event: A::Event,
    free: u8,
) -> Result<(), A::Event> {
    A::queue(instance).post_margin(event, free)?;
    A::wake(instance);
    Ok(())
}

/// Posts `event` before the others.
///
/// # Errors
/// As for [`try_post`].
#[inline(always)]
pub fn try_post_front<A: Definition<N>, const N: usize>(
    instance: usize,
    event: A::Event,
) -> Result<(), A::Event> {
    A::queue(instance).post_front(event)?;
    A::wake(instance);
    Ok(())
}

/// Takes the first event, and wakes the actor again if more events wait. The actor's job begins
/// with this call.
#[inline(always)]
#[must_use]
pub fn take<A: Definition<N>, const N: usize>(instance: usize) -> Option<A::Event> {
    let (event, more) = A::queue(instance).take()?;
    if more {
        A::wake(instance);
    }
    Some(event)
}
