//! Commands of processes with permissions, on ARMv6-M.

use ::core::arch::naked_asm;

use super::{NUMBERS_SIZE, PERMITS, PERMITTED, SERVE};
use crate::core::record::SCHEDULER;

/// Serves a command of the process in r2, whose frame is at r0, if the permissions of the process
/// allow it. r1 is the line in the table for processes with permissions, and r3 the command. Other
/// commands go the way of all other calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_limited_command() {
    naked_asm!(
        "cmp r3, #{permitted}",               // is it one of the first 31?
        "bhs 2f",                             // it has no bit
        "mov r12, r3",                        // r12 = the command, from here on
        "movs r3, #{permits}",                // too far for an instruction
        "ldr r2, [r2, r3]",                   // r2 = its permissions, a word for each driver
        "subs r1, #{numbers} - 200",          // r1 = the line
        "subs r1, #200",                      // that has the driver's function
        "ldr r3, [r1, #4]",                   // r3 = the driver's place among these
        "lsls r3, r3, #2",                    // a word each
        "ldr r2, [r2, r3]",                   // r2 = a bit for each command of the driver
        "mov r3, r12",                        // r3 = the command
        "lsls r2, r3",                        // N = the command's bit
        "bpl 2f",                             // it isn't permitted
        "ldr r2, [r1, #{serve}]",             // the function that serves it,
        "mov r12, r2",                        // in a register that it may change
        "ldr r2, 8f",                         // r2 = the scheduler
        "ldr r2, [r2, #4]",                   // r2 = the process
        "bx r12",                             // which returns to the process
        "2:",
        "ldr r2, 9f",                         // a branch that reaches the whole memory:
        "bx r2",                              // as all other calls
        ".p2align 2",
        "8: .word {scheduler}",
        "9: .word __quintet_other_call",
        scheduler = sym SCHEDULER,
        permits = const PERMITS,
        permitted = const PERMITTED,
        numbers = const NUMBERS_SIZE,
        serve = const SERVE,
    )
}
