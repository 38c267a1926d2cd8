//! The interrupt controller: enable, prioritise, pend.

/// Set-enable registers.
const ISER: *mut u32 = 0xe000_e100 as *mut u32;
/// Set-pending registers.
const ISPR: *mut u32 = 0xe000_e200 as *mut u32;
/// Priority registers, a byte for each interrupt.
const IPR: *mut u32 = 0xe000_e400 as *mut u32;
/// Priority registers of the exceptions 4 to 15, a byte for each.
const SHPR: *mut u32 = 0xe000_ed18 as *mut u32;
/// The first exception that has a priority register.
const FIRST_EXCEPTION: u8 = 4;

/// Makes the interrupt `number` pending: it runs as soon as its priority allows. From any context.
#[inline(always)]
pub fn pend(number: u16) {
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ISPR.add(usize::from(number / 32)).write_volatile(1 << (number % 32)) };
}

/// Enables the interrupt `number`.
///
/// # Safety
/// Its handler may run from now on: no section that relies on its being disabled may be open.
#[inline(always)]
pub unsafe fn enable(number: u16) {
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ISER.add(usize::from(number / 32)).write_volatile(1 << (number % 32)) };
}

/// Sets the priority byte of the interrupt `number`.
///
/// # Safety
/// Only at start-up: ceilings were computed with the priorities that the application gives.
#[inline(always)]
pub unsafe fn set_interrupt_priority(number: u16, priority: u8) {
    // SAFETY: every Cortex-M has the register.
    unsafe { write_byte(IPR, usize::from(number), priority) };
}

/// Sets the priority byte of the exception `number`, 4 to 15.
///
/// # Safety
/// Only at start-up: ceilings were computed with the priorities that the application gives.
#[inline(always)]
pub unsafe fn set_exception_priority(number: u8, priority: u8) {
    // SAFETY: the caller names an exception that has a priority register.
    unsafe { write_byte(SHPR, usize::from(number - FIRST_EXCEPTION), priority) };
}

/// Writes a byte of a row of registers by words: ARMv6-M allows no other access.
///
/// # Safety
/// The register exists, and no interrupt writes to the same word meanwhile.
#[inline(always)]
unsafe fn write_byte(row: *mut u32, index: usize, byte: u8) {
    let shift = 8 * (index % 4);
    // SAFETY: the caller answers for the register.
    unsafe {
        let word = row.add(index / 4);
        let others = word.read_volatile() & !(0xff << shift);
        word.write_volatile(others | u32::from(byte) << shift);
    }
}
