//! Parking: the wait that ends when somebody notifies the thread.

use ::core::arch::naked_asm;

use super::stacks::switch_stacks;
use super::{block_among_equals, block_to_idle};
use crate::core::lock::Saved;
use crate::core::park::refuse_to_wait;
use crate::core::scheduler::{SCHEDULER, State, offset};

/// Lets the running thread wait until it is unparked, and ends the section that began where `saved`
/// was found. Returns when that has happened and its turn has come: at once if it happened before.
///
/// # Safety
/// The kernel's lock is held, by a thread.
#[unsafe(naked)]
pub unsafe extern "C" fn park(_saved: Saved) {
    naked_asm!(
        "movw r2, #:lower16:{scheduler}+{queue}",
        "movt r2, #:upper16:{scheduler}+{queue}",
        "mrs r3, PRIMASK",
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "orrs r3, r0",
        "bne 6f",                             // in a critical section, or under a ceiling of levels
        "ldrb r0, [r1, #{notified}]",
        "cbnz r0, 5f",
        "ldrd r3, r0, [r1, #{bit}]",          // its bit and its limit
        "lsls r0, r0, #31",
        "bpl 4f",                             // under a ceiling of threads
        "movs r0, #{parked}",
        "strb r0, [r1, #{state}]",
        "ldr r0, [r1, #{next}]",
        "cmp r0, r1",
        "bne 2f",                             // others of its priority are ready
        "bics r12, r12, r3",                  // ready, without it
        "clz r3, r12",
        "ldr r0, [r2, r3, lsl #2]",           // r0 = the first of the most urgent
        "strd r0, r12, [r2, #-8]",
        "beq 3f",                             // nobody: idle
        switch_stacks!(),
        "2:",
        "b {others_ready}",
        "3:",
        "b {to_idle}",
        "4:",
        "movs r0, #0",
        "6:",
        "b {refuse}",
        "5:",
        "movs r0, #0",
        "strb r0, [r1, #{notified}]",
        "msr BASEPRI, r0",
        "bx lr",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        state = const offset::STATE,
        notified = const offset::NOTIFIED,
        parked = const State::Parked as u8,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
        refuse = sym refuse_to_wait,
    )
}
