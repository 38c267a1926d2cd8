//! Sleeping, if ticks are counted: the assembly pushes the timer of the sleep onto the thread's
//! stack, and links the timer.

use ::core::arch::naked_asm;

use super::stacks::{choose_next, switch_stacks};
use super::{block_among_equals, block_to_idle};
use crate::arch::upward::refuse_to_wait;
use crate::core::lock::Saved;
use crate::core::record::{SCHEDULER, offset};
use crate::core::timer::Node;
use crate::core::timer::counted::{COUNTED, Counted};

/// The pushed words are a node.
const _: () = {
    assert!(Node::LINK == 0 && Node::BELOW == 8);
    assert!(Node::DEADLINE == 16 && Node::TABLE == 24 && Node::DATA == 28);
    assert!(size_of::<Node>() == 32);
};

/// Lets the running thread wait for `ticks` ticks, not 0, and ends the section that found `saved`
/// at its beginning. Returns when the ticks have passed, and the thread's turn has come.
///
/// # Safety
/// The kernel's lock is held, by a thread; time is counted, and doesn't end before the deadline.
#[unsafe(naked)]
pub unsafe extern "C" fn sleep(_ticks: u64, _saved: Saved) {
    naked_asm!(
        "push {{r4, lr}}",
        "mrs r3, PRIMASK",
        "ldr r12, 8f",
        "orrs r3, r2",
        "bne 4f",                             // in a critical section, or under a ceiling of levels
        "ldrd r3, r4, [r12, #{count}]",
        "adds r0, r3",
        "adcs r1, r4",                        // r0, r1 = the deadline
        "ldr r4, 9f",
        "ldr r3, [r4, #-8]",                  // r3 = running
        "ldrb lr, [r3, #{ceiling}]",
        "cmp lr, #0",
        "bne 4f",                             // under a ceiling of threads
        "push {{r0-r3}}",                     // the deadline, no table, whom to wake
        "str r2, [r3, #{place}]",             // it waits in no list
        "ldr r0, [r12]",
        "mov r1, r12",
        "push {{r0-r3}}",                     // the next and the one before, nothing below
        "str sp, [r0, #4]",
        "str sp, [r12]",                      // armed
        "ldr r12, [r4, #-4]",                 // r12 = ready
        "adr lr, 7f + 1",
        "mov r1, r3",
        choose_next!("r4"),
        switch_stacks!(),
        "2:",
        "mov r2, r4",
        "mov r12, r1",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "mov r0, r2",
        "b {refuse}",
        ".p2align 2",
        "7:",                                 // it has fired
        "add sp, #32",
        "pop {{r4, pc}}",
        ".p2align 2",
        "8:",
        ".word {counted}",
        "9:",
        ".word {scheduler}+{queue}",
        counted = sym COUNTED,
        count = const Counted::COUNT,
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        ceiling = const offset::CEILING,
        next = const offset::NEXT,
        place = const offset::PLACE,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}
