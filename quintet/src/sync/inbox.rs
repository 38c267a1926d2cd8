//! [`Inbox`]: the events of an actor without the macro. A thread or an async task takes one event
//! after the other.
//!
//! A context that posts an event signals. The server looks into the queue first, and waits for the
//! signal only if the queue is empty. A signal that comes meanwhile is kept. So no event is missed,
//! and a signal whose event was taken already only costs a look.
//!
//! # Invariants
//! - INVARIANT(inbox-word): the function of an inbox's address is called with the address of the
//!   inbox, which is a static.

#![expect(unsafe_code, reason = "an address has a function of a static; a future is pinned")]

use ::core::fmt;
use ::core::future::Future;
use ::core::ops::AsyncFnMut;
use ::core::pin::Pin;
use ::core::ptr;
use ::core::task::{Context, Poll, ready};

use super::Signal;
use super::signal::Waiting;
use crate::actor::Address;
use crate::actor::queue::{Fill, Queue};
#[cfg(threads)]
use crate::{
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use embassy_time::Instant;

/// Up to `N` events (1 to 255) for one thread or task, which serves the events one after the other.
///
/// ```
/// use quintet::sync::Inbox;
///
/// enum Event {
///     Line(&'static str),
///     Clear,
/// }
///
/// static DISPLAY: Inbox<Event, 8> = Inbox::new("display");
///
/// DISPLAY.post(Event::Clear);
/// DISPLAY.post(Event::Line("ready"));
///
/// async fn display() {
///     DISPLAY.serve_async(async |event| match event {
///         Event::Line(text) => { /* Write it. */ }
///         Event::Clear => { /* Clear it. */ }
///     })
///     .await
/// }
/// ```
///
/// # Contexts
/// Posting, starting and stopping: every task, thread, interrupt task, `init` and `idle`; not
/// kernel-free interrupts (see [`sync`](crate::sync#contexts)). Serving: one thread or task. If
/// there are several, each event goes to one of them.
///
/// # Cost
/// A [`Queue`], a signal of 8 bytes and the name. A post takes the kernel's lock twice.
pub struct Inbox<E, const N: usize> {
    queue: Queue<E, N>,
    posted: Signal<()>,
    name: &'static str,
}

impl<E, const N: usize> Inbox<E, N> {
    /// Makes an empty inbox. Panics contain `name`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { queue: Queue::new(), posted: Signal::new(), name }
    }

    /// Posts `event` behind the others.
    ///
    /// # Panics
    /// If the inbox is full or stopped. The message has the inbox's name.
    #[inline]
    #[track_caller]
    pub fn post(&self, event: E) {
        if let Err(event) = self.try_post(event) {
            self.queue.refuse(event, self.name);
        }
    }

    /// Posts `event` before the others.
    ///
    /// # Panics
    /// As for [`post`](Self::post).
    #[inline]
    #[track_caller]
    pub fn post_front(&self, event: E) {
        if let Err(event) = self.try_post_front(event) {
            self.queue.refuse(event, self.name);
        }
    }

    /// Posts `event` behind the others.
    ///
    /// # Errors
    /// Returns `event` if the inbox is full or stopped.
    #[inline]
    pub fn try_post(&self, event: E) -> Result<(), E> {
        self.try_post_margin(event, 0)
    }

    /// Posts `event` behind the others, if at least `free` places stay free.
    ///
    /// # Errors
    /// Returns `event` if fewer places stay free, or the inbox is stopped.
    #[inline]
    pub fn try_post_margin(&self, event: E, free: u8) -> Result<(), E> {
        self.queue.post_margin(event, free)?;
        self.posted.signal(());
        Ok(())
    }

    /// Posts `event` before the others.
    ///
    /// # Errors
    /// As for [`try_post`](Self::try_post).
    #[inline]
    pub fn try_post_front(&self, event: E) -> Result<(), E> {
        self.queue.post_front(event)?;
        self.posted.signal(());
        Ok(())
    }

    /// Takes the first event, if there is one.
    #[inline]
    pub fn try_next(&self) -> Option<E> {
        self.queue.take().map(|(event, _)| event)
    }

    /// Waits for an event, and takes the first.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no event: only the poll that returns an event takes the
    /// event.
    #[inline]
    pub const fn next(&self) -> Next<'_, E, N> {
        Next { inbox: self, posted: self.posted.wait() }
    }

    /// Calls `handle` for each event, and waits for its end before the next event. Never returns.
    ///
    /// # Cancel safety
    /// If you drop the future at one of the `await`s of `handle`, the rest of `handle` for the
    /// present event doesn't run. The other events stay in the inbox.
    pub async fn serve_async(&self, mut handle: impl AsyncFnMut(E)) -> ! {
        loop {
            handle(self.next().await).await;
        }
    }

    /// Calls `handle` for each event, in this thread, which waits for the next event. Never
    /// returns.
    ///
    /// # Panics
    /// If the thread has to wait while it holds a resource, or holds interrupts off.
    #[cfg(threads)]
    pub fn serve(&self, this: &CurrentThread<'_>, mut handle: impl FnMut(E)) -> ! {
        loop {
            handle(self.next().block(this));
        }
    }

    /// Refuses events from now on, and drops the waiting ones. The server keeps waiting.
    pub fn stop(&self) {
        self.queue.stop();
    }

    /// Accepts events again.
    pub fn start(&self) {
        self.queue.start();
    }

    /// Returns `true` if the inbox is stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.queue.is_stopped()
    }

    /// Returns how many events wait, how many can wait, and the most that ever waited at once.
    #[must_use]
    pub fn queue(&self) -> Fill {
        self.queue.fill()
    }
}

impl<E: Send + 'static, const N: usize> Inbox<E, N> {
    /// Returns the address of the inbox, from which you get handles. The address is a static too:
    ///
    /// ```
    /// use quintet::actor::{Address, Handle};
    /// use quintet::sync::Inbox;
    ///
    /// static DISPLAY: Inbox<u8, 8> = Inbox::new("display");
    /// static ADDRESS: Address<u8> = DISPLAY.address();
    ///
    /// let display: Handle<u8> = ADDRESS.handle();
    /// display.post(1);
    /// # assert_eq!(DISPLAY.try_next(), Some(1));
    /// ```
    #[must_use]
    pub const fn address(&'static self) -> Address<E> {
        let wake: unsafe fn(*const ()) = |inbox| {
            // SAFETY: INVARIANT(inbox-word).
            unsafe { at::<E, N>(inbox) }.posted.signal(());
        };
        // SAFETY: the word is a reference to the inbox for ever, which may be used from every
        // context.
        unsafe { Address::new(self.name, &self.queue, wake, ptr::from_ref(self).cast()) }
    }
}

/// The future of [`Inbox::next`].
#[must_use = "no event is taken until it is awaited"]
pub struct Next<'a, E, const N: usize> {
    inbox: &'a Inbox<E, N>,
    posted: Waiting<'a, ()>,
}

debug_by_name!([E, const N: usize] Next<'_, E, N>: "Next");

impl<E, const N: usize> Future for Next<'_, E, N> {
    type Output = E;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<E> {
        // SAFETY: `posted` is never moved out of a pinned future; a reference isn't pinned.
        let this = unsafe { self.get_unchecked_mut() };
        loop {
            if let Some(event) = this.inbox.try_next() {
                return Poll::Ready(event);
            }
            // SAFETY: as above.
            ready!(unsafe { Pin::new_unchecked(&mut this.posted) }.poll(context));
        }
    }
}

#[cfg(threads)]
impl<E, const N: usize> Sealed for Next<'_, E, N> {}

#[cfg(threads)]
impl<E, const N: usize> Operation for Next<'_, E, N> {
    type Output = E;
    type Error = TimedOut;

    fn block(self, this: &CurrentThread<'_>) -> E {
        loop {
            if let Some(event) = self.inbox.try_next() {
                return event;
            }
            self.inbox.posted.wait().block(this);
        }
    }

    #[cfg(feature = "time")]
    fn block_until(self, this: &CurrentThread<'_>, deadline: Instant) -> Result<E, TimedOut> {
        loop {
            if let Some(event) = self.inbox.try_next() {
                return Ok(event);
            }
            self.inbox.posted.wait().block_until(this, deadline)?;
        }
    }
}

/// Returns the inbox at an address.
///
/// # Safety
/// There is an inbox, for ever.
#[inline(always)]
const unsafe fn at<E: 'static, const N: usize>(inbox: *const ()) -> &'static Inbox<E, N> {
    // SAFETY: the caller's.
    unsafe { &*inbox.cast() }
}

impl<E, const N: usize> fmt::Debug for Inbox<E, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Inbox").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests;
