//! Processes: how the hart enters and leaves a process, and its calls and faults.
//!
//! ```text
//!   a process that doesn't run                 the trampoline, which all share
//!   control block  stack pointer ───────────>  (s0 .. s11, ra) | X = `__quintet_resume_process`
//!   pc, x1 .. x31                              only read
//!   main's stack, gp, a word for an SC
//!   regions: pairs of words
//! ```
//!
//! A process runs in user mode, behind the entries of [`protection`]. While it runs, `mscratch` has
//! the address of its registers in its record, and `mtvec` has a trap of its own, [`trap`]. This
//! trap stores registers in the record before it uses any stack: all of them, or for a command
//! those that a function may change. So nothing of what a process has put into `sp` is used. Then
//! it goes on as [the trap of all other code](super::trap): on main's stack, with `mscratch` = 0.
//!
//! ```text
//!   a process runs     mscratch = its registers       mtvec = the trap of processes
//!   its command        mscratch = 0                   mtvec = the trap of processes
//!   its other traps    mscratch = 0                   mtvec = the trap of all other code
//!   another thread     mscratch = main's stack        mtvec = the trap of all other code
//! ```
//!
//! # Why no interrupt comes in between
//! Interrupts are off from the trap to the change of `mtvec`, or to the call of a command's driver,
//! and from the change back, or the driver's return, to the MRET. No instruction between can have
//! an exception: each accesses the record, or main's stack, or a register that [`initialise`] has
//! tried. In user mode interrupts come whatever MIE is.
//!
//! # Calls
//! A call is served on main's stack at the level of the switch, with interrupts open: all jobs
//! preempt it, and no switch does. The switch that became due comes when the call has ended.
//!
//! RISC-V Privileged Architecture, 3.1.6 (mstatus), 3.3.1 (ECALL), 3.7 (PMP).

use ::core::arch::{asm, naked_asm};
use ::core::cell::UnsafeCell;
use ::core::ptr;

use super::protection::{self, load_regions};
pub use super::protection::{NEEDED as REGIONS_NEEDED, REGIONS, WINDOW, Words};
use super::trap::{self, CALL_FRAME, Switch};
use super::{interrupts, software};
use crate::core::record::offset;
use fault::note;
pub use fault::take_fault;
pub use floating::{Float, Floating};
#[cfg(target_has_atomic = "32")]
use frame::RESERVED;
pub use frame::{
    CALL, Frame, SAVED, STACKED, Saved, class_of, first_frame, frame_in, note_frame, show_call,
    stack_pointer_of,
};
use frame::{GLOBALS, MAIN};

pub mod change;
pub mod fault;
pub mod floating;
mod frame;

/// The way in which a process continues: its frame has it all.
pub type Onward = ();

/// Lets the process continue from its frame.
pub const fn onward(_frame: *mut Frame) -> Onward {}

/// Lets the process begin with its frame, whose registers are set.
pub const fn begin_with(_frame: *mut Frame) -> Onward {}

/// The offset of the regions' words in a process. The record of a process has this layout.
pub const REGIONS_AT: usize = offset::SAVED + SAVED * 4;
/// The offset of the address of the drivers' lines in a process: behind the regions.
pub const LINES: usize = REGIONS_AT + REGIONS * 8;
/// The offset of the address of the permissions in a process: behind the address of the lines.
pub const PERMITS: usize = LINES + 4;
/// The offset of the floating-point state in a process: behind the address of the permissions.
pub const FLOATING: usize = PERMITS + 4;

/// The number of bits, of a driver's number times the multiplier, that select the driver's line.
pub const LINES_BITS: u32 = 4;
/// The size of a table of lines: a multiplier, and four words for each line.
pub const NUMBERS_SIZE: usize = 4 + (16 << LINES_BITS);
/// The offset of the function in a line, from behind the line's number on.
pub const SERVE: usize = 8;
/// The number of commands that have a bit in the permissions for a driver.
pub const PERMITTED: u32 = 31;

/// The trampoline: the registers of a call, of which only the place to go on has a meaning.
#[repr(C, align(16))]
struct Trampoline(UnsafeCell<[u32; CALL_FRAME / 4]>);

/// The word of a call's registers with the place to go on.
const PLACE: usize = 13;

// SAFETY: written at start-up, and then only read by the switch.
unsafe impl Sync for Trampoline {}

static TRAMPOLINE: Trampoline = Trampoline(UnsafeCell::new([0; CALL_FRAME / 4]));

/// The stack of a process from the view of the switch: the trampoline.
pub const STACK: *mut u32 = TRAMPOLINE.0.get().cast();

/// Returns the stack pointer in the control block of a process.
pub const fn trampoline() -> *mut u32 {
    STACK
}

/// The process whose regions the unit has; null before the first.
#[repr(transparent)]
struct Owner(UnsafeCell<*const ()>);

// SAFETY: only the switch writes and reads it.
unsafe impl Sync for Owner {}

static OWNER: Owner = Owner(UnsafeCell::new(ptr::null()));

/// The registers that a command of a driver may change, apart from a0 to a4, at their places in a
/// frame at a register.
#[rustfmt::skip]
macro_rules! each_of_caller {
    ($instruction:literal, $at:literal) => {
        ::core::concat!(
            $instruction, " t0, 20(", $at, ")\n",
            $instruction, " t1, 24(", $at, ")\n",
            $instruction, " t2, 28(", $at, ")\n",
            $instruction, " t3, 112(", $at, ")\n",
            $instruction, " t4, 116(", $at, ")\n",
            $instruction, " t5, 120(", $at, ")\n",
            $instruction, " t6, 124(", $at, ")\n",
            $instruction, " a5, 60(", $at, ")\n",
            $instruction, " a6, 64(", $at, ")\n",
            $instruction, " a7, 68(", $at, ")\n",
            $instruction, " ra, 4(", $at, ")\n",
        )
    };
}

/// The registers that functions keep, and tp.
#[rustfmt::skip]
macro_rules! each_that_is_kept {
    ($instruction:literal, $at:literal) => {
        ::core::concat!(
            $instruction, " tp, 16(", $at, ")\n",
            $instruction, " s0, 32(", $at, ")\n",
            $instruction, " s1, 36(", $at, ")\n",
            $instruction, " s2, 72(", $at, ")\n",
            $instruction, " s3, 76(", $at, ")\n",
            $instruction, " s4, 80(", $at, ")\n",
            $instruction, " s5, 84(", $at, ")\n",
            $instruction, " s6, 88(", $at, ")\n",
            $instruction, " s7, 92(", $at, ")\n",
            $instruction, " s8, 96(", $at, ")\n",
            $instruction, " s9, 100(", $at, ")\n",
            $instruction, " s10, 104(", $at, ")\n",
            $instruction, " s11, 108(", $at, ")\n",
        )
    };
}

/// The arguments of a call behind the first, as far as they are answers.
#[rustfmt::skip]
macro_rules! each_of_answer {
    ($instruction:literal, $at:literal) => {
        ::core::concat!(
            $instruction, " a1, 44(", $at, ")\n",
            $instruction, " a2, 48(", $at, ")\n",
            $instruction, " a3, 52(", $at, ")\n",
        )
    };
}

/// Enters the process in a0, with interrupts held off; `mscratch` is where handlers begin on main's
/// stack. Writes the unit if it has the regions of another process. The trampoline leads here.
#[unsafe(naked)]
#[unsafe(export_name = "__quintet_resume_process")]
unsafe extern "C" fn enter() -> ! {
    naked_asm!(
        "la t1, {owner}",
        "lw t2, 0(t1)",                       // t2 = the process whose regions the unit has
        "csrr a1, mscratch",                  // a1 = where handlers begin
        "beq t2, a0, 2f",                     // the regions are right
        "sw a0, 0(t1)",                       // this one's, from here on
        load_regions!(),
        "2:",
        "addi a0, a0, {saved}",               // a0 = its registers, behind its control block
        "sw a1, {main}(a0)",                  // where its trap finds main's stack,
        "sw gp, {globals}(a0)",               // and the kernel's gp
        "la t0, __quintet_trap_of_process",
        "csrw mtvec, t0",
        "csrw mscratch, a0",
        "lw t0, 0(a0)",
        "csrw mepc, t0",                      // it goes on there,
        "li t0, {privilege}",
        "csrc mstatus, t0",                   // in user mode,
        "li t0, {open}",
        "csrs mstatus, t0",                   // with interrupts open, and without WFI
        #[cfg(target_has_atomic = "32")]
        "addi t0, a0, {reserved}",
        #[cfg(target_has_atomic = "32")]
        ".option push\n.option arch, +a\nsc.w zero, zero, (t0)\n.option pop", // ends a reservation
        "la t0, {level}",
        "li t1, {switch_level}",
        "sb t1, 0(t0)",                       // no switch comes within its commands
        each_that_is_kept!("lw", "a0"),
        each_of_caller!("lw", "a0"),
        each_of_answer!("lw", "a0"),
        "lw a4, 56(a0)",
        "lw gp, 12(a0)",
        "lw sp, 8(a0)",
        "lw a0, 40(a0)",
        "mret",
        level = sym software::LEVEL,
        switch_level = const software::SWITCH_LEVEL,
        owner = sym OWNER,
        regions = const REGIONS_AT,
        saved = const offset::SAVED,
        main = const MAIN,
        globals = const GLOBALS,
        privilege = const PRIVILEGE,
        open = const OPEN_BEFORE | NO_WAIT,
        #[cfg(target_has_atomic = "32")]
        reserved = const RESERVED,
    )
}

/// In `mstatus`: the mode before the trap, whether interrupts were open, and that WFI is illegal in
/// user mode. (Without the last, some harts let a process wait, and others don't.)
const PRIVILEGE: u32 = 3 << 11;
const OPEN_BEFORE: u32 = 1 << 7;
const NO_WAIT: u32 = 1 << 21;

/// What the trap does for all but a command of a driver in its line: saves all registers, of which
/// t0 to t2 and a5 are saved, and lets [`serve`] say who goes on.
#[rustfmt::skip]
macro_rules! serve_all_else {
    () => {
        ::core::concat!(
            "2:\n",                               // t0 to t2 and a5 are saved
            "sw a0, 40(sp)\n",
            each_of_answer!("sw", "sp"),
            "sw a4, 56(sp)\n",
            each_that_is_kept!("sw", "sp"),
            "csrr t0, mscratch\n",
            "csrr t1, mepc\n",
            "sw gp, 12(sp)\n",
            "sw t0, 8(sp)\n",                     // its sp
            "sw t1, 0(sp)\n",                     // where it was
            "lw gp, {globals}(sp)\n",
            "mv s0, sp\n",                        // s0 = its registers, from here on
            "lw sp, {main}(sp)\n",                // main's stack is in use
            "csrw mscratch, zero\n",              // so it is of main, or of a handler
            "la t0, __quintet_trap\n",
            "csrw mtvec, t0\n",
            "mv a0, s0\n",
            "call {serve}\n",
            "4:\n",
            "csrw mscratch, sp\n",                // where handlers begin
            "bnez a0, 5f\n",                      // another thread goes on
            "addi a0, s0, -{saved}\n",            // or this one
            "j {enter}\n",
            "5: tail __quintet_resume\n",
        )
    };
}

/// A switch behind a command, as behind [`serve`]: the registers are saved that the command kept.
#[rustfmt::skip]
macro_rules! switch_behind_command {
    () => {
        ::core::concat!(
            "3:\n",                               // a switch behind the command, as behind `serve`
            "addi t1, t1, {instruction}\n",
            "sw t1, 0(a0)\n",                     // it goes on behind its call
            "li t0, {command}\n",
            "sw t0, 56(a0)\n",
            each_that_is_kept!("sw", "a0"),       // the others are saved
            "mv s0, a0\n",
            "la t0, __quintet_trap\n",
            "csrw mtvec, t0\n",
            "call {serve_switch}\n",
            "j 4b\n",
        )
    };
}

/// The trap while a process runs. `mtvec` wants it at a multiple of 4.
///
/// A command of a driver that is in its line is called at once, with the registers saved that a
/// function may change, and with its arguments where the process has put them. All other calls,
/// faults and interrupts have all registers saved, and go to [`serve`].
///
/// While a command is served, `mtvec` stays, and `mscratch` is 0. So an interrupt of the command is
/// one that finds 0 there, and goes on as in all other code. It lets no switch come, as the level
/// of a process is that of the switch. A trap that returns leaves user mode as the mode before, and
/// interrupts as open before: so `mstatus` has what the MRET needs behind any number of them.
#[unsafe(naked)]
#[unsafe(export_name = "__quintet_trap_of_process_unaligned")]
unsafe extern "C" fn trap_of_process() {
    naked_asm!(
        trap::table!("__quintet_trap_of_process"),
        ".global __quintet_trap_of_process",
        "__quintet_trap_of_process:",
        "csrrw sp, mscratch, sp",             // sp = its registers; mscratch = its sp
        "beqz sp, 9f",                        // of a command
        each_of_caller!("sw", "sp"),
        "csrr t0, mcause",
        "addi t0, t0, -{call}",
        "addi t1, a4, -{command}",
        "or t0, t0, t1",
        "bnez t0, 2f",                        // no command
        "lw t0, {lines}(sp)",                 // t0 = its table of lines
        "beqz t0, 2f",                        // it has none
        "lw t1, 0(t0)",                       // t1 = the multiplier
        ".option push\n.option arch, +m\nmul t1, t1, a0\n.option pop", // the product's highest
        "srli t1, t1, {shift}",               // bits are the number of the line
        "slli t1, t1, 4",
        "add a5, t0, t1",                     // a5 = its line, behind the multiplier
        "lw t1, 4(a5)",                       // t1 = the line's number
        "bne t1, a0, 2f",                     // another driver's
        "lw t2, 8+{serve_at}(a5)",            // t2 = the function that serves it
        "csrrw t0, mscratch, zero",           // a handler may run
        "csrr t1, mepc",
        "sw t0, 8(sp)",                       // its sp
        "sw t1, 0(sp)",                       // its call
        "sw gp, 12(sp)",
        "lw gp, {globals}(sp)",               // the kernel's
        "addi a4, a5, 8",                     // a4 = the row of the driver
        "mv a5, sp",                          // a5 = its registers
        "lw sp, {main}(sp)",                  // main's stack is in use
        "csrsi mstatus, {mie}",               // interrupts come
        "jalr t2",                            // a0 = its registers, with the answer
        "csrci mstatus, {mie}",
        "lw t0, {pending}",
        "slli t0, t0, 31-{switch}",           // the sign = a switch is pending
        "lw t1, 0(a0)",
        "bltz t0, 3f",
        "addi t1, t1, {instruction}",         // behind its call
        "csrw mepc, t1",
        "csrw mscratch, a0",
        each_of_caller!("lw", "a0"),
        each_of_answer!("lw", "a0"),
        "li a4, {command}",
        "lw gp, 12(a0)",
        "lw sp, 8(a0)",
        "lw a0, 40(a0)",
        "mret",
        serve_all_else!(),
        switch_behind_command!(),
        "9: j __quintet_trap_of_main",        // exchanges the two once more
        call = const CALL_FROM_USER,
        command = const COMMAND,
        lines = const LINES - offset::SAVED,
        shift = const 32 - LINES_BITS,
        serve_at = const SERVE,
        instruction = const CALL,
        pending = sym software::PENDING,
        switch = const software::SWITCH,
        mie = const interrupts::MIE,
        globals = const GLOBALS,
        main = const MAIN,
        saved = const offset::SAVED,
        serve = sym serve,
        serve_switch = sym serve_switch,
        enter = sym enter,
    )
}

/// The class of a command.
const COMMAND: u32 = 2;

/// In `mcause`: an interrupt. The cause of a call from user mode.
const INTERRUPT: u32 = 1 << 31;
const CALL_FROM_USER: u32 = 8;

unsafe extern "C" {
    /// `process::call`.
    fn __quintet_serve_call(frame: *mut Frame);
    /// `process::call`.
    fn __quintet_look(frame: *mut Frame);
}

/// Serves the trap of a process: an interrupt, a call or a fault. Returns the switch that is due.
///
/// # Safety
/// Called by the trap, with interrupts held off; the process's registers are in the frame.
unsafe extern "C" fn serve(frame: *mut Frame) -> Switch {
    let (cause, value): (u32, u32);
    // SAFETY: reading has no effect.
    unsafe {
        asm!(
            "csrr {}, mcause", "csrr {}, mtval", out(reg) cause, out(reg) value,
            options(nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: the caller's.
    unsafe {
        if cause & INTERRUPT != 0 {
            software::release_switches();
            return trap::handle(frame.cast());
        }
        trap::handle_exception(|| {
            if cause == CALL_FROM_USER {
                (*frame).pc = (*frame).pc.wrapping_add(CALL);
            } else {
                note(cause, value);
            }
            // What follows may be interrupted. The level is that of a process, so that it isn't
            // left for another thread.
            interrupts::enable_interrupts();
            if cause == CALL_FROM_USER {
                __quintet_serve_call(frame);
            } else {
                __quintet_look(frame);
            }
            interrupts::disable_interrupts();
            software::release_switches();
        })
    }
}

/// Returns the switch that is due behind a command.
///
/// # Safety
/// Called by the trap, with interrupts held off; the process's registers are in its record.
unsafe extern "C" fn serve_switch() -> Switch {
    // SAFETY: the caller's.
    unsafe { trap::handle_exception(software::release_switches) }
}

/// Prepares the hart for processes. If the protection unit has fewer entries than
/// [needed](REGIONS_NEEDED), returns their number as the error; 0 without a unit, or if entries of
/// it are locked.
///
/// # Safety
/// At start-up, once.
pub unsafe fn initialise() -> Result<(), u8> {
    // SAFETY: at start-up.
    unsafe {
        let entries = protection::count();
        if entries < REGIONS_NEEDED {
            return Err(entries);
        }
        if !protection::initialise() {
            return Err(0);
        }
        STACK.add(PLACE).write(enter as *const () as usize as u32);
    }
    Ok(())
}

/// Returns `true` if the unit has the regions of the process at this address.
pub fn owns_unit(process: *const ()) -> bool {
    // SAFETY: a word that changes only when a process is entered.
    unsafe { OWNER.0.get().read() == process }
}

/// Gives the unit the words of a process, if the unit has the regions of this process. Machine mode
/// notices nothing; the process notices the change as soon as it continues.
///
/// # Safety
/// In a call or in the switch, between which no process is entered, or before any process runs;
/// `words` are in the process.
pub unsafe fn refresh(process: *const (), words: *const [Words; REGIONS]) {
    if owns_unit(process) {
        // SAFETY: the caller's: no other code writes the unit meanwhile.
        unsafe { protection::write(words) };
    }
}
