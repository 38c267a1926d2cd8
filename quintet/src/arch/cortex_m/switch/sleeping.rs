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

/// Defines a function that lets the running thread sleep. `$running` loads r3 = running and, in the
/// form without ceilings, lr = ready, which `$ready` moves to r12; r4 has the queues.
macro_rules! sleep {
    (
        $(#[$attribute:meta])* $name:ident,
        [$($running:literal,)*], $ready:literal
        $(, $($operand:tt)*)?
    ) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(_ticks: u64, _saved: Saved) {
            naked_asm!(
                "push {{r4, lr}}",                // r4 is free, and the stack aligned
                "mrs r3, PRIMASK",                // 1 in a library's critical section
                "ldr r12, 8f",                    // r12 = the count, and the armed timers
                "orrs r3, r2",                    // and the mask that this section found
                "bne 4f",                         // in a section, or under a ceiling of levels
                "ldrd r3, r4, [r12, #{count}]",   // r3, r4 = now
                "adds r0, r3",                    // the lower word, with a carry
                "adcs r1, r4",                    // r0, r1 = the deadline
                "ldr r4, 9f",                     // r4 = the queues
                $($running,)*
                "push {{r0-r3}}",                 // the deadline, no table, whom to wake
                "str r2, [r3, #{place}]",         // it waits in no list
                "ldr r0, [r12]",                  // r0 = the timer that was armed last
                "mov r1, r12",                    // r1 = the list: none was armed later
                "push {{r0-r3}}",                 // the next and the one before, nothing below
                "str sp, [r0, #4]",               // the timer lies before that one
                "str sp, [r12]",                  // armed
                $ready,                           // r12 = ready
                "adr lr, 7f + 1",                 // it continues at 7
                "mov r1, r3",                     // r1 = running
                choose_next!("r4"),
                switch_stacks!(),
                "2:",
                "mov r2, r4",                     // r2 = the queues
                "mov r12, r1",                    // no demand: the thread itself
                "b {others_ready}",               // the next of its priority may run
                "3:",
                "b {to_idle}",                    // r0 = idle
                "4:",
                "mov r0, r2",                     // r0 = the mask that the section found
                "b {refuse}",                     // no thread may wait there
                ".p2align 2",
                "7:",                             // it has fired
                "add sp, #32",                    // the timer is in no list any more
                "pop {{r4, pc}}",                 // to the caller
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
                next = const offset::NEXT,
                place = const offset::PLACE,
                others_ready = sym block_among_equals,
                to_idle = sym block_to_idle,
                refuse = sym refuse_to_wait,
                $($($operand)*)?
            )
        }
    };
}

sleep! {
    /// Lets the running thread wait for `ticks` ticks, not 0, and ends the section that found
    /// `saved` at its beginning. Returns when the ticks have passed, and the thread's turn has
    /// come.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread; time is counted, and doesn't end before the
    /// deadline.
    sleep,
    [
        "ldr r3, [r4, #-8]",                      // r3 = running
        "ldrb lr, [r3, #{ceiling}]",              // the ceiling that it is under
        "cmp lr, #0",                             // is there one?
        "bne 4f",                                 // under a ceiling of threads
    ],
    "ldr r12, [r4, #-4]",
    ceiling = const offset::CEILING,
}

sleep! {
    /// As [`sleep`], in an application without ceilings of threads.
    ///
    /// # Safety
    /// As for [`sleep`], and no thread ever runs under a ceiling of threads.
    sleep_without_ceilings,
    ["ldrd r3, lr, [r4, #-8]",],                  // r3 = running, lr = ready
    "mov r12, lr"
}
