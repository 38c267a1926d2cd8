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
        "ldr r2, 9f",
        "mrs r3, PRIMASK",
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "cbnz r3, 4f",                        // in a critical section
        "strd r0, r3, [r1, #{place}]",        // its place; no waiter is behind it
        "ldrb r3, [r1, #{ceiling}]",
        "cbnz r3, 4f",                        // under a ceiling of threads
        "add r3, r1, #{waiter}",
        "strd r3, r3, [r0]",                  // head and tail
        choose_next!("r2"),
        switch_stacks!(),
        "2:",
        "mov r12, r1",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "movs r0, #0",
        "b {refuse}",
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
        "ldr r2, 9f",
        "mrs r3, PRIMASK",
        "mov r12, r1",
        "ldr r1, [r2, #-8]",                  // r1 = running
        "cbnz r3, 4f",                        // in a critical section
        "strd r0, r3, [r1, #{place}]",        // its place; no waiter is behind it
        "ldrb r3, [r1, #{ceiling}]",
        "cbnz r3, 4f",                        // under a ceiling of threads
        "add r3, r1, #{waiter}",
        "strd r3, r3, [r0]",                  // head and tail
        "ldr r3, [r1, #{next}]",
        "cmp r3, r1",
        "bne 2f",                             // others of its priority are ready
        "str r12, [r1, #{previous}]",         // its demand
        "ldr r12, [r2, #-4]",                 // r12 = ready
        "ldr r3, [r1, #{bit}]",
        "bics r12, r12, r3",                  // ready, without it
        "clz r3, r12",
        "ldr r0, [r2, r3, lsl #2]",           // r0 = the first of the most urgent
        "strd r0, r12, [r2, #-8]",
        "beq 3f",                             // no thread: idle
        switch_stacks!(),
        "2:",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "movs r0, #0",
        "b {refuse}",
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
