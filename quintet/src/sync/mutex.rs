//! [`Mutex`]: a value that one task has at a time, even across `await`.
//!
//! Tasks of one priority never preempt each other. So an async mutex is for a value that a task
//! keeps while it waits, such as a bus during a transfer. Across priorities, a task could wait for
//! a less urgent one, which every task in between could delay: such a mutex is refused. The type
//! can't know the tasks that will lock the mutex, so each lock checks the priority in the task's
//! waker.

#![expect(unsafe_code, reason = "a mutex hands out exclusive references")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::future::Future;
use ::core::marker::PhantomData;
use ::core::ops::{Deref, DerefMut};
use ::core::pin::Pin;
use ::core::task::{Context, Poll, Waker};

use super::tokens::Tokens;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::section::kernel_and_wake;
use crate::core::wait::Wait;
use crate::core::wake::slot_of;
#[cfg(threads)]
use crate::core::{application::has_threads, park::thread_of};

/// Stands for the priority before the first lock of the mutex.
const NOBODY: u8 = u8::MAX;

/// A value that one async task has at a time, even while that task waits. For tasks of one
/// priority.
///
/// To share a value among priorities, make the value a shared resource of the application, whose
/// lock is a closure. Or give the value to one task, and send messages to that task.
///
/// ```
/// use quintet::sync::{Locked, Mutex};
///
/// static BUS: Mutex<[u8; 4]> = Mutex::new([0; 4]);
///
/// async fn write(first: u8) {
///     // Held over every `await` until the guard is dropped.
///     let mut bus = BUS.lock().await;
///     bus[0] = first;
/// }
///
/// embassy_futures::block_on(write(7));
/// let bus = BUS.try_lock().expect("nobody has it");
/// assert_eq!(bus[0], 7);
/// assert_eq!(BUS.try_lock().err(), Some(Locked));
///
/// // Where there is no static, the borrow checker knows that no other task has it.
/// let mut own = Mutex::new(1);
/// *own.get_mut() += 1;
/// assert_eq!(own.into_inner(), 2);
/// ```
///
/// # Contexts
/// [`lock`](Self::lock): async tasks of one priority. [`try_lock`](Self::try_lock): every task,
/// interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
pub struct Mutex<T: ?Sized> {
    /// INVARIANT(one-guard): there is one token, and its holder has the value.
    token: KernelCell<Tokens>,
    /// The priority of the tasks that lock the mutex.
    level: KernelCell<Cell<u8>>,
    value: UnsafeCell<T>,
}

// SAFETY: INVARIANT(one-guard): contexts take turns, for which `T: Send` is enough.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
// SAFETY: the mutex owns the value.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}

/// Another task has the value now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locked;

impl ::core::fmt::Display for Locked {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the mutex is locked: wait for it, or try again later")
    }
}

impl ::core::error::Error for Locked {}

impl<T> Mutex<T> {
    /// Makes a mutex for tasks of the priority of the first task that locks the mutex.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self::of_level(NOBODY, value)
    }

    /// Makes a mutex for tasks of `priority`: a lock by a task of another priority is refused, even
    /// if it is the first.
    ///
    /// # Panics
    /// If `priority` is 255, which no task has; in a static, at compile time.
    #[must_use]
    #[track_caller]
    pub const fn for_priority(priority: u8, value: T) -> Self {
        assert!(
            priority != NOBODY,
            "no task has the priority 255: write that of the tasks, or `Mutex::new`"
        );
        Self::of_level(priority, value)
    }

    const fn of_level(level: u8, value: T) -> Self {
        Self {
            token: KernelCell::new(Tokens::new(1, 1)),
            level: KernelCell::new(Cell::new(level)),
            value: UnsafeCell::new(value),
        }
    }

    /// Returns the value of a mutex that is no longer needed.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until no task has the value, and gives the value to the caller until the guard is
    /// dropped.
    ///
    /// # Panics
    /// If tasks of two priorities lock the same mutex, or threads that [run the
    /// future](crate::thread::CurrentThread::block_on); the message has both priorities. If the
    /// waker is another executor's, or a library's own, its priority is unknown, and nothing is
    /// checked.
    ///
    /// # Cancel safety
    /// If you drop the future, it locks nothing, and gives up its place among the waiters.
    #[inline]
    pub const fn lock(&self) -> Locking<'_, T> {
        Locking { mutex: self, wait: Wait::new(&self.token, ()) }
    }

    /// Gives the value to the caller until the guard is dropped, if no task has the value.
    ///
    /// # Errors
    /// [`Locked`] if a task has the value, or was handed the value.
    #[inline]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, Locked> {
        if kernel(|lock| self.token.get(lock).take_one(lock)) {
            Ok(MutexGuard { mutex: self, not_send: PhantomData })
        } else {
            Err(Locked)
        }
    }

    /// Returns the value of a mutex that no other code can reach.
    pub const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Panics if the mutex is for tasks of another priority.
    #[inline]
    fn check(&self, priority: u8) {
        let level = kernel(|lock| {
            let level = self.level.get(lock);
            if level.get() == NOBODY {
                level.set(priority);
            }
            level.get()
        });
        if level != priority {
            refuse(level, priority);
        }
    }
}

/// Returns the priority of the task that the waker wakes, or of the thread that runs the future
/// itself. Returns `None` for a waker of another executor.
#[inline(always)]
fn priority_of(waker: &Waker) -> Option<u8> {
    let slot = slot_of(waker).map(|slot| slot.priority);
    #[cfg(threads)]
    if slot.is_none() && has_threads() {
        return thread_of(waker).map(|thread| kernel(|lock| thread.base(lock)));
    }
    slot
}

/// Panics for rule 5, with the tasks that can't share a mutex, and the solution.
#[cold]
#[inline(never)]
fn refuse(level: u8, priority: u8) -> ! {
    panic!(
        "an async mutex of tasks of priority {level} was locked by a task of priority {priority}: \
         share the value as a resource, or give its tasks one priority"
    );
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + ::core::fmt::Debug> ::core::fmt::Debug for Mutex<T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.try_lock() {
            Ok(guard) => formatter.debug_tuple("Mutex").field(&&*guard).finish(),
            Err(Locked) => formatter.write_str("Mutex(<locked>)"),
        }
    }
}

/// The future of [`Mutex::lock`].
#[must_use = "nothing is locked until it is awaited"]
pub struct Locking<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    wait: Wait<'a, Tokens>,
}

debug_by_name!([T: ?Sized] Locking<'_, T>: "Locking");

impl<'a, T: ?Sized> Future for Locking<'a, T> {
    type Output = MutexGuard<'a, T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<MutexGuard<'a, T>> {
        let mutex = self.mutex;
        if let Some(priority) = priority_of(context.waker()) {
            mutex.check(priority);
        }
        // SAFETY: the field is never moved out of a pinned future.
        let wait = unsafe { self.map_unchecked_mut(|this| &mut this.wait) };
        wait.poll(context).map(|()| MutexGuard { mutex, not_send: PhantomData })
    }
}

/// The value of a [`Mutex`], until you drop the guard. A guard stays with its task.
#[must_use = "a mutex is unlocked when the guard is dropped"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// A guard in a task of another priority would delay the tasks of this priority.
    not_send: PhantomData<*const ()>,
}

// SAFETY: the guard stands for a reference to the value.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(one-guard).
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: INVARIANT(one-guard).
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        kernel_and_wake(|lock| ((), self.mutex.token.get(lock).put_back(lock)));
    }
}

impl<T: ?Sized + ::core::fmt::Debug> ::core::fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        (**self).fmt(formatter)
    }
}
