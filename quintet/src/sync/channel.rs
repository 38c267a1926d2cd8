//! [`Channel`]: messages from many senders to many receivers, in order, in a queue of fixed length.
//!
//! ```text
//!         claim               publish         take                  release
//!   free ───────> sender's slot ───────> queue ────> receiver's slot ───────> free
//!   counted by `free`                    counted by `queued`
//!   or not `used` yet
//! ```
//!
//! A message is moved in once and out once, and never within the channel. Messages of up to two
//! words are moved under the kernel's lock, in the section of the other work, and their slots form
//! a ring. Larger messages are moved between two short sections, with the lock open. A claimed or
//! taken slot belongs only to its sender or receiver, and the other slots are linked by their
//! numbers. The order of messages is the order of `publish`. A sender that is preempted while it
//! moves a message delays no other message.
//!
//! If a waiter wants a token, the channel hands the token over in a separate section, before which
//! no other thread runs. A sender or receiver that is preempted while it moves a large message
//! keeps its slot for this time. If every slot is kept like this, others wait for one.
//!
//! # Invariants
//! - INVARIANT(slot-owned): a claimed or taken slot belongs to no other context until it is
//!   published or released. Exactly the slots in the queue hold a message each.
//! - INVARIANT(counted): the free slots are at least as many as the tokens of `free`, counted and
//!   granted, and the slots that were never used. The slots in the queue are at least as many as
//!   the tokens of `queued`. So each holder of a token finds a slot. (The difference belongs to
//!   contexts that are between two sections.) No context waits for `free` before all slots were
//!   used.
//! - INVARIANT(begun): a channel that begins with all zeros (`Channel::ZEROS`) takes no room in the
//!   program's image. Large messages use the slots one after the other. For small messages, the
//!   first sender counts the slots before it sends.

#![expect(unsafe_code, reason = "messages are moved in and out of slots")]

#[cfg(threads)]
mod blocking;
mod ends;
mod futures;
mod links;

use ::core::cell::UnsafeCell;
use ::core::fmt;
use ::core::mem::{ManuallyDrop, MaybeUninit, size_of};
use ::core::sync::atomic::{AtomicU8, Ordering};

pub use ends::{Receiver, Sender};
pub use futures::{Receiving, Sending};
use links::Links;

use super::SHORT;
use super::tokens::{Tokens, hand_over, hand_over_cold};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::section::{SectionEnd, kernel_and_then};

/// The largest message, in bytes, that is moved under the kernel's lock.
const SMALL: usize = 2 * size_of::<usize>();

/// A queue of up to `N` messages (1 to 255), with any number of senders and receivers.
///
/// Each message goes to one receiver. Messages are queued and received in the order in which they
/// were sent.
///
/// ```
/// use quintet::sync::{Channel, Empty, Full, Operation, Receiver, Sender};
/// use quintet::thread::CurrentThread;
///
/// static SAMPLES: Channel<u16, 2> = Channel::new();
///
/// SAMPLES.try_send(1).expect("there is room");
/// SAMPLES.try_send(2).expect("there is room");
/// // A message without room comes back.
/// assert_eq!(SAMPLES.try_send(3), Err(Full(3)));
/// assert!(SAMPLES.is_full());
/// assert_eq!(SAMPLES.try_receive(), Ok(1));
/// assert_eq!((SAMPLES.len(), SAMPLES.free_capacity(), SAMPLES.capacity()), (1, 1, 2));
/// SAMPLES.clear();
/// assert_eq!(SAMPLES.try_receive(), Err(Empty));
/// assert!(SAMPLES.is_empty());
///
/// // One end of the channel, for a function that needs only this end.
/// async fn produce(samples: Sender<'_, u16, 2>) {
///     samples.send(4).await;
/// }
///
/// fn consume(this: &CurrentThread<'_>, samples: Receiver<'_, u16, 2>) -> u16 {
///     samples.receive().block(this)
/// }
/// # let _ = consume;
///
/// embassy_futures::block_on(produce(SAMPLES.sender()));
/// assert_eq!(SAMPLES.receiver().try_receive(), Ok(4));
/// ```
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
///
/// # Cost
/// To send or to receive, a context takes the kernel's lock once for messages of up to two words,
/// and twice for larger ones, which are moved with the lock open. If another context waits for the
/// message or for the place, the lock is taken once more to hand this over. A context that has to
/// wait takes the lock more often.
///
/// A static channel of large messages, or of more than 128 bytes of small ones, takes no room in
/// flash ([`sync`](crate::sync#cost)). For small messages, each send then takes two instructions
/// more.
pub struct Channel<T, const N: usize> {
    /// The slots that were used and are free, and the waiters for one.
    free: KernelCell<Tokens>,
    /// The messages that can be taken, and the waiters for one.
    queued: KernelCell<Tokens>,
    /// The number of slots that were ever used, or are counted. The other slots can be claimed as
    /// well. Written under the lock.
    used: AtomicU8,
    links: KernelCell<Links<N>>,
    slots: [UnsafeCell<MaybeUninit<T>>; N],
}

// SAFETY: INVARIANT(slot-owned): one context at a time has a message, for which `T: Send` is
// enough.
unsafe impl<T: Send, const N: usize> Sync for Channel<T, N> {}

/// The channel is full. Returns the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Full<T>(pub T);

impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Full(..)")
    }
}

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the channel is full: wait until there is room, or make it longer")
    }
}

impl<T> ::core::error::Error for Full<T> {}

/// The channel has no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Empty;

impl fmt::Display for Empty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the channel has no message: wait for one, or try again later")
    }
}

impl ::core::error::Error for Empty {}

impl<T, const N: usize> Channel<T, N> {
    /// `true` if messages are moved under the lock.
    const SMALL: bool = size_of::<T>() <= SMALL;

    /// `true` if the channel begins with all zeros. With small messages, each send of such a
    /// channel checks whether the channel has begun. So a channel that takes little room in flash
    /// doesn't begin with zeros.
    const ZEROS: bool = !Self::SMALL || size_of::<[T; N]>() > SHORT;

    /// Makes an empty channel.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(1 <= N && N <= 255, "a channel has 1 to 255 places") };
        Self {
            free: KernelCell::new(Self::tokens(N)),
            queued: KernelCell::new(Self::tokens(0)),
            used: AtomicU8::new(if Self::ZEROS { 0 } else { N as u8 }),
            links: KernelCell::new(Links::new(Self::ZEROS)),
            slots: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
        }
    }

    /// Makes `count` tokens, or zeros for now.
    const fn tokens(count: usize) -> Tokens {
        if Self::ZEROS { Tokens::zeros() } else { Tokens::new(count as u16, N as u16) }
    }

    /// Sends a message, if there is room.
    ///
    /// # Errors
    /// [`Full`] with the message, if there is no room. A place that was handed to a waiting sender
    /// is taken, even before that sender has used the place.
    #[inline]
    pub fn try_send(&self, message: T) -> Result<(), Full<T>> {
        self.send_with(message, |lock| self.take_free(lock))
    }

    /// Waits until there is room, and sends a message.
    ///
    /// # Cancel safety
    /// If you drop the future, it drops the message, unless it has sent the message already, and
    /// gives up its place among the waiters. To keep the message, wait for room and use
    /// [`try_send`](Self::try_send), or don't drop the future.
    #[inline]
    pub const fn send(&self, message: T) -> Sending<'_, T, N> {
        Sending::new(self, message)
    }

    /// Receives the first message, if there is one.
    ///
    /// # Errors
    /// [`Empty`] if there is none. A message that was handed to a waiting receiver is gone, even
    /// before that receiver has used the message.
    #[inline]
    pub fn try_receive(&self) -> Result<T, Empty> {
        self.receive_with(|lock| self.queued.get(lock).take_one(lock))
    }

    /// Waits for a message, and receives it.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no message, and gives up its place among the waiters.
    #[inline]
    pub const fn receive(&self) -> Receiving<'_, T, N> {
        Receiving::new(self)
    }

    /// Receives and drops all present messages. Messages that are sent meanwhile may stay.
    pub fn clear(&self) {
        for _ in 0..N {
            if self.try_receive().is_err() {
                return;
            }
        }
    }

    /// Returns the handle of a sender, for functions that only send.
    #[must_use]
    pub const fn sender(&self) -> Sender<'_, T, N> {
        Sender::new(self)
    }

    /// Returns the handle of a receiver, for functions that only receive.
    #[must_use]
    pub const fn receiver(&self) -> Receiver<'_, T, N> {
        Receiver::new(self)
    }

    /// Returns the number of messages that the channel can hold.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Returns the number of messages that can be received now. Another task may change this at any
    /// time.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(kernel(|lock| self.queued.get(lock).count(lock)))
    }

    /// Returns `true` if no message can be received now. Another task may change this at any time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of messages for which there is room now. Another task may change this at
    /// any time.
    #[must_use]
    pub fn free_capacity(&self) -> usize {
        kernel(|lock| {
            usize::from(self.free.get(lock).count(lock)) + N
                - usize::from(self.used.load(Ordering::Relaxed))
        })
    }

    /// Returns `true` if there is no room now. Another task may change this at any time.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.free_capacity() == 0
    }

    /// Sends a message, if `token` gets a token of `free`.
    #[inline(always)]
    fn send_with(
        &self,
        message: T,
        token: impl FnOnce(&KernelLock<'_>) -> bool,
    ) -> Result<(), Full<T>> {
        let message = ManuallyDrop::new(message);
        // SAFETY: after a move, `message` is used no more.
        let sent = unsafe { self.send_from(&raw const *message, token) };
        if sent { Ok(()) } else { Err(Full(ManuallyDrop::into_inner(message))) }
    }

    /// Sends a message, if `token` gets a token of `free`. The message is copied once, from its
    /// place. Returns `true` if the message was sent.
    ///
    /// # Safety
    /// `message` is valid. After the result `true`, the message has moved away.
    #[inline(always)]
    unsafe fn send_from(
        &self,
        message: *const T,
        token: impl FnOnce(&KernelLock<'_>) -> bool,
    ) -> bool {
        self.begin();
        if Self::SMALL {
            let section = |lock: &KernelLock<'_>| {
                if !token(lock) {
                    return (false, SectionEnd::End);
                }
                // SAFETY: the token; the message is the caller's.
                (true, unsafe { self.append(lock, message) })
            };
            return kernel_and_then(section, |(), pause| hand_over(&self.queued, pause));
        }
        // SAFETY: the token: INVARIANT(counted).
        let claimed = kernel(|lock| token(lock).then(|| unsafe { self.links.get(lock).claim() }));
        let Some(slot) = claimed else { return false };
        // SAFETY: claimed just now; the message is the caller's.
        unsafe { self.fill(slot, message) };
        true
    }

    /// Sends a small message. The rest is to hand a token of `queued` over.
    ///
    /// # Safety
    /// The caller has a token of `free`.
    #[inline(always)]
    unsafe fn append(&self, lock: &KernelLock<'_>, message: *const T) -> SectionEnd<()> {
        // SAFETY: the token: INVARIANT(counted). The slot is INVARIANT(slot-owned).
        unsafe {
            self.slot(self.links.get(lock).append(Self::ZEROS))
                .copy_from_nonoverlapping(message, 1);
        }
        self.queued.get(lock).count_unless_waited(lock)
    }

    /// Sends a large message.
    ///
    /// # Safety
    /// The caller has claimed the slot, and moves the message away.
    #[inline(always)]
    unsafe fn fill(&self, slot: u8, message: *const T) {
        // SAFETY: INVARIANT(slot-owned): claimed.
        unsafe { self.slot(slot).copy_from_nonoverlapping(message, 1) };
        let section = |lock: &KernelLock<'_>| {
            // SAFETY: claimed and filled.
            unsafe { self.links.get(lock).publish(slot) };
            ((), self.queued.get(lock).count_unless_waited(lock))
        };
        kernel_and_then(section, |(), pause| hand_over(&self.queued, pause));
    }

    /// Takes a token of `free`, or a slot that was never used, if there is one.
    ///
    /// A channel of large messages counts no token at the beginning. So the channel is all zeros,
    /// which take no room in the program's image.
    #[inline(always)]
    fn take_free(&self, lock: &KernelLock<'_>) -> bool {
        if self.free.get(lock).take_one(lock) {
            return true;
        }
        if Self::SMALL {
            return false;
        }
        let used = self.used.load(Ordering::Relaxed);
        let fresh = usize::from(used) < N;
        if fresh {
            self.used.store(used + 1, Ordering::Relaxed);
        }
        fresh
    }

    /// Counts the slots before the first small message: INVARIANT(begun). In a separate section, as
    /// this and a send together would hold the lock too long.
    #[inline(always)]
    fn begin(&self) {
        if Self::SMALL && Self::ZEROS && self.used.load(Ordering::Relaxed) == 0 {
            links::begin(&self.free, &self.used, N as u8);
        }
    }

    /// Receives a message, if `token` gets a token of `queued`.
    #[inline(always)]
    fn receive_with(&self, token: impl FnOnce(&KernelLock<'_>) -> bool) -> Result<T, Empty> {
        if !Self::SMALL {
            // SAFETY: the token: INVARIANT(counted).
            let taken = kernel(|lock| token(lock).then(|| unsafe { self.links.get(lock).take() }));
            // SAFETY: taken just now.
            return taken.map(|slot| unsafe { self.empty(slot) }).ok_or(Empty);
        }
        let section = |lock: &KernelLock<'_>| {
            if !token(lock) {
                return (Err(Empty), SectionEnd::End);
            }
            // SAFETY: the token.
            let (message, then) = unsafe { self.remove(lock) };
            (Ok(message), then)
        };
        kernel_and_then(section, |(), pause| hand_over_cold(&self.free, pause))
    }

    /// Receives a message whose token the caller was granted.
    ///
    /// # Safety
    /// The caller has a token of `queued`, and uses the token once.
    #[inline(always)]
    unsafe fn receive_granted(&self) -> T {
        if !Self::SMALL {
            // SAFETY: the token: INVARIANT(counted); taken just now.
            return unsafe { self.empty(kernel(|lock| self.links.get(lock).take())) };
        }
        // SAFETY: the token.
        let section = |lock: &KernelLock<'_>| unsafe { self.remove(lock) };
        kernel_and_then(section, |(), pause| hand_over_cold(&self.free, pause))
    }

    /// Receives a small message. The rest is to hand a token of `free` over.
    ///
    /// # Safety
    /// The caller has a token of `queued`.
    #[inline(always)]
    unsafe fn remove(&self, lock: &KernelLock<'_>) -> (T, SectionEnd<()>) {
        // SAFETY: the token: INVARIANT(counted). The slot is INVARIANT(slot-owned), and holds a
        // message.
        let message = unsafe { self.slot(self.links.get(lock).remove(Self::ZEROS)).read() };
        (message, self.free.get(lock).count_unless_waited(lock))
    }

    /// Receives a large message. A separate function: it is long, and every way to receive ends
    /// with it.
    ///
    /// # Safety
    /// The caller has taken the slot from the queue.
    #[inline(never)]
    unsafe fn empty(&self, slot: u8) -> T {
        // SAFETY: INVARIANT(slot-owned): taken from the queue, so there is a message.
        let message = unsafe { self.slot(slot).read() };
        let section = |lock: &KernelLock<'_>| {
            // SAFETY: taken and emptied.
            unsafe { self.links.get(lock).release(slot) };
            ((), self.free.get(lock).count_unless_waited(lock))
        };
        kernel_and_then(section, |(), pause| hand_over_cold(&self.free, pause));
        message
    }

    /// Returns the place of a slot's message.
    ///
    /// # Safety
    /// The slot is one of the channel's.
    #[inline(always)]
    unsafe fn slot(&self, slot: u8) -> *mut T {
        // SAFETY: the caller's.
        unsafe { self.slots.get_unchecked(usize::from(slot)) }.get().cast()
    }
}

impl<T, const N: usize> Default for Channel<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Drop for Channel<T, N> {
    fn drop(&mut self) {
        // No context has a token any more, as futures borrow the channel.
        self.clear();
    }
}

impl<T, const N: usize> fmt::Debug for Channel<T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Channel").field("len", &self.len()).field("capacity", &N).finish()
    }
}
