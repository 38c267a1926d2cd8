//! [`InheritanceMutex`] and [`CeilingMutex`]: a value that one thread has at a time, even while
//! that thread waits for something else.
//!
//! A thread that waits for a mutex waits for the owner, which may be less urgent than threads that
//! use neither the mutex nor its owner. Both kinds limit that time:
//!
//! - *Inheritance*: the owner has at least the priority of each waiter, along the whole chain if
//!   the owner itself waits for another mutex. Costs nothing until a thread waits.
//! - *Ceiling*: the owner has the highest priority of all users as long as it has the mutex. A
//!   thread then waits at most for one section of one less urgent thread, for any number of
//!   mutexes. If no owner waits for anything, threads never wait for each other in a circle.
//!
//! If a section never waits, a shared resource of the application is cheaper than both.

#![expect(unsafe_code, reason = "a mutex hands out exclusive references")]

use ::core::cell::UnsafeCell;
use ::core::fmt;
use ::core::marker::PhantomData;
use ::core::ops::{Deref, DerefMut};

use crate::core::lock::KernelLock;
use crate::core::ownership::{Itself, Ownership};
use crate::core::scheduler::SCHEDULER;
#[cfg(feature = "time")]
use crate::core::{list::Waiter, park};
use crate::sync::operation::{Operation, sealed::Sealed};
use crate::thread::CurrentThread;
#[cfg(feature = "time")]
use embassy_time::Instant;

pub use protocol::{Ceiling, Inheritance, LockedFor, Once, Protocol, Recursion, Recursive};

mod protocol;
#[cfg(feature = "time")]
mod timed;

/// A mutex of threads with priority inheritance.
///
/// # Cost
/// 16 bytes beside the value. Without waiters, one exclusive access takes the mutex, another leaves
/// it, and nothing is masked. With a waiter, on a Cortex-M from ARMv7-M on, it takes a section of
/// the kernel's lock to take the mutex and one to leave it, if this waiter and this mutex alone
/// count for the owner's priority. Otherwise, and on other processors, it takes about ten to take
/// it and a dozen to leave it, and some more for each further owner along the chain, for each other
/// mutex of an owner that others wait for, and for each place by which a waiter is moved.
pub type InheritanceMutex<T, R = Once> = ThreadMutex<T, Inheritance, R>;

/// A mutex of threads with an immediate priority ceiling.
///
/// The mutex must be a static, or lent for ever in another way: as long as a thread has the mutex,
/// the thread's control block points to it, even if the guard is forgotten. So any other mutex is
/// refused:
///
/// ```compile_fail,E0597
/// use quintet::sync::{CeilingMutex, Operation};
/// use quintet::thread::CurrentThread;
///
/// fn thread(this: &CurrentThread<'_>) {
///     let mutex = CeilingMutex::new(3, 0);
///     *mutex.lock().block(this) += 1; // `mutex` does not live long enough
/// }
/// ```
///
/// # Cost
/// 20 bytes beside the value. On a Cortex-M from ARMv7-M on, one section of the kernel's lock to
/// take the mutex and one to leave it, if nobody waits and the owner has no other mutex that counts
/// for its priority; otherwise, and on other processors, about eight each.
pub type CeilingMutex<T, R = Once> = ThreadMutex<T, Ceiling, R>;

/// A value that one thread has at a time: an [`InheritanceMutex`] or a [`CeilingMutex`].
///
/// # Contexts
/// Threads only: the owner must be a thread, and interrupt tasks can't wait. For other contexts,
/// share a value by a resource of the application.
///
/// # Order of service
/// Waiters are served by priority, and first come first served within one priority. The mutex is
/// handed over to the first waiter; no later thread can take it away.
///
/// # Recursion
/// With [`Recursive`] the owner may lock the mutex again. The guards then give only shared
/// references: put a `Cell` inside. With [`Once`], a second lock is an error.
pub struct ThreadMutex<T: ?Sized, P, R = Once> {
    protocol: P,
    /// INVARIANT(owner-only): only the owner touches this field.
    recursion: R,
    /// INVARIANT(one-owner): only the owner reaches this field.
    value: UnsafeCell<T>,
}

// SAFETY: INVARIANT(one-owner), INVARIANT(owner-only): threads take turns, for which `T: Send` is
// enough.
unsafe impl<T: ?Sized + Send, P: Protocol, R: Recursion> Sync for ThreadMutex<T, P, R> {}
// SAFETY: the mutex owns the value; a mutex with an owner is borrowed.
unsafe impl<T: ?Sized + Send, P: Protocol, R: Recursion> Send for ThreadMutex<T, P, R> {}

/// The reason why a mutex can't be locked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockError {
    /// Another thread has the mutex.
    Locked,
    /// The thread itself has the mutex, which isn't recursive: the wait would never end.
    Deadlock,
    /// The thread's own priority is above the mutex's ceiling.
    AboveCeiling,
    /// Another thread had the mutex until the time was up.
    TimedOut,
}

impl fmt::Display for LockError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Locked => "the mutex is locked: wait for it, or try again later",
            Self::Deadlock => {
                "deadlock: the thread has locked the mutex already: drop the first guard before, \
                 or make the mutex recursive"
            }
            Self::AboveCeiling => {
                "the thread's priority is above the mutex's ceiling: raise the ceiling to the \
                 highest priority of the threads that lock it"
            }
            Self::TimedOut => "the time was up before the mutex was left: wait longer or again",
        })
    }
}

impl ::core::error::Error for LockError {}

impl<T> InheritanceMutex<T> {
    /// Makes a mutex without an owner.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self::with(Inheritance::new(), Once::new(), value)
    }
}

impl<T> InheritanceMutex<T, Recursive> {
    /// Makes a mutex without an owner. Its owner may lock the mutex again.
    #[must_use]
    pub const fn recursive(value: T) -> Self {
        Self::with(Inheritance::new(), Recursive::new(), value)
    }
}

impl<T> CeilingMutex<T> {
    /// Makes a mutex without an owner, for threads whose priorities are at most `ceiling`.
    ///
    /// # Panics
    /// If no thread can have the priority `ceiling`; in a static, at compile time.
    #[must_use]
    #[track_caller]
    pub const fn new(ceiling: u8, value: T) -> Self {
        Self::with(Ceiling::new(ceiling), Once::new(), value)
    }
}

impl<T> CeilingMutex<T, Recursive> {
    /// Makes a mutex without an owner, for threads whose priorities are at most `ceiling`. Its
    /// owner may lock the mutex again.
    ///
    /// # Panics
    /// If no thread can have the priority `ceiling`; in a static, at compile time.
    #[must_use]
    #[track_caller]
    pub const fn recursive(ceiling: u8, value: T) -> Self {
        Self::with(Ceiling::new(ceiling), Recursive::new(), value)
    }
}

impl<T, P: Protocol, R: Recursion> ThreadMutex<T, P, R> {
    const fn with(protocol: P, recursion: R, value: T) -> Self {
        Self { protocol, recursion, value: UnsafeCell::new(value) }
    }

    /// Returns the value of a mutex that is no longer needed.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized, P: Protocol, R: Recursion> ThreadMutex<T, P, R> {
    /// Gives the value to the thread until the guard is dropped. The thread waits until no other
    /// thread has the value.
    ///
    /// If the time is up first, the owner loses the priority that it has inherited by this wait. If
    /// the thread can never lock the mutex, [`block_until`](Operation::block_until) returns the
    /// reason as a [`LockError`], and [`block`](Operation::block) panics.
    #[inline]
    pub const fn lock<'a>(&'a self) -> ThreadLocking<'a, T, P, R>
    where
        P: LockedFor<'a>,
    {
        ThreadLocking { mutex: self }
    }

    /// Gives the value to the thread until the guard is dropped, if no other thread has the value.
    ///
    /// # Errors
    /// The reason why the thread can't have the value, as a [`LockError`].
    #[inline]
    pub fn try_lock<'a>(
        &'a self,
        _this: &CurrentThread<'_>,
    ) -> Result<ThreadMutexGuard<'a, T, P, R>, LockError>
    where
        P: LockedFor<'a>,
    {
        if !self.protocol.try_enter() {
            self.try_slowly()?;
        }
        Ok(self.guard())
    }

    /// Returns `true` if a thread has the mutex. Another thread may change this at any time.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.protocol.ownership().owner().is_some()
    }

    /// Returns the value of a mutex that no other code can reach.
    pub const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Returns the ownership.
    pub(super) fn ownership(&self) -> &Ownership {
        self.protocol.ownership()
    }

    /// Locks a mutex that is borrowed for long enough.
    #[inline]
    #[track_caller]
    pub(super) fn lock_blocking(&self) -> ThreadMutexGuard<'_, T, P, R> {
        if !self.protocol.try_enter() && !self.protocol.enter_blocking() {
            self.lock_slowly();
        }
        self.guard()
    }

    #[inline(always)]
    const fn guard(&self) -> ThreadMutexGuard<'_, T, P, R> {
        ThreadMutexGuard { mutex: self, not_send: PhantomData }
    }

    /// Locks a mutex that the running thread has already, or which has a ceiling.
    #[inline(never)]
    #[track_caller]
    fn lock_slowly(&self) {
        if R::RECURSIVE && self.protocol.ownership().is_mine() {
            return self.recursion.deeper();
        }
        if !self.protocol.admits() {
            refuse(LockError::AboveCeiling);
        }
        if self.protocol.enter_slowly() == Err(Itself) {
            refuse(LockError::Deadlock);
        }
    }

    #[cfg(feature = "time")]
    #[inline(never)]
    fn lock_until(&self, deadline: Instant) -> Result<(), LockError> {
        match self.try_slowly() {
            Err(LockError::Locked) => {}
            other => return other,
        }
        let running = park::check_may_wait();
        let enter = |lock: &KernelLock<'_>| self.protocol.enter(lock);
        let ownership = self.protocol.ownership();
        // SAFETY: `wait_with` has linked the waiter, and keeps it until this returns.
        let wait = |waiter: &Waiter<()>| unsafe {
            timed::wait_until(ownership, waiter, running, deadline);
        };
        if ownership.wait_with(running, &enter, wait) { Ok(()) } else { Err(LockError::TimedOut) }
    }

    #[inline(never)]
    fn try_slowly(&self) -> Result<(), LockError> {
        if self.protocol.ownership().is_mine() {
            if !R::RECURSIVE {
                return Err(LockError::Deadlock);
            }
            self.recursion.deeper();
            return Ok(());
        }
        if !self.protocol.admits() {
            return Err(LockError::AboveCeiling);
        }
        // The first attempt may be disturbed, and fail although the mutex has no owner.
        let enter = |lock: &KernelLock<'_>| self.protocol.enter(lock);
        self.ownership().enter_now(&enter).map_err(|_owner| LockError::Locked)
    }
}

/// The operation of [`ThreadMutex::lock`].
#[must_use = "nothing is locked before a thread blocks on it"]
pub struct ThreadLocking<'a, T: ?Sized, P, R = Once> {
    mutex: &'a ThreadMutex<T, P, R>,
}

debug_by_name!([T: ?Sized, P, R] ThreadLocking<'_, T, P, R>: "ThreadLocking");

impl<T: ?Sized, P, R> Sealed for ThreadLocking<'_, T, P, R> {}

impl<'a, T: ?Sized, P: LockedFor<'a>, R: Recursion> Operation for ThreadLocking<'a, T, P, R> {
    type Output = ThreadMutexGuard<'a, T, P, R>;
    type Error = LockError;

    #[inline]
    #[track_caller]
    fn block(self, _this: &CurrentThread<'_>) -> ThreadMutexGuard<'a, T, P, R> {
        self.mutex.lock_blocking()
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(
        self,
        _this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<ThreadMutexGuard<'a, T, P, R>, LockError> {
        if !self.mutex.protocol.try_enter() {
            self.mutex.lock_until(deadline)?;
        }
        Ok(self.mutex.guard())
    }
}

/// Panics with the name of the thread that can't lock a mutex, and the reason.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse(error: LockError) -> ! {
    panic!("thread `{}`: {error}", SCHEDULER.name())
}

impl<T: Default> Default for InheritanceMutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Default> Default for InheritanceMutex<T, Recursive> {
    fn default() -> Self {
        Self::recursive(T::default())
    }
}

impl<T: ?Sized, P: Protocol, R: Recursion> fmt::Debug for ThreadMutex<T, P, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = self.protocol.ownership().owner();
        let owner = owner.map(|control| control.about.name);
        formatter.debug_struct("ThreadMutex").field("owner", &owner).finish_non_exhaustive()
    }
}

/// The value of a [`ThreadMutex`], until you drop the guard. A guard stays with its thread.
///
/// [`Condvar`](super::Condvar) leaves the mutex while the thread waits.
#[must_use = "a mutex is unlocked when the guard is dropped"]
pub struct ThreadMutexGuard<'a, T: ?Sized, P: Protocol, R: Recursion = Once> {
    mutex: &'a ThreadMutex<T, P, R>,
    not_send: PhantomData<*const ()>,
}

// SAFETY: the guard stands for a reference to the value.
unsafe impl<T: ?Sized + Sync, P: Protocol, R: Recursion> Sync for ThreadMutexGuard<'_, T, P, R> {}

impl<T: ?Sized, P: Protocol, R: Recursion> Deref for ThreadMutexGuard<'_, T, P, R> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(one-owner); guards of a recursive mutex give only shared references.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized, P: Protocol> DerefMut for ThreadMutexGuard<'_, T, P, Once> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: INVARIANT(one-owner), and there is one guard.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<'a, T: ?Sized, P: Protocol, R: Recursion> ThreadMutexGuard<'a, T, P, R> {
    /// Returns the mutex.
    #[must_use]
    pub const fn mutex(guard: &Self) -> &'a ThreadMutex<T, P, R> {
        guard.mutex
    }
}

impl<T: ?Sized, P: Protocol, R: Recursion> Drop for ThreadMutexGuard<'_, T, P, R> {
    #[inline]
    fn drop(&mut self) {
        if self.mutex.recursion.leave_one() {
            self.mutex.protocol.leave();
        }
    }
}

impl<T: ?Sized + fmt::Debug, P: Protocol, R: Recursion> fmt::Debug
    for ThreadMutexGuard<'_, T, P, R>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}
