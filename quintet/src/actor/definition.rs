//! [`Definition`]: what the expansion of an actor says of it, and the operations that it gets for
//! that.
//!
//! All are straight code: the queue and what wakes the actor are known where they are called.

use super::queue::Queue;

/// An actor: where its queue is, of up to `N` events, and what wakes it.
///
/// `instance` is 0, or the number of the instance where an actor has several.
pub trait Definition<const N: usize> {
    /// What is posted to it.
    type Event: Send + 'static;

    /// What panics call it.
    const NAME: &'static str;

    /// The queue of an instance.
    fn queue(instance: usize) -> &'static Queue<Self::Event, N>;

    /// Wakes an instance: sets its slot's bit, if it has one, and pends. From every context that
    /// the kernel knows of.
    fn wake(instance: usize);
}

/// Posts `event` behind the others.
///
/// # Panics
/// If the queue is full or stopped, with the actor's name.
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
/// If they don't, or the queue is stopped, `event` comes back.
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

/// Takes the first event, and wakes the actor again if more wait. What the actor's job begins with.
#[inline(always)]
#[must_use]
pub fn take<A: Definition<N>, const N: usize>(instance: usize) -> Option<A::Event> {
    let (event, more) = A::queue(instance).take()?;
    if more {
        A::wake(instance);
    }
    Some(event)
}
