//! The writes of a process's regions to the unit of ARMv7-M: several by one store.

use ::core::arch::asm;

use super::{REGIONS, Words};

/// Assembly that gives the unit the regions of the process in r0; r2 to r12 change. `regions` is
/// the offset of the regions in the process.
#[doc(hidden)]
#[macro_export]
macro_rules! __load_regions {
    () => {
        "
        movw r12, #0xed9c                     // r12 = the unit's base address register,
        movt r12, #0xe000                     // MPU_RBAR, with three aliases behind it
        add r2, r0, #{regions}                // r2 = the words of the process
        ldmia r2, {{r4-r11}}                  // of four regions, which name their regions
        stmia r12, {{r4-r11}}                 // by one store, over the aliases
        ldrd r4, r5, [r2, #32]                // the fifth
        strd r4, r5, [r12]                    // in the register itself
        "
    };
}

/// Writes the words of all regions, by stores of two regions each.
///
/// # Safety
/// No other code writes regions meanwhile.
pub unsafe fn write(words: *const [Words; REGIONS]) {
    const BASE_AND_ATTRIBUTES: *mut Words = 0xe000_ed9c as *mut Words;
    // SAFETY: pairs of registers, the base first, which has the number of the region.
    unsafe {
        asm!(
            "ldmia {words}!, {{r0, r1, r2, r3}}", // the window, and the first of the code
            "stmia {unit}, {{r0, r1, r2, r3}}", // each word of a base names its region
            "ldmia {words}!, {{r0, r1, r2, r3}}", // the second of the code, the first of the data
            "stmia {unit}, {{r0, r1, r2, r3}}",               // in the same way
            "ldrd r0, r1, [{words}]",         // the second of the data
            "strd r0, r1, [{unit}]",          // in the same way
            words = inout(reg) words => _,
            unit = in(reg) BASE_AND_ATTRIBUTES,
            out("r0") _,
            out("r1") _,
            out("r2") _,
            out("r3") _,
            options(nostack, preserves_flags),
        );
    }
}
