//! Values that a section finds in registers.

use ::core::arch::asm;

/// Returns the same pointer, in a register from here on.
///
/// The compiler computes an address at its first use, which is in a section. Without this function,
/// the section would take some cycles longer.
#[inline(always)]
pub fn at_hand<T>(mut pointer: *const T) -> *const T {
    // SAFETY: there is no instruction.
    unsafe {
        let mut address = pointer.expose_provenance();
        asm!("/* {} */", inout(reg) address, options(nomem, nostack, preserves_flags));
        pointer = ::core::ptr::with_exposed_provenance(address);
    };
    pointer
}

/// Returns the same answer, in a register from here on: as for [`at_hand`].
#[cfg(feature = "time")]
#[inline(always)]
pub fn decided(answer: bool) -> bool {
    let mut word = u32::from(answer);
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {} */", inout(reg) word, options(nomem, nostack, preserves_flags)) };
    word != 0
}
