//! The limit of the process stack, PSPLIM: nothing is stored below the limit.
//!
//! The switch sets PSPLIM to the lowest address of the stack of the thread that runs next. An
//! access below the limit stores nothing, and is a usage fault.
//!
//! ARMv8-M Architecture Reference Manual, B3.8 (stack limit checks) and D1.2.260 (UFSR).

#![expect(unsafe_code, reason = "system registers are addresses")]

use ::core::arch::asm;

/// System handler control and state: enables the usage fault's own exception.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
const USAGE_FAULT_ENABLED: u32 = 1 << 18;
const FAULT_STATUS: *const u16 = 0xe000_ed2a as *const u16;
const STACK_OVERFLOW: u16 = 1 << 4;

/// Gives usage faults a separate exception.
///
/// # Safety
/// No other code changes the register meanwhile.
pub unsafe fn enable_fault() {
    // SAFETY: the caller's.
    unsafe { HANDLERS.write_volatile(HANDLERS.read_volatile() | USAGE_FAULT_ENABLED) };
}

/// The facts about a usage fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The limit of the stack, if the fault was a store below the limit.
    pub overflowed: Option<u32>,
    /// The whole status.
    pub status: u16,
}

/// Returns the facts about the present usage fault.
pub fn fault() -> Fault {
    let limit: u32;
    // SAFETY: reading the registers has no effect.
    let status = unsafe {
        asm!("mrs {}, PSPLIM", out(reg) limit, options(nomem, nostack, preserves_flags));
        FAULT_STATUS.read_volatile()
    };
    Fault { overflowed: (status & STACK_OVERFLOW != 0).then_some(limit), status }
}
