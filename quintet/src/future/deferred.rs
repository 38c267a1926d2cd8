//! Futures that their task's level makes at the first poll, not the context that spawns the task.
//!
//! A task's body may be in another module. To make a future, the level calls this body, which need
//! not be an `async fn`: its code before it returns a future runs with the task's context, which
//! only the task's level may use.
//!
//! Takes the bytes of the larger of two values, the maker and the future, and a tag: usually a
//! word, if the future has no spare value for the tag. Only tasks whose body is in another module
//! use this type.

#![expect(unsafe_code, reason = "a pinned future lies in an enumeration")]

use ::core::future::Future;
use ::core::mem;
use ::core::pin::Pin;
use ::core::task::{Context, Poll};

/// A future that `Make` makes at the first poll.
#[must_use = "nothing is made until it is awaited"]
pub enum Deferred<Make, Made> {
    /// Not polled yet.
    Waits(Make),
    /// The future is being made: meanwhile there is neither a maker nor a future.
    Begins,
    /// The future was made, and is pinned.
    Runs(Made),
}

impl<Make, Made> Deferred<Make, Made>
where
    Make: FnOnce() -> Made,
    Made: Future,
{
    /// Makes nothing until it is polled.
    #[inline(always)]
    pub const fn new(make: Make) -> Self {
        Self::Waits(make)
    }
}

impl<Make, Made> Future for Deferred<Make, Made>
where
    Make: FnOnce() -> Made,
    Made: Future,
{
    type Output = Made::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Made::Output> {
        // SAFETY: what is pinned is the future in `Runs`, which is never moved. `Make` isn't.
        let this = unsafe { self.get_unchecked_mut() };
        if matches!(this, Self::Waits(_))
            && let Self::Waits(make) = mem::replace(this, Self::Begins)
        {
            *this = Self::Runs(make());
        }
        match this {
            // SAFETY: as above.
            Self::Runs(made) => unsafe { Pin::new_unchecked(made) }.poll(context),
            // Where making it panicked.
            Self::Waits(_) | Self::Begins => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::Future;
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use super::Deferred;

    #[test]
    fn is_made_once_where_it_is_polled_first() {
        let made = Cell::new(0);
        let mut polls = 0;
        let mut deferred = pin!(Deferred::new(|| {
            made.set(made.get() + 1);
            std::future::poll_fn(|_| {
                polls += 1;
                if polls == 2 { Poll::Ready(7) } else { Poll::Pending }
            })
        }));
        assert_eq!(made.get(), 0, "it was not polled");
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(deferred.as_mut().poll(&mut context), Poll::Pending);
        assert_eq!(deferred.as_mut().poll(&mut context), Poll::Ready(7));
        assert_eq!(made.get(), 1);
    }

    #[test]
    fn what_was_not_made_is_dropped_with_it() {
        let argument = Rc::new(());
        let held = Rc::clone(&argument);
        let deferred = Deferred::new(move || async move { drop(held) });
        assert_eq!(Rc::strong_count(&argument), 2);
        drop(deferred);
        assert_eq!(Rc::strong_count(&argument), 1);
    }
}
