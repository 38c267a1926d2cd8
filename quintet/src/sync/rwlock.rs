//! [`RwLock`]: a value that many threads read at a time, or one changes.
//!
//! There is one list of waiters. The list is empty unless a writer has the lock or waits for it. So
//! a newcomer that finds a waiter waits behind, and readers don't starve writers. The last context
//! to leave the lock serves the most urgent writer, or all readers if no writer waits.

#![expect(unsafe_code, reason = "a lock hands out references")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::fmt;
use ::core::marker::PhantomData;
use ::core::ops::{Deref, DerefMut};

use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Search, Visit, WaitList};
use crate::core::lock::{KernelLock, kernel};
use crate::core::section::{SectionEnd, kernel_and_then, kernel_and_wake};
use crate::core::wait::{Supply, block};
use crate::sync::operation::{Operation, TimedOut, sealed::Sealed};
use crate::thread::CurrentThread;
#[cfg(feature = "time")]
use {super::until::until, embassy_time::Instant};

/// A value that many threads read at a time, or one changes.
///
/// *Writers are preferred*: while a writer waits, no reader gets in, however urgent. When the lock
/// becomes free, the most urgent writer gets the lock, or all readers if no writer waits. Within
/// each kind the most urgent waiter is served first, and first come first served within one
/// priority.
///
/// The lock knows the number of readers, but not the threads. So no thread inherits a priority. And
/// a thread that locks the value twice waits for ever if one of the two locks is to write. The same
/// can happen with two reads if a writer begins to wait in between: the writer waits for the first
/// guard, and the second read waits for the writer. For short sections, and if an urgent thread
/// must not wait for less urgent ones, use an [`InheritanceMutex`](super::InheritanceMutex) or a
/// resource of the application.
///
/// ```
/// use quintet::sync::{InUse, Operation, RwLock};
/// use quintet::thread::CurrentThread;
///
/// static CALIBRATION: RwLock<[u16; 3]> = RwLock::new([1, 2, 3]);
///
/// fn reader(this: &CurrentThread<'_>) -> u16 {
///     let calibration = CALIBRATION.read().block(this);
///     calibration[0]
/// }
///
/// fn writer(this: &CurrentThread<'_>) {
///     CALIBRATION.write().block(this)[0] = 4;
/// }
/// # let _ = (reader, writer);
///
/// let one = CALIBRATION.try_read().expect("nobody writes");
/// let other = CALIBRATION.try_read().expect("several may read");
/// assert_eq!(CALIBRATION.try_write().err(), Some(InUse));
/// drop((one, other));
/// CALIBRATION.try_write().expect("nobody reads")[0] = 4;
///
/// let mut own = RwLock::new(1);
/// *own.get_mut() += 1;
/// assert_eq!(own.into_inner(), 2);
/// ```
///
/// # Contexts
/// Threads wait; `try_read` and `try_write` are for every context that the kernel knows of. A guard
/// stays in the context that has it.
///
/// # Cost
/// 12 bytes beside the value. To lock or to leave takes one section of the kernel's lock. To leave
/// takes one more for each waiter that is looked at, if there are waiters.
pub struct RwLock<T: ?Sized> {
    access: KernelCell<Access>,
    value: UnsafeCell<T>,
}

// SAFETY: INVARIANT(shared-or-alone).
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
// SAFETY: the lock owns the value.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}

/// Another context has the lock, or waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InUse;

impl fmt::Display for InUse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the lock is in use, or waited for: wait for it, or try again later")
    }
}

impl ::core::error::Error for InUse {}

/// The data that the kernel's lock guards.
struct Access {
    waiters: WaitList<Kind>,
    /// INVARIANT(shared-or-alone): the number of present readers, or `WRITER` if a writer has the
    /// lock alone.
    readers: Cell<u16>,
}

/// The number of readers that stands for a writer.
const WRITER: u16 = u16::MAX;

/// The kind of access that a waiter wants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
}

impl<T> RwLock<T> {
    /// Makes a lock that no context has.
    #[must_use]
    pub const fn new(value: T) -> Self {
        let access = Access { waiters: WaitList::new(), readers: Cell::new(0) };
        Self { access: KernelCell::new(access), value: UnsafeCell::new(value) }
    }

    /// Returns the value of a lock that is no longer needed.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Lets the caller read until the guard is dropped, if no writer has the lock or waits for it.
    ///
    /// # Errors
    /// [`InUse`] if a writer has the lock or waits for it.
    #[inline]
    pub fn try_read(&self) -> Result<ReadGuard<'_, T>, InUse> {
        self.attempt(Kind::Read).map(|()| self.reading())
    }

    /// Lets the caller change the value until the guard is dropped, if no context has the lock.
    ///
    /// # Errors
    /// [`InUse`] if another context has the lock, or was handed the lock.
    #[inline]
    pub fn try_write(&self) -> Result<WriteGuard<'_, T>, InUse> {
        self.attempt(Kind::Write).map(|()| self.writing())
    }

    /// Lets the thread read until the guard is dropped. The thread waits until no writer has the
    /// lock or waits for it.
    #[inline]
    pub const fn read(&self) -> Reading<'_, T> {
        Reading { lock: self }
    }

    /// Lets the thread change the value until the guard is dropped. The thread waits until no
    /// context has the lock.
    ///
    /// If the time is up first, readers that waited only for this writer continue then, whether or
    /// not its thread runs. The timer's interrupt lets them in, and takes a section of the kernel's
    /// lock for each waiter.
    #[inline]
    pub const fn write(&self) -> Writing<'_, T> {
        Writing { lock: self }
    }

    /// Returns the value of a lock that no other code can reach.
    pub const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[inline(always)]
    fn attempt(&self, kind: Kind) -> Result<(), InUse> {
        let taken = kernel(|lock| self.access.get(lock).take(lock, &kind));
        if taken { Ok(()) } else { Err(InUse) }
    }

    #[inline(always)]
    const fn reading(&self) -> ReadGuard<'_, T> {
        ReadGuard { lock: self, not_send: PhantomData }
    }

    #[inline(always)]
    const fn writing(&self) -> WriteGuard<'_, T> {
        WriteGuard { lock: self, not_send: PhantomData }
    }
}

impl Access {
    /// Lets one more in, if the present readers or the writer allow this.
    #[inline(always)]
    fn enter(&self, kind: Kind) -> bool {
        let readers = self.readers.get();
        match kind {
            Kind::Read if readers < WRITER - 1 => self.readers.set(readers + 1),
            Kind::Write if readers == 0 => self.readers.set(WRITER),
            _ => return false,
        }
        true
    }

    /// Lets one out. Returns `true` if a waiter may have to be served: no context is in, and there
    /// is a waiter.
    #[inline(always)]
    fn leave(&self, lock: &KernelLock<'_>, kind: Kind) -> bool {
        let readers = if kind == Kind::Write { 0 } else { self.readers.get() - 1 };
        self.readers.set(readers);
        readers == 0 && !self.waiters.is_empty(lock)
    }
}

/// Lets the thread in, which waits until then. Both kinds share one copy of the code that waits.
#[inline(always)]
fn wait(access: &KernelCell<Access>, kind: Kind) {
    block(access, kind, |_| ());
}

/// Lets one out, and serves the waiters.
#[inline(always)]
fn leave(access: &KernelCell<Access>, kind: Kind) {
    let section = |lock: &KernelLock<'_>| {
        let serves = access.get(lock).leave(lock, kind);
        ((), if serves { SectionEnd::Rest(()) } else { SectionEnd::End })
    };
    kernel_and_then(section, |(), _pause| serve(access));
}

/// Lets the most urgent writer in, if no context is in; or all readers, if no writer waits.
///
/// A thread that comes meanwhile finds waiters, and waits behind them.
#[inline(never)]
fn serve(access: &KernelCell<Access>) {
    if !visit(access, Kind::Write) {
        visit(access, Kind::Read);
    }
}

/// Lets waiters of one kind in as far as they may enter, at most one writer. Returns whether a
/// waiter of this kind waited.
#[inline(never)]
fn visit(access: &KernelCell<Access>, kind: Kind) -> bool {
    let mut search = Search::new();
    let mut waited = false;
    loop {
        let ended = kernel_and_wake(|lock| {
            let access = access.get(lock);
            let grants = |wanted: &Kind| {
                let is_meant = *wanted == kind;
                waited |= is_meant;
                is_meant && access.enter(kind)
            };
            match access.waiters.grant_next(lock, &mut search, grants) {
                Visit::Granted(target) => (kind == Kind::Write, Some(target)),
                Visit::Again => (false, None),
                Visit::End => (true, None),
            }
        });
        if ended {
            return waited;
        }
    }
}

// SAFETY: there is one list; only `block` and the timed wait link waiters.
unsafe impl Supply for Access {
    type Demand = Kind;

    #[inline(always)]
    fn waiters(&self) -> &WaitList<Kind> {
        &self.waiters
    }

    #[inline(always)]
    fn take(&self, lock: &KernelLock<'_>, kind: &Kind) -> bool {
        self.waiters.is_empty(lock) && self.enter(*kind)
    }

    fn give_back(this: &KernelCell<Self>, kind: &Kind) {
        leave(this, *kind);
    }

    /// Readers may have waited only for this writer.
    #[cfg(feature = "time")]
    fn gave_up(this: &KernelCell<Self>, kind: &Kind) {
        if *kind == Kind::Write {
            serve(this);
        }
    }
}

/// The operation of [`RwLock::read`].
#[must_use = "nothing is locked before a thread blocks on it"]
pub struct Reading<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

/// The operation of [`RwLock::write`].
#[must_use = "nothing is locked before a thread blocks on it"]
pub struct Writing<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

debug_by_name!([T: ?Sized] Reading<'_, T>: "Reading", [T: ?Sized] Writing<'_, T>: "Writing");

impl<T: ?Sized> Sealed for Reading<'_, T> {}

impl<'a, T: ?Sized> Operation for Reading<'a, T> {
    type Output = ReadGuard<'a, T>;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> ReadGuard<'a, T> {
        wait(&self.lock.access, Kind::Read);
        self.lock.reading()
    }

    #[cfg(feature = "time")]
    fn block_until(
        self,
        _: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<ReadGuard<'a, T>, TimedOut> {
        until(&self.lock.access, Kind::Read, deadline, |_| self.lock.reading())
    }
}

impl<T: ?Sized> Sealed for Writing<'_, T> {}

impl<'a, T: ?Sized> Operation for Writing<'a, T> {
    type Output = WriteGuard<'a, T>;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> WriteGuard<'a, T> {
        wait(&self.lock.access, Kind::Write);
        self.lock.writing()
    }

    #[cfg(feature = "time")]
    fn block_until(
        self,
        _: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<WriteGuard<'a, T>, TimedOut> {
        until(&self.lock.access, Kind::Write, deadline, |_| self.lock.writing())
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match kernel(|lock| self.access.get(lock).readers.get()) {
            WRITER => formatter.write_str("RwLock(<written>)"),
            readers => write!(formatter, "RwLock({readers} readers)"),
        }
    }
}

/// Shared access to the value of a [`RwLock`], until you drop the guard.
#[must_use = "the lock is left when the guard is dropped"]
pub struct ReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    not_send: PhantomData<*const ()>,
}

impl<T: ?Sized> Deref for ReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(shared-or-alone).
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for ReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        leave(&self.lock.access, Kind::Read);
    }
}

/// Exclusive access to the value of a [`RwLock`], until you drop the guard.
#[must_use = "the lock is left when the guard is dropped"]
pub struct WriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    not_send: PhantomData<*const ()>,
}

impl<T: ?Sized> Deref for WriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(shared-or-alone).
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: INVARIANT(shared-or-alone).
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for WriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        leave(&self.lock.access, Kind::Write);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for ReadGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for WriteGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests;
