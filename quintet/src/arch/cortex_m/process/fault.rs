//! What the processor says of a fault: the configurable fault status register.

use ::core::fmt;

/// The name of the register with the status.
pub const REGISTER: &str = "CFSR";

const EXECUTION_REFUSED: u32 = 1;
const ACCESS_REFUSED: u32 = 1 << 1;
// Bits of the protection unit, and of the bus.
const UNSTACKING: u32 = 1 << 3 | 1 << 11;
const STACKING: u32 = 1 << 4 | 1 << 12;
// Bits for the part of a frame that is stored lazily.
const LAZY_STACKING: u32 = 1 << 5 | 1 << 13;

/// The bits of a frame that found no room.
pub const STACK: u32 = STACKING | LAZY_STACKING | UNSTACKING;
/// The bit of a jump to where the process may not execute.
pub const EXECUTION: u32 = EXECUTION_REFUSED;
/// The bit of an access to memory that isn't the process's.
pub const ACCESS: u32 = ACCESS_REFUSED;
/// The bits of the bus.
pub const BUS: u32 = 0xff << 8;
/// A breakpoint has no bit.
pub const BREAKPOINT: u32 = 0;

/// The status of a refused access whose address is known, with no other fault.
const ACCESS_AT: u32 = ACCESS_REFUSED | 1 << 7;

/// The status of a coprocessor instruction, as a floating-point instruction is one, with no other
/// fault.
const NO_COPROCESSOR: u32 = 1 << 19;

/// Returns `true` if a refused access is all that the status tells, at an address that is known.
pub const fn is_access(status: u32) -> bool {
    status == ACCESS_AT
}

/// Returns `true` if the process could get the registers whose lack is all that the status tells.
pub const fn lacks_registers(status: u32) -> bool {
    status == NO_COPROCESSOR
}

/// Shows the status.
pub fn show_status(formatter: &mut fmt::Formatter<'_>, status: u32) -> fmt::Result {
    if super::HAS_STATUS {
        write!(formatter, " ({REGISTER} {status:#010x})")
    } else {
        formatter.write_str(" (by its instruction)")
    }
}
