//! [`InheritanceMutex`] and [`CeilingMutex`]: a value that one thread has at a time, also while that
//! thread waits for something else.
//!
//! A thread that waits for a mutex waits for its owner, which may be less urgent than threads that
//! have nothing to do with either. Both kinds bound that time:
//!
//! - *Inheritance*: the owner has at least the priority of whoever waits for the mutex, along the
//!   whole chain if it waits for another mutex itself. Costs nothing until somebody waits.
//! - *Ceiling*: the owner has the highest priority of all users as long as it has the mutex. A thread
//!   then waits at most for one section of one less urgent thread, however many mutexes it takes,
//!   and if no owner waits for anything, threads never wait for each other in a circle.
//!
//! Where a section never waits, a shared resource of the application is cheaper than either.

#![expect(unsafe_code, reason = "a mutex hands out exclusive references")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::fmt;
use ::core::marker::PhantomData;
use ::core::ops::{Deref, DerefMut};

use crate::core::lock::{Kernel, kernel};
use crate::core::ownership::{Itself, Ownership, WithCeiling};
use crate::core::scheduler::{PRIORITY_MAX, SCHEDULER};
use crate::thread::This;

/// A mutex of threads with priority inheritance.
///
/// # Cost
/// 16 bytes beside the value. Nobody waits: one exclusive access to take it, one to leave it, and
/// nothing is masked. Somebody waits: a section of the kernel's lock for each, plus one for each
/// further owner along the chain, and for each place that a waiter is moved by.
pub type InheritanceMutex<T, R = Once> = ThreadMutex<T, Inheritance, R>;

/// A mutex of threads with an immediate priority ceiling.
///
/// # Cost
/// 20 bytes beside the value. A section of the kernel's lock to take it, and one to leave it.
pub type CeilingMutex<T, R = Once> = ThreadMutex<T, Ceiling, R>;

/// A value that one thread has at a time: an [`InheritanceMutex`] or a [`CeilingMutex`].
///
/// # Contexts
/// Threads only: the owner is one, and interrupt tasks can't wait. Other contexts share a value by a
/// resource of the application.
///
/// # Who is served
/// Waiters are served by priority, and first come first served within one. The mutex is handed over
/// to the first; whoever comes later can't take it away.
///
/// # Recursion
/// With [`Recursive`] a thread may lock again what it has locked. Its guards then give shared
/// references only: put a `Cell` inside. With [`Once`], that is an error.
pub struct ThreadMutex<T: ?Sized, P, R = Once> {
    protocol: P,
    /// INVARIANT(owner-only): touched by the owner only.
    recursion: R,
    /// INVARIANT(one-owner): reached by the owner only.
    value: UnsafeCell<T>,
}

// SAFETY: INVARIANT(one-owner), INVARIANT(owner-only): threads take turns, for which `T: Send` is
// enough.
unsafe impl<T: ?Sized + Send, P: Protocol, R: Recursion> Sync for ThreadMutex<T, P, R> {}
// SAFETY: it owns the value; a mutex that somebody has is borrowed.
unsafe impl<T: ?Sized + Send, P: Protocol, R: Recursion> Send for ThreadMutex<T, P, R> {}

/// Why a mutex can't be locked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockError {
    /// Another thread has it.
    Locked,
    /// The thread has it itself, and it isn't recursive: waiting for it would never end.
    Deadlock,
    /// The thread's own priority is above the mutex's ceiling.
    AboveCeiling,
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
        })
    }
}

impl ::core::error::Error for LockError {}

/// Priority inheritance.
#[derive(Debug)]
pub struct Inheritance {
    ownership: Ownership,
}

/// An immediate priority ceiling.
#[derive(Debug)]
pub struct Ceiling {
    ownership: WithCeiling,
}

/// A mutex that its owner can't lock again.
#[derive(Debug)]
pub struct Once(());

/// A mutex that its owner may lock again, up to 65 535 times. Two bytes.
#[derive(Debug)]
pub struct Recursive {
    /// How many guards there are beside the first.
    more: Cell<u16>,
}

impl<T> InheritanceMutex<T> {
    /// A mutex that nobody has.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self::with(Inheritance { ownership: Ownership::new() }, Once(()), value)
    }
}

impl<T> InheritanceMutex<T, Recursive> {
    /// A mutex that nobody has, and that its owner may lock again.
    #[must_use]
    pub const fn recursive(value: T) -> Self {
        let recursion = Recursive { more: Cell::new(0) };
        Self::with(Inheritance { ownership: Ownership::new() }, recursion, value)
    }
}

impl<T> CeilingMutex<T> {
    /// A mutex that nobody has, for threads whose priorities are at most `ceiling`.
    ///
    /// # Panics
    /// If `ceiling` is no priority of a thread; at compile time where the mutex is a static.
    #[must_use]
    pub const fn new(ceiling: u8, value: T) -> Self {
        Self::with(Ceiling::new(ceiling), Once(()), value)
    }
}

impl<T> CeilingMutex<T, Recursive> {
    /// A mutex that nobody has, for threads whose priorities are at most `ceiling`, and that its
    /// owner may lock again.
    ///
    /// # Panics
    /// If `ceiling` is no priority of a thread; at compile time where the mutex is a static.
    #[must_use]
    pub const fn recursive(ceiling: u8, value: T) -> Self {
        Self::with(Ceiling::new(ceiling), Recursive { more: Cell::new(0) }, value)
    }
}

impl<T, P: Protocol, R: Recursion> ThreadMutex<T, P, R> {
    const fn with(protocol: P, recursion: R, value: T) -> Self {
        Self { protocol, recursion, value: UnsafeCell::new(value) }
    }

    /// The value of a mutex that is no longer needed.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized, P: Protocol, R: Recursion> ThreadMutex<T, P, R> {
    /// Gives the value to the thread until the guard is dropped. It waits until nobody else has it.
    ///
    /// # Panics
    /// If the thread would wait for itself, or is above the ceiling: see [`LockError`]. If it has to
    /// wait, and holds a resource.
    #[inline]
    #[track_caller]
    pub fn lock_blocking(&self, _this: &This<'_>) -> ThreadMutexGuard<'_, T, P, R> {
        if !self.protocol.try_enter() {
            self.lock_slowly();
        }
        self.guard()
    }

    /// Gives the value to the thread until the guard is dropped, if nobody else has it.
    ///
    /// # Errors
    /// Why it can't, by [`LockError`].
    #[inline]
    pub fn try_lock(&self, _this: &This<'_>) -> Result<ThreadMutexGuard<'_, T, P, R>, LockError> {
        if !self.protocol.try_enter() {
            self.try_slowly()?;
        }
        Ok(self.guard())
    }

    /// Whether somebody has it. Another thread may change that at any time.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.protocol.ownership().owner().is_some()
    }

    /// The value of a mutex that nobody else can reach.
    pub const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[inline(always)]
    const fn guard(&self) -> ThreadMutexGuard<'_, T, P, R> {
        ThreadMutexGuard { mutex: self, not_send: PhantomData }
    }

    /// Somebody has it, or the first look was disturbed.
    #[inline(never)]
    #[track_caller]
    fn lock_slowly(&self) {
        if R::RECURSIVE && self.protocol.ownership().is_mine() {
            return self.recursion.deeper();
        }
        if !self.protocol.admits() {
            refuse(LockError::AboveCeiling);
        }
        if self.protocol.enter_blocking() == Err(Itself) {
            refuse(LockError::Deadlock);
        }
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
        // A first look may be disturbed, and say no though nobody has it.
        if kernel(|lock| self.protocol.enter(lock)) { Ok(()) } else { Err(LockError::Locked) }
    }
}

/// Says which thread can't lock a mutex, and why.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse(error: LockError) -> ! {
    panic!("thread `{}`: {error}", SCHEDULER.name())
}

impl<T: ?Sized, P: Protocol, R: Recursion> fmt::Debug for ThreadMutex<T, P, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = self.protocol.ownership().owner();
        let owner = owner.map(|control| control.about.name);
        formatter.debug_struct("ThreadMutex").field("owner", &owner).finish_non_exhaustive()
    }
}

/// The value of a [`ThreadMutex`], until it is dropped. It stays with its thread.
#[must_use = "a mutex is unlocked when the guard is dropped"]
pub struct ThreadMutexGuard<'a, T: ?Sized, P: Protocol, R: Recursion = Once> {
    mutex: &'a ThreadMutex<T, P, R>,
    not_send: PhantomData<*const ()>,
}

// SAFETY: it stands for a reference to the value.
unsafe impl<T: ?Sized + Sync, P: Protocol, R: Recursion> Sync for ThreadMutexGuard<'_, T, P, R> {}

impl<T: ?Sized, P: Protocol, R: Recursion> Deref for ThreadMutexGuard<'_, T, P, R> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(one-owner); guards of a recursive mutex give shared references only.
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

impl<T: ?Sized, P: Protocol, R: Recursion> Drop for ThreadMutexGuard<'_, T, P, R> {
    #[inline]
    fn drop(&mut self) {
        if self.mutex.recursion.is_last() && !self.mutex.protocol.try_leave() {
            self.mutex.protocol.ownership().leave();
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

impl Ceiling {
    const fn new(ceiling: u8) -> Self {
        assert!(
            0 < ceiling && ceiling <= PRIORITY_MAX,
            "a ceiling is a thread's priority: 1 to 31"
        );
        Self { ownership: WithCeiling::new(ceiling) }
    }
}

/// How a mutex bounds the time for which its owner can be held up. Sealed: there are two.
#[doc(hidden)]
pub trait Protocol: sealed::Sealed {
    /// Takes it, if nobody has it. May fail although nobody has.
    fn try_enter(&self) -> bool;
    /// Takes it, if nobody has it.
    fn enter(&self, lock: &Kernel<'_>) -> bool;
    /// Takes it; waits until nobody has it.
    ///
    /// # Errors
    /// [`Itself`] if the thread has it already.
    fn enter_blocking(&self) -> Result<(), Itself>;
    /// Leaves it, if that is simple.
    fn try_leave(&self) -> bool;
    /// Whether the running thread may have it.
    fn admits(&self) -> bool;
    /// Whose it is.
    fn ownership(&self) -> &Ownership;
}

impl Protocol for Inheritance {
    #[inline(always)]
    fn try_enter(&self) -> bool {
        self.ownership.try_enter()
    }

    fn enter(&self, lock: &Kernel<'_>) -> bool {
        self.ownership.enter(lock).is_ok()
    }

    #[inline(always)]
    fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_blocking()
    }

    #[inline(always)]
    fn try_leave(&self) -> bool {
        self.ownership.try_leave()
    }

    #[inline(always)]
    fn admits(&self) -> bool {
        true
    }

    #[inline(always)]
    fn ownership(&self) -> &Ownership {
        &self.ownership
    }
}

impl Protocol for Ceiling {
    #[inline(always)]
    fn try_enter(&self) -> bool {
        self.admits() && kernel(|lock| self.enter(lock))
    }

    #[inline(always)]
    fn enter(&self, lock: &Kernel<'_>) -> bool {
        self.ownership.enter(lock).is_ok()
    }

    #[inline(always)]
    fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_blocking()
    }

    #[inline(always)]
    fn try_leave(&self) -> bool {
        false
    }

    #[inline(always)]
    fn admits(&self) -> bool {
        SCHEDULER.running().own_base() <= self.ownership.ceiling()
    }

    #[inline(always)]
    fn ownership(&self) -> &Ownership {
        self.ownership.ownership()
    }
}

/// Whether the owner of a mutex may lock it again. Sealed: it may, or not.
#[doc(hidden)]
pub trait Recursion: sealed::Sealed {
    /// Whether it may.
    const RECURSIVE: bool;
    /// The owner has one more guard.
    fn deeper(&self);
    /// The owner has one guard less: whether that was the last.
    fn is_last(&self) -> bool;
}

impl Recursion for Once {
    const RECURSIVE: bool = false;

    fn deeper(&self) {}

    #[inline(always)]
    fn is_last(&self) -> bool {
        true
    }
}

impl Recursion for Recursive {
    const RECURSIVE: bool = true;

    fn deeper(&self) {
        let Some(more) = self.more.get().checked_add(1) else { too_deep() };
        self.more.set(more);
    }

    #[inline(always)]
    fn is_last(&self) -> bool {
        let Some(less) = self.more.get().checked_sub(1) else { return true };
        self.more.set(less);
        false
    }
}

#[cold]
#[inline(never)]
fn too_deep() -> ! {
    panic!(
        "thread `{}`: a mutex was locked more than 65 536 times by its owner: drop its guards",
        SCHEDULER.name()
    )
}

mod sealed {
    /// Implemented here only.
    pub trait Sealed {}
    impl Sealed for super::Inheritance {}
    impl Sealed for super::Ceiling {}
    impl Sealed for super::Once {}
    impl Sealed for super::Recursive {}
}
