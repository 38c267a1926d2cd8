//! Guards: the last bytes of a stack, which nobody may touch.
//!
//! Each guard is a region of the memory protection unit (which has 8, if the chip has one). It is
//! set once, or moves: then the switch writes its base address, with the number of the region and a
//! bit that says so.
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

/// In the status of a fault: the frame of an exception could not be stored, or the floating-point
/// registers in it could not, and the address says what an instruction accessed.
const STACKING: u8 = 1 << 4;
const LAZY_STACKING: u8 = 1 << 5;
const ADDRESS_VALID: u8 = 1 << 7;

/// The size of a guard, in bytes, and what its address is a multiple of.
pub const SIZE: usize = 32;

/// Enabled, no access for anybody, no instructions; and the size, a power of two.
const fn no_access(size: usize) -> u32 {
    1 << 28 | (size.trailing_zeros() - 1) << 1 | 1
}
/// In the base address: the region's number is part of the word.
const VALID: u32 = 1 << 4;
/// Everything that no region covers is as without the unit.
pub(super) const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
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
    // SAFETY: the caller's.
    unsafe { set_of(SIZE, number, base) };
}

/// The same with a guard of another size, a power of two.
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

/// The lowest address of what the region `number` covers.
///
/// # Safety
/// There is such a region, and nobody chooses another one meanwhile.
pub unsafe fn base(number: u8) -> u32 {
    // SAFETY: the caller's.
    let address = unsafe {
        NUMBER.write_volatile(u32::from(number));
        BASE_ADDRESS.read_volatile()
    };
    address & !(SIZE as u32 - 1)
}

/// Whether nobody has set a region up.
///
/// # Safety
/// There is such a region, and nobody chooses another one meanwhile.
#[cfg(main_guard)]
pub unsafe fn is_free(number: u8) -> bool {
    // SAFETY: the caller's.
    let attributes = unsafe {
        NUMBER.write_volatile(u32::from(number));
        ATTRIBUTES.read_volatile()
    };
    attributes & 1 == 0
}

/// The address that an instruction accessed, if the memory fault that is being handled is its.
#[cfg(main_guard)]
pub fn accessed_by_instruction() -> Option<u32> {
    // SAFETY: reading the registers has no effect.
    let (status, address) =
        unsafe { (FAULT_STATUS.read_volatile(), FAULT_ADDRESS.read_volatile()) };
    (status & ADDRESS_VALID != 0).then_some(address)
}

/// Whether the memory fault that is being handled is that the frame of an exception could not be
/// stored.
#[cfg(main_guard)]
pub fn failed_to_stack() -> bool {
    // SAFETY: reading the register has no effect.
    let status = unsafe { FAULT_STATUS.read_volatile() };
    status & (STACKING | LAZY_STACKING) != 0
}

/// What the memory fault that is being handled was about: what was accessed, which may be the frame
/// of an exception, or nothing if code was to be executed.
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
