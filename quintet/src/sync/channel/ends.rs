//! [`Sender`] and [`Receiver`]: one end of a channel, for a function that needs only this end.

use ::core::fmt;

use super::{Channel, Empty, Full, Receiving, Sending};

/// A sender of a [`Channel`]. You can make any number of senders.
pub struct Sender<'a, T, const N: usize> {
    channel: &'a Channel<T, N>,
}

/// A receiver of a [`Channel`]. You can make any number of receivers.
pub struct Receiver<'a, T, const N: usize> {
    channel: &'a Channel<T, N>,
}

impl<T, const N: usize> Clone for Sender<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Sender<'_, T, N> {}

impl<T, const N: usize> fmt::Debug for Sender<'_, T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Sender").field(self.channel).finish()
    }
}

impl<'a, T, const N: usize> Sender<'a, T, N> {
    pub(super) const fn new(channel: &'a Channel<T, N>) -> Self {
        Self { channel }
    }

    /// See [`Channel::try_send`].
    ///
    /// # Errors
    /// [`Full`] with the message, if there is no room.
    #[inline]
    pub fn try_send(&self, message: T) -> Result<(), Full<T>> {
        self.channel.try_send(message)
    }

    /// See [`Channel::send`], which also describes cancel safety.
    #[inline]
    pub const fn send(&self, message: T) -> Sending<'a, T, N> {
        self.channel.send(message)
    }
}

impl<T, const N: usize> Clone for Receiver<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Receiver<'_, T, N> {}

impl<T, const N: usize> fmt::Debug for Receiver<'_, T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Receiver").field(self.channel).finish()
    }
}

impl<'a, T, const N: usize> Receiver<'a, T, N> {
    pub(super) const fn new(channel: &'a Channel<T, N>) -> Self {
        Self { channel }
    }

    /// See [`Channel::try_receive`].
    ///
    /// # Errors
    /// [`Empty`] if there is no message.
    #[inline]
    pub fn try_receive(&self) -> Result<T, Empty> {
        self.channel.try_receive()
    }

    /// See [`Channel::receive`], which also describes cancel safety.
    #[inline]
    pub const fn receive(&self) -> Receiving<'a, T, N> {
        self.channel.receive()
    }
}
