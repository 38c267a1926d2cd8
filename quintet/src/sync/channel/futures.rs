//! Sending and receiving by tasks that wait.
//!
//! After the grant of its token, a future needs the lock only for the message: the future sees the
//! grant without the lock.

#![expect(unsafe_code, reason = "messages are moved, and waits are pinned")]

use ::core::future::Future;
use ::core::marker::PhantomData;
#[cfg(threads)]
use ::core::mem::ManuallyDrop;
use ::core::mem::{MaybeUninit, offset_of};
use ::core::pin::Pin;
use ::core::task::{Context, Poll, Waker, ready};

use super::{Channel, Tokens};
use crate::core::lock::KernelLock;
use crate::core::wait::{Part, WaitFor};

/// The places of a channel, for which senders wait.
struct Room<T, const N: usize>(PhantomData<T>);

// SAFETY: the field's offset.
unsafe impl<T, const N: usize> Part for Room<T, N> {
    type Whole = Channel<T, N>;
    type Supply = Tokens;

    const OFFSET: usize = offset_of!(Channel<T, N>, free);
}

/// The messages of a channel, for which receivers wait.
struct Messages<T, const N: usize>(PhantomData<T>);

// SAFETY: the field's offset.
unsafe impl<T, const N: usize> Part for Messages<T, N> {
    type Whole = Channel<T, N>;
    type Supply = Tokens;

    const OFFSET: usize = offset_of!(Channel<T, N>, queued);
}

/// The future of [`Channel::send`].
#[must_use = "nothing is sent until it is awaited"]
#[repr(C)]
pub struct Sending<'a, T: 'a, const N: usize> {
    /// The message, valid until it is sent. The field lies between words, as the compiler copies
    /// the message with the padding around it.
    message: Aligned<T>,
    wait: WaitFor<'a, Room<T, N>>,
    sent: bool,
}

debug_by_name!([T, const N: usize] Sending<'_, T, N>: "Sending");

/// A message at a word's address, for every type: unaligned copies of bytes take four times as
/// long.
#[repr(align(4))]
struct Aligned<T>(MaybeUninit<T>);

impl<'a, T, const N: usize> Sending<'a, T, N> {
    pub(super) const fn new(channel: &'a Channel<T, N>, message: T) -> Self {
        let message = Aligned(MaybeUninit::new(message));
        Self { message, wait: WaitFor::new(channel, ()), sent: false }
    }

    /// Returns the channel and the message of a future that has not been polled: a polled future is
    /// pinned.
    #[cfg(threads)]
    #[inline(always)]
    pub(super) fn into_parts(self) -> (&'a Channel<T, N>, T) {
        let this = ManuallyDrop::new(self);
        // SAFETY: the message is not sent, and moves away once.
        (this.wait.whole(), unsafe { this.message.0.assume_init_read() })
    }
}

impl<T, const N: usize> Drop for Sending<'_, T, N> {
    #[inline]
    fn drop(&mut self) {
        if !self.sent {
            // SAFETY: the message has not moved away.
            unsafe { self.message.0.assume_init_drop() };
        }
    }
}

// The message may be moved; only `wait` is pinned.
impl<T, const N: usize> Future for Sending<'_, T, N> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // SAFETY: `wait` is not moved out of the future.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: `wait` is part of a pinned future, which never moves it.
        let mut wait = unsafe { Pin::new_unchecked(&mut this.wait) };
        let channel = wait.whole();
        if this.sent {
            return Poll::Ready(());
        }
        // After a grant, the future has a token: there is room.
        let mut granted = wait.take_grant();
        loop {
            if granted || wait.is_idle() {
                let token = |lock: &KernelLock<'_>| granted || channel.take_free(lock);
                // From its place: a message that must wait isn't moved twice.
                //
                // SAFETY: the message is not sent.
                this.sent = unsafe { channel.send_from(this.message.0.as_ptr(), token) };
                if this.sent {
                    return Poll::Ready(());
                }
            }
            ready!(wait.as_mut().wait().wait(context));
            granted = true;
        }
    }
}

/// The future of [`Channel::receive`].
#[must_use = "nothing is received until it is awaited"]
pub struct Receiving<'a, T: 'a, const N: usize> {
    wait: WaitFor<'a, Messages<T, N>>,
}

debug_by_name!([T, const N: usize] Receiving<'_, T, N>: "Receiving");

impl<T, const N: usize> Future for Receiving<'_, T, N> {
    type Output = T;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // SAFETY: `wait` is not moved out of the future.
        let this = unsafe { self.get_unchecked_mut() };
        let message = this.receive(context.waker());
        if message.is_ready() {
            // SAFETY: the future has used the token that it waited for.
            unsafe { this.wait.ended() };
        }
        message
    }
}

impl<'a, T, const N: usize> Receiving<'a, T, N> {
    pub(super) const fn new(channel: &'a Channel<T, N>) -> Self {
        Self { wait: WaitFor::new(channel, ()) }
    }

    /// Returns the channel of a future that has not been polled: a polled future is pinned.
    #[cfg(threads)]
    #[inline(always)]
    pub(super) fn into_channel(self) -> &'a Channel<T, N> {
        self.wait.into_whole()
    }

    /// Receives a granted or a present message, or waits for one. A separate function, so that
    /// receivers share it.
    #[inline(never)]
    fn receive(&mut self, waker: &Waker) -> Poll<T> {
        // After a grant, the future has a token: there is a message.
        if !self.wait.take_grant() {
            // SAFETY: `wait` is part of a pinned future, which never moves it.
            let wait = unsafe { Pin::new_unchecked(&mut self.wait) };
            ready!(wait.wait().wait_on(waker));
        }
        // SAFETY: the future has a token, which is used once.
        Poll::Ready(unsafe { self.wait.whole().receive_granted() })
    }
}
