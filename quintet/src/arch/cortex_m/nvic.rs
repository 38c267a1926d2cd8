//! The interrupt controller: enable, prioritise, pend.

use ::core::sync::atomic::{Ordering, compiler_fence};

/// Set-enable registers.
const ISER: *mut u32 = 0xe000_e100 as *mut u32;
/// Set-pending registers.
const ISPR_ADDRESS: usize = 0xe000_e200;
/// Priority registers, a byte for each interrupt.
const IPR: *mut u32 = 0xe000_e400 as *mut u32;
/// Priority registers of the exceptions 4 to 15, a byte for each.
const SHPR: *mut u32 = 0xe000_ed18 as *mut u32;
/// The first exception that has a priority register.
const FIRST_EXCEPTION: u8 = 4;

/// Makes the interrupt `number` pending: it runs as soon as its priority allows. From any context.
///
/// Accesses before it happen before the interrupt, those behind it after.
#[inline(always)]
pub fn pend(number: u16) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe {
        let register = set_pending_registers().add(usize::from(number / 32));
        register.write_volatile(1 << (number % 32));
    }
    compiler_fence(Ordering::SeqCst);
}

/// Lets in the interrupts that are pending and not masked, before the next instruction.
#[inline(always)]
pub fn take_pending() {
    // SAFETY: barriers break no memory safety. What interrupts wrote is read anew afterwards, as
    // the assembly doesn't say `nomem`.
    unsafe { ::core::arch::asm!("dsb", "isb", options(nostack, preserves_flags)) };
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

/// The set-pending registers.
///
/// The compiler makes their address with two instructions. One does for the start of the system
/// control space, and the store adds the rest.
#[cfg(basepri)]
#[inline(always)]
fn set_pending_registers() -> *mut u32 {
    const OFFSET: usize = (ISPR_ADDRESS - 0xe000_e000) / 4;
    let space: *mut u32;
    // SAFETY: it makes a number.
    unsafe {
        ::core::arch::asm!(
            "mov {}, #0xe000e000",
            out(reg) space,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    space.wrapping_add(OFFSET)
}

/// The set-pending registers.
#[cfg(not(basepri))]
#[inline(always)]
fn set_pending_registers() -> *mut u32 {
    ISPR_ADDRESS as *mut u32
}

/// Writes a byte of a row of registers.
///
/// # Safety
/// The register exists.
#[cfg(basepri)]
#[inline(always)]
unsafe fn write_byte(row: *mut u32, index: usize, byte: u8) {
    // SAFETY: the caller answers for the register, which takes bytes here.
    unsafe { row.cast::<u8>().add(index).write_volatile(byte) };
}

/// Writes a byte of a row of registers by words: there is no other access on these cores.
///
/// # Safety
/// The register exists, and no interrupt writes to the same word meanwhile.
#[cfg(not(basepri))]
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
