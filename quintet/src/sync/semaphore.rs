//! [`Semaphore`]: a number of permits.
//!
//! A new permit goes to the first waiter, and is counted only if there is none. Counting and binary
//! semaphores differ only in the limit.

#![expect(unsafe_code, reason = "futures are made of pinned ones")]

use ::core::future::Future;
use ::core::mem;
use ::core::pin::Pin;
use ::core::task::{Context, Poll};

use super::tokens::Tokens;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::section::kernel_and_wake;
use crate::core::wait::Wait;
#[cfg(threads)]
use crate::{
    core::wait::block_for_token,
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// A number of permits, at most 65 535.
///
/// [`give`](Self::give) and [`take`](Self::take) are for permits that one task makes and another
/// task uses up, such as events. [`acquire`](Self::acquire) is for permits that come back: a
/// [`Permit`] comes back when you drop it.
///
/// ```
/// use quintet::sync::{Exhausted, Operation, Saturated, Semaphore};
/// use quintet::thread::CurrentThread;
///
/// // Permits that one task makes and another one uses up.
/// static REPORTED: Semaphore = Semaphore::binary(false);
/// // Permits that come back.
/// static BUFFERS: Semaphore = Semaphore::with_limit(2, 2);
///
/// REPORTED.give();
/// assert_eq!(REPORTED.try_give(), Err(Saturated));
/// assert_eq!(REPORTED.try_take(), Ok(()));
/// assert_eq!(REPORTED.try_take(), Err(Exhausted));
///
/// let first = BUFFERS.try_acquire().expect("there are two");
/// assert_eq!(BUFFERS.available(), 1);
/// drop(first);
/// assert_eq!(BUFFERS.available(), 2);
///
/// async fn task() {
///     REPORTED.take().await;
///     let buffer = BUFFERS.acquire().await;
///     buffer.forget(); // This one never comes back.
/// }
///
/// fn thread(this: &CurrentThread<'_>) {
///     REPORTED.take().block(this);
///     let buffer = BUFFERS.acquire().block(this);
///     // It goes back here.
/// }
/// # let _ = (task, thread);
/// ```
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
pub struct Semaphore {
    tokens: KernelCell<Tokens>,
}

/// There is no permit now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl ::core::fmt::Display for Exhausted {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the semaphore has no permit left: wait for one, or try again later")
    }
}

impl ::core::error::Error for Exhausted {}

/// There are as many permits as the semaphore may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturated;

impl ::core::fmt::Display for Saturated {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the semaphore has as many permits as it may have: raise its limit")
    }
}

impl ::core::error::Error for Saturated {}

impl Semaphore {
    /// Makes a semaphore with `permits` permits, and no limit but the type's.
    #[must_use]
    pub const fn new(permits: u16) -> Self {
        Self::with_limit(permits, u16::MAX)
    }

    /// Makes a semaphore for at most one permit, which begins with one if `available`.
    #[must_use]
    pub const fn binary(available: bool) -> Self {
        Self::with_limit(available as u16, 1)
    }

    /// Makes a semaphore with `permits` permits, which never has more than `limit`.
    ///
    /// # Panics
    /// If `permits` is more than `limit`, or `limit` is 0; in a static, at compile time.
    #[must_use]
    #[track_caller]
    pub const fn with_limit(permits: u16, limit: u16) -> Self {
        assert!(limit > 0, "a semaphore that may never have a permit: its limit is at least 1");
        assert!(permits <= limit, "a semaphore begins with more permits than its limit allows");
        Self { tokens: KernelCell::new(Tokens::new(permits, limit)) }
    }

    /// Gives a permit: to the first waiter, or to the count. Has no effect at the limit, as is
    /// usual with binary semaphores; [`try_give`](Self::try_give) reports this.
    #[inline]
    pub fn give(&self) {
        let _saturated = self.try_give();
    }

    /// Gives a permit: to the first waiter, or to the count.
    ///
    /// # Errors
    /// [`Saturated`] if the limit is reached; nothing has changed.
    #[inline]
    pub fn try_give(&self) -> Result<(), Saturated> {
        if kernel_and_wake(|lock| self.tokens.get(lock).give(lock)) {
            Ok(())
        } else {
            Err(Saturated)
        }
    }

    /// Takes a permit for good, if there is one.
    ///
    /// # Errors
    /// [`Exhausted`] if there is none.
    #[inline]
    pub fn try_take(&self) -> Result<(), Exhausted> {
        if kernel(|lock| self.tokens.get(lock).take_one(lock)) { Ok(()) } else { Err(Exhausted) }
    }

    /// Waits for a permit, and takes it for good.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no permit, and gives up its place among the waiters.
    #[inline]
    pub const fn take(&self) -> Taking<'_> {
        Taking { wait: Wait::new(&self.tokens, ()) }
    }

    /// Takes a permit, if there is one, until the [`Permit`] is dropped.
    ///
    /// # Errors
    /// [`Exhausted`] if there is none.
    #[inline]
    pub fn try_acquire(&self) -> Result<Permit<'_>, Exhausted> {
        self.try_take().map(|()| Permit { semaphore: self })
    }

    /// Waits for a permit, and takes it until the [`Permit`] is dropped.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no permit, and gives up its place among the waiters.
    #[inline]
    pub const fn acquire(&self) -> Acquiring<'_> {
        Acquiring { semaphore: self, wait: Wait::new(&self.tokens, ()) }
    }

    /// Returns the number of permits that can be taken now. Another task may change this at any
    /// time.
    #[must_use]
    pub fn available(&self) -> u16 {
        kernel(|lock| self.tokens.get(lock).count(lock))
    }
}

/// The future of [`Semaphore::take`].
#[must_use = "no permit is taken until it is awaited"]
pub struct Taking<'a> {
    wait: Wait<'a, Tokens>,
}

debug_by_name!([] Taking<'_>: "Taking");

impl Future for Taking<'_> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the one field is never moved out of a pinned future.
        unsafe { self.map_unchecked_mut(|take| &mut take.wait) }.poll(context)
    }
}

#[cfg(threads)]
impl Sealed for Taking<'_> {}

#[cfg(threads)]
impl Operation for Taking<'_> {
    type Output = ();
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) {
        block_for_token(self.wait.into_supply());
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<(), TimedOut> {
        until(self.wait.into_supply(), (), deadline, |()| ())
    }
}

/// The future of [`Semaphore::acquire`].
#[must_use = "no permit is taken until it is awaited"]
pub struct Acquiring<'a> {
    semaphore: &'a Semaphore,
    wait: Wait<'a, Tokens>,
}

debug_by_name!([] Acquiring<'_>: "Acquiring");

impl<'a> Future for Acquiring<'a> {
    type Output = Permit<'a>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit<'a>> {
        let semaphore = self.semaphore;
        // SAFETY: the field is never moved out of a pinned future.
        let wait = unsafe { self.map_unchecked_mut(|acquire| &mut acquire.wait) };
        wait.poll(context).map(|()| Permit { semaphore })
    }
}

#[cfg(threads)]
impl Sealed for Acquiring<'_> {}

#[cfg(threads)]
impl<'a> Operation for Acquiring<'a> {
    type Output = Permit<'a>;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> Permit<'a> {
        block_for_token(self.wait.into_supply());
        Permit { semaphore: self.semaphore }
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(
        self,
        _this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<Permit<'a>, TimedOut> {
        let semaphore = self.semaphore;
        until(self.wait.into_supply(), (), deadline, |()| Permit { semaphore })
    }
}

/// A permit that goes back to its [`Semaphore`] when you drop it.
#[derive(Debug)]
#[must_use = "a permit goes back when it is dropped"]
pub struct Permit<'a> {
    semaphore: &'a Semaphore,
}

impl Permit<'_> {
    /// Keeps the permit for good: it doesn't go back.
    pub const fn forget(self) {
        mem::forget(self);
    }
}

impl Drop for Permit<'_> {
    #[inline]
    fn drop(&mut self) {
        // The permit was taken from the semaphore. So only permits that were made meanwhile can
        // exceed the limit: then this permit is lost, as with `give`.
        self.semaphore.give();
    }
}

impl ::core::fmt::Debug for Semaphore {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("Semaphore").field("available", &self.available()).finish()
    }
}
