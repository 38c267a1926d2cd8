//! Adopting a waker: its priority, and a waker that does the same.

use ::core::task::Waker;

#[cfg(threads)]
use crate::core::application::has_threads;
#[cfg(threads)]
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::wake::level_of;

/// A waker that does the same, and the priority of who is woken. One that is not the application's
/// own says no priority: it counts as idle's.
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

/// The priority of who is not of the application: a waker of another executor, which says nothing
/// of its own. Idle's.
const UNKNOWN: u8 = 0;
