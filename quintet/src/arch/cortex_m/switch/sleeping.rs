//! Sleeping over a tick: the timer that ends it is pushed onto the thread's stack, and linked.

use ::core::arch::naked_asm;

use super::stacks::{choose_next, switch_stacks};
use super::{block_among_equals, block_to_idle};
use crate::core::lock::Saved;
use crate::core::park::refuse_to_wait;
use crate::core::scheduler::{SCHEDULER, offset};
use crate::core::timer::{Arrivals, Node};

/// What is pushed is a node.
const _: () = {
    assert!(Node::LINK == 0 && Node::BELOW == 8);
    assert!(Node::DEADLINE == 16 && Node::TABLE == 24 && Node::DATA == 28);
    assert!(size_of::<Node>() == 32);
};

/// Lets the running thread wait for the tick `deadline`, and ends the section that began where
/// `saved` was found. Returns when that has come, and its turn.
///
/// # Safety
/// The kernel's lock is held, by a thread; time is counted, and the deadline is to come. `arrivals`
/// are the application's.
#[unsafe(naked)]
pub unsafe extern "C" fn sleep(_saved: Saved, _arrivals: &Arrivals, _deadline: u64) {
    naked_asm!(
        "push {{r4-r6, lr}}",
        "mrs r4, PRIMASK",
        "ldr r6, 9f",
        "orrs r4, r0",
        "bne 4f",                             // in a critical section, or under a ceiling of levels
        "ldrd r5, r12, [r6, #-8]",            // r5 = running, r12 = ready
        "ldrb r0, [r5, #{ceiling}]",
        "cbnz r0, 5f",                        // under a ceiling of threads
        "push {{r2-r5}}",                     // the deadline, no table, whom to wake
        "str r4, [r5, #{place}]",             // it waits in no list
        "ldr r0, [r1]",
        "push {{r0, r1, r4, r5}}",            // the next and the one before, nothing below
        "str sp, [r0, #4]",
        "str sp, [r1]",                       // armed
        "adr lr, 7f + 1",
        "mov r1, r5",
        choose_next!("r6"),
        switch_stacks!(),
        "2:",
        "mov r2, r6",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "5:",
        "mov r0, r4",
        "4:",
        "b {refuse}",
        ".p2align 2",
        "7:",                                 // it has fired
        "add sp, #32",
        "pop {{r4-r6, pc}}",
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
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
