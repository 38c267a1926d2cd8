//! Synchronisation objects: one set for every model.
//!
//! | object | what it is for | who waits |
//! |---|---|---|
//! | [`Channel`] | messages from many to many, in order | tasks, threads |
//! | [`Mailbox`] | one message, which waits until it is taken or is replaced | tasks, threads |
//! | [`Inbox`] | the events of an [actor](crate::actor) without the macro | a task or thread |
//! | [`Signal`] | the latest value of something, for one waiter at a time | tasks, threads |
//! | [`Semaphore`] | a number of permits: free places, events, a flag | tasks, threads |
//! | [`Flags`] | up to 32 event flags, to wait for any or all of some | tasks, threads |
//! | [`ThreadFlags`] | the same for one thread, whose own they are: smaller, faster | a thread |
//! | [`Barrier`] | a place where as many as agreed wait for each other | tasks, threads |
//! | [`Pool`] | memory for a number of values of one type | tasks, threads |
//! | [`Mutex`] | a value that one task has at a time, across `await` | tasks |
//! | [`InheritanceMutex`] | the same for threads; the owner is as urgent as who waits | threads |
//! | [`CeilingMutex`] | the same; the owner is as urgent as any user | threads |
//! | [`RwLock`] | a value that many read at a time, or one changes | threads |
//! | [`Condvar`] | a change of what a mutex protects | threads |
//!
//! A thread that is to be notified by itself, without any object, is
//! [unparked](crate::thread::Thread::unpark).
//!
//! `KernelRawMutex` (feature `embassy-sync`) makes the objects of `embassy-sync` use the kernel's
//! lock: those that are missing here, such as its `Watch` and `PubSubChannel`, are used from there.
//!
//! All are built in constants, so that they can be statics, and need no initialisation.
//!
//! # One operation, two ways to wait
//! `try_x` does it at once or says why it can't; it is for interrupt tasks as well as for software
//! tasks, except at what only threads have: their mutexes, and [`OwnFlags`]. `x()` is the operation
//! as a value, and does nothing yet: an async task awaits it, `x().await`, and a thread blocks on
//! it, `x().block(&cx.thread)`, with the methods of [`Operation`]. If the thread has to wait, it
//! panics where it holds a resource, or interrupts off; at a [`Barrier`], and for a [`Condvar`], in
//! any case.
//!
//! With the feature `time`, a thread's wait may end: with `block_until` at a time, and with
//! `block_for` after one. What is there is taken also where the time is over; what isn't is a wait,
//! which panics as any other even if it would end at once. If what is waited for comes at the end
//! of the time, there is one outcome: either it is returned, or nothing was taken.
//!
//! # Who is served
//! Waiters are served in the order of their tasks' priorities, and first come first served within
//! one. What becomes available is handed to the first waiter there and then: a task that comes
//! later can't take it away before the waiter runs, whatever its priority. A future of another
//! executor, whose waker doesn't say a priority, counts as priority 0. So does one within a task
//! that a library polls with a waker of its own, as `FuturesUnordered` of `futures-util` does, and
//! its larger `join_all`: where the order matters, join a fixed number of futures (`join`, `select`
//! and their like hand the task's waker on).
//!
//! # Cancel safety
//! Every future here may be dropped at any time, such as by `select` or a timeout. It gives up its
//! place among the waiters. If it had been served but had not run yet, what it was served goes to
//! the next waiter, or back into the object: nothing is lost.
//!
//! # Contexts
//! Operations may be called from every task, interrupt task and from `init` and `idle`. The one
//! exception are *kernel-free* interrupts: those above the kernel's ceiling, which Quintet never
//! masks, such as a hardware abstraction layer's at the hardware's highest priority. Such an
//! interrupt may do nothing but wake: call a [`Waker`](::core::task::Waker), or pend an interrupt
//! task that then uses the object. Wakes of one task that come before it runs are one wake, so
//! whoever has to count does that in its own data, not in wakes.
//!
//! # Cost
//! An operation holds the kernel's lock for a bounded number of instructions, whatever the number
//! of waiters. Wakers are called with the lock released.
//!
//! A static object with room for more than 128 bytes of messages or blocks begins with all zeros:
//! it lies in `.bss`, and takes nothing in flash. So does a [`Signal`] of a long value, unless its
//! absence isn't all zeros, as that of an array of `bool`: the compiler then marks it in the value
//! itself. Others lie in `.data`: their first values take as much in flash as the objects in
//! memory, a few words mostly, and save the register that reaches another section.

/// The longest payload, in bytes, of an object that takes as much in the program's image: its first
/// values aren't all zeros, which saves instructions.
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
