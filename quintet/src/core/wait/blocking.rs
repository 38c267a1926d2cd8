//! Waits of threads. If a thread finds nothing to take, it is linked in the same section, and
//! another thread runs.
//!
//! If the demand fits, the thread waits with its own waiter. Otherwise the thread waits with a
//! waiter on its stack, which is made between two sections.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::hint::cold_path;
use ::core::pin::Pin;
use ::core::ptr::{self, NonNull};

use super::Supply;
use crate::arch::switch;
use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Demand, Linked, Search, WaitList, Waiter};
use crate::core::lock::{self, KernelLock, Section};
use crate::core::park;
use crate::core::scheduler::{Elsewhere, SCHEDULER, ThreadBlock};

/// Lets the running thread wait for `supply` to grant `demand`, and returns the result of `read`
/// for the demand.
///
/// The running thread must not hold a ceiling, or
/// [`check_may_block`](crate::core::park::check_may_block) panics.
#[inline(always)]
pub fn block<S: Supply, T>(
    supply: &KernelCell<S>,
    demand: S::Demand,
    read: impl FnOnce(&S::Demand) -> T,
) -> T {
    let section = Section::begin();
    if supply.get(&section).take(&section, &demand) {
        section.end();
        return read(&demand);
    }
    section.end();
    block_now(supply, demand, read)
}

/// Lets the running thread wait for `supply` to grant a token. Cheaper than [`block`].
#[inline(always)]
pub fn block_for_token<S: Supply<Demand = ()>>(supply: &KernelCell<S>) {
    let section = Section::begin();
    if supply.get(&section).take(&section, &()) {
        section.end();
    } else {
        cold_path();
        block_here(supply, section);
    }
}

/// Lets the running thread wait for `supply` to grant a token, in a section in which there was no
/// token. Ends this section.
#[inline(always)]
pub fn block_here<S: Supply<Demand = ()>>(supply: &KernelCell<S>, section: Section) {
    let list = list_of(supply, &section);
    // One branch for both.
    if section.saved() as usize | supply.get(&section).waiters().head_address(&section) != 0 {
        cold_path();
        return block_behind(supply, section);
    }
    // The switch ends the section.
    let _handed_over = section.into_saved();
    // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
    unsafe { switch::wait(&*list) };
}

/// Lets the running thread wait for `supply` to grant what `wanted` makes. Returns the wanted
/// value, with the grant. As [`block`], with the thread's own waiter.
///
/// The first look and the wait use separate values of `wanted`, so that the first value needs no
/// memory.
#[inline(always)]
pub fn block_for<S: Supply<Demand = Demand<D>>, D: 'static>(
    supply: &KernelCell<S>,
    wanted: impl Fn() -> D,
) -> D {
    let section = Section::begin();
    let first = wanted();
    if supply.get(&section).take(&section, &Demand::new(&first)) {
        section.end();
        return first;
    }
    let wanted = wanted();
    let list = list_of(supply, &section);
    // One branch for both.
    if section.saved() as usize | supply.get(&section).waiters().head_address(&section) != 0 {
        cold_path();
        block_behind_for(supply, &wanted, section);
        return wanted;
    }
    // The switch ends the section.
    let _handed_over = section.into_saved();
    // SAFETY: the lock is held, and handed over; a grant makes the thread ready.
    unsafe { switch::wait_for(&*list, ptr::from_ref(&wanted).cast()) };
    wanted
}

/// As [`block_for`], with the lock held, if other waiters exist.
#[inline(never)]
fn block_behind_for<S: Supply<Demand = Demand<D>>, D: 'static>(
    supply: &KernelCell<S>,
    wanted: &D,
    section: Section,
) {
    let take = |lock: &KernelLock<'_>| supply.get(lock).take(lock, &Demand::new(wanted));
    let list = list_of(supply, &section);
    // SAFETY: the list is the supply's. `wanted` is the demand of the thread's own waiter.
    unsafe { block_by_steps(list, None, Some(NonNull::from(wanted).cast()), section, &take) };
}

/// As [`block_here`], if other waiters exist: with the thread's own waiter.
#[inline(never)]
fn block_behind<S: Supply<Demand = ()>>(supply: &KernelCell<S>, section: Section) {
    let take = |lock: &KernelLock<'_>| supply.get(lock).take(lock, &());
    let list = list_of(supply, &section);
    // SAFETY: the list is the supply's.
    unsafe { block_by_steps(list, None, None, section, &take) }
}

/// Returns the list of the waiters. The list doesn't move, and is used only under the lock.
#[inline(always)]
fn list_of<S: Supply>(supply: &KernelCell<S>, lock: &KernelLock<'_>) -> *const WaitList<()> {
    supply.get(lock).waiters().any()
}

/// As [`block`], if there was nothing to take.
///
/// The waiter is made outside of the section in which it is linked, as this section is long enough.
#[inline(never)]
fn block_now<S: Supply, T>(
    supply: &KernelCell<S>,
    demand: S::Demand,
    read: impl FnOnce(&S::Demand) -> T,
) -> T {
    let control = park::check_may_wait();
    let waiter = Waiter::of_thread(control, control.waiting_priority(), demand);
    let section = Section::begin();
    if supply.get(&section).take(&section, waiter.demand()) {
        section.end();
        return read(waiter.demand());
    }
    let priority = control.priority(&section);
    let waiters = supply.get(&section).waiters();
    let elsewhere = Elsewhere::new(waiters, &waiter);
    control.note_place_elsewhere(&elsewhere);
    // SAFETY: `waiter` isn't moved before the thread continues, and is in no list then. `waiter` is
    // idle, and names the running thread.
    unsafe {
        waiter.prepare_thread(priority);
        if waiters.link_first(&section, Pin::new_unchecked(&waiter), priority) == Linked::Done {
            // The thread is in a list, and a grant makes the thread ready.
            section.block();
        } else {
            let own = Some(NonNull::from(&waiter).cast());
            let take = |lock: &KernelLock<'_>| supply.get(lock).take(lock, waiter.demand());
            block_by_steps(list_of(supply, &section), own, None, section, &take);
        }
    }
    read(waiter.demand())
}

/// Lets the running thread wait in `list`, unless `take` takes the demand. Calls `take` in each
/// section of the search for the place among the waiters. All objects share this function for rare
/// cases. Ends `section` first.
///
/// The waiter is the thread's own, with the demand at `wanted`; or `apart`, which the thread has
/// [noted](ThreadBlock::note_place_elsewhere).
///
/// # Safety
/// `list` belongs to the object that `take` asks. As for [`WaitList::link`]; `apart` names the
/// running thread.
#[inline(never)]
unsafe fn block_by_steps(
    list: *const WaitList<()>,
    apart: Option<NonNull<Waiter<()>>>,
    wanted: Option<NonNull<()>>,
    mut section: Section,
    take: &dyn Fn(&KernelLock<'_>) -> bool,
) {
    // SAFETY: the caller's: the list lives as long as a waiter waits for its object.
    let list = unsafe { &*list };
    let control = park::check_may_block_cold(section.saved());
    let waiter = apart.unwrap_or_else(|| {
        control.note_place(list);
        control.waiter().into()
    });
    let mut search = Search::new();
    loop {
        section.end();
        lock::take_pending_interrupts();
        section = Section::begin();
        if take(&section) {
            return section.end();
        }
        // It may have changed since the search began, which then begins anew: INVARIANT(ranked).
        let priority = control.priority(&section);
        // SAFETY: a running thread is in no list. A grant makes the thread ready.
        unsafe {
            waiter.as_ref().prepare_thread(priority);
            if list.link_thread(&section, waiter, priority, &mut search) == Linked::Done {
                return block_with_demand(control, wanted, section);
            }
        }
    }
}

/// Lets the running thread wait, whose waiter is linked. The demand is at `wanted`, if there is
/// one.
///
/// # Safety
/// As for [`Section::block`].
#[inline(always)]
unsafe fn block_with_demand(
    control: &'static ThreadBlock,
    wanted: Option<NonNull<()>>,
    section: Section,
) {
    if let Some(wanted) = wanted {
        if !control.is_alone(&section) {
            SCHEDULER.make_unready(&section);
            control.set_demand(wanted);
            let next = SCHEDULER.select(&section);
            // SAFETY: others of the thread's priority are ready, so the thread isn't idle.
            return unsafe { section.switch(next, control) };
        }
        control.set_demand(wanted);
    }
    // SAFETY: the caller's.
    unsafe { section.block() };
}
