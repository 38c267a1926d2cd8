//! Mutexes with an owner or with waiters: the owner runs in the place of a waiting thread, and
//! later gives this place back.
//!
//! The code here serves the common case: one thread waits, for a ready owner that is less urgent,
//! and both are alone in the rings of their priorities. `core` serves all other cases.

use ::core::arch::naked_asm;

use super::stacks::switch_pushed;
use crate::arch::upward::{enter_slowly, leave_slowly};
use crate::core::application::has_ceilings;
use crate::core::lock::Saved;
use crate::core::record::mutex::WAITED;
use crate::core::record::{Ownership, mutex_offset as mutex};
use crate::core::record::{SCHEDULER, offset};

/// Takes a mutex for the running thread, and ends the section that found `saved` at its beginning.
/// Returns when the thread has the mutex.
///
/// The owner runs in the place of the running thread, with the running thread's priority, under
/// these conditions: the owner is ready, less urgent, alone in its ring and without a place among
/// waiters, and no thread waits yet.
///
/// # Safety
/// The kernel's lock is held, by a thread that doesn't have the mutex; the scheduler is preemptive.
#[inline(always)]
pub unsafe fn enter_or_lend(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's. Without ceilings, no thread is under one.
    unsafe {
        if has_ceilings() {
            enter_in::<true>(mutex, saved);
        } else {
            enter_in::<false>(mutex, saved);
        }
    }
}

/// Leaves a mutex with a waiter, and ends the section that found `saved` at its beginning.
///
/// The mutex is handed over, and the new owner runs in the place of the running thread, under these
/// conditions: one thread waits, the running thread has exactly the priority of that thread by the
/// mutex, and would be alone in the ring of its own priority.
///
/// # Safety
/// The kernel's lock is held, by the owner; the scheduler is preemptive.
#[inline(always)]
pub unsafe fn leave_and_switch(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's. Without ceilings, no thread is under one.
    unsafe {
        if has_ceilings() {
            leave_in::<true>(mutex, saved);
        } else {
            leave_in::<false>(mutex, saved);
        }
    }
}

/// As [`enter_or_lend`]. `CEILINGS`: a thread may be under a ceiling of threads.
#[unsafe(naked)]
unsafe extern "C" fn enter_in<const CEILINGS: bool>(_mutex: &Ownership, _saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r4-r11, lr}}",                // the registers and X, as by every call
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "ldr r3, [r0, #{owner}]",             // r3 = the owner
        "lsls r4, r3, #30",                   // has the owner's word a mark?
        "bne 6f",                             // a thread waits, or it has a ceiling
        "cmp r3, #0",                         // is there an owner?
        "beq 6f",                             // it has no owner any more
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "ldrd r6, r7, [r3, #{bit}]",          // the owner's
        "ldr r8, [r1, #{next}]",              // r8 = the running thread's next
        "ldrd r9, r10, [r3, #{besides}]",     // r9 = the owner's marks, r10 = its next
        "clz r11, r6",                        // r11 = the slot of the owner's priority
        "ldr r11, [r2, r11, lsl #2]",         // r11 = the first thread there
        ".if {ceilings}",
        "lsls lr, r5, #31",                   // N = the limit's lowest bit
        "bpl 6f",                             // under a ceiling of threads
        ".endif",
        "cmp r7, r5",                         // is the owner's limit below the thread's?
        "bhs 6f",                             // not less urgent, or under a ceiling
        "tst r12, r6",                        // is the owner ready?
        "beq 6f",                             // not ready
        "cmp r11, r3",                        // is it the first of its priority?
        "bne 6f",                             // another one is
        "cmp r10, r3",                        // is it alone in its ring?
        "bne 6f",                             // others have its priority
        "cmp r9, #0",                         // has it marks?
        "bne 6f",                             // it has a place among waiters
        "cmp r8, r1",                         // is the running thread alone in its ring?
        "bne 6f",                             // others have the running thread's
        "bic r12, r6",                        // ready, without the owner's own priority
        "str r12, [r2, #-4]",                 // so the scheduler knows it
        "clz r8, r4",                         // r8 = the slot of the running thread
        "ldrb r7, [r1, #{priority}]",         // r7 = its priority as a number
        "ldr r11, [r3, #{held}]",             // r11 = the first mutex that counts for the owner
        "str r3, [r2, r8, lsl #2]",           // the owner is in its place,
        "add r8, r1, #{waiter}",              // r8 = the thread's own waiter
        "str r4, [r3, #{bit}]",               // the owner has its bit,
        "str r5, [r3, #{limit}]",             // and its limit,
        "strb r7, [r3, #{priority}]",         // and its priority
        "str r3, [r2, #-8]",                  // and runs
        "str r8, [r0]",                       // the head
        "str r8, [r0, #4]",                   // and the tail
        "movs r7, #0",                        // r7 = no waiter
        "str r7, [r1, #{waiter}]",            // is behind it
        "adds r6, r0, #{of_mutex}",           // r6 = the mutex, marked as a mutex's place
        "str r6, [r1, #{place}]",             // its place
        "add r6, r3, #{waited}",              // r6 = the owner, marked: a thread waits
        "str r6, [r0, #{owner}]",             // so it is in the owner's list,
        "str r11, [r0, #{owner} + 4]",        // before those that were there,
        "str r0, [r3, #{held}]",              // and it is the first
        "mov r0, r3",                         // r0 = the owner, to which this switches
        switch_pushed!(),
        "6:",
        "pop {{r4-r11, lr}}",                 // nothing was changed so far
        "movs r1, #0",                        // as the section found it
        "8:",
        "b {slowly}",                         // core serves the case
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        ceilings = const CEILINGS as u32,
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
        slowly = sym enter_slowly,
    )
}

/// As [`leave_and_switch`]. `CEILINGS`: a thread may be under a ceiling of threads.
#[unsafe(naked)]
unsafe extern "C" fn leave_in<const CEILINGS: bool>(_mutex: &Ownership, _saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 8f",                             // in a critical section, or under a ceiling of levels
        "push {{r4-r11, lr}}",                // the registers and X, as by every call
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "ldrd r4, r5, [r0, #{owner}]",        // r4 = the owner's word, r5 = the next mutex
        "ldr r6, [r1, #{held}]",              // r6 = the first mutex that counts for it
        "ldr r3, [r0]",                       // r3 = the first waiter, or null
        "cmp r6, r0",                         // is it this one?
        "bne 6f",                             // another one counts too
        "lsls r4, r4, #30",                   // N = the mark of a ceiling
        "bmi 6f",                             // it has a ceiling
        "cmp r5, #0",                         // is there no next one, and no mark?
        "bne 6f",                             // another one counts too, or a priority is lent
        "ldr r6, [r3]",                       // r6 = the next one: as it counts, there is a first
        "ldrd r8, r7, [r3, #{target}]",       // r8 = its table, r7 = its thread
        "ldrd r4, r5, [r1, #{bit}]",          // the running thread's bit and limit
        "ldr r9, [r1, #{next}]",              // r9 = the running thread's next
        "ldrb r10, [r1, #{base}]",            // r10 = its own priority, as a number
        "orrs r6, r6, r8",                    // is it the only waiter, without a table?
        "bne 6f",                             // another one waits, or it has a waker
        ".if {ceilings}",
        "lsls r5, r5, #31",                   // N = the limit's lowest bit
        "bpl 6f",                             // under a ceiling of threads
        ".endif",
        "ldr r6, [r7, #{bit}]",               // r6 = the waiting thread's bit
        "cmp r9, r1",                         // is the running thread alone in its ring?
        "bne 6f",                             // others have this one
        "cmp r6, r4",                         // has the waiting thread its priority?
        "bne 6f",                             // the priorities differ
        "mov r8, #1",                         // r8 = the lowest bit,
        "lsl r8, r8, r10",                    // r8 = the bit of its own priority
        "tst r12, r8",                        // is a thread of that priority ready?
        "bne 6f",                             // others have that
        "clz r5, r4",                         // r5 = the slot of the priority it had
        "orr r12, r8",                        // r12 = ready, with its own priority
        "str r7, [r2, r5, lsl #2]",           // the new owner is in its place
        "clz r5, r8",                         // r5 = the slot of its own priority,
        "add r6, r8, r8",                     // r6 = the limit of its own priority:
        "str r1, [r2, r5, lsl #2]",           // with which it is ready
        "subs r6, #1",                        // all bits up to its own bit
        "str r8, [r1, #{bit}]",               // it has its own priority,
        "str r6, [r1, #{limit}]",             // its limit,
        "strb r10, [r1, #{priority}]",        // also as a number
        "str r7, [r2, #-8]",                  // the new owner runs,
        "str r12, [r2, #-4]",                 // and those are ready
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
        ceilings = const CEILINGS as u32,
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
        slowly = sym leave_slowly,
    )
}
