//! Parking: waits that end when another context notifies the thread, or sets the thread's own
//! flags.

use ::core::arch::naked_asm;
use ::core::ptr::NonNull;

use super::stacks::switch_unlocked_by;
use super::{block_among_equals, block_to_idle};
use crate::arch::upward::refuse_to_wait;
use crate::core::lock::Saved;
use crate::core::record::{SCHEDULER, offset};

/// Lets the running thread wait for a notification, and ends the section that found `saved` at its
/// beginning. Returns when the thread was notified and its turn has come. If the thread was
/// notified before, returns at once, even under a ceiling of threads. Refuses a call under a
/// ceiling of levels, and in a critical section.
///
/// # Safety
/// The kernel's lock is held, by a thread.
#[unsafe(naked)]
pub unsafe extern "C" fn park(_saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",                         // as many cycles as two moves without wait states
        "mrs r3, PRIMASK",
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "orrs r3, r0",
        "ldrh r0, [r1, #{ceiling}]",          // with whether it is notified
        "orrs r3, r3, r0, lsl #16",
        "bne 4f",                             // it may not wait, or needn't
        "str r1, [r1, #{waiter}]",            // it is parked
        "ldr r0, [r1, #{next}]",
        "cmp r0, r1",
        "bne 2f",                             // others of its priority are ready
        "ldr r0, [r1, #{bit}]",
        "bics r12, r12, r0",                  // ready, without it
        "clz r0, r12",
        "ldr r0, [r2, r0, lsl #2]",           // r0 = the first of the most urgent
        "strd r0, r12, [r2, #-8]",
        "beq 3f",                             // no thread: idle
        switch_unlocked_by!(r3),
        "2:",
        "mov r12, r1",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "subs r3, #{notified}",
        "bne 5f",                             // not just notified
        "7:",
        "strb r3, [r1, #{ceiling} + 1]",
        "msr BASEPRI, r3",
        "bx lr",
        "5:",
        "adds r3, #{notified}",
        "uxtb r0, r3",
        "cbnz r0, 6f",                        // in a critical section, or under a ceiling of levels
        "lsrs r12, r3, #24",
        "mov r3, r0",
        "bne 7b",                             // notified: the ceiling of threads doesn't matter
        "6:",
        "mrs r3, PRIMASK",
        "eors r0, r3",                        // no priority has the lowest bit
        "b {refuse}",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        waiter = const offset::WAITER,
        ceiling = const offset::CEILING,
        notified = const 1_u32 << 24,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}

/// Lets the running thread wait for its own flags, and ends the section that found `saved` at its
/// beginning. `mark` is the thread's mark, with the address of the flags and the way of waiting;
/// `mask` is the wanted flags. Returns when the thread was granted some flags, and its turn has
/// come.
///
/// # Safety
/// The kernel's lock is held, by the owner of the flags; code that sets the flags looks at the
/// mark.
#[unsafe(naked)]
pub unsafe extern "C" fn wait_for_own(_mark: NonNull<()>, _saved: Saved, _mask: u32) {
    naked_asm!(
        "mrs r3, PRIMASK",
        "orrs r3, r1",
        "bne 4f",                             // in a critical section, or under a ceiling of levels
        "ldr r12, 9f",
        "ldrd r1, r3, [r12, #-8]",            // r1 = running, r3 = ready
        "strd r0, r2, [r1, #{waiter}]",       // it waits
        "ldrb r2, [r1, #{ceiling}]",
        "cbnz r2, 5f",                        // under a ceiling of threads
        "ldr r0, [r1, #{next}]",
        "cmp r0, r1",
        "bne 2f",                             // others of its priority are ready
        "ldr r0, [r1, #{bit}]",
        "bics r3, r0",                        // ready, without it
        "clz r0, r3",
        "ldr r0, [r12, r0, lsl #2]",          // r0 = the first of the most urgent
        "strd r0, r3, [r12, #-8]",
        "beq 3f",                             // no thread: idle
        switch_unlocked_by!(r2),
        "2:",
        "mov r2, r12",
        "mov r12, r1",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "mov r0, r1",
        "b {refuse}",
        "5:",
        "movs r0, #0",
        "str r0, [r1, #{waiter}]",            // it doesn't
        "b {refuse}",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        waiter = const offset::WAITER,
        ceiling = const offset::CEILING,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}
