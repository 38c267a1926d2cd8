//! The interrupt controller: enable, prioritise, pend.

use ::core::sync::atomic::{Ordering, compiler_fence};

/// Set-enable registers.
const ISER: *mut u32 = 0xe000_e100 as *mut u32;
/// Set-pending registers.
#[cfg(not(basepri))]
const ISPR: *mut u32 = 0xe000_e200 as *mut u32;
/// Priority registers, a byte for each interrupt.
const IPR: *mut u32 = 0xe000_e400 as *mut u32;
/// Priority registers of the exceptions 4 to 15, a byte for each.
const SHPR: *mut u32 = 0xe000_ed18 as *mut u32;
/// The first exception that has a priority register.
const FIRST_EXCEPTION: u8 = 4;

/// Makes the interrupt `number` pending: it runs as soon as its priority allows. From any context.
///
/// Earlier accesses happen before the interrupt, and later ones after it.
#[inline(always)]
pub fn pend(number: u16) {
    compiler_fence(Ordering::SeqCst);
    set_pending(number);
    compiler_fence(Ordering::SeqCst);
}

/// Takes the interrupts that are pending and not masked, before the next instruction.
#[inline(always)]
pub fn take_pending() {
    // SAFETY: barriers break no memory safety. Memory that interrupts wrote is read again
    // afterwards, as the assembly isn't `nomem`.
    unsafe { ::core::arch::asm!("dsb", "isb", options(nostack, preserves_flags)) };
}

/// Enables the interrupt `number`.
///
/// # Safety
/// The interrupt's handler may run from now on: no section that relies on the disabled interrupt
/// may be open.
#[inline(always)]
pub unsafe fn enable(number: u16) {
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ISER.add(usize::from(number / 32)).write_volatile(1 << (number % 32)) };
}

/// Interrupts to enable. If their numbers are constants, this takes one store for each register.
#[must_use]
pub struct Interrupts([u32; 16]);

impl Interrupts {
    /// Makes a set without interrupts.
    #[expect(clippy::new_without_default, reason = "only expansions use this")]
    #[inline(always)]
    pub const fn new() -> Self {
        Self([0; 16])
    }

    /// Adds the interrupt `number`. There are no numbers above 495.
    #[inline(always)]
    pub fn add(&mut self, number: u16) {
        if let Some(word) = self.0.get_mut(usize::from(number / 32)) {
            *word |= 1 << (number % 32);
        }
    }

    /// Enables the interrupts.
    ///
    /// # Safety
    /// Their handlers may run from now on: no section that relies on the disabled interrupts may be
    /// open.
    #[inline(always)]
    pub unsafe fn enable(&self) {
        for (index, &bits) in self.0.iter().enumerate() {
            if bits != 0 {
                // SAFETY: a core with these interrupts has the register; a bit written as 0 has no
                // effect.
                unsafe { ISER.add(index).write_volatile(bits) };
            }
        }
    }
}

/// Sets the priority byte of the interrupt `number`.
///
/// # Safety
/// Only at start-up: ceilings were computed from the priorities in the application.
#[inline(always)]
pub unsafe fn set_interrupt_priority(number: u16, priority: u8) {
    // SAFETY: every Cortex-M has the register.
    unsafe { write_byte(IPR, usize::from(number), priority) };
}

/// Sets the priority byte of the exception `number`, 4 to 15.
///
/// # Safety
/// Only at start-up: ceilings were computed from the priorities in the application.
#[inline(always)]
pub unsafe fn set_exception_priority(number: u8, priority: u8) {
    // SAFETY: the caller names an exception that has a priority register.
    unsafe { write_byte(SHPR, usize::from(number - FIRST_EXCEPTION), priority) };
}

/// Makes the interrupt `number` pending, by its number (ARMv7-M Architecture Reference Manual,
/// B3.2.26).
///
/// The compiler would make the register's address with two instructions. One instruction makes the
/// start of the system control space, and the store adds the rest.
#[cfg(basepri)]
#[inline(always)]
fn set_pending(number: u16) {
    /// The software trigger interrupt register, in words.
    const STIR: usize = 0xf00 / 4;
    let space: *mut u32;
    // SAFETY: the assembly only makes a number. These cores have the register, and handlers and the
    // kernel's threads may write it.
    unsafe {
        ::core::arch::asm!(
            "mov {}, #0xe000e000",            // the start of the space, in one instruction
            out(reg) space,
            options(pure, nomem, nostack, preserves_flags)
        );
        space.wrapping_add(STIR).write_volatile(u32::from(number));
    }
}

/// Makes the interrupt `number` pending.
#[cfg(not(basepri))]
#[inline(always)]
fn set_pending(number: u16) {
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ISPR.add(usize::from(number / 32)).write_volatile(1 << (number % 32)) };
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

/// Writes a byte of a row of registers by words, as these cores allow no other access.
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

/// An interrupt or an exception with a priority register.
#[cfg(all(debug_assertions, basepri))]
#[derive(Clone, Copy)]
pub struct RunningInterrupt {
    /// The number of the interrupt's exception.
    pub exception: u16,
    /// The interrupt's priority byte.
    pub priority: u8,
}

/// Returns the running interrupt. `None` in thread mode and in faults: code that a fault interrupts
/// does not continue, and the report of a fault may be printed in a critical section. For builds
/// with debug assertions.
#[cfg(all(debug_assertions, basepri))]
pub fn running_interrupt() -> Option<RunningInterrupt> {
    use ::core::arch::asm;

    /// The priorities of exceptions from 4 on.
    const SYSTEM_PRIORITIES: usize = 0xe000_ed18;
    /// The priorities of interrupts, from exception 16 on.
    const PRIORITIES: usize = 0xe000_e400;
    let exception: u32;
    // SAFETY: reading the register has no effect.
    unsafe {
        asm!("mrs {}, IPSR", out(reg) exception, options(nomem, nostack, preserves_flags));
    }
    let exception = (exception & 0x1ff) as u16;
    let place = match exception {
        0..8 => return None,
        8..16 => SYSTEM_PRIORITIES + usize::from(exception - 4),
        _ => PRIORITIES + usize::from(exception - 16),
    };
    // SAFETY: a byte of the registers, which every core has for every exception.
    let priority = unsafe { ::core::ptr::with_exposed_provenance::<u8>(place).read_volatile() };
    Some(RunningInterrupt { exception, priority })
}
