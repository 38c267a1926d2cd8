//! [`Condvar`]: threads wait until a value that a mutex protects has changed.
//!
//! A thread enters the list of waiters while it still has the mutex, and then leaves the mutex. So
//! a thread that changes the value with the mutex, and notifies, finds the waiter: no wake is lost.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::cell::Cell;
use ::core::pin::Pin;

use super::thread_mutex::{Once, Protocol, ThreadMutexGuard};
use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Linked, Searcher, State, WaitList, Waiter, visit_all};
use crate::core::lock::{self, KernelLock, kernel};
use crate::core::ownership::propagate;
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::scheduler::Elsewhere;
use crate::core::section::{SectionEnd, kernel_and_then, kernel_and_wake};
use crate::sync::operation::{Operation, sealed::Sealed};
use crate::thread::CurrentThread;
#[cfg(feature = "time")]
use {super::until::await_wake_until, embassy_time::Instant};

/// A condition variable, for a value that an [`InheritanceMutex`](super::InheritanceMutex) or a
/// [`CeilingMutex`](super::CeilingMutex) protects.
///
/// ```no_run
/// # use quintet::sync::{Condvar, InheritanceMutex, Operation};
/// # use quintet::thread::CurrentThread;
/// static LEVEL: InheritanceMutex<u32> = InheritanceMutex::new(0);
/// static RISEN: Condvar = Condvar::new();
///
/// fn drain(this: &CurrentThread<'_>) {
///     let mut level = LEVEL.lock().block(this);
///     while *level < 10 {
///         level = RISEN.wait(level).block(this);
///     }
///     *level = 0;
/// }
///
/// fn fill(this: &CurrentThread<'_>) {
///     *LEVEL.lock().block(this) += 1;
///     RISEN.notify_one();
/// }
/// ```
///
/// You need the loop: another thread may lock the mutex first and change the value again. But no
/// thread is woken without a notification.
///
/// # Contexts
/// Threads wait. Every context that the kernel knows of may notify. To be sure that a waiter sees
/// the change, make the change with the mutex.
///
/// # Cost
/// 12 bytes. [`notify_one`](Self::notify_one) is a section of the kernel's lock, and the wake of a
/// thread; [`notify_all`](Self::notify_all) is both for each waiter.
pub struct Condvar {
    round: KernelCell<Round>,
}

/// The data that the lock guards.
struct Round {
    /// The waiters, each with the round in which it began to wait.
    waiters: WaitList<u32>,
    /// The number of notifications of all.
    number: Cell<u32>,
}

impl Condvar {
    /// Makes a condition variable without waiters.
    #[must_use]
    pub const fn new() -> Self {
        Self { round: KernelCell::new(Round { waiters: WaitList::new(), number: Cell::new(0) }) }
    }

    /// Leaves the mutex, waits for a notification, and locks the mutex again. The lock may take any
    /// time, even if the wait has an end.
    ///
    /// # Panics
    /// A thread that blocks on this panics if it holds a resource, or holds interrupts off, even if
    /// it would not have to wait. The thread also panics when it locks the mutex again, if the
    /// mutex has a ceiling and the thread's own priority is above the ceiling by then.
    #[inline]
    pub const fn wait<'a, 'g, T: ?Sized, P: Protocol>(
        &'a self,
        guard: ThreadMutexGuard<'g, T, P, Once>,
    ) -> Notified<'a, 'g, T, P> {
        Notified { condvar: self, guard }
    }

    /// Wakes the first waiter, if there is one.
    #[inline]
    pub fn notify_one(&self) {
        kernel_and_wake(|lock| ((), self.round.get(lock).waiters.pop(lock)));
    }

    /// Wakes all present waiters. They run when all are woken. A thread that waits again meanwhile
    /// keeps waiting.
    pub fn notify_all(&self) {
        let next = |lock: &KernelLock<'_>| {
            let number = &self.round.get(lock).number;
            ((), SectionEnd::Rest(number.replace(number.get().wrapping_add(1))))
        };
        kernel_and_then(next, |number, _pause| notify(&self.round, number));
    }

    /// Enters the list, leaves the mutex, and calls `wait`. `wait` gets a function that returns
    /// whether the thread was notified. Returns whether the thread was notified.
    fn wait_by<T: ?Sized, P: Protocol>(
        &self,
        guard: ThreadMutexGuard<'_, T, P, Once>,
        wait: impl FnOnce(&dyn Fn() -> bool),
    ) -> bool {
        let running = park::check_may_wait();
        let mutex = ThreadMutexGuard::mutex(&guard).ownership();
        // The thread loses the priority that the mutex lends. So the thread waits behind threads
        // that are at least as urgent as the thread without the mutex, and came before.
        let (priority, number) =
            mutex.effective_priority_without(|lock| self.round.get(lock).number.get());
        let waiter = Waiter::new(number);
        // SAFETY: the waiter isn't moved, and is in no list when it is dropped.
        let waiter = unsafe { Pin::new_unchecked(&waiter) };
        let elsewhere = kernel(|lock| Elsewhere::new(&self.round.get(lock).waiters, &waiter));
        // SAFETY: the waiter is idle, and linked below. Wakers of threads own nothing.
        unsafe { waiter.prepare(WakeTarget::job(park::waker(running)), priority) };
        let searcher = Searcher::at_hand();
        let mut guard = Some(guard);
        loop {
            let section = |lock: &KernelLock<'_>| {
                let waiters = &self.round.get(lock).waiters;
                // SAFETY: the waiter is prepared, and taken out below.
                let linked = unsafe { waiters.link(lock, waiter, priority, searcher) };
                if linked == Linked::Again {
                    return (linked, SectionEnd::End);
                }
                (linked, SectionEnd::Rest(()))
            };
            // The thread has its place only after it has left the mutex: before, the waiter would
            // be moved to the place of the priority that the mutex lends. No other thread runs
            // meanwhile.
            let leave = |(), _pause| {
                drop(guard.take());
                let moves = kernel(|lock| {
                    running.note_place_elsewhere(&elsewhere);
                    running.set_has_place(true, lock);
                    waiter.priority(lock) != running.priority(lock)
                });
                if moves {
                    propagate(running);
                }
            };
            if kernel_and_then(section, leave) == Linked::Done {
                break;
            }
            lock::take_pending_interrupts();
        }
        wait(&|| waiter.is_granted());
        kernel(|lock| {
            running.set_has_place(false, lock);
            let notified = waiter.state(lock) != State::Linked;
            if !notified {
                // SAFETY: linked above, in the same list. The waker owns nothing.
                let _target = unsafe { self.round.get(lock).waiters.unlink(lock, &waiter) };
            }
            notified
        })
    }
}

/// The error of a wait whose time was up before a notification. Has the guard of the mutex, which
/// is locked again.
pub struct NotNotified<'g, T: ?Sized, P: Protocol>(pub ThreadMutexGuard<'g, T, P, Once>);

impl<T: ?Sized, P: Protocol> ::core::fmt::Debug for NotNotified<'_, T, P> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("NotNotified(..)")
    }
}

impl<T: ?Sized, P: Protocol> ::core::fmt::Display for NotNotified<'_, T, P> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("no notification came in time: wait longer or again")
    }
}

impl<T: ?Sized, P: Protocol> ::core::error::Error for NotNotified<'_, T, P> {}

/// The operation of [`Condvar::wait`].
#[must_use = "nothing waits before a thread blocks on it"]
pub struct Notified<'a, 'g, T: ?Sized, P: Protocol> {
    condvar: &'a Condvar,
    guard: ThreadMutexGuard<'g, T, P, Once>,
}

debug_by_name!([T: ?Sized, P: Protocol] Notified<'_, '_, T, P>: "Notified");

impl<T: ?Sized, P: Protocol> Sealed for Notified<'_, '_, T, P> {}

impl<'g, T: ?Sized, P: Protocol> Operation for Notified<'_, 'g, T, P> {
    type Output = ThreadMutexGuard<'g, T, P, Once>;
    type Error = NotNotified<'g, T, P>;

    fn block(self, _this: &CurrentThread<'_>) -> ThreadMutexGuard<'g, T, P, Once> {
        let mutex = ThreadMutexGuard::mutex(&self.guard);
        self.condvar.wait_by(self.guard, |granted| park::until(|| granted().then_some(())));
        mutex.lock_blocking()
    }

    #[cfg(feature = "time")]
    fn block_until(
        self,
        _this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<ThreadMutexGuard<'g, T, P, Once>, NotNotified<'g, T, P>> {
        let mutex = ThreadMutexGuard::mutex(&self.guard);
        let notified =
            self.condvar.wait_by(self.guard, |granted| await_wake_until(granted, deadline));
        let guard = mutex.lock_blocking();
        if notified { Ok(guard) } else { Err(NotNotified(guard)) }
    }
}

/// Wakes all waiters that began to wait in the round with this number, or in an earlier round.
fn notify(round: &KernelCell<Round>, number: u32) {
    // The numbers of rounds wrap.
    let is_due = |begun: &u32| number.wrapping_sub(*begun) <= u32::MAX / 2;
    visit_all(|lock, search| round.get(lock).waiters.grant_next(lock, search, is_due));
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

impl ::core::fmt::Debug for Condvar {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        let waited = kernel(|lock| !self.round.get(lock).waiters.is_empty(lock));
        formatter.debug_struct("Condvar").field("waited", &waited).finish()
    }
}
