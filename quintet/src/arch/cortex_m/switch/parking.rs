//! Parking: waits that end when another context notifies the thread, or sets the thread's own
//! flags.

use ::core::arch::naked_asm;
use ::core::ptr::NonNull;

use super::stacks::{choose_from, switch_stacks, switch_unlocked_by};
use super::{block_among_equals, block_to_idle};
use crate::arch::upward::refuse_to_wait;
use crate::core::application::has_ceilings;
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
        "ldr r1, [r2, #-8]",                  // r1 = running
        "orrs r3, r0",                        // and the mask that this section found
        "ldrh r0, [r1, #{ceiling}]",          // with whether it is notified
        "ldr r12, [r1, #{next}]",             // r12 = the next in its ring
        "orrs r3, r3, r0, lsl #16",           // both bytes, above the masks
        "bne 4f",                             // it may not wait, or needn't
        "str r1, [r1, #{waiter}]",            // it is parked
        "cmp r12, r1",                        // is it alone in its ring?
        "bne 2f",                             // others of its priority are ready
        choose_from!("r2", "r0", "r12"),
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
#[inline(always)]
pub unsafe fn wait_for_own(mark: NonNull<()>, saved: Saved, mask: u32) {
    // SAFETY: the caller's. Without ceilings, no thread is under one.
    unsafe {
        if has_ceilings() {
            wait_in_no_list::<true>(mark, saved, mask);
        } else {
            wait_in_no_list::<false>(mark, saved, mask);
        }
    }
}

/// As [`wait_for_own`]. `CEILINGS`: the thread may be under a ceiling of threads.
#[unsafe(naked)]
unsafe extern "C" fn wait_in_no_list<const CEILINGS: bool>(
    _mark: NonNull<()>,
    _saved: Saved,
    _mask: u32,
) {
    naked_asm!(
        "mrs r3, PRIMASK",                    // 1 in a library's critical section
        "orrs r3, r1",                        // and the mask that this section found
        "bne 4f",                             // in a critical section, or under a ceiling of levels
        "ldr r12, 9f",                        // r12 = the queues
        "ldr r1, [r12, #-8]",                 // r1 = running
        ".if {ceilings}",
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cbnz r3, 5f",                        // under a ceiling of threads
        ".endif",
        "ldr r3, [r1, #{next}]",              // r3 = the next in its ring
        "str r0, [r1, #{waiter}]",            // it waits
        "str r2, [r1, #{waiter} + 4]",        // for these flags
        "cmp r3, r1",                         // is it alone in its ring?
        "bne 2f",                             // others of its priority are ready
        choose_from!("r12", "r2", "r3"),
        switch_stacks!(),
        "2:",
        "mov r2, r12",                        // r2 = the queues
        "mov r12, r1",                        // no demand: the thread itself
        "b {others_ready}",                   // the next of its priority may run
        "3:",
        "b {to_idle}",                        // r0 = idle
        "4:",
        "mov r0, r1",                         // r0 = the mask that the section found
        "b {refuse}",                         // no thread may wait there
        ".if {ceilings}",
        "5:",
        "movs r0, #0",                        // the mask as it was found
        "b {refuse}",                         // no thread may wait there
        ".endif",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        ceilings = const CEILINGS as u32,
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
