//! Synchronisation objects: one set for every model.
//!
//! | object | purpose | waiters |
//! |---|---|---|
//! | [`Channel`] | messages from many to many, in order | tasks, threads |
//! | [`Mailbox`] | one message, which stays until it is taken or replaced | tasks, threads |
//! | [`Inbox`] | the events of an [actor](crate::actor) without the macro | a task or thread |
//! | [`Signal`] | the latest value of something, for one waiter at a time | tasks, threads |
//! | [`Semaphore`] | a number of permits: free places, events, a flag | tasks, threads |
//! | [`Flags`] | up to 32 event flags, to wait for any or all of some | tasks, threads |
//! | [`ThreadFlags`] | flags that belong to one thread: smaller, faster | a thread |
//! | [`Barrier`] | a place where a fixed number of waiters wait for each other | tasks, threads |
//! | [`Pool`] | memory for a number of values of one type | tasks, threads |
//! | [`Mutex`] | a value that one task has at a time, across `await` | tasks |
//! | [`InheritanceMutex`] | a value for threads; the owner is as urgent as each waiter | threads |
//! | [`CeilingMutex`] | a value for threads; the owner is as urgent as any user | threads |
//! | [`RwLock`] | a value that many threads read at a time, or one changes | threads |
//! | [`Condvar`] | a change of a value that a mutex protects | threads |
//!
//! To notify one thread without any object, [unpark](crate::thread::Thread::unpark) the thread.
//!
//! With `KernelRawMutex` (feature `embassy-sync`), the objects of `embassy-sync` use the kernel's
//! lock. Use the objects of `embassy-sync` that are missing here, such as `Watch` and
//! `PubSubChannel`.
//!
//! All objects are made in constants, so they can be statics, and need no initialisation.
//!
//! # One operation, two ways to wait
//! `try_x` executes the operation at once or returns the reason why this isn't possible. You can
//! use it in interrupt tasks as well as in software tasks, except for objects that only threads
//! have: their mutexes, and [`OwnFlags`]. `x()` is the operation as a value, and does nothing yet:
//! an async task awaits the value, `x().await`, and a thread blocks on it, `x().block(&cx.thread)`,
//! with the methods of [`Operation`]. If the thread has to wait while it holds a resource, or holds
//! interrupts off, it panics. At a [`Barrier`], and for a [`Condvar`], such a thread always panics.
//!
//! With the feature `time`, a thread's wait may end: `block_until` ends at a time, and `block_for`
//! after a time. If the operation is possible at once, it succeeds even after that time. Otherwise
//! the thread has to wait, with the same panics, even if the wait would end at once. If a grant and
//! the end of the time come together, there is one outcome: either the operation returns the grant,
//! or nothing was taken.
//!
//! # Order of service
//! Waiters are served in the order of their tasks' priorities, and first come first served within
//! one priority. Something that becomes available is handed to the first waiter at once: a later
//! task can't take it away before the waiter runs, even with a higher priority. A future of another
//! executor, whose waker has no known priority, counts as priority 0. So does a future within a
//! task that a library polls with its own waker, as `FuturesUnordered` of `futures-util` and its
//! larger `join_all` do. If you need the order, join a fixed number of futures (`join`, `select`
//! and similar functions hand the task's waker on).
//!
//! # Cancel safety
//! You can drop every future here at any time, such as by `select` or a timeout. The future gives
//! up its place among the waiters. If it had been served but had not run yet, the grant goes to the
//! next waiter, or back into the object: nothing is lost.
//!
//! # Contexts
//! You can call operations from every task and interrupt task, and from `init` and `idle`. The only
//! exceptions are *kernel-free* interrupts: interrupts above the kernel's ceiling, which Quintet
//! never masks, such as those of a hardware abstraction layer at the hardware's highest priority.
//! Such an interrupt may only wake: call a [`Waker`](::core::task::Waker), or pend an interrupt
//! task that then uses the object. Several wakes of a task before it runs are one wake. So if you
//! have to count events, count them in your own data, not in wakes.
//!
//! If a kernel-free interrupt uses an object all the same, the behaviour is undefined. Builds with
//! debug assertions panic with the names of the object and of the interrupt (on ARMv7-M and ARMv8-M
//! Mainline; ARMv6-M and ARMv8-M Baseline have no kernel-free interrupts). Release builds don't
//! check, unless Quintet itself has debug assertions: `debug-assertions = true` under
//! `[profile.release.package.quintet]`.
//!
//! # Cost
//! An operation holds the kernel's lock for a bounded number of instructions, for any number of
//! waiters. Wakers are called with the lock released.
//!
//! A static object with room for more than 128 bytes of messages or blocks begins with all zeros:
//! it lies in `.bss`, and takes nothing in flash. So does a [`Signal`] of a long value, unless the
//! absence of the value isn't all zeros. This is so for an array of `bool`, as the compiler then
//! marks the absence in the value itself. Other objects lie in `.data`: their first values take as
//! much flash as the objects take memory, mostly a few words. This saves the register that reaches
//! another section.

/// The longest payload, in bytes, of an object that takes as much room in the program's image: the
/// object's first values aren't all zeros, which saves instructions.
const SHORT: usize = 128;

pub mod barrier;
pub mod channel;
#[cfg(threads)]
pub mod condvar;
pub mod flags;
pub mod inbox;
pub mod mailbox;
pub mod mutex;
#[cfg(threads)]
pub(crate) mod operation;
pub mod pool;
#[cfg(feature = "embassy-sync")]
mod raw_mutex;
#[cfg(threads)]
pub mod rwlock;
pub mod semaphore;
pub mod signal;
#[cfg(threads)]
pub mod thread_flags;
#[cfg(threads)]
pub mod thread_mutex;
mod tokens;
#[cfg(all(threads, feature = "time"))]
mod until;

pub use barrier::Barrier;
pub use channel::{Channel, Empty, Full, Receiver, Sender};
#[cfg(threads)]
pub use condvar::{Condvar, NotNotified};
pub use flags::{Flags, NotSet};
pub use inbox::Inbox;
pub use mailbox::{Mailbox, NoMessage, Occupied};
pub use mutex::{Locked, Mutex, MutexGuard};
#[cfg(threads)]
pub use operation::Operation;
pub use pool::{Block, OutOfMemory, Pool};
#[cfg(feature = "embassy-sync")]
pub use raw_mutex::KernelRawMutex;
#[cfg(threads)]
pub use rwlock::{InUse, ReadGuard, RwLock, WriteGuard};
pub use semaphore::{Exhausted, Permit, Saturated, Semaphore};
pub use signal::{Signal, Unset};
#[cfg(threads)]
pub use thread_flags::{OwnFlags, Owned, ThreadFlags};
#[cfg(threads)]
pub use thread_mutex::{CeilingMutex, InheritanceMutex, LockError, ThreadMutexGuard};
#[cfg(all(threads, feature = "time"))]
pub use until::TimedOut;

#[cfg(test)]
pub(crate) mod tests;
