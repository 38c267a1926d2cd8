//! Waiting in a thread: it is linked, and another one runs, in the section in which there was
//! nothing to take.
//!
//! Where what is wanted fits, it waits in the place that every thread has; otherwise with a waiter
//! on its stack, which is made between two sections.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::pin::Pin;
use ::core::ptr::{self, NonNull};

use super::Supply;
use crate::arch::switch;
use crate::core::guarded::Guarded;
use crate::core::list::{Demand, Linked, Search, WaitList, Waiter};
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
    let saved = lock::acquire();
    // SAFETY: acquired above, and released or handed over.
    unsafe {
        let held = Kernel::held();
        if supply.get(&held).take(&held, &()) {
            lock::release(saved);
        } else {
            block_here(supply, saved);
        }
    }
}

/// Lets the running thread wait for `supply` to grant it a token, in the section that began where
/// `saved` was found, and in which there was none; ends that.
///
/// # Safety
/// The lock is held.
#[inline(always)]
pub unsafe fn block_here<S: Supply<Demand = ()>>(supply: &Guarded<S>, saved: Saved) {
    // SAFETY: the caller's.
    let held = unsafe { Kernel::held() };
    let waiters = supply.get(&held).waiters();
    if saved == 0 && waiters.is_empty(&held) {
        // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
        unsafe { switch::wait(waiters) };
    } else {
        block_behind(supply, saved);
    }
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
    let take = |lock: &Kernel<'_>| supply.get(lock).take(lock, &Demand::new(wanted));
    // SAFETY: acquired by the caller. The thread's own waiter wants what is `wanted`.
    unsafe {
        block_by_steps(list_of(supply), None, Some(NonNull::from(wanted).cast()), saved, &take);
    }
}

/// As [`block_here`], where others wait: in the place that every thread has.
#[inline(never)]
fn block_behind<S: Supply<Demand = ()>>(supply: &Guarded<S>, saved: Saved) {
    let take = |lock: &Kernel<'_>| supply.get(lock).take(lock, &());
    // SAFETY: acquired by the caller.
    unsafe { block_by_steps(list_of(supply), None, None, saved, &take) }
}

/// Those who wait: the list stays where it is, and is used under the lock only.
///
/// # Safety
/// The lock is held.
#[inline(always)]
unsafe fn list_of<S: Supply>(supply: &Guarded<S>) -> &WaitList<()> {
    // SAFETY: the caller's; it is part of the supply.
    unsafe { &*ptr::from_ref(supply.get(&Kernel::held()).waiters().any()) }
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
    // SAFETY: acquired above, and released by every path below.
    let held = unsafe { Kernel::held() };
    if supply.get(&held).take(&held, waiter.demand()) {
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        return read(waiter.demand());
    }
    let priority = control.priority(&held);
    let waiters = supply.get(&held).waiters();
    let elsewhere = Elsewhere::new(waiters, &waiter);
    control.note_place_elsewhere(&elsewhere);
    // SAFETY: `waiter` isn't moved before the thread goes on, and then it is in no list. It is
    // idle, and holds its thread, which is the running one.
    unsafe {
        waiter.prepare_thread(priority);
        if waiters.link_first(&held, Pin::new_unchecked(&waiter), priority) == Linked::Done {
            // The thread is in a list, whose grant makes it ready.
            switch::block(saved);
        } else {
            let own = Some(NonNull::from(&waiter).cast());
            let take = |lock: &Kernel<'_>| supply.get(lock).take(lock, waiter.demand());
            block_by_steps(list_of(supply), own, None, saved, &take);
        }
    }
    read(waiter.demand())
}

/// Lets the running thread wait in `list`, unless `take` finds what is wanted, which it is asked in
/// each section in which the place among others is searched for. One function for all objects: it
/// is for what happens rarely. Ends the section that began where `saved` was found, before all.
///
/// The waiter is the thread's own, which wants what is at `wanted`; or `apart`, which the thread
/// has [noted](Control::note_place_elsewhere).
///
/// # Safety
/// The lock is held. As for [`WaitList::link`]; `apart` holds the running thread.
#[inline(never)]
unsafe fn block_by_steps(
    list: &WaitList<()>,
    apart: Option<NonNull<Waiter<()>>>,
    wanted: Option<NonNull<()>>,
    mut saved: Saved,
    take: &dyn Fn(&Kernel<'_>) -> bool,
) {
    let control = park::may_block_apart(saved);
    let waiter = apart.unwrap_or_else(|| {
        control.note_place(list);
        control.waiter().into()
    });
    let mut search = Search::new();
    loop {
        // SAFETY: from the matching call: it is acquired anew, and released by every path below. A
        // thread that runs is in no list. The lock is handed over; a grant makes the thread ready.
        unsafe {
            lock::release(saved);
            lock::let_in();
            saved = lock::acquire();
            let held = Kernel::held();
            if take(&held) {
                return lock::release(saved);
            }
            // It may have changed since the search began, which then begins anew:
            // INVARIANT(ranked).
            let priority = control.priority(&held);
            waiter.as_ref().prepare_thread(priority);
            if list.link_thread(&held, waiter, priority, &mut search) == Linked::Done {
                return block_with_demand(control, wanted, saved);
            }
        }
    }
}

/// Lets the running thread wait, whose waiter is linked. It wants what is at `wanted`,
/// if anything.
///
/// # Safety
/// As for `switch::block`.
#[inline(always)]
unsafe fn block_with_demand(control: &'static Control, wanted: Option<NonNull<()>>, saved: Saved) {
    // SAFETY: the caller's.
    unsafe {
        let held = Kernel::held();
        if let Some(wanted) = wanted {
            if !control.is_alone(&held) {
                SCHEDULER.make_unready(&held);
                control.set_demand(wanted);
                // Others of its priority are ready, so it isn't idle.
                return switch::switch(SCHEDULER.select(&held), control);
            }
            control.set_demand(wanted);
        }
        switch::block(saved);
    }
}
