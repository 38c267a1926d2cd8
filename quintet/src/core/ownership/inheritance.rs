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
//! Each step along the chain, each place by which a waiter moves, and each [floor](Floors) of a
//! thread is one section of the lock, and begins with the state at that time. A ready thread leaves
//! its ring in one section, enters its new ring in the next, and a third one looks whether a switch
//! is due. So a context that comes between two sections may begin another walk, and may or may not
//! finish it. Effective priorities don't depend on the order of walks, and a walk ends where
//! nothing changes. No thread runs during a walk.

#![expect(unsafe_code, reason = "control blocks and places are reached through pointers")]

use ::core::ptr;

use super::floors::Floors;
use crate::core::list::search::disturb;
use crate::core::list::{Linked, WaitList, Waiter};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::place::{ELSEWHERE, Elsewhere, OF_MUTEX};
use crate::core::record::priority::{bit_of, is_ceiling, own_limit};
use crate::core::record::thread::State;
use crate::core::record::waiter::State as Waiting;
use crate::core::record::{Ownership, ThreadBlock};
use crate::core::scheduler::{Change, SCHEDULER, Scheduler};
use crate::core::section::{SectionEnd, kernel_and_then};

/// A thread's place among waiters.
struct Place<'a> {
    list: &'a WaitList<()>,
    waiter: &'a Waiter<()>,
    /// The mutex of the list.
    mutex: Option<&'a Ownership>,
}

/// The result of a step along the chain.
struct Step<'a> {
    /// The thread of the next step.
    next: Option<(&'a ThreadBlock, Moved)>,
    /// `true` if the thread's waiter has moved, or its priority has changed.
    moves: Moved,
    /// `true` if the thread waits with its own waiter, which has the thread's priority.
    uses_own: bool,
}

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
        disturb(lock);
        let is_free = control.held().get().is_null();
        if is_free && SCHEDULER.change_alone(control, base, lock) {
            return ((), SectionEnd::End);
        }
        ((), SectionEnd::Rest(()))
    };
    kernel_and_then(section, |(), _pause| propagate(control));
}

/// Gives a thread its effective priority, and then every owner along the chain of mutexes that the
/// thread waits for. From every context that the kernel knows of, in a pause: no other thread runs
/// meanwhile.
pub fn propagate(control: &ThreadBlock) {
    walk(control, 0);
}

/// As [`propagate`], but gives the thread at least `lent`, which isn't its effective priority yet.
pub fn propagate_at_least(control: &ThreadBlock, lent: u8) {
    walk(control, lent);
}

/// Walks along the chain.
#[inline(never)]
fn walk(control: &ThreadBlock, mut lent: u8) {
    let mut next = Some((control, false));
    while let Some((control, mut moved)) = next {
        next = loop {
            let mut floors = Floors::of(control);
            let effective = effective(&mut floors).max(lent);
            let Some(step) = move_once(&floors, control, moved, effective) else { continue };
            moved |= step.moves;
            if step.uses_own {
                break step.next;
            }
            let Some(change) = change(&floors, control, effective) else { continue };
            let is_current = |lock: &KernelLock<'_>| floors.is_current(lock);
            if SCHEDULER.finish_change(control, change, effective, is_current) {
                break step.next;
            }
        };
        // `lent` is only for the first thread.
        if next.is_some_and(|(_, moved)| !moved) {
            lent = 0;
        }
    }
}

/// Returns the effective priority of a thread.
#[inline(never)]
fn effective(floors: &mut Floors<'_>) -> u8 {
    floors.effective(|_| ()).0
}

/// Brings a thread that waits one place closer to its place, in one section. Returns `None` if the
/// effective priority isn't current.
#[inline(never)]
fn move_once<'a>(
    floors: &Floors<'_>,
    control: &'a ThreadBlock,
    moved: Moved,
    effective: u8,
) -> Option<Step<'a>> {
    kernel(|lock| {
        if !floors.is_current(lock) {
            return None;
        }
        let Some(Place { list, waiter, mutex }) = control.place(lock) else {
            return Some(Step { next: None, moves: moved, uses_own: false });
        };
        let moves = moved || waiter.priority(lock) != effective;
        // SAFETY: INVARIANT(place).
        let linked = unsafe { list.move_waiter(lock, waiter, effective) };
        // The list isn't one of a mutex that the thread has.
        floors.resume(lock);
        let uses_own = ptr::eq(waiter, control.waiter());
        // With the waiter: whoever sees the order of the list sees the priority, and whoever makes
        // the thread ready puts it into the ring of that.
        if uses_own {
            control.set_waiting_priority(waiter.priority(lock));
        } else if SCHEDULER.is_ready(control) {
            control.priority.set(effective);
        } else {
            control.set_waiting_priority(effective);
        }
        if linked == Linked::Again {
            return Some(Step { next: Some((control, true)), moves: true, uses_own });
        }
        let owner = mutex.filter(|_| moves).and_then(Ownership::owner);
        Some(Step { next: owner.map(|owner| (owner, false)), moves, uses_own })
    })
}

/// Gives a thread a priority, in one section. Returns `None` if the effective priority isn't
/// current.
#[inline(never)]
fn change(floors: &Floors<'_>, control: &ThreadBlock, priority: u8) -> Option<Change> {
    kernel(|lock| {
        floors.is_current(lock).then(|| SCHEDULER.change_priority(control, priority, lock))
    })
}
