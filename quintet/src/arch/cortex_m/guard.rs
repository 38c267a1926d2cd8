//! Guards: the last bytes of a stack, which no code may touch.
//!
//! Each guard is a region of the memory protection unit (which has 8 regions, if the chip has the
//! unit). A guard is set once, or moves. To move a guard, the switch writes its base address, with
//! the number of the region and a bit that marks the number as valid.
//!
//! ARMv7-M Architecture Reference Manual, B3.5; B3.2.15 for the fault's status.

#![expect(unsafe_code, reason = "system registers are addresses")]

use ::core::arch::asm;
use ::core::ops::Range;

const TYPE: *const u32 = 0xe000_ed90 as *const u32;
pub(super) const CONTROL: *mut u32 = 0xe000_ed94 as *mut u32;
const NUMBER: *mut u32 = 0xe000_ed98 as *mut u32;
const BASE_ADDRESS: *mut u32 = 0xe000_ed9c as *mut u32;
const ATTRIBUTES: *mut u32 = 0xe000_eda0 as *mut u32;
/// System handler control and state: enables the memory fault's own exception.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
const FAULT_STATUS: *const u8 = 0xe000_ed28 as *const u8;
const FAULT_ADDRESS: *const u32 = 0xe000_ed34 as *const u32;

/// Bits in the status of a fault: the frame of an exception could not be stored; the floating-point
/// registers in the frame could not be stored; the address register has the address that an
/// instruction accessed.
const STACKING: u8 = 1 << 4;
const LAZY_STACKING: u8 = 1 << 5;
const ADDRESS_VALID: u8 = 1 << 7;

/// The size and the alignment of a guard, in bytes.
pub const SIZE: usize = 32;

/// Returns the attributes of a region that is enabled, with no access and no instructions. The size
/// must be a power of two.
const fn no_access(size: usize) -> u32 {
    1 << 28 | (size.trailing_zeros() - 1) << 1 | 1
}
/// In the base address: the region's number is part of the word.
const VALID: u32 = 1 << 4;
/// Memory that no region covers is as without the unit.
pub(super) const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
const MEMORY_FAULT_ENABLED: u32 = 1 << 16;

/// Returns the number of regions; 0 without a memory protection unit.
pub fn regions() -> u8 {
    // SAFETY: the register reads as zero where there is no unit.
    let kind = unsafe { TYPE.read_volatile() };
    (kind >> 8) as u8
}

/// Forbids access to the guard at `base`, by the region `number`.
///
/// # Safety
/// There is such a region, and no other code uses this region, or changes regions meanwhile. `base`
/// is a multiple of the [size](SIZE), and nothing is stored there.
pub unsafe fn set(number: u8, base: *mut u32) {
    // SAFETY: the caller's.
    unsafe { set_of(SIZE, number, base) };
}

/// Forbids access to a guard of another size, a power of two.
///
/// # Safety
/// As for [`set`].
#[inline(always)]
pub unsafe fn set_of(size: usize, number: u8, base: *mut u32) {
    // SAFETY: the caller's. The unit is on from the first guard on.
    unsafe {
        BASE_ADDRESS.write_volatile(base as usize as u32 | VALID | u32::from(number));
        ATTRIBUTES.write_volatile(no_access(size));
        HANDLERS.write_volatile(HANDLERS.read_volatile() | MEMORY_FAULT_ENABLED);
        CONTROL.write_volatile(ENABLED_WITH_BACKGROUND);
    }
    super::take_pending();
}

/// Returns the lowest address that the region `number` covers.
///
/// # Safety
/// There is such a region, and no other code selects another region meanwhile.
pub unsafe fn base(number: u8) -> u32 {
    // SAFETY: the caller's.
    let address = unsafe {
        NUMBER.write_volatile(u32::from(number));
        BASE_ADDRESS.read_volatile()
    };
    address & !(SIZE as u32 - 1)
}

/// Returns `true` if no code has set up the region.
///
/// # Safety
/// There is such a region, and no other code selects another region meanwhile.
#[cfg(main_guard)]
pub unsafe fn is_free(number: u8) -> bool {
    // SAFETY: the caller's.
    let attributes = unsafe {
        NUMBER.write_volatile(u32::from(number));
        ATTRIBUTES.read_volatile()
    };
    attributes & 1 == 0
}

/// Returns the address that an instruction accessed, if this access has caused the present memory
/// fault.
#[cfg(main_guard)]
pub fn accessed_by_instruction() -> Option<u32> {
    // SAFETY: reading the registers has no effect.
    let (status, address) =
        unsafe { (FAULT_STATUS.read_volatile(), FAULT_ADDRESS.read_volatile()) };
    (status & ADDRESS_VALID != 0).then_some(address)
}

/// Returns `true` if the cause of the present memory fault is that the frame of an exception could
/// not be stored.
#[cfg(main_guard)]
pub fn failed_to_stack() -> bool {
    // SAFETY: reading the register has no effect.
    let status = unsafe { FAULT_STATUS.read_volatile() };
    status & (STACKING | LAZY_STACKING) != 0
}

/// Returns the memory of the refused access of the present memory fault, which may be the frame of
/// an exception. Returns `None` if the fault was an attempt to execute code.
pub fn accessed() -> Option<Range<u32>> {
    let frame_size = if cfg!(fpu) { 26 * 4 } else { 8 * 4 };
    let stack_pointer: u32;
    // SAFETY: reading the registers has no effect.
    let (status, address) = unsafe {
        asm!("mrs {}, PSP", out(reg) stack_pointer, options(nomem, nostack, preserves_flags));
        (FAULT_STATUS.read_volatile(), FAULT_ADDRESS.read_volatile())
    };
    if status & (STACKING | LAZY_STACKING) != 0 {
        // The hardware has moved the stack pointer, as if it had stored the frame.
        return Some(stack_pointer..stack_pointer + frame_size);
    }
    (status & ADDRESS_VALID != 0).then(|| address..address + 1)
}
