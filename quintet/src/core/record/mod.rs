//! Records that the kernel keeps of threads, waiters and mutexes. Records are plain data and refer
//! to each other by pointers; the floors above act on them.
//!
//! The assembly in `arch` knows these records by their [offsets](offset).

mod demand;
#[cfg(threads)]
mod limit;
#[cfg(threads)]
mod marks;
#[cfg(threads)]
pub mod mutex;
#[cfg(threads)]
pub mod mutex_offset;
#[cfg(threads)]
mod naming;
#[cfg(threads)]
pub mod offset;
#[cfg(threads)]
pub mod place;
#[cfg(threads)]
pub mod priority;
#[cfg(threads)]
pub mod scheduler;
#[cfg(all(threads, feature = "statistics"))]
pub mod statistics;
#[cfg(all(threads, feature = "statistics"))]
pub mod tally;
#[cfg(threads)]
pub mod thread;
pub mod waiter;
mod wake_target;

pub use demand::Demand;
#[cfg(threads)]
pub use mutex::{Ownership, WithCeiling};
#[cfg(threads)]
pub use scheduler::{SCHEDULER, Scheduler};
#[cfg(threads)]
pub use thread::{Entry, ThreadBlock};
pub use waiter::{WaitList, Waiter};
pub use wake_target::WakeTarget;
