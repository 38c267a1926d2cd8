//! Resources: a section under a priority ceiling.
//!
//! A resource's lock holds off its other users. Its ceiling is known at compile time. The user with
//! the highest priority needs no section at all.

#![expect(unsafe_code, reason = "a lock hands out exclusive references")]

use crate::arch::mask::{self, Ceiling};
use crate::core::lock::take_pending_interrupts;
#[cfg(threads)]
use crate::core::scheduler::{SCHEDULER, encode_ceiling};

/// A resource that tasks of different priorities share.
pub trait Resource {
    /// What the resource holds.
    type Value;
    /// The highest priority of its users.
    const CEILING: Ceiling;
    /// Whether no other section can be open where one of this resource begins: neither in a user of
    /// it, nor in what that user may have interrupted. A switch of threads is one, in which a stack
    /// is left: a level that interrupts that must put back what it found. And nobody may suspend a
    /// thread in such a section, as nothing lets that in behind it.
    const ALONE: bool;
}

/// Whether code of the user's may run in a section that no resource is the reason of: a
/// ceiling-based critical section, or one of the kernel's lock as a mutex of `embassy-sync`.
const IS_EVER_HELD: bool = cfg!(any(feature = "critical-section", feature = "embassy-sync"));

/// Runs `section` with exclusive access to a resource's value.
///
/// `contended` says whether someone more urgent than the caller uses the resource too. Where it is
/// a constant `false`, nothing is left of the lock but `section`.
///
/// # Safety
/// `value` points to the value of `R`; the caller is one of the users that the ceiling was computed
/// from, at its priority, and holds the only proxy of the resource in its context.
#[inline(always)]
pub unsafe fn resource<R: Resource, T>(
    contended: bool,
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    if !contended {
        // SAFETY: users of lower priority don't run while the caller does; those of the same
        // priority run one after the other; there are none above.
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

/// A resource that threads share, and nothing that preempts threads.
#[cfg(threads)]
pub trait ThreadResource {
    /// What the resource holds.
    type Value;
    /// Above which no user of it is, 0 to 31: the highest priority of its users where these never
    /// change, as idle's and those of threads that host tasks; 31 where a `#[thread]` is one.
    const CEILING: u8;
}

/// Runs `section` with exclusive access to the value of a resource of threads. Interrupts stay
/// open, and threads above the ceiling preempt it.
///
/// The user at the ceiling raises it too: threads may wait, but not in here, and so it is known
/// that they would.
///
/// # Safety
/// `value` points to the value of `R`; the caller is one of the users that the ceiling was computed
/// from, or idle, and holds the only proxy of the resource in its context.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn thread_resource<R: ThreadResource, T>(
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    let before = SCHEDULER.raise_limit(const { encode_ceiling(R::CEILING) });
    // SAFETY: no thread that uses it runs until the section ends: those that are not above the
    // ceiling don't preempt, and nobody waits inside.
    let result = section(unsafe { &mut *value });
    SCHEDULER.restore_limit(before);
    result
}
