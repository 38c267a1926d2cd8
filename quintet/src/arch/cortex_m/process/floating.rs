//! Floating point of processes: a process that uses it has registers of its own, and one that
//! doesn't pays nothing for it.
//!
//! Unprivileged code has no access to the floating-point registers at first. A process's first
//! instruction that uses them is a fault, by which it gets what every process has that *floats*:
//! access, and a frame with floating-point state, all of it zero. Then the instruction is executed
//! again. From there on, until the process starts anew, every frame of its has such state: the
//! hardware puts s0 to s15 there, lazily, with the rights of the process, and the switch keeps s16
//! to s31 behind its control block. So no process ever sees what somebody else has left in the
//! registers, neither a job that came in between nor the kernel.
//!
//! ```text
//!   does not float: access for privileged code, return to a frame without such state
//!   floats:         access for everybody,       return to a frame with it
//! ```
//!
//! # What is put off
//! The frame of a process that floats is stored only when privileged code uses a register: maybe by
//! a job, in the middle of a call, or not at all. If that is refused, the job's instruction comes
//! to the handler of the fault. That lets go of the registers, notes the fault, and lets the job go
//! on. PendSV stores the frame first of all, while the process is still the one that runs; if a
//! fault was noted by then, it lets SVCall look at that first.
//!
//! Armv7-M Architecture Reference Manual: B1.5.7, B3.2.20 (CPACR), B3.2.21 (FPCCR), A2.5 (when
//! FPSCR is set anew).

use ::core::cell::Cell;
use ::core::mem::offset_of;

use super::{FLOATING, Frame, owns_unit};

/// Who may use coprocessors: two bits for each, of which the higher one is for everybody.
const ACCESS: *mut u32 = 0xe000_ed88 as *mut u32;
/// Privileged code may use the floating-point registers, which are two of them.
const PRIVILEGED: u32 = 0b0101 << 20;
/// What unprivileged code needs beside that.
const EVERYBODY: u32 = 0b1010 << 20;
/// What FPSCR is to begin with.
const DEFAULT_STATUS: *const u32 = 0xe000_ef3c as *const u32;

/// What a frame with floating-point state has behind one without: s0 to s15, FPSCR, a word.
const STATE: usize = 18;

/// The floating-point state of a process, as far as the hardware's frame doesn't have it.
#[derive(Debug)]
#[repr(C)]
pub struct Floating {
    /// What it may beside privileged code: everything, or nothing.
    rights: Cell<u32>,
    /// s16 to s31, while it doesn't run.
    registers: [Cell<u32>; 16],
}

/// Where a process has what it may.
pub const RIGHTS: usize = FLOATING + offset_of!(Floating, rights);
/// Where it has registers.
pub const REGISTERS: usize = FLOATING + offset_of!(Floating, registers);

/// What becomes of a process that may not use the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// It floats from now on, and goes on with this frame.
    With(*mut Frame),
    /// There is no room for the frame.
    NoRoom,
    /// It may already, or there is nothing that it could use.
    Never,
}

impl Floating {
    /// Of a process that doesn't float.
    pub const fn new() -> Self {
        Self { rights: Cell::new(0), registers: [const { Cell::new(0) }; 16] }
    }

    /// Lets the process at `process`, whose this is, float no longer. In the switch, or before it
    /// first runs.
    pub fn end(&self, process: *const ()) {
        self.set_rights(0, process);
    }

    /// Lets the process at `process`, whose this is, float, if `has_room` for what its frame is to
    /// be: an address and a size. In SVCall, which returns to that frame.
    ///
    /// # Safety
    /// `frame` is where it has stored one, and can be read; what `has_room` accepts is its memory.
    pub unsafe fn begin(
        &self,
        process: *const (),
        frame: *mut Frame,
        has_room: impl Fn(u32, u32) -> bool,
    ) -> Float {
        if self.rights.get() != 0 || !exists() {
            return Float::Never;
        }
        let longer = frame.cast::<u32>().wrapping_sub(STATE);
        let size = size_of::<Frame>() + 4 * STATE;
        if !has_room(longer.addr() as u32, size as u32) {
            return Float::NoRoom;
        }
        // SAFETY: the caller's: all of it is its memory.
        unsafe {
            let stored = frame.read_volatile();
            longer.cast::<Frame>().write_volatile(stored);
            let state = longer.byte_add(size_of::<Frame>());
            for index in 0..STATE {
                state.add(index).write_volatile(0);
            }
            state.add(16).write_volatile(DEFAULT_STATUS.read_volatile());
        }
        for register in &self.registers {
            register.set(0);
        }
        self.set_rights(EVERYBODY, process);
        Float::With(longer.cast())
    }

    fn set_rights(&self, rights: u32, process: *const ()) {
        self.rights.set(rights);
        if owns_unit(process) {
            // SAFETY: in SVCall or the switch, between which no process is entered.
            unsafe { ACCESS.write_volatile(ACCESS.read_volatile() & !EVERYBODY | rights) };
        }
    }
}

/// Takes away what a program that ran before may have left, or the start-up code gives everybody.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's.
    unsafe { ACCESS.write_volatile(ACCESS.read_volatile() & !EVERYBODY) };
}

/// Whether privileged code uses floating-point registers: they are there, and switched on.
fn exists() -> bool {
    // SAFETY: reading the register has no effect; it reads as zero where there is nothing.
    unsafe { ACCESS.read_volatile() & PRIVILEGED == PRIVILEGED }
}

/// Assembly that gives unprivileged code what the process in r0 may: r4, r5 and r12 change.
/// `rights` is where it has that.
macro_rules! load_rights {
    () => {
        "
        movw r12, #0xed88
        movt r12, #0xe000
        ldr r4, [r12]
        ldr r5, [r0, #{rights}]
        bic r4, r4, #0xa00000
        orr r4, r5
        str r4, [r12]
        "
    };
}

/// Assembly that makes the return address in r1 that of the process in r0, and fetches its
/// registers if it floats: r2 changes. `rights` and `registers` are where it has these.
macro_rules! load_floating {
    () => {
        "
        orr r1, #0x10
        ldr r2, [r0, #{rights}]
        cbz r2, 3f
        bic r1, #0x10
        add r2, r0, #{registers}
        vldmia r2, {{s16-s31}}
        3:
        "
    };
}

/// Assembly that stores what was put off of the frame of a call, where the process in r2 floats: r1
/// and r12 change. What Rust does then, regions change and windows open, with nothing put off. If
/// it is refused, a fault is noted, which the call is then taken for.
macro_rules! complete_frame_of_call {
    () => {
        "
        ldr r1, [r2, #{rights}]
        cbz r1, 14f
        vmrs r12, FPSCR
        14:
        "
    };
}

/// Assembly by which SVCall returns to a process from Rust: one that floats from now on, to a frame
/// with such state, and with its registers.
macro_rules! return_from_call {
    () => {
        "
        pop {{r2, lr}}
        ldr r1, [r2, #{rights}]
        cbz r1, 6f
        tst lr, #0x10
        beq 6f
        bic lr, #0x10                         // it floats from now on
        add r2, #{registers}
        vldmia r2, {{s16-s31}}
        6:
        bx lr
        "
    };
}

/// Assembly for a frame that was put off and is not the process's. The fault has waited for a mask,
/// and this one is already that of the code that it has interrupted. Where main's stack has a
/// guard, it may be the guard's.
#[cfg(not(main_guard))]
macro_rules! of_others {
    () => {
        "beq 6f"
    };
}
#[cfg(main_guard)]
macro_rules! of_others {
    () => {
        "beq 4f"
    };
}

/// Assembly of a fault that a handler has met, with the status in r1, which r2 points to: of a
/// frame of a process that was put off. The process is that whose regions the unit has, as it may
/// have been left just now.
macro_rules! look_at_late_frame {
    () => {
        concat!(
            "
        movw r0, #0x2020
        tst r1, r0
        beq 5f
        movw r12, #0xef34                     // of a frame that was put off
        movt r12, #0xe000
        ldr r0, [r12]
        tst r0, #2
        ",
            of_others!(),
            "
        bic r0, #1                            // its registers are in nobody's way any more
        str r0, [r12]
        6:
        ldr r0, 9f
        ldr r0, [r0]                          // r0 = the process, if it has just been left as well
        movs r1, #0
        str r1, [r0, #{lines}]
        ldr r1, [r2, #-4]
        orr r1, #0x8000                       // SVCall
        str r1, [r2, #-4]
        bx lr
        5:
        "
        )
    };
}

pub(super) use {
    complete_frame_of_call, load_floating, load_rights, look_at_late_frame, of_others,
    return_from_call,
};
