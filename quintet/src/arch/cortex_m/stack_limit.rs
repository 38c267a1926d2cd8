//! The limit of the process stack, PSPLIM: nothing is stored below it.
//!
//! The switch sets it to the lowest address of the stack of the thread that goes on. What would go
//! below is not stored, but a usage fault.
//!
//! ARMv8-M Architecture Reference Manual, B3.8 (stack limit checks) and D1.2.260 (UFSR).

#![expect(unsafe_code, reason = "system registers are addresses")]

use ::core::arch::asm;

/// System handler control and state: enables the usage fault's own exception.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
const USAGE_FAULT_ENABLED: u32 = 1 << 18;
const FAULT_STATUS: *const u16 = 0xe000_ed2a as *const u16;
const STACK_OVERFLOW: u16 = 1 << 4;

/// Gives usage faults their own exception.
///
/// # Safety
/// Nobody else changes the register meanwhile.
pub unsafe fn enable_fault() {
    // SAFETY: the caller's.
    unsafe { HANDLERS.write_volatile(HANDLERS.read_volatile() | USAGE_FAULT_ENABLED) };
}

/// What a usage fault says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The limit of the stack, if something was to be stored below it.
    pub overflowed: Option<u32>,
    /// All that is known.
    pub status: u16,
}

/// The usage fault that is being handled.
pub fn fault() -> Fault {
    let limit: u32;
    // SAFETY: reading the registers has no effect.
    let status = unsafe {
        asm!("mrs {}, PSPLIM", out(reg) limit, options(nomem, nostack, preserves_flags));
        FAULT_STATUS.read_volatile()
    };
    Fault { overflowed: (status & STACK_OVERFLOW != 0).then_some(limit), status }
}
