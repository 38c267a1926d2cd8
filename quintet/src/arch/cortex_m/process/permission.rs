//! Commands of processes with permissions.

use ::core::arch::naked_asm;

use super::{NUMBERS_SIZE, PERMITS, PERMITTED, SERVE};

/// Serves a command of the process in r2, whose frame is at r0, if the permissions of the process
/// allow it. r1 is the line in the table for processes with permissions. Other commands go the way
/// of all other calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_limited_command() {
    naked_asm!(
        "ldr r12, [r2, #{permits}]",          // r12 = its permissions, a word for each driver
        "sub r1, #{numbers}",                 // r1 = the line that has the driver's function
        "ldr r3, [r1, #4]",                   // r3 = the driver's place among these
        "ldr r12, [r12, r3, lsl #2]",         // r12 = a bit for each command of the driver
        "ldr r3, [r0, #4]",                   // r3 = the command, from here on
        "cmp r3, #{permitted}",               // is it one of the first 31?
        "bhs __quintet_other_call",           // it has no bit
        "lsls r12, r12, r3",                  // N = the command's bit
        "bpl __quintet_other_call",           // it isn't permitted
        "ldr r12, [r1, #{serve}]",            // r12 = the function that serves it
        "bx r12",                             // which returns to the process
        permits = const PERMITS,
        permitted = const PERMITTED,
        numbers = const NUMBERS_SIZE,
        serve = const SERVE,
    )
}
