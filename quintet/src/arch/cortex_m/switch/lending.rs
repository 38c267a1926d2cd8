//! Mutexes with an owner or with waiters: the owner runs in the place of a waiting thread, and
//! later gives this place back.
//!
//! The code here serves the common case: one thread waits, for a ready owner that is less urgent,
//! and both are alone in the rings of their priorities. `core` serves all other cases.

use ::core::arch::naked_asm;

use super::stacks::switch_pushed;
use crate::arch::upward::{enter_slowly, leave_slowly};
use crate::core::lock::Saved;
use crate::core::record::mutex::WAITED;
use crate::core::record::{Ownership, mutex_offset as mutex};
use crate::core::record::{SCHEDULER, offset};

/// Takes a mutex for the running thread, and ends the section that found `saved` at its beginning.
/// Returns when the thread has the mutex. Returns `true` if the thread had the mutex before, and so
/// didn't wait.
///
/// The owner runs in the place of the running thread, with the running thread's priority, under
/// these conditions: the owner is ready, less urgent, alone in its ring and without a place among
/// waiters, and no thread waits yet.
///
/// # Safety
/// The kernel's lock is held, by a thread; the scheduler is preemptive.
#[unsafe(naked)]
pub unsafe extern "C" fn enter_or_lend(_mutex: &Ownership, _saved: Saved) -> bool {
    naked_asm!(
        "ldr r2, 9f",
        "mrs r3, PRIMASK",
        "orrs r3, r1",
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r3, lr}}",
        "adr lr, 7f + 1",
        "push {{r4-r11, lr}}",
        "ldr r3, [r0, #{owner}]",             // r3 = the owner
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "lsls r4, r3, #30",
        "bne 6f",                             // a thread waits, or it has a ceiling
        "cmp r3, #0",
        "beq 6f",                             // it has no owner any more
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "lsls r6, r5, #31",
        "bpl 6f",                             // under a ceiling of threads
        "ldrd r6, r7, [r3, #{bit}]",          // the owner's
        "cmp r7, r5",
        "bhs 6f",                             // not less urgent, or under a ceiling
        "tst r12, r6",
        "beq 6f",                             // not ready
        "clz r8, r6",
        "ldr r8, [r2, r8, lsl #2]",
        "cmp r8, r3",
        "bne 6f",                             // nor this one
        "ldrd r7, r8, [r3, #{besides}]",
        "cmp r8, r3",
        "bne 6f",                             // others have its priority
        "cbnz r7, 6f",                        // it has a place among waiters
        "ldr r8, [r1, #{next}]",
        "cmp r8, r1",
        "bne 6f",                             // or the running thread's
        "clz r8, r4",
        "str r3, [r2, r8, lsl #2]",           // the owner is in its place,
        "strd r4, r5, [r3, #{bit}]",          // and has its priority
        "ldrb r8, [r1, #{priority}]",
        "strb r8, [r3, #{priority}]",
        "bic r12, r6",                        // and not its own
        "strd r3, r12, [r2, #-8]",            // it runs
        "add r8, r1, #{waiter}",
        "strd r8, r8, [r0]",                  // head and tail
        "adds r6, r0, #{of_mutex}",
        "movs r7, #0",
        "strd r6, r7, [r1, #{place}]",        // its place; no waiter is behind it
        "add r6, r3, #{waited}",
        "ldr r7, [r3, #{held}]",
        "strd r6, r7, [r0, #{owner}]",        // a thread waits, so it is in the owner's list
        "str r0, [r3, #{held}]",
        "mov r0, r3",
        switch_pushed!(),
        "6:",
        "pop {{r4-r11, lr}}",
        "pop {{r1, lr}}",                     // r1 = 0, as it was found
        "8:",
        "b {slowly}",
        ".p2align 2",
        "7:",
        "movs r0, #0",                        // it had to wait
        "pop {{r3, pc}}",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        besides = const offset::BESIDES,
        next = const offset::NEXT,
        place = const offset::PLACE,
        priority = const offset::PRIORITY,
        waiter = const offset::WAITER,
        held = const offset::HELD,
        of_mutex = const offset::OF_MUTEX,
        owner = const mutex::OWNER,
        waited = const WAITED,
        slowly = sym enter_slowly,
    )
}

/// Leaves a mutex with a waiter, and ends the section that found `saved` at its beginning.
///
/// The mutex is handed over, and the new owner runs in the place of the running thread, under these
/// conditions: one thread waits, the running thread has exactly the priority of that thread by the
/// mutex, and would be alone in the ring of its own priority.
///
/// # Safety
/// The kernel's lock is held, by the owner; the scheduler is preemptive.
#[unsafe(naked)]
pub unsafe extern "C" fn leave_and_switch(_mutex: &Ownership, _saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",
        "mrs r3, PRIMASK",
        "orrs r3, r1",
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r4-r11, lr}}",
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "ldr r3, [r1, #{held}]",
        "cmp r3, r0",
        "bne 6f",                             // another one counts too
        "ldrd r4, r5, [r0, #{owner}]",
        "lsls r4, r4, #30",
        "bmi 6f",                             // it has a ceiling
        "ldr r3, [r0]",
        "cmp r5, #0",
        "bne 6f",                             // another one counts too, or a priority is lent
        "ldr r6, [r3]",                       // r3 = the first waiter: as it counts, there is one
        "cmp r6, #0",
        "bne 6f",                             // another one waits
        "ldrd r6, r7, [r3, #{target}]",       // r7 = its thread
        "cmp r6, #0",
        "bne 6f",                             // which is to be woken by a waker
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "lsls r5, r5, #31",
        "bpl 6f",                             // under a ceiling of threads
        "ldr r6, [r7, #{bit}]",
        "cmp r6, r4",
        "bne 6f",                             // the priorities differ
        "ldr r6, [r1, #{next}]",
        "cmp r6, r1",
        "bne 6f",                             // others have this one
        "ldrb r6, [r1, #{base}]",
        "mov r8, #1",
        "lsl r8, r8, r6",                     // r8 = the bit of its own priority
        "tst r12, r8",
        "bne 6f",                             // others have that
        "clz r5, r4",
        "str r7, [r2, r5, lsl #2]",           // the new owner is in its place
        "add r5, r8, r8",
        "subs r5, #1",
        "strd r8, r5, [r1, #{bit}]",          // it has its own priority
        "strb r6, [r1, #{priority}]",
        "clz r5, r8",
        "str r1, [r2, r5, lsl #2]",           // with which it is ready
        "orr r12, r8",
        "strd r7, r12, [r2, #-8]",            // the new owner runs
        "movs r5, #0",
        "str r5, [r0]",                       // no thread waits,
        "str r5, [r1, #{held}]",              // so it no longer counts
        "str r7, [r0, #{owner}]",
        "mov r0, r7",
        switch_pushed!(),
        "6:",
        "pop {{r4-r11, lr}}",
        "movs r1, #0",
        "8:",
        "b {slowly}",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        base = const offset::BASE,
        priority = const offset::PRIORITY,
        held = const offset::HELD,
        owner = const mutex::OWNER,
        target = const offset::TARGET,
        slowly = sym leave_slowly,
    )
}
