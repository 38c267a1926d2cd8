//! Adopting a waker: the kernel reads the waker's priority, and makes a waker with the same effect.

use ::core::task::Waker;

#[cfg(threads)]
use crate::core::application::has_threads;
#[cfg(threads)]
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::wake::level_of;

/// Returns a target with the effect of `waker`, and the priority of the task or thread that it
/// wakes. A waker of another executor has no known priority, and counts with idle's.
#[inline]
#[must_use]
pub fn adopt(waker: &Waker) -> (WakeTarget, u8) {
    let table = waker.vtable();
    if let Some(level) = level_of(waker) {
        // Wakers of the application's levels own nothing: a clone has the same parts.
        return (WakeTarget::of_parts(table, waker.data()), level.priority);
    }
    #[cfg(threads)]
    if has_threads()
        && let Some(control) = park::thread_of(waker)
    {
        return (WakeTarget::job(park::waker(control)), control.waiting_priority());
    }
    (WakeTarget::job(waker.clone()), UNKNOWN)
}

/// The priority of a task outside of the application. A waker of another executor has no priority,
/// so this is idle's.
const UNKNOWN: u8 = 0;
