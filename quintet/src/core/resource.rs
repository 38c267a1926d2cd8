//! Resources: sections under a priority ceiling.
//!
//! A resource's lock holds off the resource's other users. The ceiling is known at compile time.
//! The user with the highest priority needs no section at all.

#![expect(unsafe_code, reason = "a lock hands out exclusive references")]

use crate::arch::mask::{self, Ceiling};
use crate::core::lock::take_pending_interrupts;
#[cfg(threads)]
use crate::core::scheduler::{SCHEDULER, encode_ceiling};

/// A resource that tasks of different priorities share.
pub trait Resource {
    /// The type of the resource's value.
    type Value;
    /// The highest priority of its users.
    const CEILING: Ceiling;
    /// `true` if no other section can be open when a section of this resource begins, neither in
    /// the user nor in the code that the user may have interrupted. A switch of threads is such a
    /// section, in which the kernel leaves a stack: a level that interrupts a switch must restore
    /// the mask that the level found. And no context may suspend a thread in such a section, as
    /// nothing lets the suspension take effect after the section.
    const ALONE: bool;
}

/// `true` if user code may run in a section that no resource began: a ceiling-based critical
/// section, or a section of the kernel's lock as a mutex of `embassy-sync`.
const IS_EVER_HELD: bool = cfg!(any(feature = "critical-section", feature = "embassy-sync"));

/// Runs `section` with exclusive access to a resource's value.
///
/// `contended` says whether a user that is more urgent than the caller uses the resource too. If
/// `contended` is the constant `false`, only `section` remains of the lock.
///
/// # Safety
/// `value` points to the value of `R`. The caller is one of the users that the ceiling was computed
/// from, runs at that user's priority, and holds the only proxy of the resource in its context.
#[inline(always)]
pub unsafe fn resource<R: Resource, T>(
    contended: bool,
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    if !contended {
        // SAFETY: users of lower priority don't run while the caller does; users of the same
        // priority run one after the other; there are no users of higher priority.
        return section(unsafe { &mut *value });
    }
    if R::ALONE && !IS_EVER_HELD {
        let saved = mask::raise_alone(R::CEILING);
        // SAFETY: no other user runs until the section ends.
        let result = section(unsafe { &mut *value });
        // SAFETY: from the matching `raise_alone`; closures nest.
        unsafe { mask::restore_alone(R::CEILING, saved) };
        return result;
    }
    let saved = mask::raise(R::CEILING);
    // SAFETY: no other user runs until the section ends.
    let result = section(unsafe { &mut *value });
    // SAFETY: from the matching `raise`; closures nest.
    unsafe { mask::restore(R::CEILING, saved) };
    take_pending_interrupts();
    result
}

/// A resource that only threads share. No code that preempts threads uses the resource.
#[cfg(threads)]
pub trait ThreadResource {
    /// The type of the resource's value.
    type Value;
    /// The highest priority that a user can have, 0 to 31. If the users' priorities never change,
    /// this is the highest of them; so with idle and threads that host tasks. If one user is a
    /// `#[thread]`, the ceiling is 31.
    const CEILING: u8;
}

/// Runs `section` with exclusive access to the value of a resource of threads. Interrupts still
/// come, and threads above the ceiling preempt the section.
///
/// A user at the ceiling raises the ceiling too. Threads must not wait in a section, and by the
/// raised ceiling the kernel notices that a thread would.
///
/// # Safety
/// `value` points to the value of `R`. The caller is one of the users that the ceiling was computed
/// from, or idle, and holds the only proxy of the resource in its context.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn thread_resource<R: ThreadResource, T>(
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    let before = SCHEDULER.raise_limit(const { encode_ceiling(R::CEILING) });
    // SAFETY: no thread that uses the value runs until the section ends: threads at or below the
    // ceiling don't preempt, and no thread waits inside.
    let result = section(unsafe { &mut *value });
    SCHEDULER.restore_limit(before);
    result
}
