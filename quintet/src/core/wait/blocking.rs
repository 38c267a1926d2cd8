//! Waiting in a thread: it is linked, and another one runs, in the section in which there was
//! nothing to take.
//!
//! Where what is wanted fits, it waits in the place that every thread has; otherwise with a waiter
//! on its stack, which is made between two sections.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::pin::Pin;
use ::core::ptr;

use super::Supply;
use crate::arch::switch;
use crate::core::guarded::Guarded;
use crate::core::list::{Demand, Linked, Search, Waiter};
use crate::core::lock::{self, Kernel, Saved};
use crate::core::park;
use crate::core::scheduler::{Control, Elsewhere, SCHEDULER};

/// Lets the running thread wait for `supply` to grant `demand`, and returns what `read` finds in
/// it.
///
/// For the thread that runs, and holds no ceiling: [`may_block`](crate::core::park::may_block)
/// panics otherwise.
#[inline(always)]
pub fn block<S: Supply, T>(
    supply: &Guarded<S>,
    demand: S::Demand,
    read: impl FnOnce(&S::Demand) -> T,
) -> T {
    let saved = lock::acquire();
    // SAFETY: acquired above, and released by every path below.
    let held = unsafe { Kernel::held() };
    if supply.get(&held).take(&held, &demand) {
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        return read(&demand);
    }
    // SAFETY: from the matching call.
    unsafe { lock::release(saved) };
    block_now(supply, demand, read)
}

/// Lets the running thread wait for `supply` to grant it a token. As [`block`], for less.
#[inline(always)]
pub fn block_for_token<S: Supply<Demand = ()>>(supply: &Guarded<S>) {
    let _granted =
        look_or_block(
            supply,
            |lock| {
                if supply.get(lock).take(lock, &()) { Ok(()) } else { Err(()) }
            },
        );
}

/// What `look` finds, in the section in which the thread otherwise begins to wait for a token of
/// `supply`. An error says that it has waited, and was granted one.
///
/// For the thread that runs, and holds no ceiling, as [`block`]. `look` takes a token if it returns
/// a value, and none if it returns an error.
#[inline(always)]
pub fn look_or_block<S: Supply<Demand = ()>, T, E>(
    supply: &Guarded<S>,
    look: impl FnOnce(&Kernel<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let saved = lock::acquire();
    // SAFETY: acquired above, and released by every path below.
    let held = unsafe { Kernel::held() };
    let found = look(&held);
    if found.is_ok() {
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        return found;
    }
    let waiters = supply.get(&held).waiters();
    if saved == 0 && waiters.is_empty(&held) {
        // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
        unsafe { switch::wait(waiters) };
    } else {
        block_behind(supply, saved);
    }
    found
}

/// Lets the running thread wait for `supply` to grant what is wanted, and returns that, with what
/// was granted. As [`block`], in the place that every thread has.
///
/// What the first look wants is another one than what is waited for, so that it needs no memory.
#[inline(always)]
pub fn block_for<S: Supply<Demand = Demand<D>>, D: 'static>(
    supply: &Guarded<S>,
    wanted: impl Fn() -> D,
) -> D {
    let saved = lock::acquire();
    // SAFETY: acquired above, and released by every path below.
    let held = unsafe { Kernel::held() };
    let first = wanted();
    if supply.get(&held).take(&held, &Demand::new(&first)) {
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        return first;
    }
    let wanted = wanted();
    let waiters = supply.get(&held).waiters();
    if saved == 0 && waiters.is_empty(&held) {
        // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
        unsafe { switch::wait_for(waiters.any(), ptr::from_ref(&wanted).cast()) };
    } else {
        block_behind_for(supply, &wanted, saved);
    }
    wanted
}

/// As [`block_for`], with the lock held, where others wait.
#[inline(never)]
fn block_behind_for<S: Supply<Demand = Demand<D>>, D: 'static>(
    supply: &Guarded<S>,
    wanted: &D,
    saved: Saved,
) {
    let control = park::may_block(saved);
    let waiter = control.waiter_with_demand();
    let mut search = Search::new();
    let mut sought = 0;
    loop {
        // SAFETY: acquired by the caller, or below, and released by every path below.
        let held = unsafe { Kernel::held() };
        let waiters = supply.get(&held).waiters();
        control.note_place(waiters.any());
        let priority = control.priority(&held);
        if priority != sought {
            search = Search::new();
            sought = priority;
        }
        // SAFETY: a thread that runs is in no list, and its waiter is its own; statics are pinned.
        // The lock is held, and handed over; a grant makes the thread ready.
        unsafe {
            control.waiter().prepare_thread(priority);
            let waiter = Pin::static_ref(waiter);
            if waiters.link_thread(&held, waiter, priority, &mut search) == Linked::Done {
                return block_with_demand(control, wanted, saved);
            }
            lock::release(saved);
        }
        let _saved = lock::acquire();
        if supply.get(&held).take(&held, &Demand::new(wanted)) {
            // SAFETY: from the matching call.
            return unsafe { lock::release(saved) };
        }
    }
}

/// Lets the running thread wait, whose own waiter is linked.
///
/// # Safety
/// As for `switch::block`.
unsafe fn block_with_demand<D>(control: &'static Control, wanted: &D, saved: Saved) {
    // SAFETY: the caller's.
    unsafe {
        let held = Kernel::held();
        if control.is_alone(&held) {
            control.set_demand(wanted);
            return switch::block(saved);
        }
        SCHEDULER.make_unready(&held);
        control.set_demand(wanted);
        // Others of its priority are ready, so it isn't idle.
        switch::switch(SCHEDULER.select(&held), control);
    }
}

/// As [`look_or_block`], with the lock held, where others wait: in the place that every thread has.
#[inline(never)]
fn block_behind<S: Supply<Demand = ()>>(supply: &Guarded<S>, saved: Saved) {
    let control = park::may_block(saved);
    // SAFETY: acquired by the caller, and released below.
    let held = unsafe { Kernel::held() };
    control.note_place(supply.get(&held).waiters());
    let priority = control.priority(&held);
    // SAFETY: a thread that runs is in no list, and its waiter is its own; statics are pinned.
    unsafe {
        control.waiter().prepare_thread(priority);
        link_and_block(supply, Pin::static_ref(control.waiter()), priority, saved);
    }
}

/// As [`block`], where there was nothing to take.
///
/// The waiter is made outside of the section in which it is linked, which is long enough.
#[inline(never)]
fn block_now<S: Supply, T>(
    supply: &Guarded<S>,
    demand: S::Demand,
    read: impl FnOnce(&S::Demand) -> T,
) -> T {
    let control = park::may_wait();
    let waiter = Waiter::of_thread(control, control.waiting_priority(), demand);
    let saved = lock::acquire();
    // SAFETY: acquired above, and released by either path below.
    let held = unsafe { Kernel::held() };
    if supply.get(&held).take(&held, waiter.demand()) {
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        return read(waiter.demand());
    }
    let priority = control.priority(&held);
    let elsewhere = Elsewhere::new(supply.get(&held).waiters(), &waiter);
    control.note_place_elsewhere(&elsewhere);
    // SAFETY: `waiter` isn't moved before the thread goes on, and then it is in no list. It is
    // idle, and holds its thread, which is the running one.
    unsafe {
        waiter.prepare_thread(priority);
        link_and_block(supply, Pin::new_unchecked(&waiter), priority, saved);
    }
    read(waiter.demand())
}

/// Links the waiter of the running thread, and lets the thread wait until it is granted.
///
/// # Safety
/// As for [`WaitList::link`]. The lock is held since a section that began where `saved` was found;
/// this ends it.
#[inline(always)]
unsafe fn link_and_block<S: Supply>(
    supply: &Guarded<S>,
    waiter: Pin<&Waiter<S::Demand>>,
    priority: u8,
    saved: Saved,
) {
    // SAFETY: the caller's.
    unsafe {
        let held = Kernel::held();
        if supply.get(&held).waiters().link_first(&held, waiter, priority) == Linked::Done {
            // The thread is in a list, whose grant makes it ready.
            return switch::block(saved);
        }
        lock::release(saved);
        block_between(supply, waiter, priority);
    }
}

/// The same, where the place in the list has to be searched for.
///
/// # Safety
/// As for [`WaitList::link`]; the waiter is the running thread's.
#[cold]
unsafe fn block_between<S: Supply>(
    supply: &Guarded<S>,
    waiter: Pin<&Waiter<S::Demand>>,
    mut priority: u8,
) {
    let mut search = Search::new();
    loop {
        let saved = lock::acquire();
        // SAFETY: acquired above, and released by every path below.
        let held = unsafe { Kernel::held() };
        // An interrupt may have changed it since the search began.
        let due = SCHEDULER.running().priority(&held);
        if due != priority {
            priority = due;
            waiter.set_priority(priority, &held);
            search = Search::new();
        }
        let there = supply.get(&held).take(&held, waiter.demand());
        // SAFETY: the caller's.
        let linked = !there
            && unsafe {
                supply.get(&held).waiters().link_thread(&held, waiter, priority, &mut search)
            } == Linked::Done;
        if linked {
            // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
            return unsafe { switch::block(saved) };
        }
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        if there {
            return;
        }
    }
}
