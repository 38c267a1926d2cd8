//! The assembly by which the processor enters a process, and serves its calls.

use ::core::arch::naked_asm;

#[cfg(processes_float)]
use super::floating::{REGISTERS, RIGHTS, load_floating, load_rights, of_others};
use super::floating::{complete_frame_of_call, look_at_late_frame, return_from_call};
use super::{LINES, LINES_BITS, OWNER, REGIONS_AT, ROOM, SERVE, TRAMPOLINE};
use crate::core::record::{SCHEDULER, ThreadBlock, offset};

/// Enters the process in r0, by the return address in r1: to thread mode on the process stack. In
/// PendSV or SVCall. Writes the unit if it has the regions of another process.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_enter_process() {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "ldr r2, 8f",                         // r2 = the word that names the unit's owner
        "ldr r3, [r2]",                       // r3 = the process whose regions the unit has
        "cmp r3, r0",                         // is it this one?
        "beq 2f",                             // yes: the regions are right
        "str r0, [r2]",                       // this one's, from here on
        crate::__load_regions!(),
        #[cfg(processes_float)]
        load_rights!(),
        "2:",
        #[cfg(processes_float)]
        load_floating!(),
        crate::__limit!("movs r2, #0"),       // its regions bound its stack,
        crate::__limit!("msr PSPLIM, r2"),    // so PSPLIM doesn't
        "add r2, r0, #{saved}",               // r2 = its registers, behind its control block
        "ldmia r2, {{r3-r11}}",               // r3 = its stack pointer, then r4 to r11
        "msr PSP, r3",                        // its frame is there
        "movs r2, #1",                        // nPRIV alone
        "msr CONTROL, r2",                    // unprivileged, once thread mode is back
        "bx r1",                              // the hardware loads its frame
        ".p2align 2",
        "8:",
        ".word {owner}",
        owner = sym OWNER,
        saved = const offset::SAVED,
        regions = const REGIONS_AT,
        #[cfg(processes_float)]
        rights = const RIGHTS,
        #[cfg(processes_float)]
        registers = const REGISTERS,
    )
}

/// Serves SVCall while a process runs: the process has called, or has a fault.
///
/// A command of a driver that is in its line is called at once, and returns to the process from
/// there. `__quintet_serve_call` serves all other calls, and checks each value against the process.
/// `__quintet_look` looks at faults, and at processes that end or start again.
/// The direct path needs fewer checks:
///
/// - While no fault was noted, the processor has stored the frame of this call, with the rights of
///   the process. So the process may read and write the eight words of the frame. A fault takes the
///   lines away before SVCall can run.
/// - A job that fills a lent buffer may have overwritten the address to continue at. So the class
///   is read with the rights of the process. If this read is refused, the fault's handler continues
///   at the label 2.
/// - The driver's number is compared with the number in the line, which only a driver's line has.
///
/// If the process has permissions, its lines lead to `__quintet_limited_command`, which looks for
/// the command's bit in the word for the driver. The number of the command is read once: the same
/// number is checked and served.
///
/// This function also has the symbol of the trampoline, and a part of the faults' handlers: for a
/// fault that a handler has met while a process runs. r3 is the target for all faults that aren't
/// the process's. If a process's frame is stored lazily and the store fails when other code uses a
/// floating-point register, the fault is the process's.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_call() {
    naked_asm!(
        ".global __quintet_trampoline\n .set __quintet_trampoline, {trampoline}+{room}",
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "mrs r0, PSP",                        // r0 = the frame
        "ldr r2, 8f",                         // r2 = the queues
        "ldr r2, [r2, #-8]",                  // r2 = the process
        "ldr r1, [r2, #{lines}]",             // r1 = its table of lines
        "cbz r1, 9f",                         // a fault was noted, or the process changes
        "ldr r12, [r0, #24]",                 // r12 = where it goes on
        "sub r12, #2",                        // r12 = its SVC
        "7: ldrbt r12, [r12]",                // r12 = the class, read with its rights
        "cmp r12, #2",                        // a command
        "bne 3f",                             // another class
        "ldr r3, [r0]",                       // r3 = the driver's number
        "ldr r12, [r1], #4",                  // r12 = the multiplier; r1 = the lines
        "mul r12, r12, r3",                   // the product's highest bits
        "lsr r12, r12, #{shift}",             // are the number of the line
        "add r1, r1, r12, lsl #4",            // r1 = its line
        "ldr r12, [r1], #4",                  // r12 = the line's number
        "cmp r12, r3",                        // is it the driver's?
        "bne 2f",                             // another one's
        "ldr r12, [r1, #{serve}]",            // r12 = the function that serves it
        "ldr r3, [r0, #4]",                   // r3 = the command
        "bx r12",                             // which returns to the process
        "9: b {look}",                        // not for a call
        "3: cmp r12, #0",                     // a yield
        "bne 2f",                             // another class
        complete_frame_of_call!(),
        "b __quintet_yield",                  // in PendSV's code, which knows the ceiling
        ".thumb_func\n .global __quintet_other_yield",
        "__quintet_other_yield:",             // which doesn't wait, or for which there is something
        "push {{r2, lr}}",                    // r2 = the process, for the return as well
        "bl __quintet_serve_yield",           // r0 = the stack pointer afterwards
        "b 3f",                               // as after every call
        ".thumb_func\n .global __quintet_other_call",
        "__quintet_other_call: 2:",
        complete_frame_of_call!(),
        "push {{r2, lr}}",                    // r2 = the process, for the return as well
        "bl __quintet_serve_call",            // r0 = the stack pointer afterwards
        "3:",
        "msr PSP, r0",                        // it continues there
        return_from_call!(),
        ".p2align 2",
        "8: .word {scheduler}+{queue}",
        ".thumb_func\n .global __quintet_fault_within_process",
        "__quintet_fault_within_process:",
        "movw r2, #0xed28",                   // r2 = the address of the faults'
        "movt r2, #0xe000",                   // status register, CFSR
        "ldr r1, [r2]",                       // r1 = the faults' status
        look_at_late_frame!(),
        "movw r0, #0x1818",                   // the four bits of frames and their return
        crate::__limit!("movt r0, #0x10"),    // of a stack that has overflowed
        "tst r1, r0",                         // is one of them set?
        "bne 4f",                             // of a frame, which may lie nowhere
        "ldr r0, [sp, #24]",                  // r0 = where the handler was interrupted
        "adr r12, 7b",                        // r12 = the read of the class
        "cmp r0, r12",                        // was it there?
        "bne 4f",                             // not where the class is read
        "str r1, [r2]",                       // the status is cleared
        "adr r12, 2b",                        // r12 = the slow path of the call
        "str r12, [sp, #24]",                 // SVCall goes on there
        "bx lr",                              // with r0 and r2 as they were
        "4: bx r3",                           // the system's
        #[cfg(processes_float)]
        ".p2align 2\n 9: .word __quintet_owner_of_regions",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        lines = const LINES,
        serve = const SERVE,
        shift = const 32 - LINES_BITS,
        trampoline = sym TRAMPOLINE,
        room = const 4 * ROOM,
        look = sym look,
        #[cfg(processes_float)]
        rights = const RIGHTS,
        #[cfg(processes_float)]
        registers = const REGISTERS,
    )
}

/// Looks at the process in r2, whose frame is at r0, as none of its calls is served. If the process
/// begins, r4 to r11 are zero. Returns from SVCall.
#[unsafe(naked)]
unsafe extern "C" fn look() {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        complete_frame_of_call!(),
        "push {{r2, lr}}",                    // r2 = the process, for the return as well
        "bl __quintet_look",                  // r0 = the frame, with a mark if it begins
        "lsrs r1, r0, #1",                    // C = the mark
        "bcc 16f",                            // it goes on, with its registers
        "bic r0, #1",                         // it begins: nothing of before is left
        "movs r4, #0",                        // it begins: no old word in a low register
        "movs r5, #0",                        // it begins: no old word in a low register
        "movs r6, #0",                        // it begins: no old word in a low register
        "movs r7, #0",                        // it begins: no old word in a low register
        "mov r8, r4",                         // nor in a high one
        "mov r9, r4",                         // nor in a high one
        "mov r10, r4",                        // nor in a high one
        "mov r11, r4",                        // nor in a high one
        "16:",
        "msr PSP, r0",                        // it continues there
        return_from_call!(),
        #[cfg(processes_float)]
        rights = const RIGHTS,
        #[cfg(processes_float)]
        registers = const REGISTERS,
    )
}

/// Takes a running process out of the ring of ready threads; the switch then looks for another
/// thread. In Rust this would take a third longer, with the kernel's lock held.
///
/// # Safety
/// The kernel's lock is held, in SVCall; the process is the running one. A job may have suspended
/// the process since its call.
#[unsafe(naked)]
pub unsafe extern "C" fn leave_ring(_running: &ThreadBlock) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "ldrd r1, r3, [r0, #{next}]",         // the next, and the one before
        "cmp r1, r0",                         // is there another one?
        "beq 2f",                             // it is alone
        "str r1, [r3, #{next}]",              // they close the ring:
        "str r3, [r1, #{previous}]",          // each is the other's neighbour
        "strd r0, r0, [r0, #{next}]",         // it is alone
        "ldr r3, [r0, #{bit}]",               // r3 = its bit
        "clz r3, r3",                         // r3 = the slot of its priority
        "ldr r12, [r2, r3, lsl #2]",          // r12 = the first there
        "cmp r12, r0",                        // is it this one?
        "it eq",                              // if so,
        "streq r1, [r2, r3, lsl #2]",         // the next is the first
        "bx lr",                              // the others of its priority are ready
        "2:",
        "ldr r1, [r2, #-4]",                  // r1 = ready
        "ldr r3, [r0, #{bit}]",               // r3 = its bit, 0 if it is suspended
        "cbz r3, 3f",                         // it was suspended since it has called
        "bics r1, r3",                        // its priority leaves
        "str r1, [r2, #-4]",                  // no thread of its priority is ready
        "bx lr",                              // it is in no ring
        "3:",
        "ldrb r1, [r0, #{marks}]",            // r1 = its marks
        "bic r1, #{held_ready}",              // and isn't ready when it is resumed
        "strb r1, [r0, #{marks}]",            // the mark of a ready thread is gone
        "bx lr",                              // it is in no ring
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        marks = const offset::MARKS,
        held_ready = const offset::HELD_READY,
    )
}
