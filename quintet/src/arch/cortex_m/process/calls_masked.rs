//! The assembly by which the processor enters a process, and serves its calls, on ARMv6-M.
//!
//! This is the code for ARMv7-M with the means of ARMv6-M. No load has the rights of the process
//! there. A job that fills a lent buffer may have overwritten the address to continue at, in the
//! frame of a call. So this address is compared with the flash of the process before the class of
//! the call is read.

use ::core::arch::naked_asm;

use super::{FLASH, LINES, LINES_BITS, OWNER, REGIONS_AT, ROOM, SERVE, TRAMPOLINE};
use crate::core::record::{SCHEDULER, ThreadBlock, offset};

/// Enters the process in r0, by the return address in r1: to thread mode on the process stack. In
/// PendSV or SVCall. Writes the unit if it has the regions of another process.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_enter_process() {
    naked_asm!(
        "ldr r2, 8f",                         // r2 = the word that names the unit's owner
        "ldr r3, [r2]",                       // r3 = the process whose regions the unit has
        "cmp r3, r0",                         // is it this one?
        "beq 2f",                             // yes: the regions are right
        "str r0, [r2]",                       // this one's, from here on
        "ldr r2, 7f",                         // r2 = the unit's base address register
        crate::__load_regions!(),
        "2:",
        "adds r0, #{saved} + 20",             // r0 = its upper registers, behind its control block
        "ldmia r0!, {{r4-r7}}",               // which can't be
        "mov r8, r4",                         // loaded
        "mov r9, r5",                         // to where
        "mov r10, r6",                        // they
        "mov r11, r7",                        // belong
        "subs r0, #36",                       // r0 = the place of its stack pointer
        "ldmia r0!, {{r3-r7}}",               // r3 = its stack pointer, and the lower registers
        "msr PSP, r3",                        // its frame is there
        "movs r2, #1",                        // nPRIV alone
        "msr CONTROL, r2",                    // unprivileged, once thread mode is back
        "bx r1",                              // the hardware loads its frame
        ".p2align 2",
        "7:",
        ".word 0xe000ed9c",
        "8:",
        ".word {owner}",
        owner = sym OWNER,
        saved = const offset::SAVED,
        regions = const REGIONS_AT,
    )
}

/// Serves SVCall while a process runs: the process has called, or has a fault.
///
/// A command of a driver that is in its line is called at once, and returns to the process from
/// there. `__quintet_serve_call` serves all other calls, and checks each value against the process.
/// `__quintet_look` looks at faults, and at processes that end or start again. PendSV asks for this
/// too, by `__quintet_look_after_fault`.
///
/// While no fault was noted, the processor has stored the frame of this call, with the rights of
/// the process. So the process may read and write the eight words of the frame. A fault takes the
/// lines away before SVCall can run.
///
/// This function also has the symbol of the trampoline.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_call() {
    naked_asm!(
        ".global __quintet_trampoline\n .set __quintet_trampoline, {trampoline}+{room}",
        "mrs r0, PSP",                        // r0 = the frame
        "ldr r2, 8f",                         // r2 = the scheduler
        "ldr r2, [r2, #4]",                   // r2 = the process
        "movs r3, #{lines}",                  // too far for an instruction
        "ldr r1, [r2, r3]",                   // r1 = its table of lines
        "cmp r1, #0",                         // is there one?
        "beq 4f",                             // a fault was noted, or the process changes
        "ldr r3, [r0, #24]",                  // r3 = where it goes on
        "subs r3, #2",                        // r3 = its SVC
        "movs r1, #{flash}",                  // the offset of
        "ldr r1, [r2, r1]",                   // r1 = the beginning of its flash
        "cmp r3, r1",                         // is the SVC below?
        "blo 2f",                             // its frame was written over
        "movs r1, #{flash} + 4",              // the offset of
        "ldr r1, [r2, r1]",                   // r1 = the end of its flash
        "cmp r3, r1",                         // is the SVC there, or above?
        "bhs 2f",                             // its frame was written over
        "ldrb r1, [r3]",                      // r1 = the class
        "cmp r1, #2",                         // a command
        "bne 2f",                             // another class
        "movs r3, #{lines}",                  // the offset of
        "ldr r1, [r2, r3]",                   // r1 = its table of lines
        "ldr r3, [r0]",                       // r3 = the driver's number
        "ldmia r1!, {{r2}}",                  // r2 = the multiplier; r1 = the lines
        "muls r2, r3, r2",                    // the product's highest bits
        "lsrs r2, r2, #{shift}",              // are the number of the line
        "lsls r2, r2, #4",                    // four words each
        "adds r1, r1, r2",                    // r1 = its line
        "ldmia r1!, {{r2}}",                  // r2 = the line's number
        "cmp r2, r3",                         // is it the driver's?
        "bne __quintet_other_call",           // another one's
        "ldr r2, [r1, #{serve}]",             // the function that serves it,
        "mov r12, r2",                        // in a register that it may change
        "ldr r2, 8f",                         // r2 = the scheduler
        "ldr r2, [r2, #4]",                   // r2 = the process
        "ldr r3, [r0, #4]",                   // r3 = the command
        "bx r12",                             // which returns to the process
        ".thumb_func\n .global __quintet_other_call",
        "__quintet_other_call: 2:",
        "ldr r2, 8f",                         // r2 = the scheduler
        "push {{r2, lr}}",                    // r2 keeps the stack aligned
        "bl __quintet_serve_call",            // r0 = the stack pointer afterwards
        "msr PSP, r0",                        // it continues there
        "pop {{r2, pc}}",                     // the hardware loads the process's frame
        // PendSV asks to look at a fault of the process that it has interrupted.
        ".thumb_func\n .global __quintet_look_after_fault",
        "__quintet_look_after_fault:",
        "ldr r2, 8f",                         // r2 = the scheduler
        "ldr r2, [r2, #4]",                   // r2 = the process
        "mrs r0, PSP",                        // r0 = the frame
        "4:",                                 // LOOK at the process in r2, whose frame is at r0
        "push {{r2, lr}}",                    // r2 keeps the stack aligned
        "adds r2, #{saved} + 4",              // r2 = the place of r4, behind the control block
        "stmia r2!, {{r4-r7}}",               // its registers tell what it has accessed
        "mov r3, r8",                         // the
        "str r3, [r2]",                       // upper
        "mov r3, r9",                         // ones
        "str r3, [r2, #4]",                   // can't
        "mov r3, r10",                        // be
        "str r3, [r2, #8]",                   // stored
        "mov r3, r11",                        // at
        "str r3, [r2, #12]",                  // once
        "bl __quintet_look",                  // r0 = the frame, with a mark if it begins
        "lsrs r1, r0, #1",                    // C = the mark
        "bcc 5f",                             // it goes on, with its registers
        "lsls r0, r1, #1",                    // it begins: nothing of before is left
        "movs r4, #0",                        // it begins: no old word in a low register
        "movs r5, #0",                        // it begins: no old word in a low register
        "movs r6, #0",                        // it begins: no old word in a low register
        "movs r7, #0",                        // it begins: no old word in a low register
        "mov r8, r4",                         // nor in a high one
        "mov r9, r4",                         // nor in a high one
        "mov r10, r4",                        // nor in a high one
        "mov r11, r4",                        // nor in a high one
        "5:",
        "msr PSP, r0",                        // it continues there
        "pop {{r2, pc}}",                     // SVCall returns to it, or PendSV goes on
        ".p2align 2",
        "8: .word {scheduler}",
        scheduler = sym SCHEDULER,
        lines = const LINES,
        flash = const FLASH,
        serve = const SERVE,
        saved = const offset::SAVED,
        shift = const 32 - LINES_BITS,
        trampoline = sym TRAMPOLINE,
        room = const 4 * ROOM,
    )
}

/// Takes a running process out of the ring of ready threads; the switch then looks for another
/// thread.
///
/// # Safety
/// The kernel's lock is held, in SVCall or PendSV; the process is the running one. A job may have
/// suspended the process since its call.
#[unsafe(naked)]
pub unsafe extern "C" fn leave_ring(_running: &ThreadBlock) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the scheduler
        "ldr r1, [r0, #{next}]",              // r1 = the next
        "cmp r1, r0",                         // is there another one?
        "beq 2f",                             // it is alone
        "ldr r3, [r0, #{previous}]",          // r3 = the one before
        "str r1, [r3, #{next}]",              // they close the ring:
        "str r3, [r1, #{previous}]",          // each is the other's neighbour
        "str r0, [r0, #{next}]",              // it is
        "str r0, [r0, #{previous}]",          // alone
        "ldrb r3, [r0, #{priority}]",         // r3 = the priority
        "lsls r3, r3, #2",                    // slots lie downwards: 31 - priority
        "subs r3, r2, r3",                    // r3 = the slot,
        "adds r3, #{queue}",                  // without 31 slots
        "ldr r2, [r3, #124]",                 // r2 = the first there
        "cmp r2, r0",                         // is it this one?
        "bne 4f",                             // another one
        "str r1, [r3, #124]",                 // the next is the first
        "4:",
        "bx lr",                              // the others of its priority are ready
        "2:",
        "ldr r1, [r2, #8]",                   // r1 = ready
        "ldr r3, [r0, #{bit}]",               // r3 = its bit, 0 if it is suspended
        "cmp r3, #0",                         // is it?
        "beq 3f",                             // it was suspended since it has called
        "bics r1, r3",                        // its priority leaves
        "str r1, [r2, #8]",                   // no thread of its priority is ready
        "bx lr",                              // it is in no ring
        "3:",
        "ldrb r1, [r0, #{marks}]",            // r1 = its marks
        "movs r3, #{held_ready}",             // the mark of a ready thread
        "bics r1, r3",                        // is gone,
        "strb r1, [r0, #{marks}]",            // so it isn't ready when it is resumed
        "bx lr",                              // it is in no ring
        ".p2align 2",
        "9:",
        ".word {scheduler}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        priority = const offset::PRIORITY,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        marks = const offset::MARKS,
        held_ready = const offset::HELD_READY,
    )
}
