//! Guards: the last bytes of a stack, which nobody may touch.
//!
//! Each guard is a region of the memory protection unit, set once. So guarding costs no cycle, and
//! as many stacks are guarded as the unit has regions (8, if the chip has one).
//!
//! ARMv7-M Architecture Reference Manual, B3.5; B3.2.15 for the fault's status.

#![expect(unsafe_code, reason = "system registers are addresses")]

const TYPE: *const u32 = 0xe000_ed90 as *const u32;
const CONTROL: *mut u32 = 0xe000_ed94 as *mut u32;
const BASE_ADDRESS: *mut u32 = 0xe000_ed9c as *mut u32;
const ATTRIBUTES: *mut u32 = 0xe000_eda0 as *mut u32;
/// System handler control and state: enables the memory fault's own exception.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
const FAULT_STATUS: *const u8 = 0xe000_ed28 as *const u8;
const FAULT_ADDRESS: *const u32 = 0xe000_ed34 as *const u32;

/// The size of a guard, in bytes, and what its address is a multiple of.
pub const SIZE: usize = 32;

/// Enabled, 32 bytes, no access for anybody, no instructions.
const NO_ACCESS: u32 = 1 << 28 | 4 << 1 | 1;
/// In the base address: the region's number is part of the word.
const VALID: u32 = 1 << 4;
/// Everything that no region covers is as without the unit.
const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
const MEMORY_FAULT_ENABLED: u32 = 1 << 16;

/// How many regions there are; none without a memory protection unit.
pub fn regions() -> u8 {
    // SAFETY: the register reads as zero where there is no unit.
    let kind = unsafe { TYPE.read_volatile() };
    (kind >> 8) as u8
}

/// Lets nobody touch the guard at `base`, by the region `number`.
///
/// # Safety
/// There is such a region, nobody else uses it, or changes regions meanwhile; `base` is a multiple
/// of the [size](SIZE), and nothing is stored there.
pub unsafe fn set(number: u8, base: *mut u32) {
    // SAFETY: the caller's. The unit is on from the first guard on.
    unsafe {
        BASE_ADDRESS.write_volatile(base as usize as u32 | VALID | u32::from(number));
        ATTRIBUTES.write_volatile(NO_ACCESS);
        HANDLERS.write_volatile(HANDLERS.read_volatile() | MEMORY_FAULT_ENABLED);
        CONTROL.write_volatile(ENABLED_WITH_BACKGROUND);
    }
    super::take_pending();
}

/// What a memory fault says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The hardware had no room for a frame on the stack.
    pub on_entry: bool,
    /// What was accessed, if it is known.
    pub address: Option<u32>,
}

/// The memory fault that is being handled.
pub fn fault() -> Fault {
    // SAFETY: reading the registers has no effect.
    let (status, address) =
        unsafe { (FAULT_STATUS.read_volatile(), FAULT_ADDRESS.read_volatile()) };
    let (stacking, lazy_stacking, valid) = (1 << 4, 1 << 5, 1 << 7);
    Fault {
        on_entry: status & (stacking | lazy_stacking) != 0,
        address: (status & valid != 0).then_some(address),
    }
}
