//! What the hart says of a fault: `mcause`, and `mtval` where that is an address.
//!
//! RISC-V Privileged Architecture, 3.1.15 and 3.1.16.

use ::core::cell::Cell;
use ::core::fmt;

use super::Frame;

/// The name of the register with the status.
pub const REGISTER: &str = "mcause";

/// The bits of a fault's status: one for each cause.
const EXECUTION_FAULT: u32 = 1 << 1;
const BREAKPOINT_TAKEN: u32 = 1 << 3;
const LOAD_MISALIGNED: u32 = 1 << 4;
const LOAD_FAULT: u32 = 1 << 5;
const STORE_MISALIGNED: u32 = 1 << 6;
const STORE_FAULT: u32 = 1 << 7;

/// The status of a jump to where the process may not execute.
pub const EXECUTION: u32 = EXECUTION_FAULT;
/// The status of an access to memory that isn't the process's. PMP and the bus raise the same.
pub const ACCESS: u32 = LOAD_FAULT | STORE_FAULT;
/// The status of a breakpoint.
pub const BREAKPOINT: u32 = BREAKPOINT_TAKEN;
/// No fault is of a stack: no frame lies there.
pub const STACK: u32 = 0;
/// The bus has no fault of its own.
pub const BUS: u32 = 0;

/// The causes whose `mtval` is the address of an access.
const WITH_ADDRESS: u32 =
    EXECUTION_FAULT | LOAD_MISALIGNED | LOAD_FAULT | STORE_MISALIGNED | STORE_FAULT;

/// The fault of the process that runs: its status, which is 0 for none, and `mtval`.
struct Fault(Cell<(u32, u32)>);

// SAFETY: only the trap of a process writes it, and what the trap calls reads it.
unsafe impl Sync for Fault {}

static FAULT: Fault = Fault(Cell::new((0, 0)));

/// Notes the fault of the process that was interrupted, by `mcause` and `mtval`.
pub(super) fn note(cause: u32, value: u32) {
    FAULT.0.set((1_u32.checked_shl(cause).unwrap_or(1 << 31), value));
}

/// Returns the status of a fault, and its address, if there is one. Clears both. The process and
/// its frame tell nothing more.
///
/// # Safety
/// In the trap of a process, or where the system stops.
pub unsafe fn take_fault(_process: *const (), _frame: *const Frame) -> (u32, Option<u32>) {
    let (status, value) = FAULT.0.replace((0, 0));
    (status, (status & WITH_ADDRESS != 0).then_some(value))
}

/// Returns `true` if a refused access is all that the status tells, at an address that is known.
pub const fn is_access(status: u32) -> bool {
    status & ACCESS != 0
}

/// Returns `false`: no process could get floating-point registers.
pub const fn lacks_registers(_status: u32) -> bool {
    false
}

/// Shows the status.
pub fn show_status(formatter: &mut fmt::Formatter<'_>, status: u32) -> fmt::Result {
    match status {
        0 => Ok(()),
        _ => write!(formatter, " ({REGISTER} {})", status.trailing_zeros()),
    }
}
