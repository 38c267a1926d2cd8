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
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r3, lr}}",                    // r3 is 0, and keeps the stack aligned
        "adr lr, 7f + 1",                     // it continues at 7, with the mutex
        "push {{r4-r11, lr}}",                // the registers and X, as by every call
        "ldr r3, [r0, #{owner}]",             // r3 = the owner
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "lsls r4, r3, #30",                   // has the owner's word a mark?
        "bne 6f",                             // a thread waits, or it has a ceiling
        "cmp r3, #0",                         // is there an owner?
        "beq 6f",                             // it has no owner any more
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "lsls r6, r5, #31",                   // N = the limit's lowest bit
        "bpl 6f",                             // under a ceiling of threads
        "ldrd r6, r7, [r3, #{bit}]",          // the owner's
        "cmp r7, r5",                         // is the owner's limit below the thread's?
        "bhs 6f",                             // not less urgent, or under a ceiling
        "tst r12, r6",                        // is the owner ready?
        "beq 6f",                             // not ready
        "clz r8, r6",                         // r8 = the slot of the owner's priority
        "ldr r8, [r2, r8, lsl #2]",           // r8 = the first thread there
        "cmp r8, r3",                         // is it the owner?
        "bne 6f",                             // nor this one
        "ldrd r7, r8, [r3, #{besides}]",      // r7 = the owner's marks, r8 = its next
        "cmp r8, r3",                         // is it alone in its ring?
        "bne 6f",                             // others have its priority
        "cbnz r7, 6f",                        // it has a place among waiters
        "ldr r8, [r1, #{next}]",              // r8 = the running thread's next
        "cmp r8, r1",                         // is it alone in its ring?
        "bne 6f",                             // or the running thread's
        "clz r8, r4",                         // r8 = the slot of the running thread
        "str r3, [r2, r8, lsl #2]",           // the owner is in its place,
        "strd r4, r5, [r3, #{bit}]",          // and has its priority
        "ldrb r8, [r1, #{priority}]",         // the priority as a number,
        "strb r8, [r3, #{priority}]",         // which the owner has as well
        "bic r12, r6",                        // and not its own
        "strd r3, r12, [r2, #-8]",            // it runs
        "add r8, r1, #{waiter}",              // r8 = the thread's own waiter
        "strd r8, r8, [r0]",                  // head and tail
        "adds r6, r0, #{of_mutex}",           // r6 = the mutex, marked as a mutex's place
        "movs r7, #0",                        // r7 = no waiter
        "strd r6, r7, [r1, #{place}]",        // its place; no waiter is behind it
        "add r6, r3, #{waited}",              // r6 = the owner, marked: a thread waits
        "ldr r7, [r3, #{held}]",              // r7 = the first mutex that counts for it
        "strd r6, r7, [r0, #{owner}]",        // a thread waits, so it is in the owner's list
        "str r0, [r3, #{held}]",              // and it is the first there
        "mov r0, r3",                         // r0 = the owner, to which this switches
        switch_pushed!(),
        "6:",
        "pop {{r4-r11, lr}}",                 // nothing was changed so far
        "pop {{r1, lr}}",                     // r1 = 0, as it was found
        "8:",
        "b {slowly}",                         // core serves the case
        ".p2align 2",
        "7:",
        "movs r0, #0",                        // it had to wait
        "pop {{r3, pc}}",                     // to the caller, with the stack as it was
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
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r4-r11, lr}}",                // the registers and X, as by every call
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "ldr r3, [r1, #{held}]",              // r3 = the first mutex that counts for it
        "cmp r3, r0",                         // is it this one?
        "bne 6f",                             // another one counts too
        "ldrd r4, r5, [r0, #{owner}]",        // r4 = the owner's word, r5 = the next mutex
        "lsls r4, r4, #30",                   // N = the mark of a ceiling
        "bmi 6f",                             // it has a ceiling
        "ldr r3, [r0]",                       // r3 = the first waiter, or null
        "cmp r5, #0",                         // is there no next one, and no mark?
        "bne 6f",                             // another one counts too, or a priority is lent
        "ldr r6, [r3]",                       // r6 = the next one: as it counts, there is a first
        "cmp r6, #0",                         // is it the only waiter?
        "bne 6f",                             // another one waits
        "ldrd r6, r7, [r3, #{target}]",       // r7 = its thread
        "cmp r6, #0",                         // a table is a waker's
        "bne 6f",                             // which is to be woken by a waker
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "lsls r5, r5, #31",                   // N = the limit's lowest bit
        "bpl 6f",                             // under a ceiling of threads
        "ldr r6, [r7, #{bit}]",               // r6 = the waiting thread's bit
        "cmp r6, r4",                         // is it that of the running thread?
        "bne 6f",                             // the priorities differ
        "ldr r6, [r1, #{next}]",              // r6 = the running thread's next
        "cmp r6, r1",                         // is it alone in its ring?
        "bne 6f",                             // others have this one
        "ldrb r6, [r1, #{base}]",             // r6 = its own priority, as a number
        "mov r8, #1",                         // r8 = the lowest bit,
        "lsl r8, r8, r6",                     // r8 = the bit of its own priority
        "tst r12, r8",                        // is a thread of that priority ready?
        "bne 6f",                             // others have that
        "clz r5, r4",                         // r5 = the slot of the priority it had
        "str r7, [r2, r5, lsl #2]",           // the new owner is in its place
        "add r5, r8, r8",                     // r5 = the limit of its own priority:
        "subs r5, #1",                        // all bits up to its own bit
        "strd r8, r5, [r1, #{bit}]",          // it has its own priority
        "strb r6, [r1, #{priority}]",         // also as a number
        "clz r5, r8",                         // r5 = the slot of its own priority
        "str r1, [r2, r5, lsl #2]",           // with which it is ready
        "orr r12, r8",                        // r12 = ready, with that priority
        "strd r7, r12, [r2, #-8]",            // the new owner runs
        "movs r5, #0",                        // r5 = none
        "str r5, [r0]",                       // no thread waits,
        "str r5, [r1, #{held}]",              // so it no longer counts
        "str r7, [r0, #{owner}]",             // the mutex is handed over
        "mov r0, r7",                         // r0 = the new owner, to which this switches
        switch_pushed!(),
        "6:",
        "pop {{r4-r11, lr}}",                 // nothing was changed so far
        "movs r1, #0",                        // as the section found it
        "8:",
        "b {slowly}",                         // core serves the case
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
