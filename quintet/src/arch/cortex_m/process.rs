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
//! On ARMv6-M, no program can pend SVCall, and HardFault is the one fault: see `faults_masked`.
//!
//! Armv7-M Architecture Reference Manual: B1.5.6 (stacking has the rights of the interrupted code),
//! B1.5.11 (faults while stacking), B3.2.13 (SHCSR).

use ::core::cell::UnsafeCell;
use ::core::ptr;

use super::protection;
pub use super::protection::{NEEDED as REGIONS_NEEDED, REGIONS, WINDOW, Words};
use crate::core::record::offset;
pub use calls::leave_ring;
pub use faults::{HAS_STATUS, take_fault};
pub use floating::{Float, Floating};
pub use frame::{
    CALL, SAVED, STACKED, Saved, class_of, first_frame, frame_in, note_frame, show_call,
    stack_pointer_of,
};

#[cfg_attr(noted_pauses, path = "process/calls_masked.rs")]
mod calls;
pub mod change;
pub mod fault;
#[cfg_attr(noted_pauses, path = "process/faults_masked.rs")]
mod faults;
#[cfg_attr(not(processes_float), path = "process/floating_missing.rs")]
pub mod floating;
mod frame;
#[cfg(noted_pauses)]
mod instruction;
#[cfg_attr(noted_pauses, path = "process/permission_masked.rs")]
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
/// The offset of the range of the process's flash: behind the floating-point state.
pub const FLASH: usize = FLOATING + size_of::<Floating>();
/// The offset of the range of the process's memory: behind that of its flash.
pub const MEMORY: usize = FLASH + 8;
/// The offset of the end of the memory that the process uses: behind the range of all of it.
pub const BREAK: usize = MEMORY + 8;
/// The offset of what the process waits for: behind the end of its memory.
pub const WAITING: usize = BREAK + 4;
/// The offset of the notices that are due: behind what the process waits for.
pub const NOTICES: usize = WAITING + 4;
/// The offset of the number of due upcalls, a byte: in the queue, which lies behind the notices.
pub const COUNT: usize = NOTICES + 4 + 9;

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
        faults::enable();
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
