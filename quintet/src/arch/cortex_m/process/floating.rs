//! Floating point for processes. A process that uses floating point has its own registers, and a
//! process that doesn't pays nothing for this.
//!
//! At first, unprivileged code has no access to the floating-point registers. A process's first
//! instruction that uses them is a fault. By this fault the process gets what every *floating*
//! process has: access, and a frame with floating-point state, which is all zero. Then the
//! processor executes the instruction again. From then on, until the process restarts, each of its
//! frames has floating-point state. The hardware stores s0 to s15 there, lazily, with the rights of
//! the process, and the switch keeps s16 to s31 behind the control block. So no process ever sees
//! old values of other code in the registers, neither of a job that came in between nor of the
//! kernel.
//!
//! ```text
//!   does not float: access for privileged code, return to a frame without such state
//!   floats:         access for all code,        return to a frame with it
//! ```
//!
//! # Lazy storing
//! The frame of a floating process is stored only when privileged code uses a register: perhaps by
//! a job, in the middle of a call, or never. If this store is refused, the job's instruction comes
//! to the handler of the fault. The handler releases the registers, notes the fault, and lets the
//! job continue. PendSV first stores the frame, while the process is still the running one. If a
//! fault was noted by then, PendSV lets SVCall look at the fault first.
//!
//! Armv7-M Architecture Reference Manual: B1.5.7, B3.2.20 (CPACR), B3.2.21 (FPCCR), A2.5 (when
//! FPSCR is set again).

use ::core::cell::Cell;
use ::core::mem::offset_of;

use super::{FLOATING, Frame, owns_unit};

/// The access rights to coprocessors: two bits for each, the higher one for all code.
const ACCESS: *mut u32 = 0xe000_ed88 as *mut u32;
/// Access of privileged code to the floating-point registers, which are two coprocessors.
const PRIVILEGED: u32 = 0b0101 << 20;
/// The additional bits for access of unprivileged code.
const EVERYBODY: u32 = 0b1010 << 20;
/// The first value of FPSCR.
const DEFAULT_STATUS: *const u32 = 0xe000_ef3c as *const u32;

/// The number of words of floating-point state in a frame: s0 to s15, FPSCR, and an unused word.
const STATE: usize = 18;

/// The floating-point state of a process that isn't in the hardware's frame.
#[derive(Debug)]
#[repr(C)]
pub struct Floating {
    /// The additional rights of the process: all, or none.
    rights: Cell<u32>,
    /// s16 to s31, while the process doesn't run.
    registers: [Cell<u32>; 16],
}

/// The offset of the rights in a process.
pub const RIGHTS: usize = FLOATING + offset_of!(Floating, rights);
/// The offset of the registers in a process.
pub const REGISTERS: usize = FLOATING + offset_of!(Floating, registers);

/// The consequence of a floating-point instruction of a process without access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// The process floats from now on, and continues with this frame.
    With(*mut Frame),
    /// There is no room for the frame.
    NoRoom,
    /// The process has access already, or the processor has no floating-point registers.
    Never,
}

impl Floating {
    /// Makes the state of a process that doesn't float.
    pub const fn new() -> Self {
        Self { rights: Cell::new(0), registers: [const { Cell::new(0) }; 16] }
    }

    /// Returns the size of the frames of the process, in bytes.
    #[inline(always)]
    pub fn frame_size(&self) -> u32 {
        let state = if self.rights.get() == 0 { 0 } else { 4 * STATE };
        (size_of::<Frame>() + state) as u32
    }

    /// Ends the floating of the process at `process`, which owns this state. In the switch, or
    /// before the process first runs.
    pub fn end(&self, process: *const ()) {
        self.set_rights(0, process);
    }

    /// Lets the process at `process`, which owns this state, float, if `has_room` returns `true`
    /// for the address and the size of the longer frame. In SVCall, which returns to that frame.
    ///
    /// # Safety
    /// The process has stored a frame at `frame`, which can be read; memory that `has_room` accepts
    /// is the process's.
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
        // SAFETY: the caller's: all this memory is the process's.
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

/// Takes away rights that an earlier program may have left, or that the start-up code gives to all
/// code.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's.
    unsafe { ACCESS.write_volatile(ACCESS.read_volatile() & !EVERYBODY) };
}

/// Returns `true` if privileged code can use floating-point registers: they exist, and are switched
/// on.
fn exists() -> bool {
    // SAFETY: reading the register has no effect; without coprocessors it reads as zero.
    unsafe { ACCESS.read_volatile() & PRIVILEGED == PRIVILEGED }
}

/// Assembly that gives unprivileged code the rights of the process in r0; r4, r5 and r12 change.
/// `rights` is the offset of the rights.
macro_rules! load_rights {
    () => {
        "
        movw r12, #0xed88                     // r12 = the address of CPACR,
        movt r12, #0xe000                     // the rights to coprocessors
        ldr r4, [r12]                         // r4 = the present rights
        ldr r5, [r0, #{rights}]               // r5 = the process's additional ones
        bic r4, r4, #0xa00000                 // only privileged code has any,
        orr r4, r5                            // or the process as well
        str r4, [r12]                         // the rights of this process
        "
    };
}

/// Assembly that turns the return address in r1 into that of the process in r0, and loads the
/// registers of a floating process; r2 changes. `rights` and `registers` are the offsets of these.
macro_rules! load_floating {
    () => {
        "
        orr r1, #0x10                         // to a frame without floating-point state
        ldr r2, [r0, #{rights}]               // r2 = its additional rights
        cbz r2, 3f                            // it doesn't float
        bic r1, #0x10                         // to a frame with such a state
        add r2, r0, #{registers}              // r2 = its registers behind the control block
        vldmia r2, {{s16-s31}}                // the hardware loads the others
        3:
        "
    };
}

/// Assembly that stores the lazy part of a call's frame, if the process in r2 floats; r1 and r12
/// change. The Rust code that follows changes regions and opens windows, and needs the whole frame
/// to be stored. If the store is refused, a fault is noted, and the call is handled as this fault.
macro_rules! complete_frame_of_call {
    () => {
        "
        ldr r1, [r2, #{rights}]               // r1 = its additional rights
        cbz r1, 14f                           // it doesn't float: the frame is complete
        vmrs r12, FPSCR                       // the hardware stores the lazy part first
        14:
        "
    };
}

/// Assembly by which SVCall returns to a process from Rust. A process that floats from now on
/// returns to a frame with floating-point state, and with its registers; a process that ends or
/// starts again, to one without.
macro_rules! return_from_call {
    () => {
        "
        pop {{r2, lr}}                        // r2 = the process, lr = the return address
        ldr r1, [r2, #{rights}]               // r1 = its additional rights
        cbz r1, 6f                            // it doesn't float, or no longer
        tst lr, #0x10                         // did it float when it called?
        beq 15f                               // yes: its registers are in place
        bic lr, #0x10                         // it floats from now on
        add r2, #{registers}                  // r2 = its registers, all zero
        vldmia r2, {{s16-s31}}                // which replace those of other code
        15:
        bx lr                                 // the hardware loads its frame
        6:
        orr lr, #0x10                         // to a frame without floating-point state
        bx lr                                 // the hardware loads its frame
        "
    };
}

/// Assembly for a lazy frame that isn't the process's. The fault has waited for a mask, and the
/// present lazy frame is already that of the code that the fault has interrupted. If main's stack
/// has a guard, the fault may be the guard's.
#[cfg(not(main_guard))]
macro_rules! of_others {
    () => {
        "beq 6f" // privileged code's: the frame stays as it is
    };
}
#[cfg(main_guard)]
macro_rules! of_others {
    () => {
        "beq 4f" // privileged code's: perhaps the guard's fault
    };
}

/// Assembly for a fault that a handler has met, with the status in r1 from the address in r2: the
/// store of a process's lazy frame was refused. The process is the one whose regions the unit has,
/// as the processor may have just left it.
macro_rules! look_at_late_frame {
    () => {
        concat!(
            "
        movw r0, #0x2020                      // the two bits of a lazy store
        tst r1, r0                            // is one of them set?
        beq 5f                                // no: another fault
        movw r12, #0xef34                     // of a frame that was put off
        movt r12, #0xe000                     // is FPCCR
        ldr r0, [r12]                         // r0 = the state of the lazy frame
        tst r0, #2                            // USER: is it a process's?
        ",
            of_others!(),
            "
        bic r0, #1                            // its registers are in nobody's way any more
        str r0, [r12]                         // LSPACT is off
        6:
        ldr r0, 9f                            // r0 = the word that names the unit's owner
        ldr r0, [r0]                          // r0 = the process, if it has just been left as well
        movs r1, #0                           // r1 = no lines
        str r1, [r0, #{lines}]                // none of its calls is served any more
        ldr r1, [r2, #-4]                     // r1 = SHCSR, which lies before CFSR
        orr r1, #0x8000                       // SVCall
        str r1, [r2, #-4]                     // looks at the fault, below all levels
        bx lr                                 // the handler goes on
        5:
        "
        )
    };
}

pub(super) use {
    complete_frame_of_call, load_floating, load_rights, look_at_late_frame, of_others,
    return_from_call,
};
