//! Waits in an empty list: the assembly that switches links the thread.

use ::core::arch::naked_asm;

use super::stacks::{choose_from, switch_stacks};
use super::{block_among_equals, block_to_idle};
use crate::arch::upward::refuse_to_wait;
use crate::core::application::has_ceilings;
use crate::core::record::WaitList;
use crate::core::record::{SCHEDULER, offset};

/// Lets the running thread wait in the empty `list`, and ends the section that found 0 at its
/// beginning. Returns when the thread was granted its demand, and its turn has come.
///
/// # Safety
/// The kernel's lock is held, by a thread; the list's object grants the demand.
#[inline(always)]
pub unsafe fn wait(list: &WaitList<()>) {
    // SAFETY: the caller's. Without ceilings, no thread is under one.
    unsafe { if has_ceilings() { wait_in::<true>(list) } else { wait_in::<false>(list) } };
}

/// Lets the running thread wait in the empty `list` for a demand, to which `demand` points.
///
/// # Safety
/// As for [`wait`]; code that grants the demand ends it.
#[inline(always)]
pub unsafe fn wait_for(list: &WaitList<()>, demand: *const ()) {
    // SAFETY: as above.
    unsafe {
        if has_ceilings() {
            wait_in_for::<true>(list, demand);
        } else {
            wait_in_for::<false>(list, demand);
        }
    }
}

/// As [`wait`]. `CEILINGS`: the thread may be under a ceiling of threads.
#[unsafe(naked)]
unsafe extern "C" fn wait_in<const CEILINGS: bool>(_list: &WaitList<()>) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "ldr r1, [r2, #-8]",                  // r1 = running
        "cbnz r3, 4f",                        // in a critical section
        ".if {ceilings}",
        "ldrb r12, [r1, #{ceiling}]",         // the ceiling that it is under
        "cmp r12, #0",                        // is there one?
        "bne 4f",                             // under a ceiling of threads
        ".endif",
        "ldr r12, [r1, #{next}]",             // r12 = the next in its ring
        "str r0, [r1, #{place}]",             // its place
        "str r3, [r1, #{waiter}]",            // no waiter is behind it
        "add r3, r1, #{waiter}",              // r3 = the thread's own waiter
        "str r3, [r0]",                       // the head,
        "str r3, [r0, #4]",                   // and the tail
        "cmp r12, r1",                        // is it alone in its ring?
        "bne 2f",                             // others of its priority are ready
        choose_from!("r2", "r3", "r12"),
        switch_stacks!(),
        "2:",
        "mov r12, r1",                        // no demand: the thread itself
        "b {others_ready}",                   // the next of its priority may run
        "3:",
        "b {to_idle}",                        // r0 = idle
        "4:",
        "movs r0, #0",                        // the mask that the section found
        "b {refuse}",                         // no thread may wait there
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        ceilings = const CEILINGS as u32,
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        ceiling = const offset::CEILING,
        next = const offset::NEXT,
        place = const offset::PLACE,
        waiter = const offset::WAITER,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}

/// As [`wait_for`]. `CEILINGS`: the thread may be under a ceiling of threads.
#[unsafe(naked)]
unsafe extern "C" fn wait_in_for<const CEILINGS: bool>(_list: &WaitList<()>, _demand: *const ()) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "mov r12, r1",                        // r12 = the demand
        "ldr r1, [r2, #-8]",                  // r1 = running
        "cbnz r3, 4f",                        // in a critical section
        "str r0, [r1, #{place}]",             // its place
        "str r3, [r1, #{waiter}]",            // no waiter is behind it
        ".if {ceilings}",
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cbnz r3, 4f",                        // under a ceiling of threads
        ".endif",
        "add r3, r1, #{waiter}",              // r3 = the thread's own waiter
        "str r3, [r0]",                       // the head,
        "str r3, [r0, #4]",                   // and the tail
        "ldr r3, [r1, #{next}]",              // r3 = the next in its ring
        "cmp r3, r1",                         // is it alone there?
        "bne 2f",                             // others of its priority are ready
        "str r12, [r1, #{previous}]",         // its demand
        choose_from!("r2", "r3", "r12"),
        switch_stacks!(),
        "2:",
        "b {others_ready}",                   // r12 = the demand
        "3:",
        "b {to_idle}",                        // r0 = idle
        "4:",
        "movs r0, #0",                        // the mask that the section found
        "b {refuse}",                         // no thread may wait there
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        ceilings = const CEILINGS as u32,
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        ceiling = const offset::CEILING,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        place = const offset::PLACE,
        waiter = const offset::WAITER,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}
