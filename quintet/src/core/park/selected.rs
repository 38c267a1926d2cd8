//! Waits for a switch that is only the exchange of stacks: each function lets the running thread
//! wait, and returns the thread that runs in its place. The switch calls these functions with the
//! lock held, and ends the section. They panic if the thread may not wait.

#![expect(unsafe_code, reason = "the switch hands the lock over, and calls by symbols")]

use ::core::mem::MaybeUninit;
use ::core::ptr::{self, NonNull};

use super::check_may_block_cold;
use crate::core::lock::Saved;
use crate::core::record::{SCHEDULER, ThreadBlock, WaitList};
use crate::core::scheduler::held;

/// Lets the running thread wait in the empty `list`, for the demand at `demand` if it isn't null.
///
/// # Safety
/// The lock is held, by a thread, in a section that found 0; the list's object grants the demand.
#[unsafe(export_name = "__quintet_select_to_wait")]
unsafe extern "C" fn select_to_wait(list: &WaitList<()>, demand: *const ()) -> *const ThreadBlock {
    let running = check_may_block_cold(0);
    let waiter = running.waiter();
    // SAFETY: the caller's: a thread that runs is in no list.
    unsafe {
        waiter.prepare_thread(running.waiting_priority());
        running.note_place(list);
        list.head.set(Some(waiter.into()));
        list.tail.set(MaybeUninit::new(waiter.into()));
        held(|lock| {
            SCHEDULER.make_unready(lock);
            if let Some(demand) = NonNull::new(demand.cast_mut()) {
                running.set_demand(demand);
            }
            ptr::from_ref(SCHEDULER.select(lock))
        })
    }
}

/// Lets the running thread wait for a notification. Returns null if the thread was notified before.
///
/// # Safety
/// The lock is held, by a thread, in a section that found `saved`.
#[unsafe(export_name = "__quintet_select_to_park")]
unsafe extern "C" fn select_to_park(saved: Saved) -> *const ThreadBlock {
    if saved != 0 {
        // Also if it was notified.
        let _refused = check_may_block_cold(saved);
    }
    // SAFETY: the caller's.
    unsafe {
        held(|lock| {
            if SCHEDULER.take_notification(lock) {
                return ptr::null();
            }
            let _running = check_may_block_cold(0);
            SCHEDULER.note_parked(lock);
            SCHEDULER.make_unready(lock);
            ptr::from_ref(SCHEDULER.select(lock))
        })
    }
}

/// Lets the running thread wait for flags of its own, at `mark`, of which it wants those in
/// `wanted`.
///
/// # Safety
/// The lock is held, by a thread, in a section that found `saved`; code that sets the flags looks
/// at the mark.
#[unsafe(export_name = "__quintet_select_to_wait_for_own")]
unsafe extern "C" fn select_to_wait_for_own(
    mark: NonNull<()>,
    saved: Saved,
    wanted: u32,
) -> *const ThreadBlock {
    let running = check_may_block_cold(saved);
    running.set_wanted(mark, wanted);
    // SAFETY: the caller's.
    unsafe {
        held(|lock| {
            SCHEDULER.make_unready(lock);
            ptr::from_ref(SCHEDULER.select(lock))
        })
    }
}

/// Lets the next thread of the running thread's priority run. Returns null if there is none.
///
/// # Safety
/// The lock is held, by a thread, in a section that found 0.
#[unsafe(export_name = "__quintet_select_next")]
unsafe extern "C" fn select_next() -> *const ThreadBlock {
    let _running = check_may_block_cold(0);
    // SAFETY: the caller's.
    unsafe {
        held(|lock| {
            if SCHEDULER.rotate(lock) { ptr::from_ref(SCHEDULER.select(lock)) } else { ptr::null() }
        })
    }
}
