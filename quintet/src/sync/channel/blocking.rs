//! Sending and receiving by threads, which wait.

#![expect(unsafe_code, reason = "messages are moved in and out of slots")]

use ::core::mem::ManuallyDrop;

use super::{Channel, Full, Receiving, Sending};
use crate::core::section::SectionEnd;
use crate::sync::operation::{Operation, TimedOut, sealed::Sealed};
use crate::sync::tokens::{hand_over_cold, take_and, take_and_then};
use crate::thread::CurrentThread;
#[cfg(feature = "time")]
use {super::Empty, crate::sync::until::until, embassy_time::Instant};

impl<T, const N: usize> Sealed for Sending<'_, T, N> {}

impl<T, const N: usize> Operation for Sending<'_, T, N> {
    type Output = ();
    type Error = Full<T>;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) {
        let (channel, message) = self.into_parts();
        let message = ManuallyDrop::new(message);
        channel.begin();
        if Channel::<T, N>::SMALL {
            // SAFETY: the token; the message moves away.
            return take_and_then(
                &channel.free,
                |lock| channel.take_free(lock),
                |lock| ((), unsafe { channel.append(lock, &raw const *message) }),
                |(), pause| hand_over_cold(&channel.queued, pause),
            );
        }
        // SAFETY: the token: INVARIANT(counted).
        let slot = take_and_then(
            &channel.free,
            |lock| channel.take_free(lock),
            |lock| (unsafe { channel.links.get(lock).claim() }, SectionEnd::End),
            |(), _pause| {},
        );
        // SAFETY: claimed just now; the message moves away.
        unsafe { channel.fill(slot, &raw const *message) };
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<(), Full<T>> {
        let (channel, message) = self.into_parts();
        let Err(Full(message)) = channel.try_send(message) else { return Ok(()) };
        match until(&channel.free, (), deadline, |()| ()) {
            // The thread was granted a token: there is room.
            Ok(()) => channel.send_with(message, |_| true),
            Err(TimedOut) => Err(Full(message)),
        }
    }
}

impl<T, const N: usize> Sealed for Receiving<'_, T, N> {}

impl<T, const N: usize> Operation for Receiving<'_, T, N> {
    type Output = T;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> T {
        let channel = self.into_channel();
        if !Channel::<T, N>::SMALL {
            // SAFETY: the token: INVARIANT(counted).
            let slot = take_and(&channel.queued, |lock| unsafe { channel.links.get(lock).take() });
            // SAFETY: taken just now.
            return unsafe { channel.empty(slot) };
        }
        // SAFETY: the token.
        take_and_then(
            &channel.queued,
            |lock| channel.queued.get(lock).take_one(lock),
            |lock| unsafe { channel.remove(lock) },
            |(), pause| hand_over_cold(&channel.free, pause),
        )
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<T, TimedOut> {
        let channel = self.into_channel();
        until(&channel.queued, (), deadline, |()| ())?;
        // The thread was granted a token: there is a message.
        channel.receive_with(|_| true).map_err(|Empty| TimedOut)
    }
}
