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
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "orrs r3, r0",                        // and the mask that this section found
        "ldrh r0, [r1, #{ceiling}]",          // with whether it is notified
        "orrs r3, r3, r0, lsl #16",           // both bytes, above the masks
        "bne 4f",                             // it may not wait, or needn't
        "str r1, [r1, #{waiter}]",            // it is parked
        "ldr r0, [r1, #{next}]",              // r0 = the next in its ring
        "cmp r0, r1",                         // is it alone there?
        "bne 2f",                             // others of its priority are ready
        "ldr r0, [r1, #{bit}]",               // r0 = its bit
        "bics r12, r12, r0",                  // ready, without it
        "clz r0, r12",                        // r0 = the slot of the most urgent
        "ldr r0, [r2, r0, lsl #2]",           // r0 = the first of the most urgent
        "strd r0, r12, [r2, #-8]",            // it runs, and those are ready
        "beq 3f",                             // no thread: idle
        switch_unlocked_by!(r3),
        "2:",
        "mov r12, r1",                        // no demand: the thread itself
        "b {others_ready}",                   // the next of its priority may run
        "3:",
        "b {to_idle}",                        // r0 = idle
        "4:",
        "subs r3, #{notified}",               // is the notification all there is?
        "bne 5f",                             // not just notified
        "7:",
        "strb r3, [r1, #{ceiling} + 1]",      // the notification is used up
        "msr BASEPRI, r3",                    // the section ends; r3 is 0
        "bx lr",                              // at once: nothing to wait for
        "5:",
        "adds r3, #{notified}",               // r3 = all three facts again
        "uxtb r0, r3",                        // r0 = only the masks
        "cbnz r0, 6f",                        // in a critical section, or under a ceiling of levels
        "lsrs r12, r3, #24",                  // Z = it isn't notified
        "mov r3, r0",                         // r3 = 0, which clears the notification
        "bne 7b",                             // notified: the ceiling of threads doesn't matter
        "6:",
        "mrs r3, PRIMASK",                    // r3 = the bit of the critical section
        "eors r0, r3",                        // no priority has the lowest bit
        "b {refuse}",                         // r0 = the mask that the section found
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
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 4f",                             // in a critical section, or under a ceiling of levels
        "ldr r12, 9f",                        // r12 = the queues
        "ldrd r1, r3, [r12, #-8]",            // r1 = running, r3 = ready
        "strd r0, r2, [r1, #{waiter}]",       // it waits
        "ldrb r2, [r1, #{ceiling}]",          // the ceiling that it is under
        "cbnz r2, 5f",                        // under a ceiling of threads
        "ldr r0, [r1, #{next}]",              // r0 = the next in its ring
        "cmp r0, r1",                         // is it alone there?
        "bne 2f",                             // others of its priority are ready
        "ldr r0, [r1, #{bit}]",               // r0 = its bit
        "bics r3, r0",                        // ready, without it
        "clz r0, r3",                         // r0 = the slot of the most urgent
        "ldr r0, [r12, r0, lsl #2]",          // r0 = the first of the most urgent
        "strd r0, r3, [r12, #-8]",            // it runs, and those are ready
        "beq 3f",                             // no thread: idle
        switch_unlocked_by!(r2),
        "2:",
        "mov r2, r12",                        // r2 = the queues
        "mov r12, r1",                        // no demand: the thread itself
        "b {others_ready}",                   // the next of its priority may run
        "3:",
        "b {to_idle}",                        // r0 = idle
        "4:",
        "mov r0, r1",                         // r0 = the mask that the section found
        "b {refuse}",                         // no thread may wait there
        "5:",
        "movs r0, #0",                        // no mark, and the mask as it was found
        "str r0, [r1, #{waiter}]",            // it doesn't
        "b {refuse}",                         // no thread may wait there
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
