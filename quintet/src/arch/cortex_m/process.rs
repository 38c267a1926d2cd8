//! Processes: how the processor enters and leaves a process, and its calls and faults.
//!
//! ```text
//!   a process that doesn't run                 the trampoline, which all share
//!   control block  stack pointer ───────────>  r4 .. r11 | X = `__quintet_resume_process`
//!   process stack pointer, r4 .. r11           <- room for what interrupts that
//!   regions: pairs of words
//!   lines of drivers
//!   floating-point state
//! ```
//!
//! A process runs unprivileged on its own stack. The kernel trusts this stack only as far as it has
//! checked it. So the switch stores nothing there when it leaves a process: the registers are kept
//! behind the process's control block. A switch by a call resumes the next thread from that
//! thread's stack, and for a process finds the trampoline. The stub there asks SVCall to enter the
//! process that r0 points to. PendSV enters a process by itself.
//!
//! While a process runs, CONTROL.nPRIV is set, even in the handlers that interrupt the process. So
//! SVCall and the faults can tell the calls and faults of a process from all others. A process's
//! stack has no limit but the process's regions.
//!
//! The modules `protection` define the regions, one module for each kind of unit. The module
//! `floating` has the differences with floating-point registers.
//!
//! # Faults
//! The handler of a process's fault runs at the most urgent priority, so it does only two things:
//! it takes away the process's lines of drivers, and pends SVCall. SVCall runs below all levels,
//! finds no lines, and has the time to look at the fault. If the frame of a call could not be
//! stored, SVCall is pending already; this call is never served, for the same reason.
//!
//! Armv7-M Architecture Reference Manual: B1.5.6 (stacking has the rights of the interrupted code),
//! B1.5.11 (faults while stacking), B3.2.13 (SHCSR).

use ::core::arch::naked_asm;
use ::core::cell::UnsafeCell;
use ::core::ptr;

use super::protection;
pub use super::protection::{NEEDED as REGIONS_NEEDED, REGIONS, WINDOW, Words};
use super::set_exception_priority;
use crate::core::record::{SCHEDULER, ThreadBlock, offset};
pub use floating::{Float, Floating};
#[cfg(processes_float)]
use floating::{REGISTERS, RIGHTS, load_floating, load_rights, of_others};
use floating::{complete_frame_of_call, look_at_late_frame, return_from_call};
pub use frame::{
    CALL, SAVED, STACKED, Saved, class_of, first_frame, frame_in, note_frame, show_call,
    stack_pointer_of,
};

pub mod change;
pub mod fault;
#[cfg_attr(not(processes_float), path = "process/floating_missing.rs")]
pub mod floating;
mod frame;
mod permission;

/// The stack pointer with which a process continues after a call.
pub type Onward = u32;

/// Lets the process continue from `frame`: after its call, or elsewhere.
pub fn onward(frame: *mut Frame) -> Onward {
    frame.addr() as u32
}

/// Lets the process begin with `frame`, and with zeros in r4 to r11. Only for `__quintet_look`,
/// which looks at the lowest bit of the address.
pub fn begin_with(frame: *mut Frame) -> Onward {
    frame.addr() as u32 | 1
}

/// The frame that the hardware stores of the interrupted code.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Frame {
    /// r0 to r3.
    pub registers: [u32; 4],
    /// r12.
    pub r12: u32,
    /// The return address of the function.
    pub lr: u32,
    /// The address of the next instruction.
    pub pc: u32,
    /// Flags, and the state of execution.
    pub xpsr: u32,
}

/// Thumb state, in the program status.
const THUMB: u32 = 1 << 24;

/// The offset of the regions' words in a process: the process stack pointer and eight registers lie
/// between the control block and them. The record of a process has this layout.
pub const REGIONS_AT: usize = offset::SAVED + SAVED * 4;
/// The offset of the address of the drivers' lines in a process: behind the regions. The record of
/// a process has this layout.
pub const LINES: usize = REGIONS_AT + REGIONS * 8;
/// The offset of the address of the permissions in a process: behind the address of the lines.
pub const PERMITS: usize = LINES + 4;
/// The offset of the floating-point state in a process: behind the address of the permissions.
pub const FLOATING: usize = PERMITS + 4;

/// Words for the frame of an interrupt behind a misaligned pointer, and for the registers that
/// PendSV puts below the frame; and for the guard of the stack in use, if guards move.
const ROOM: usize = 19 + if cfg!(stack_guard_moves) { 8 } else { 0 };
/// Words for r4 to r11, and for the address to continue at.
const BLOCK: usize = 9;

/// The trampoline.
#[repr(C, align(32))]
struct Trampoline(UnsafeCell<[u32; ROOM + BLOCK]>);

// SAFETY: only the switch writes and reads it.
unsafe impl Sync for Trampoline {}

static TRAMPOLINE: Trampoline = Trampoline(UnsafeCell::new([0; ROOM + BLOCK]));

/// The stack of a process from the view of the switch: the trampoline.
pub const STACK: *mut u32 = TRAMPOLINE.0.get().cast();

/// Returns the stack pointer in the control block of a process.
pub fn trampoline() -> *mut u32 {
    TRAMPOLINE.0.get().cast::<u32>().wrapping_add(ROOM)
}

/// The process whose regions the unit has; null before the first.
#[repr(transparent)]
struct Owner(UnsafeCell<*const ()>);

// SAFETY: only the switch writes and reads it.
unsafe impl Sync for Owner {}

#[unsafe(export_name = "__quintet_owner_of_regions")]
static OWNER: Owner = Owner(UnsafeCell::new(ptr::null()));

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

/// The number of bits, of a driver's number times the multiplier, that select the driver's line.
pub const LINES_BITS: u32 = 4;
/// The size of a table of lines: a multiplier, and four words for each line. The lines for
/// processes with permissions lie so far behind the others.
pub const NUMBERS_SIZE: usize = 4 + (16 << LINES_BITS);
/// The offset of the function in a line, from behind the line's number on. The driver's place in
/// the table lies at 4.
pub const SERVE: usize = 8;
/// The number of commands that have a bit in the permissions for a driver: command 0 has the
/// highest bit.
pub const PERMITTED: u32 = 31;

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
        "bne 2f",                             // another class
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
        ".thumb_func\n .global __quintet_other_call",
        "__quintet_other_call: 2:",
        complete_frame_of_call!(),
        "push {{r2, lr}}",                    // r2 = the process, for the return as well
        "bl __quintet_serve_call",            // r0 = the stack pointer afterwards
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

/// Defines the handler of a fault. The fault is the process's if the handler interrupted a process
/// in thread mode. Otherwise the fault is the system's, and the handler continues with `otherwise`.
/// For naked functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __fault_of_process {
    ($name:ident, $otherwise:path) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "mrs r0, CONTROL",            // CONTROL of the interrupted code
                "lsls r0, r0, #31",           // N = nPRIV, which only a process has
                "bpl 2f",                     // no process runs
                "tst lr, #8",                 // was the process itself interrupted?
                "beq 3f",                     // no: a handler while it runs
                "ldr r0, 8f",                 // r0 = the queues
                "ldr r0, [r0, #-8]",          // r0 = running, the process
                "movs r1, #0",                // r1 = no lines
                "str r1, [r0, #{lines}]",     // none of its calls is served any more
                "mov r2, #0xe000e000",        // r2 = the system control space
                "ldr r1, [r2, #0xd24]",       // r1 = SHCSR
                "orr r1, #0x8000",            // with SVCALLPENDED
                "str r1, [r2, #0xd24]",       // SVCall looks at the fault
                "bx lr",                      // below all levels
                "2:",
                "b {otherwise}",              // the system's fault
                "3:",
                "ldr r3, 9f",                 // r3 = where the system's faults go
                "b __quintet_fault_within_process", // it may be the process's all the same
                ".p2align 2",
                "8:",
                ".word {scheduler}+{queue}",
                "9:",
                ".word {otherwise}",
                scheduler = sym $crate::export::threads::SCHEDULER,
                queue = const $crate::export::threads::offset::QUEUE,
                lines = const $crate::export::processes::LINES,
                otherwise = sym $otherwise,
            )
        }
    };
}

/// Enables separate exceptions for memory, bus and usage faults.
const FAULTS_ENABLED: u32 = 7 << 16;
/// System handler control and state.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
/// Debug exception and monitor control.
const MONITOR: *mut u32 = 0xe000_edfc as *mut u32;
/// Makes breakpoints without a debugger a separate exception, not a fault of the system.
const MONITOR_ENABLED: u32 = 1 << 16;
const DEBUG_MONITOR: u8 = 12;

/// Prepares the processor for processes. If the protection unit has fewer regions than
/// [needed](REGIONS_NEEDED), returns their number as the error; 0 without a unit.
///
/// # Safety
/// At start-up, once.
pub unsafe fn initialise() -> Result<(), u8> {
    let regions = protection::count();
    if regions < REGIONS_NEEDED {
        return Err(regions);
    }
    // SAFETY: at start-up.
    unsafe {
        let block = trampoline();
        block.add(BLOCK - 1).write(stub as *const () as usize as u32);
        HANDLERS.write_volatile(HANDLERS.read_volatile() | FAULTS_ENABLED);
        MONITOR.write_volatile(MONITOR.read_volatile() | MONITOR_ENABLED);
        set_exception_priority(DEBUG_MONITOR, 0);
        floating::initialise();
        protection::initialise();
    }
    Ok(())
}

unsafe extern "C" {
    /// The stub, in SVCall's code.
    #[link_name = "__quintet_resume_process"]
    fn stub();
}

/// Returns `true` if the unit has the regions of the process at this address.
pub fn owns_unit(process: *const ()) -> bool {
    // SAFETY: a word that changes only when a process is entered.
    unsafe { OWNER.0.get().read() == process }
}

/// Gives the unit the words of a process, if the unit has the regions of this process. Privileged
/// code notices nothing; the process notices the change as soon as it continues.
///
/// # Safety
/// In SVCall or PendSV, between which no process is entered, or before any process runs; `words`
/// are in the process.
pub unsafe fn refresh(process: *const (), words: *const [Words; REGIONS]) {
    if owns_unit(process) {
        // SAFETY: the caller's: no other code writes the unit meanwhile.
        unsafe { protection::write(words) };
    }
}

/// Returns the status of a fault, and its address, if there is one. Clears both.
///
/// # Safety
/// In the handler of the fault, or after the handler before another fault may come.
pub unsafe fn take_fault() -> (u32, Option<u32>) {
    const STATUS: *mut u32 = 0xe000_ed28 as *mut u32;
    const MEMORY_ADDRESS: *const u32 = 0xe000_ed34 as *const u32;
    const BUS_ADDRESS: *const u32 = 0xe000_ed38 as *const u32;
    const MEMORY_VALID: u32 = 1 << 7;
    const BUS_VALID: u32 = 1 << 15;
    // SAFETY: the caller's. A bit is cleared by writing it as 1.
    unsafe {
        let status = STATUS.read_volatile();
        let address = if status & MEMORY_VALID != 0 {
            Some(MEMORY_ADDRESS.read_volatile())
        } else if status & BUS_VALID != 0 {
            Some(BUS_ADDRESS.read_volatile())
        } else {
            None
        };
        STATUS.write_volatile(status);
        (status, address)
    }
}
