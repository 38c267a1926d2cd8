//! Sending and receiving by threads, which wait.

#![expect(unsafe_code, reason = "messages are moved in and out of slots")]

use ::core::mem::ManuallyDrop;

use super::{Channel, Receiver, Sender};
use crate::core::lock::Then;
use crate::sync::tokens::{hand_over_apart, take_and, take_and_then};
use crate::thread::This;
#[cfg(feature = "time")]
use {
    super::{Empty, Full},
    crate::sync::until::{TimedOut, until},
    crate::time::from_now,
    embassy_time::{Duration, Instant},
};

impl<T, const N: usize> Channel<T, N> {
    /// Sends a message. The thread waits until there is room.
    ///
    /// # Panics
    /// If the thread has to wait while it holds a resource, or interrupts off.
    #[inline]
    pub fn send_blocking(&self, message: T, _this: &This<'_>) {
        let message = ManuallyDrop::new(message);
        self.begin();
        if Self::SMALL {
            // SAFETY: the token; the message moves away.
            return take_and_then(
                &self.free,
                |lock| self.take_free(lock),
                |lock| ((), unsafe { self.append(lock, &raw const *message) }),
                |(), pause| hand_over_apart(&self.queued, pause),
            );
        }
        // SAFETY: the token: INVARIANT(counted).
        let slot = take_and_then(
            &self.free,
            |lock| self.take_free(lock),
            |lock| (unsafe { self.links.get(lock).claim() }, Then::End),
            |(), _pause| {},
        );
        // SAFETY: claimed just now; the message moves away.
        unsafe { self.fill(slot, &raw const *message) };
    }

    /// Receives the first message. The thread waits until there is one.
    ///
    /// # Panics
    /// If the thread has to wait while it holds a resource, or interrupts off.
    #[inline]
    pub fn receive_blocking(&self, _this: &This<'_>) -> T {
        if !Self::SMALL {
            // SAFETY: the token: INVARIANT(counted).
            let slot = take_and(&self.queued, |lock| unsafe { self.links.get(lock).take() });
            // SAFETY: taken just now.
            return unsafe { self.empty(slot) };
        }
        // SAFETY: the token.
        take_and_then(
            &self.queued,
            |lock| self.queued.get(lock).take_one(lock),
            |lock| unsafe { self.remove(lock) },
            |(), pause| hand_over_apart(&self.free, pause),
        )
    }

    /// Sends a message. The thread waits until there is room, until `deadline` at most.
    ///
    /// # Errors
    /// [`Full`] with the message, if there was none until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn send_blocking_until(
        &self,
        message: T,
        _this: &This<'_>,
        deadline: Instant,
    ) -> Result<(), Full<T>> {
        let Err(Full(message)) = self.try_send(message) else { return Ok(()) };
        match until(&self.free, (), deadline, |()| ()) {
            // It was granted a token: there is room.
            Ok(()) => self.send_with(message, |_| true),
            Err(TimedOut) => Err(Full(message)),
        }
    }

    /// Sends a message. The thread waits until there is room, for `duration` at most.
    ///
    /// # Errors
    /// [`Full`] with the message, if there was none until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn send_blocking_timeout(
        &self,
        message: T,
        this: &This<'_>,
        duration: Duration,
    ) -> Result<(), Full<T>> {
        self.send_blocking_until(message, this, from_now(duration))
    }

    /// Receives the first message. The thread waits, until `deadline` at most.
    ///
    /// # Errors
    /// [`TimedOut`] if there was none until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn receive_blocking_until(
        &self,
        _this: &This<'_>,
        deadline: Instant,
    ) -> Result<T, TimedOut> {
        until(&self.queued, (), deadline, |()| ())?;
        // It was granted a token: there is a message.
        self.receive_with(|_| true).map_err(|Empty| TimedOut)
    }

    /// Receives the first message. The thread waits, for `duration` at most.
    ///
    /// # Errors
    /// [`TimedOut`] if there was none until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn receive_blocking_timeout(
        &self,
        this: &This<'_>,
        duration: Duration,
    ) -> Result<T, TimedOut> {
        self.receive_blocking_until(this, from_now(duration))
    }
}

impl<T, const N: usize> Sender<'_, T, N> {
    /// See [`Channel::send_blocking`].
    ///
    /// # Panics
    /// If the thread has to wait while it holds a resource, or interrupts off.
    #[inline]
    pub fn send_blocking(&self, message: T, this: &This<'_>) {
        self.channel.send_blocking(message, this);
    }

    /// See [`Channel::send_blocking_until`].
    ///
    /// # Errors
    /// [`Full`] with the message, if there was no room until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn send_blocking_until(
        &self,
        message: T,
        this: &This<'_>,
        deadline: Instant,
    ) -> Result<(), Full<T>> {
        self.channel.send_blocking_until(message, this, deadline)
    }

    /// See [`Channel::send_blocking_timeout`].
    ///
    /// # Errors
    /// [`Full`] with the message, if there was no room until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn send_blocking_timeout(
        &self,
        message: T,
        this: &This<'_>,
        duration: Duration,
    ) -> Result<(), Full<T>> {
        self.channel.send_blocking_timeout(message, this, duration)
    }
}

impl<T, const N: usize> Receiver<'_, T, N> {
    /// See [`Channel::receive_blocking`].
    ///
    /// # Panics
    /// If the thread has to wait while it holds a resource, or interrupts off.
    #[inline]
    pub fn receive_blocking(&self, this: &This<'_>) -> T {
        self.channel.receive_blocking(this)
    }

    /// See [`Channel::receive_blocking_until`].
    ///
    /// # Errors
    /// [`TimedOut`] if there was no message until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn receive_blocking_until(
        &self,
        this: &This<'_>,
        deadline: Instant,
    ) -> Result<T, TimedOut> {
        self.channel.receive_blocking_until(this, deadline)
    }

    /// See [`Channel::receive_blocking_timeout`].
    ///
    /// # Errors
    /// [`TimedOut`] if there was no message until then.
    ///
    /// # Panics
    /// If the thread has to wait, be it for no time, while it holds a resource, or interrupts off.
    #[cfg(feature = "time")]
    #[inline]
    pub fn receive_blocking_timeout(
        &self,
        this: &This<'_>,
        duration: Duration,
    ) -> Result<T, TimedOut> {
        self.channel.receive_blocking_timeout(this, duration)
    }
}
