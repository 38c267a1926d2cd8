//! Changes of priorities: by a call, and by mutexes that other threads wait for.
//!
//! A thread's *effective* priority is the highest of its own priority (the *base*) and the floors
//! of the mutexes that the thread has. Any change of these is [propagated](propagate): the thread
//! moves to its new place among the ready threads or among waiters. If the thread waits for a
//! mutex, the same happens to the owner of that mutex, and so on along the chain.
//!
//! A thread that waits with its own waiter has the priority of the waiter. The waiter
//! [climbs](WaitList::move_waiter) one place after the other, and has the effective priority at the
//! last place. A thread that waits with another waiter has the effective priority at once.
//!
//! # Bounds
//! Each step along the chain, and each place by which a waiter moves, is one section of the lock,
//! and begins with the state at that time. So a context that comes between two steps may begin
//! another walk, and may or may not finish it. Effective priorities don't depend on the order of
//! walks, and a walk ends where nothing changes. A section looks at all mutexes that the thread has
//! and that other threads wait for.

#![expect(unsafe_code, reason = "control blocks and places are reached through pointers")]

use ::core::ptr;

use crate::core::list::{Linked, WaitList, Waiter};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::place::{ELSEWHERE, Elsewhere, OF_MUTEX};
use crate::core::record::priority::{bit_of, is_ceiling, own_limit};
use crate::core::record::thread::State;
use crate::core::record::waiter::State as Waiting;
use crate::core::record::{Ownership, ThreadBlock};
use crate::core::scheduler::{SCHEDULER, Scheduler};
use crate::core::section::{SectionEnd, kernel_and_then};

/// A thread's place among waiters.
struct Place<'a> {
    list: &'a WaitList<()>,
    waiter: &'a Waiter<()>,
    /// The mutex of the list.
    mutex: Option<&'a Ownership>,
}

/// The next step along the chain.
type Next<'a> = Option<(&'a ThreadBlock, Moved)>;

/// `true` if the steps before have moved a thread's waiter, and changed the waiter's priority.
type Moved = bool;

impl ThreadBlock {
    /// Returns `true` for the common kind of wait: the thread waits with its own waiter, for no
    /// mutex, and is the only one in the list.
    ///
    /// # Safety
    /// The thread is neither ready nor suspended.
    #[inline(always)]
    unsafe fn waits_alone(&self, lock: &KernelLock<'_>) -> bool {
        let list = self.place.get();
        self.state.get() == State::Alive
            // No waiter is behind, and the thread is in a list: not parked, without a mark.
            && self.mark() == 0
            && list.addr() & (ELSEWHERE | OF_MUTEX) == 0
            // SAFETY: INVARIANT(place): the thread is alive; the rest is the caller's.
            && unsafe { list.as_ref() }.is_some_and(|list| list.is_alone(self.waiter(), lock))
    }

    /// Changes the priority of a waiting thread.
    #[inline(always)]
    fn set_waiting_priority(&self, priority: u8) {
        self.priority.set(priority);
        // A suspended thread has no bit.
        if self.bit.get() != 0 {
            let bit = bit_of(priority);
            self.bit.set(bit);
            self.limit.set(own_limit(bit));
        }
    }

    /// Returns the thread's place, if the thread waits: INVARIANT(place).
    fn place(&self, lock: &KernelLock<'_>) -> Option<Place<'_>> {
        if !self.has_place()
            && (self.state.get() != State::Alive
                || self.is_in_no_list()
                || SCHEDULER.is_ready(self)
                || self.is_held_ready())
        {
            return None;
        }
        let mut list = self.place.get();
        let mut waiter = ptr::from_ref(self.waiter());
        // SAFETY: INVARIANT(place): the place lives as long as the thread waits.
        unsafe {
            if list.addr() & ELSEWHERE != 0 {
                let elsewhere = list.wrapping_byte_sub(ELSEWHERE).cast::<Elsewhere>();
                (list, waiter) = ((*elsewhere).list, (*elsewhere).waiter);
            }
            let of_mutex = list.addr() & OF_MUTEX != 0;
            let list = if of_mutex { list.wrapping_byte_sub(OF_MUTEX) } else { list };
            let mutex = if of_mutex { Some(&*list.cast()) } else { None };
            // The thread may have been granted what it waits for, without having seen this yet.
            if self.has_place() && (*waiter).state(lock) != Waiting::Linked {
                return None;
            }
            // The thread may not have waited for anything yet.
            Some(Place { list: list.as_ref()?, waiter: &*waiter, mutex })
        }
    }
}

impl Scheduler {
    /// Changes the priority of a waiting thread, if no other waiter has to make room. Otherwise
    /// returns `false`.
    #[inline(always)]
    fn change_alone(&self, control: &ThreadBlock, priority: u8, lock: &KernelLock<'_>) -> bool {
        let bit = control.bit.get();
        // No thread waits under a ceiling, and a suspended thread has no bit.
        if bit == 0 || self.ready.get() & bit != 0 || is_ceiling(control.limit.get()) {
            return false;
        }
        // SAFETY: checked just now.
        if !unsafe { control.waits_alone(lock) } {
            return false;
        }
        control.set_waiting_priority(priority);
        true
    }
}

/// Changes the base priority of a thread, and [propagates](propagate) the change.
///
/// No other thread runs before every thread along the chain has its effective priority. Otherwise a
/// thread that preempts this one could delay a waiting thread that is more urgent now.
pub fn set_base(control: &'static ThreadBlock, base: u8) {
    let section = |lock: &KernelLock<'_>| {
        control.base.set(base);
        let effective = Ownership::effective_priority_here(control, lock);
        if SCHEDULER.change_alone(control, effective, lock) {
            return ((), SectionEnd::End);
        }
        let next = step(control, false, effective, lock);
        ((), if next.is_some() { SectionEnd::Rest(next) } else { SectionEnd::End })
    };
    kernel_and_then(section, |next, _pause| walk(next, 0));
}

/// Gives a thread its effective priority, and then every owner along the chain of mutexes that the
/// thread waits for. From every context that the kernel knows of, with the lock released.
pub fn propagate(control: &ThreadBlock) {
    walk(Some((control, false)), 0);
}

/// As [`propagate`], but gives the thread at least `lent`, which isn't its effective priority yet.
pub fn propagate_at_least(control: &ThreadBlock, lent: u8) {
    walk(Some((control, false)), lent);
}

/// Walks along the chain.
#[inline(never)]
fn walk(mut next: Next<'_>, mut lent: u8) {
    while let Some((control, moved)) = next {
        next = kernel(|lock| {
            let effective = Ownership::effective_priority(control, lock).max(lent);
            step(control, moved, effective, lock)
        });
        // `lent` is only for the first thread.
        if next.is_some_and(|(_, moved)| !moved) {
            lent = 0;
        }
    }
}

/// Gives a thread that is in no list its effective priority.
#[inline(never)]
pub fn apply_here(control: &ThreadBlock, lock: &KernelLock<'_>) {
    let effective = Ownership::effective_priority(control, lock);
    if effective != control.priority.get() {
        SCHEDULER.change_priority(control, effective, lock);
    }
}

/// Brings a thread closer to its `effective` priority. Returns the next step.
#[inline(never)]
fn step<'a>(
    control: &'a ThreadBlock,
    moved: Moved,
    effective: u8,
    lock: &KernelLock<'_>,
) -> Next<'a> {
    let Some(Place { list, waiter, mutex }) = control.place(lock) else {
        SCHEDULER.change_priority(control, effective, lock);
        return None;
    };
    let moves = moved || waiter.priority(lock) != effective;
    // SAFETY: INVARIANT(place).
    let linked = unsafe { list.move_waiter(lock, waiter, effective) };
    let is_own = ptr::eq(waiter, control.waiter());
    let priority = if is_own { waiter.priority(lock) } else { effective };
    if control.has_place() {
        SCHEDULER.change_priority(control, priority, lock);
    } else {
        control.set_waiting_priority(priority);
    }
    if linked == Linked::Again {
        return Some((control, true));
    }
    let owner = mutex.filter(|_| moves).and_then(Ownership::owner)?;
    Some((owner, false))
}
