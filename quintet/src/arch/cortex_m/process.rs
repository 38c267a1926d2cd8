//! Processes: how one is entered and left, how it calls, and what its faults are.
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
//! A process runs unprivileged on its own stack, of which the kernel knows nothing but what it has
//! checked. So nothing is stored there when it is left: its registers are kept behind its control
//! block. A switch by a call, which resumes whoever is next by what is on that one's stack, finds
//! the trampoline: the stub there asks SVCall to enter the process that r0 points to. PendSV enters
//! it by itself.
//!
//! While a process runs, CONTROL.nPRIV is set, also in the handlers that interrupt it; so SVCall
//! and the faults tell its calls and faults from everybody else's. Its stack has no limit but its
//! regions.
//!
//! Which regions there are, the modules `protection` say, one for each kind of unit; what is
//! different with floating-point registers, `floating`.
//!
//! # Faults
//! The handler of a fault of a process runs at the most urgent priority, so it does but two things:
//! it takes the process's lines of drivers away, and pends SVCall. That runs below all levels,
//! finds no lines, and has the time to look. A call whose frame could not be stored is pended
//! already; it is never served, for the same reason.
//!
//! Armv7-M Architecture Reference Manual: B1.5.6 (stacking has the rights of who is interrupted),
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

pub mod change;
#[cfg_attr(not(processes_float), path = "process/floating_missing.rs")]
pub mod floating;

/// What a process goes on with behind a call: its stack pointer.
pub type Onward = u32;

/// It goes on where it called, or elsewhere.
pub fn onward(frame: *mut Frame) -> Onward {
    frame.addr() as u32
}

/// What the hardware stores of whom it interrupts.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Frame {
    /// r0 to r3.
    pub registers: [u32; 4],
    /// r12.
    pub r12: u32,
    /// Where the function returns to.
    pub lr: u32,
    /// What is executed next.
    pub pc: u32,
    /// Flags, and the state of execution.
    pub xpsr: u32,
}

/// Thumb state, in the program status.
pub const THUMB: u32 = 1 << 24;

/// Behind a control block: the process stack's pointer and eight registers, and behind those the
/// words of the regions. What defines a process has them there.
pub const REGIONS_AT: usize = offset::SAVED + 9 * 4;
/// In a process: behind its regions. What defines it has the address of its drivers' lines there.
pub const LINES: usize = REGIONS_AT + REGIONS * 8;
/// In a process, behind that: its floating-point state.
pub const FLOATING: usize = LINES + 4;

/// Room for the frame of an interrupt behind a misaligned pointer, and what PendSV puts below it;
/// and for the guard of the stack in use, where that moves.
const ROOM: usize = 19 + if cfg!(stack_guard_moves) { 8 } else { 0 };
/// r4 to r11, and where to go on.
const BLOCK: usize = 9;

/// The trampoline.
#[repr(C, align(32))]
struct Trampoline(UnsafeCell<[u32; ROOM + BLOCK]>);

// SAFETY: the switch alone writes and reads it.
unsafe impl Sync for Trampoline {}

static TRAMPOLINE: Trampoline = Trampoline(UnsafeCell::new([0; ROOM + BLOCK]));

/// The stack of a process, as the switch has to know one: the trampoline.
pub const STACK: *mut u32 = TRAMPOLINE.0.get().cast();

/// What the control block of a process has for its stack pointer.
pub fn trampoline() -> *mut u32 {
    TRAMPOLINE.0.get().cast::<u32>().wrapping_add(ROOM)
}

/// The process whose regions the unit has; null before the first.
#[repr(transparent)]
struct Owner(UnsafeCell<*const ()>);

// SAFETY: the switch alone writes and reads it.
unsafe impl Sync for Owner {}

#[unsafe(export_name = "__quintet_owner_of_regions")]
static OWNER: Owner = Owner(UnsafeCell::new(ptr::null()));

/// Goes on with the process in r0, by the return address in r1: to thread mode on the process
/// stack. In PendSV or SVCall. The unit is written if another process's regions are there.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_enter_process() {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "ldr r2, 8f",
        "ldr r3, [r2]",
        "cmp r3, r0",
        "beq 2f",
        "str r0, [r2]",
        crate::__load_regions!(),
        #[cfg(processes_float)]
        load_rights!(),
        "2:",
        #[cfg(processes_float)]
        load_floating!(),
        crate::__limit!("movs r2, #0"),
        crate::__limit!("msr PSPLIM, r2"),
        "add r2, r0, #{saved}",
        "ldmia r2, {{r3-r11}}",
        "msr PSP, r3",
        "movs r2, #1",
        "msr CONTROL, r2",
        "bx r1",
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

/// How many bits of a driver's number, multiplied, say where it stands.
pub const LINES_BITS: u32 = 4;

/// SVCall while a process runs: it has called, or one of its faults is to be looked at.
///
/// A command of a driver that stands in its line goes straight there, and returns to the process
/// from there. All else is served by `__quintet_serve_call`, which compares everything with what
/// the process has. What goes straight on needs less of that:
///
/// - While no fault was noted, the processor has stored the frame of this call, with the rights of
///   the process: so its eight words are the process's to read and to write. A fault takes the
///   lines away before SVCall can run.
/// - Where it goes on may have been written over since, by a job that fills what the process has
///   lent. So the class is read with the rights of the process. If that is refused, the fault's
///   handler goes on at the label 2.
/// - The driver's number is compared with that in the line, which only a driver's has.
///
/// With it come the symbol of the trampoline, and what the handlers of faults do with a fault that
/// a handler has met while a process runs: r3 is where all others lead. Of the process's is also
/// one whose frame was put off, and could not be stored when somebody else used a floating-point
/// register.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_call() {
    naked_asm!(
        ".global __quintet_trampoline",
        ".set __quintet_trampoline, {trampoline}+{room}",
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "mrs r0, PSP",                        // r0 = the frame
        "ldr r2, 8f",
        "ldr r2, [r2, #-8]",                  // r2 = the process
        "ldr r1, [r2, #{lines}]",
        "cbz r1, 2f",                         // a fault was noted
        "ldr r12, [r0, #24]",                 // r12 = where it goes on
        "sub r12, #2",
        "7:",
        "ldrbt r12, [r12]",
        "cmp r12, #2",                        // a command
        "bne 2f",
        "ldr r3, [r0]",                       // r3 = the driver's number
        "ldr r12, [r1], #4",
        "mul r12, r12, r3",
        "lsr r12, r12, #{shift}",
        "add r12, r1, r12, lsl #4",           // r12 = its line
        "ldr r1, [r12], #4",
        "cmp r1, r3",
        "bne 2f",                             // another one's
        "ldmia r12, {{r1, r3, r12}}",         // r1 = the driver, r3 = its place
        "bx r12",
        "2:",
        complete_frame_of_call!(),
        "push {{r2, lr}}",
        "bl __quintet_serve_call",
        "msr PSP, r0",
        return_from_call!(),
        ".p2align 2",
        "8:",
        ".word {scheduler}+{queue}",
        ".thumb_func",
        ".global __quintet_fault_within_process",
        "__quintet_fault_within_process:",
        "movw r2, #0xed28",
        "movt r2, #0xe000",
        "ldr r1, [r2]",                       // r1 = the faults' status
        look_at_late_frame!(),
        "movw r0, #0x1818",
        crate::__limit!("movt r0, #0x10"),    // of a stack that has overflowed
        "tst r1, r0",
        "bne 4f",                             // of a frame, which may lie nowhere
        "ldr r0, [sp, #24]",
        "adr r12, 7b",
        "cmp r0, r12",
        "bne 4f",                             // not where the class is read
        "str r1, [r2]",                       // the status is cleared
        "adr r12, 2b",
        "str r12, [sp, #24]",
        "bx lr",
        "4:",
        "bx r3",
        #[cfg(processes_float)]
        ".p2align 2\n 9: .word __quintet_owner_of_regions",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        lines = const LINES,
        shift = const 32 - LINES_BITS,
        trampoline = sym TRAMPOLINE,
        room = const 4 * ROOM,
        #[cfg(processes_float)]
        rights = const RIGHTS,
        #[cfg(processes_float)]
        registers = const REGISTERS,
    )
}

/// Takes a running process out of the ring of those that are ready; the switch looks for another
/// one. In Rust it takes a third more, with the kernel's lock held.
///
/// # Safety
/// The kernel's lock is held, in SVCall; it is the running one. A job may have suspended it since
/// it has called.
#[unsafe(naked)]
pub unsafe extern "C" fn leave_ring(_running: &ThreadBlock) {
    naked_asm!(
        "ldr r2, 9f",
        "ldrd r1, r3, [r0, #{next}]",         // the next, and the one before
        "cmp r1, r0",
        "beq 2f",                             // it is alone
        "str r1, [r3, #{next}]",
        "str r3, [r1, #{previous}]",
        "strd r0, r0, [r0, #{next}]",
        "ldr r3, [r0, #{bit}]",
        "clz r3, r3",
        "ldr r12, [r2, r3, lsl #2]",
        "cmp r12, r0",
        "it eq",
        "streq r1, [r2, r3, lsl #2]",         // the next is the first
        "bx lr",
        "2:",
        "ldr r1, [r2, #-4]",
        "ldr r3, [r0, #{bit}]",
        "cbz r3, 3f",                         // it was suspended since it has called
        "bics r1, r3",
        "str r1, [r2, #-4]",                  // nobody of its priority is ready
        "bx lr",
        "3:",
        "ldrb r1, [r0, #{marks}]",
        "bic r1, #{held_ready}",              // and isn't ready when it is resumed
        "strb r1, [r0, #{marks}]",
        "bx lr",
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

/// A fault: the process's, if one was interrupted in thread mode; or the system's, and on to
/// `otherwise`. For naked functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __fault_of_process {
    ($name:ident, $otherwise:path) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "mrs r0, CONTROL",
                "lsls r0, r0, #31",
                "bpl 2f",
                "tst lr, #8",
                "beq 3f",
                "ldr r0, 8f",
                "ldr r0, [r0, #-8]",
                "movs r1, #0",
                "str r1, [r0, #{lines}]",
                "mov r2, #0xe000e000",
                "ldr r1, [r2, #0xd24]",
                "orr r1, #0x8000",
                "str r1, [r2, #0xd24]",
                "bx lr",
                "2:",
                "b {otherwise}",
                "3:",
                "ldr r3, 9f",
                "b __quintet_fault_within_process",
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

/// It lets memory, bus and usage faults have exceptions of their own.
const FAULTS_ENABLED: u32 = 7 << 16;
/// System handler control and state.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
/// Debug exception and monitor control.
const MONITOR: *mut u32 = 0xe000_edfc as *mut u32;
/// Breakpoints without a debugger are an exception of their own, not a fault of the system's.
const MONITOR_ENABLED: u32 = 1 << 16;
const DEBUG_MONITOR: u8 = 12;

/// Prepares the processor for processes. Or says how many regions its protection unit has, if these
/// are fewer than [are needed](REGIONS_NEEDED); none without a unit.
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
    /// The stub, which SVCall has.
    #[link_name = "__quintet_resume_process"]
    fn stub();
}

/// Whether the unit has the regions of the process at this address.
pub fn owns_unit(process: *const ()) -> bool {
    // SAFETY: a word, which changes only where a process is entered.
    unsafe { OWNER.0.get().read() == process }
}

/// Gives the unit these words of a process, if it has that one's regions. Privileged code notices
/// nothing; the process does as soon as it goes on.
///
/// # Safety
/// In SVCall or PendSV, between which no process is entered, or before any runs; the words are in
/// the process as well.
pub unsafe fn refresh(process: *const (), words: &[Words; REGIONS]) {
    if owns_unit(process) {
        // SAFETY: the caller's: nobody else writes it meanwhile.
        unsafe { protection::write(words) };
    }
}

/// What a fault was: the status that says so, and the address, if there is one. Both are cleared.
///
/// # Safety
/// In the handler of the fault, or behind it before another may come.
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
