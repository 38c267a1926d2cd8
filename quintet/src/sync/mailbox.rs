//! [`Mailbox`]: a place for one message, which stays until it is taken or replaced.
//!
//! There is a token for the place while the place is free, and a token for the message while there
//! is a message, as in a channel of length one. Either the mailbox has the token, or a waiter that
//! was handed the token.

#![expect(unsafe_code, reason = "futures are made of pinned ones")]

use ::core::cell::Cell;
use ::core::future::Future;
#[cfg(threads)]
use ::core::mem::ManuallyDrop;
use ::core::pin::Pin;
use ::core::task::{Context, Poll, ready};

use super::tokens::{Tokens, hand_over};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::section::{Pause, SectionEnd, kernel_and_then, kernel_and_wake};
use crate::core::wait::Wait;
#[cfg(threads)]
use crate::{
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    sync::tokens::take_and_then,
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// A place for one message: a pointer, a word, a small struct.
///
/// [`post`](Self::post) waits until the place is free; [`replace`](Self::replace) never waits, and
/// returns the old message, which no receiver gets.
///
/// ```
/// use quintet::sync::{Mailbox, NoMessage, Occupied, Operation};
/// use quintet::thread::CurrentThread;
///
/// static SETPOINT: Mailbox<i32> = Mailbox::new();
///
/// assert_eq!(SETPOINT.try_post(20), Ok(()));
/// assert_eq!(SETPOINT.try_post(21), Err(Occupied(21)));
/// // The newest message takes the place of the one before, which comes back.
/// assert_eq!(SETPOINT.replace(22), Some(20));
/// assert!(SETPOINT.is_full());
/// assert_eq!(SETPOINT.try_take(), Ok(22));
/// assert_eq!(SETPOINT.try_take(), Err(NoMessage));
///
/// async fn task() {
///     SETPOINT.post(23).await;
/// }
///
/// fn thread(this: &CurrentThread<'_>) -> i32 {
///     SETPOINT.take().block(this)
/// }
/// # let _ = thread;
///
/// embassy_futures::block_on(task());
/// assert_eq!(embassy_futures::block_on(SETPOINT.take()), 23);
/// ```
///
/// # Contexts
/// Every task, interrupt task, thread, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
///
/// # Cost
/// 28 bytes beside the message. The message is moved under the kernel's lock, once by each call and
/// twice by [`replace`](Self::replace). So each word of the message holds every interrupt of the
/// kernel off for a few cycles: keep messages to two words, or post a [`Block`](super::Block). A
/// [`Channel`](super::Channel) moves long messages with the lock open.
pub struct Mailbox<T> {
    /// INVARIANT(token-for-place): the holder of a token of `free` may fill the place, and the
    /// holder of a token of `full` may empty the place.
    message: KernelCell<Cell<Option<T>>>,
    /// `true` if `replace` has filled the place while another context has the token of the place,
    /// and has not used the token. The context that takes such a message puts no token back. If the
    /// holder of the token comes to [fill](Self::fill) or [leave](Self::leave_place) the place
    /// while this is `true`, its token is gone.
    ahead: KernelCell<Cell<bool>>,
    free: KernelCell<Tokens>,
    full: KernelCell<Tokens>,
}

/// There is a message already. Has the message that was to be posted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Occupied<T>(pub T);

impl<T> ::core::fmt::Debug for Occupied<T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("Occupied(..)")
    }
}

impl<T> ::core::fmt::Display for Occupied<T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the mailbox has a message: wait until it is taken, or replace it")
    }
}

impl<T> ::core::error::Error for Occupied<T> {}

/// There is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMessage;

impl ::core::fmt::Display for NoMessage {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the mailbox is empty: wait for a message, or try again later")
    }
}

impl ::core::error::Error for NoMessage {}

impl<T> Mailbox<T> {
    /// Makes a mailbox without a message.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            message: KernelCell::new(Cell::new(None)),
            ahead: KernelCell::new(Cell::new(false)),
            free: KernelCell::new(Tokens::new(1, 1)),
            full: KernelCell::new(Tokens::new(0, 1)),
        }
    }

    /// Posts a message, if there is none.
    ///
    /// # Errors
    /// [`Occupied`] with the message, if there is a message, or another context was handed the
    /// place.
    #[inline]
    pub fn try_post(&self, message: T) -> Result<(), Occupied<T>> {
        let section = |lock: &KernelLock<'_>| {
            if self.free.get(lock).take_one(lock) {
                // No other context had the token, so there is no message.
                let (_none, then) = self.fill(lock, message);
                (Ok(()), then)
            } else {
                (Err(Occupied(message)), SectionEnd::End)
            }
        };
        kernel_and_then(section, |(), pause| self.posted(pause))
    }

    /// Posts a message in the place of the present one, and returns the present one. If a receiver
    /// was handed the present message and has not looked yet, it gets the new one. If a waiting
    /// sender was handed the place and has not looked yet, this message comes before its own. That
    /// sender waits again, behind all waiters of its priority, and at most until its time is up.
    pub fn replace(&self, message: T) -> Option<T> {
        let section = |lock: &KernelLock<'_>| {
            let before = self.message.get(lock).replace(Some(message));
            if before.is_some() {
                return (before, SectionEnd::End);
            }
            self.ahead.get(lock).set(!self.free.get(lock).take_one(lock));
            (before, self.full.get(lock).count_unless_waited(lock))
        };
        kernel_and_then(section, |(), pause| self.posted(pause))
    }

    /// Waits until there is no message, and posts one.
    ///
    /// # Cancel safety
    /// If you drop the future, it drops the message and posts nothing. It gives up its place among
    /// the waiters.
    #[inline]
    pub const fn post(&self, message: T) -> Posting<'_, T> {
        Posting { mailbox: self, message: Some(message), wait: Wait::new(&self.free, ()) }
    }

    /// Takes the message, if there is one.
    ///
    /// # Errors
    /// [`NoMessage`] if there is none, or another context was handed the message.
    #[inline]
    pub fn try_take(&self) -> Result<T, NoMessage> {
        let section = |lock: &KernelLock<'_>| {
            let token = self.full.get(lock).take_one(lock);
            if token { self.empty(lock) } else { (None, SectionEnd::End) }
        };
        kernel_and_then(section, |(), pause| self.taken(pause)).ok_or(NoMessage)
    }

    /// Waits for a message, and takes it.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no message, and gives up its place among the waiters.
    #[inline]
    pub const fn take(&self) -> Taking<'_, T> {
        Taking { mailbox: self, wait: Wait::new(&self.full, ()) }
    }

    /// Returns `true` if there is a message to take now. Another task may change this at any time.
    #[must_use]
    pub fn is_full(&self) -> bool {
        kernel(|lock| self.full.get(lock).count(lock)) != 0
    }

    /// Posts a message, for a token of `free` that the caller was granted. Returns the message
    /// where [`fill`](Self::fill) does.
    #[inline(always)]
    fn post_granted(&self, message: T) -> Option<T> {
        let section = |lock: &KernelLock<'_>| self.fill(lock, message);
        kernel_and_then(section, |(), pause| self.posted(pause))
    }

    /// Takes the message, for a token of `full` that the caller was granted.
    #[inline(always)]
    fn take_granted(&self) -> Option<T> {
        kernel_and_then(|lock| self.empty(lock), |(), pause| self.taken(pause))
    }

    /// Fills the place, for a token of `free`. If [`replace`](Self::replace) has put a message
    /// there since the grant of the token, that message comes first. Then returns `message`, whose
    /// sender waits again.
    #[inline(always)]
    fn fill(&self, lock: &KernelLock<'_>, message: T) -> (Option<T>, SectionEnd<()>) {
        if self.ahead.get(lock).replace(false) {
            return (Some(message), SectionEnd::End);
        }
        // The place was empty.
        let before = self.message.get(lock).replace(Some(message));
        (before, self.full.get(lock).count_unless_waited(lock))
    }

    /// Empties the place, for a token of `full`.
    #[inline(always)]
    fn empty(&self, lock: &KernelLock<'_>) -> (Option<T>, SectionEnd<()>) {
        let leaves_none = self.ahead.get(lock).replace(false);
        let message = self.message.get(lock).take();
        let then = if leaves_none {
            SectionEnd::End
        } else {
            self.free.get(lock).count_unless_waited(lock)
        };
        (message, then)
    }

    /// Hands the message over to a waiter.
    #[inline(always)]
    fn posted(&self, pause: Pause) {
        hand_over(&self.full, pause);
    }

    /// Hands the place over to a waiter.
    #[inline(never)]
    fn taken(&self, pause: Pause) {
        pause.kernel_and_wake(|lock| self.leave_place(lock));
    }

    /// Gives the place, whose token the caller has, to the next waiter for the place, unless
    /// [`replace`](Self::replace) has put a message there meanwhile.
    #[inline(always)]
    fn leave_place(&self, lock: &KernelLock<'_>) -> Option<WakeTarget> {
        let is_taken = self.ahead.get(lock).replace(false);
        if is_taken { None } else { self.free.get(lock).put_back(lock) }
    }
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> ::core::fmt::Debug for Mailbox<T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("Mailbox").field("full", &self.is_full()).finish()
    }
}

/// The future of [`Mailbox::post`].
#[must_use = "nothing is posted until it is awaited"]
pub struct Posting<'a, T> {
    mailbox: &'a Mailbox<T>,
    /// The message, until it is posted.
    message: Option<T>,
    wait: Wait<'a, Tokens>,
}

debug_by_name!([T] Posting<'_, T>: "Posting");

impl<T> Future for Posting<'_, T> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // SAFETY: `wait` is not moved; `message` is never pinned.
        let this = unsafe { self.get_unchecked_mut() };
        while this.message.is_some() {
            // SAFETY: as above.
            ready!(unsafe { Pin::new_unchecked(&mut this.wait) }.poll(context));
            // The future has a token for the place; without a message it takes no token.
            this.message =
                this.message.take().and_then(|message| this.mailbox.post_granted(message));
        }
        Poll::Ready(())
    }
}

impl<T> Drop for Posting<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.wait.give_up() {
            kernel_and_wake(|lock| ((), self.mailbox.leave_place(lock)));
        }
    }
}

#[cfg(threads)]
impl<T> Sealed for Posting<'_, T> {}

#[cfg(threads)]
impl<T> Operation for Posting<'_, T> {
    type Output = ();
    type Error = Occupied<T>;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) {
        let mut this = ManuallyDrop::new(self);
        let (mailbox, mut next) = (this.mailbox, this.message.take());
        while let Some(message) = next {
            next = take_and_then(
                &mailbox.free,
                |lock| mailbox.free.get(lock).take_one(lock),
                |lock| mailbox.fill(lock, message),
                |(), pause| mailbox.posted(pause),
            );
        }
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<(), Occupied<T>> {
        let mut this = ManuallyDrop::new(self);
        let (mailbox, mut next) = (this.mailbox, this.message.take());
        while let Some(message) = next {
            if until(&mailbox.free, (), deadline, |()| ()).is_err() {
                return Err(Occupied(message));
            }
            next = mailbox.post_granted(message);
        }
        Ok(())
    }
}

/// The future of [`Mailbox::take`].
#[must_use = "no message is taken until it is awaited"]
pub struct Taking<'a, T> {
    mailbox: &'a Mailbox<T>,
    wait: Wait<'a, Tokens>,
}

debug_by_name!([T] Taking<'_, T>: "Taking");

impl<T> Future for Taking<'_, T> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mailbox = self.mailbox;
        // SAFETY: the field is never moved out of a pinned future.
        let mut wait = unsafe { self.map_unchecked_mut(|this| &mut this.wait) };
        loop {
            ready!(wait.as_mut().poll(context));
            // There is one, by INVARIANT(token-for-place).
            if let Some(message) = mailbox.take_granted() {
                return Poll::Ready(message);
            }
        }
    }
}

#[cfg(threads)]
impl<T> Sealed for Taking<'_, T> {}

#[cfg(threads)]
impl<T> Operation for Taking<'_, T> {
    type Output = T;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> T {
        let mailbox = self.mailbox;
        let _full = self.wait.into_supply();
        loop {
            let message = take_and_then(
                &mailbox.full,
                |lock| mailbox.full.get(lock).take_one(lock),
                |lock| mailbox.empty(lock),
                |(), pause| mailbox.taken(pause),
            );
            // There is one, by INVARIANT(token-for-place).
            if let Some(message) = message {
                return message;
            }
        }
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<T, TimedOut> {
        let mailbox = self.mailbox;
        until(self.wait.into_supply(), (), deadline, |()| ())?;
        mailbox.take_granted().ok_or(TimedOut)
    }
}
