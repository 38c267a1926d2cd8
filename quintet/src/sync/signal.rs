//! [`Signal`]: the latest value of something.
//!
//! The next value replaces a value that has not been taken. While there is a value, there is one
//! token: either the signal has the token, or the waiter that was handed it.

#![expect(unsafe_code, reason = "futures are made of pinned ones")]

use ::core::cell::Cell;
use ::core::future::Future;
use ::core::mem::{needs_drop, offset_of};
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::task::{Context, Poll, ready};

use super::tokens::{Tokens, hand_over};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::section::{SectionEnd, kernel_and_then, kernel_and_wake};
use crate::core::wait::{Part, WaitFor};
#[cfg(threads)]
use crate::{
    core::wait::block_for_token,
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    sync::tokens::take_and,
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// The latest value of something: a new value replaces a value that no task has taken yet.
///
/// For events without data, use `Signal<()>`. If several tasks wait, each value goes to the first
/// of them. If another value comes before that task has taken its own, the new value replaces it.
/// Without data there is nothing to replace, so the event stays for the next wait.
///
/// ```
/// use quintet::sync::{Operation, Signal, Unset};
/// use quintet::thread::CurrentThread;
///
/// static TEMPERATURE: Signal<i16> = Signal::new();
///
/// TEMPERATURE.signal(20);
/// TEMPERATURE.signal(21); // The last value counts.
/// assert!(TEMPERATURE.signaled());
/// assert_eq!(TEMPERATURE.try_take(), Ok(21));
/// assert_eq!(TEMPERATURE.try_take(), Err(Unset));
/// TEMPERATURE.signal(22);
/// TEMPERATURE.reset();
/// assert!(!TEMPERATURE.signaled());
///
/// async fn task() -> i16 {
///     TEMPERATURE.wait().await
/// }
///
/// fn thread(this: &CurrentThread<'_>) -> i16 {
///     TEMPERATURE.wait().block(this)
/// }
/// # let _ = thread;
///
/// TEMPERATURE.signal(23);
/// assert_eq!(embassy_futures::block_on(task()), 23);
/// ```
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
///
/// # Cost
/// A value is moved in and out under the kernel's lock: keep values small (a few words), or signal
/// an index or a reference.
pub struct Signal<T> {
    /// INVARIANT(token-for-value): there is a token only while there is a value. A value has a
    /// token at the latest when the `signal` that brought the value returns. A value without size
    /// and destructor isn't stored: the token alone stands for it.
    value: KernelCell<Cell<Option<T>>>,
    token: KernelCell<Tokens>,
}

/// There is no value, or another waiter was handed the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unset;

impl ::core::fmt::Display for Unset {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("nothing was signalled: wait for it, or try again later")
    }
}

impl ::core::error::Error for Unset {}

impl<T> Signal<T> {
    /// `true` if a value has no content: then the token alone stands for the value, and `value`
    /// stays empty.
    const BARE: bool = size_of::<T>() == 0 && !needs_drop::<T>();

    /// `true` if a value is as short as a pointer: the section that wakes also moves the value.
    /// With a longer value, or a check for a destructor, this section would be too long.
    const SMALL: bool = size_of::<Option<T>>() <= size_of::<usize>() && !needs_drop::<T>();

    /// Makes a signal without a value.
    #[must_use]
    pub const fn new() -> Self {
        // A signal of a long value must begin with zeros, or the value would lie in the program's
        // image. No token is given for a second value, so these tokens need no limit.
        let long = !Self::BARE && !Self::SMALL;
        let token = if long { Tokens::zeros() } else { Tokens::new(0, 1) };
        Self { value: KernelCell::new(Cell::new(None)), token: KernelCell::new(token) }
    }

    /// Signals `value`: to the first waiter, or for the next one. Replaces a value that has not
    /// been taken, and drops the old value.
    #[inline]
    pub fn signal(&self, value: T) {
        if Self::BARE {
            // If no task has taken the old event, this one replaces it.
            let _counted = kernel_and_wake(|lock| self.token.get(lock).give(lock));
            return;
        }
        if Self::SMALL {
            // An old value had the token, which is now for the new value.
            return kernel_and_wake(|lock| {
                let replaced = self.value.get(lock).replace(Some(value));
                let give = replaced.is_none();
                ((), if give { self.token.get(lock).put_back(lock) } else { None })
            });
        }
        let section = |lock: &KernelLock<'_>| {
            let replaced = self.value.get(lock).replace(Some(value));
            let then = match replaced {
                Some(_) => SectionEnd::End,
                None => self.token.get(lock).count_unless_waited(lock),
            };
            (replaced, then)
        };
        // The replaced value is dropped with the lock released.
        let _replaced = kernel_and_then(section, |(), pause| hand_over(&self.token, pause));
    }

    /// Takes the value, if there is one and no waiter was handed it.
    ///
    /// # Errors
    /// [`Unset`] if there is none.
    #[inline]
    pub fn try_take(&self) -> Result<T, Unset> {
        let value = kernel(|lock| {
            // SAFETY: the token.
            self.token.get(lock).take_one(lock).then(|| unsafe { self.take_value(lock) })
        });
        value.ok_or(Unset)
    }

    /// Waits for a value, and takes it.
    ///
    /// # Cancel safety
    /// If you drop the future, it takes no value, and gives up its place among the waiters.
    #[inline]
    pub const fn wait(&self) -> Waiting<'_, T> {
        Waiting { wait: WaitFor::new(self, ()) }
    }

    /// Takes the value, which exists by INVARIANT(token-for-value).
    ///
    /// # Safety
    /// The caller has a token, and takes one value for this token.
    #[inline(always)]
    unsafe fn take_value(&self, lock: &KernelLock<'_>) -> T {
        if Self::BARE {
            // SAFETY: a value without size was signalled for the token, and nothing else is stored.
            // So the value may be made again, once.
            return unsafe { NonNull::<T>::dangling().read() };
        }
        // SAFETY: the token: INVARIANT(token-for-value).
        unsafe { self.value.get(lock).take().unwrap_unchecked() }
    }

    /// Takes the value in a separate section.
    ///
    /// # Safety
    /// The caller was granted a token, and takes one value for this token.
    #[inline(always)]
    unsafe fn take_granted(&self) -> T {
        if Self::BARE {
            // SAFETY: as above.
            return unsafe { NonNull::<T>::dangling().read() };
        }
        // SAFETY: the caller's.
        kernel(|lock| unsafe { self.take_value(lock) })
    }

    /// Drops the value, if there is one and no waiter was handed it.
    pub fn reset(&self) {
        let _dropped = self.try_take();
    }

    /// Returns `true` if there is a value to take now. Another task may change this at any time.
    #[must_use]
    pub fn signaled(&self) -> bool {
        kernel(|lock| self.token.get(lock).count(lock)) != 0
    }
}

impl<T> Default for Signal<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> ::core::fmt::Debug for Signal<T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("Signal").field("signaled", &self.signaled()).finish()
    }
}

// SAFETY: the field's offset.
unsafe impl<T> Part for Signal<T> {
    type Whole = Self;
    type Supply = Tokens;

    const OFFSET: usize = offset_of!(Self, token);
}

/// The future of [`Signal::wait`].
#[must_use = "no value is taken until it is awaited"]
pub struct Waiting<'a, T: 'a> {
    wait: WaitFor<'a, Signal<T>>,
}

debug_by_name!([T] Waiting<'_, T>: "Waiting");

impl<T> Future for Waiting<'_, T> {
    type Output = T;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // SAFETY: the one field is never moved out of a pinned future.
        let wait = unsafe { self.map_unchecked_mut(|this| &mut this.wait) };
        let signal = wait.whole();
        ready!(wait.wait().poll(context));
        // SAFETY: the future has a token.
        Poll::Ready(unsafe { signal.take_granted() })
    }
}

#[cfg(threads)]
impl<T> Sealed for Waiting<'_, T> {}

#[cfg(threads)]
impl<T> Operation for Waiting<'_, T> {
    type Output = T;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> T {
        let signal = self.wait.into_whole();
        if Signal::<T>::BARE {
            block_for_token(&signal.token);
            // SAFETY: the thread has a token.
            return unsafe { signal.take_granted() };
        }
        // SAFETY: the token.
        take_and(&signal.token, |lock| unsafe { signal.take_value(lock) })
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<T, TimedOut> {
        let signal = self.wait.into_whole();
        until(&signal.token, (), deadline, |()| ())?;
        // SAFETY: the thread was granted a token.
        Ok(unsafe { signal.take_granted() })
    }
}
