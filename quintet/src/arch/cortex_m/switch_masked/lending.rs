//! Mutexes with an owner or with waiters: the owner runs in the place of a waiting thread, and
//! later gives this place back. As on ARMv7-M, for the common case; `core` serves all other cases.

use ::core::arch::naked_asm;

use super::calls::switch;
use crate::arch::upward::{enter_slowly, leave_slowly};
use crate::core::lock::Saved;
use crate::core::record::mutex::WAITED;
use crate::core::record::{Ownership, SCHEDULER, mutex_offset as mutex, offset};

/// r5 = the address from which 124 bytes further is the slot of the priority in r5. r2 has the
/// address of the scheduler.
macro_rules! slot_in_r5 {
    () => {
        "
        lsls r5, r5, #2                       // slots lie downwards: 31 - priority
        subs r5, r2, r5                       // r5 = the slot,
        adds r5, #{queue}                     // without 31 slots
        "
    };
}

/// Takes a mutex for the running thread, and ends the section that found `saved` at its beginning.
/// Returns when the thread has the mutex.
///
/// The owner runs in the place of the running thread, with the running thread's priority, under
/// these conditions: the owner is ready, less urgent, alone in its ring and without a place among
/// waiters, and no thread waits yet.
///
/// # Safety
/// The kernel's lock is held, by a thread that doesn't have the mutex; the scheduler is preemptive.
#[unsafe(naked)]
pub unsafe extern "C" fn enter_or_lend(_mutex: &Ownership, _saved: Saved) {
    naked_asm!(
        "push {{r3-r7, lr}}",                 // r3 keeps the stack aligned
        "cmp r1, #0",                         // the mask that this section found
        "bne 8f",                             // in another section
        "ldr r2, 9f",                         // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldr r3, [r0, #{owner}]",             // r3 = the owner
        "cmp r3, #0",                         // is there an owner?
        "beq 6f",                             // it has no owner any more
        "lsls r4, r3, #30",                   // has the owner's word a mark?
        "bne 6f",                             // a thread waits, or it has a ceiling
        "ldr r4, [r1, #{bit}]",               // r4 = the running thread's bit
        "ldr r5, [r1, #{limit}]",             // r5 = its limit
        "lsrs r6, r5, #1",                    // C = the limit's lowest bit
        "bcc 6f",                             // under a ceiling of threads
        "ldr r7, [r3, #{limit}]",             // r7 = the owner's limit
        "cmp r7, r5",                         // is it below the thread's?
        "bhs 6f",                             // not less urgent, or under a ceiling
        "ldr r6, [r3, #{bit}]",               // r6 = the owner's bit
        "ldr r7, [r2, #8]",                   // r7 = ready
        "tst r7, r6",                         // is the owner ready?
        "beq 6f",                             // not ready
        "ldr r5, [r3, #{besides}]",           // the owner's marks
        "cmp r5, #0",                         // are there some?
        "bne 6f",                             // it has a place among waiters, or in another ring
        "ldr r5, [r3, #{next}]",              // the owner's next
        "cmp r5, r3",                         // is it alone in its ring?
        "bne 6f",                             // others have its priority
        "ldrb r5, [r3, #{priority}]",         // r5 = the owner's priority
        slot_in_r5!(),
        "ldr r5, [r5, #124]",                 // r5 = the first thread there
        "cmp r5, r3",                         // is it the owner?
        "bne 6f",                             // nor this one
        "ldr r5, [r1, #{next}]",              // r5 = the running thread's next
        "cmp r5, r1",                         // is it alone in its ring?
        "bne 6f",                             // or the running thread's
        "ldrb r5, [r1, #{priority}]",         // the priority as a number,
        "strb r5, [r3, #{priority}]",         // which the owner has as well
        slot_in_r5!(),
        "str r3, [r5, #124]",                 // the owner is in its place,
        "str r4, [r3, #{bit}]",               // and has its priority
        "ldr r5, [r1, #{limit}]",             // with its limit,
        "str r5, [r3, #{limit}]",             // which is higher
        "bics r7, r6",                        // and not its own
        "str r7, [r2, #8]",                   // so the scheduler knows it
        "str r3, [r2, #4]",                   // it runs
        "movs r4, #{waiter}",                 // r4 = the thread's
        "adds r4, r4, r1",                    // own waiter
        "str r4, [r0]",                       // is the head
        "str r4, [r0, #4]",                   // and the tail
        "adds r6, r0, #{of_mutex}",           // r6 = the mutex, marked as a mutex's place
        "str r6, [r1, #{place}]",             // its place,
        "movs r7, #0",                        // r7 = no waiter
        "str r7, [r1, #{waiter}]",            // is behind it
        "adds r6, r3, #{waited}",             // r6 = the owner, marked: a thread waits
        "str r6, [r0, #{owner}]",             // so it is in the owner's list
        "ldr r7, [r3, #{held}]",              // r7 = the first mutex that counts for it
        "str r7, [r0, #{owner} + 4]",         // is behind this one,
        "str r0, [r3, #{held}]",              // which is the first there
        "mov r0, r3",                         // r0 = the owner
        "bl {switch}",                        // which runs
        "pop {{r3-r7, pc}}",                  // to the caller
        "6:",
        "movs r1, #0",                        // nothing was changed so far: as it was found
        "8:",
        "ldr r2, 7f",                         // r2 = what serves the case
        "mov r12, r2",                        // in core
        "ldr r2, [sp, #20]",                  // the return address
        "mov lr, r2",                         // as it was
        "pop {{r3-r7}}",                      // as before
        "add sp, #4",                         // which is loaded already
        "bx r12",                             // core serves the case
        ".p2align 2",
        "7:",
        ".word {slowly}",
        "9:",
        ".word {scheduler}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        limit = const offset::LIMIT,
        besides = const offset::BESIDES,
        next = const offset::NEXT,
        place = const offset::PLACE,
        priority = const offset::PRIORITY,
        waiter = const offset::WAITER,
        held = const offset::HELD,
        of_mutex = const offset::OF_MUTEX,
        owner = const mutex::OWNER,
        waited = const WAITED,
        switch = sym switch,
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
        "push {{r3-r7, lr}}",                 // r3 keeps the stack aligned
        "cmp r1, #0",                         // the mask that this section found
        "bne 8f",                             // in another section
        "ldr r2, 9f",                         // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldr r3, [r1, #{held}]",              // r3 = the first mutex that counts for it
        "cmp r3, r0",                         // is it this one?
        "bne 6f",                             // another one counts too
        "ldr r5, [r0, #{owner} + 4]",         // r5 = the next mutex
        "cmp r5, #0",                         // is there no next one, and no mark?
        "bne 6f",                             // another one counts too, or a priority is lent
        "ldr r4, [r0, #{owner}]",             // r4 = the owner's word
        "lsls r4, r4, #30",                   // N = the mark of a ceiling
        "bmi 6f",                             // it has a ceiling
        "ldr r3, [r0]",                       // r3 = the first waiter: as it counts, there is one
        "ldr r6, [r3]",                       // r6 = the next one
        "cmp r6, #0",                         // is it the only waiter?
        "bne 6f",                             // another one waits
        "ldr r6, [r3, #{target}]",            // r6 = its table
        "cmp r6, #0",                         // a table is a waker's
        "bne 6f",                             // which is to be woken by a waker
        "ldr r7, [r3, #{target} + 4]",        // r7 = its thread
        "ldr r5, [r1, #{limit}]",             // r5 = the running thread's limit
        "lsrs r5, r5, #1",                    // C = the limit's lowest bit
        "bcc 6f",                             // under a ceiling of threads
        "ldr r4, [r1, #{bit}]",               // r4 = the running thread's bit
        "ldr r6, [r7, #{bit}]",               // r6 = the waiting thread's bit
        "cmp r6, r4",                         // is it that of the running thread?
        "bne 6f",                             // the priorities differ
        "ldr r6, [r1, #{next}]",              // r6 = the running thread's next
        "cmp r6, r1",                         // is it alone in its ring?
        "bne 6f",                             // others have this one
        "ldrb r6, [r1, #{base}]",             // r6 = its own priority, as a number
        "movs r4, #1",                        // r4 = the lowest bit,
        "lsls r4, r6",                        // r4 = the bit of its own priority
        "ldr r3, [r2, #8]",                   // r3 = ready
        "tst r3, r4",                         // is a thread of that priority ready?
        "bne 6f",                             // others have that
        "ldrb r5, [r1, #{priority}]",         // r5 = the priority it had
        slot_in_r5!(),
        "str r7, [r5, #124]",                 // the new owner is in its place
        "str r4, [r1, #{bit}]",               // it has its own priority,
        "lsls r5, r4, #1",                    // r5 = the limit of that:
        "subs r5, #1",                        // all bits up to its own bit
        "str r5, [r1, #{limit}]",             // as its limit,
        "strb r6, [r1, #{priority}]",         // also as a number
        "mov r5, r6",                         // r5 = its own priority,
        slot_in_r5!(),
        "str r1, [r5, #124]",                 // with which it is ready
        "orrs r3, r4",                        // r3 = ready, with that priority
        "str r3, [r2, #8]",                   // so the scheduler knows it
        "str r7, [r2, #4]",                   // the new owner runs
        "movs r5, #0",                        // r5 = none
        "str r5, [r0]",                       // no thread waits,
        "str r5, [r1, #{held}]",              // so it no longer counts
        "str r7, [r0, #{owner}]",             // the mutex is handed over
        "mov r0, r7",                         // r0 = the new owner
        "bl {switch}",                        // which runs
        "pop {{r3-r7, pc}}",                  // to the caller
        "6:",
        "movs r1, #0",                        // nothing was changed so far: as it was found
        "8:",
        "ldr r2, 7f",                         // r2 = what serves the case
        "mov r12, r2",                        // in core
        "ldr r2, [sp, #20]",                  // the return address
        "mov lr, r2",                         // as it was
        "pop {{r3-r7}}",                      // as before
        "add sp, #4",                         // which is loaded already
        "bx r12",                             // core serves the case
        ".p2align 2",
        "7:",
        ".word {slowly}",
        "9:",
        ".word {scheduler}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        limit = const offset::LIMIT,
        next = const offset::NEXT,
        base = const offset::BASE,
        priority = const offset::PRIORITY,
        held = const offset::HELD,
        owner = const mutex::OWNER,
        target = const offset::TARGET,
        switch = sym switch,
        slowly = sym leave_slowly,
    )
}
