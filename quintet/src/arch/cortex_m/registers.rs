//! What a section finds in registers.

use ::core::arch::asm;

/// The same pointer, in a register from here on.
///
/// The compiler computes addresses where they are used first: in a section, which then takes some
/// cycles longer than it has to.
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

/// The same answer, in a register from here on: as for [`at_hand`].
#[cfg(feature = "time")]
#[inline(always)]
pub fn decided(answer: bool) -> bool {
    let mut word = u32::from(answer);
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {} */", inout(reg) word, options(nomem, nostack, preserves_flags)) };
    word != 0
}
