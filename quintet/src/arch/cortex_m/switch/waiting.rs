//! Waits in an empty list: the assembly that switches links the thread.

use ::core::arch::naked_asm;

use super::stacks::{choose_next, switch_stacks};
use super::{block_among_equals, block_to_idle};
use crate::arch::upward::refuse_to_wait;
use crate::core::record::WaitList;
use crate::core::record::{SCHEDULER, offset};

/// Lets the running thread wait in the empty `list`, and ends the section that found 0 at its
/// beginning. Returns when the thread was granted its demand, and its turn has come.
///
/// # Safety
/// The kernel's lock is held, by a thread; the list's object grants the demand.
#[unsafe(naked)]
pub unsafe extern "C" fn wait(_list: &WaitList<()>) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "cbnz r3, 4f",                        // in a critical section
        "strd r0, r3, [r1, #{place}]",        // its place; no waiter is behind it
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cbnz r3, 4f",                        // under a ceiling of threads
        "add r3, r1, #{waiter}",              // r3 = the thread's own waiter
        "strd r3, r3, [r0]",                  // head and tail
        choose_next!("r2"),
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

/// Lets the running thread wait in the empty `list` for a demand, to which `demand` points.
///
/// # Safety
/// As for [`wait`]; code that grants the demand ends it.
#[unsafe(naked)]
pub unsafe extern "C" fn wait_for(_list: &WaitList<()>, _demand: *const ()) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "mov r12, r1",                        // r12 = the demand
        "ldr r1, [r2, #-8]",                  // r1 = running
        "cbnz r3, 4f",                        // in a critical section
        "strd r0, r3, [r1, #{place}]",        // its place; no waiter is behind it
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cbnz r3, 4f",                        // under a ceiling of threads
        "add r3, r1, #{waiter}",              // r3 = the thread's own waiter
        "strd r3, r3, [r0]",                  // head and tail
        "ldr r3, [r1, #{next}]",              // r3 = the next in its ring
        "cmp r3, r1",                         // is it alone there?
        "bne 2f",                             // others of its priority are ready
        "str r12, [r1, #{previous}]",         // its demand
        "ldr r12, [r2, #-4]",                 // r12 = ready
        "ldr r3, [r1, #{bit}]",               // r3 = its bit
        "bics r12, r12, r3",                  // ready, without it
        "clz r3, r12",                        // r3 = the slot of the most urgent
        "ldr r0, [r2, r3, lsl #2]",           // r0 = the first of the most urgent
        "strd r0, r12, [r2, #-8]",            // it runs, and those are ready
        "beq 3f",                             // no thread: idle
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
