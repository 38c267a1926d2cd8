//! The writes of a process's regions to the unit of ARMv6-M, one by one: there are no registers
//! behind those of the selected region. And what the regions of a process allow.

use super::{REGIONS, Words};

/// Assembly that gives the unit the regions of the process in r0; r2 is the address of the unit's
/// base address register. r3 to r7 change. `regions` is the offset of the regions in the process.
#[doc(hidden)]
#[macro_export]
macro_rules! __load_regions {
    () => {
        "
        mov r3, r0                            // r3 = the process
        adds r3, #{regions}                   // r3 = the words of the process
        ldmia r3!, {{r4-r7}}                  // of two regions, which name their regions
        str r4, [r2]                          // the window's base,
        str r5, [r2, #4]                      // and the rest
        str r6, [r2]                          // the first of the code
        str r7, [r2, #4]                      // in the same way
        ldmia r3!, {{r4-r7}}                  // two more
        str r4, [r2]                          // the second of the code
        str r5, [r2, #4]                      // in the same way
        str r6, [r2]                          // the first of the data
        str r7, [r2, #4]                      // in the same way
        ldmia r3!, {{r4, r5}}                 // the last
        str r4, [r2]                          // the second of the data
        str r5, [r2, #4]                      // in the same way
        "
    };
}

/// Writes the words of all regions.
///
/// # Safety
/// No other code writes regions meanwhile.
pub unsafe fn write(words: *const [Words; REGIONS]) {
    const BASE: *mut u32 = 0xe000_ed9c as *mut u32;
    const ATTRIBUTES: *mut u32 = 0xe000_eda0 as *mut u32;
    // SAFETY: the caller's. Each word of a base names its region.
    unsafe {
        for [base, attributes] in *words {
            BASE.write_volatile(base);
            ATTRIBUTES.write_volatile(attributes);
        }
    }
}

/// Returns the attributes of the open region that covers this address.
fn covering(words: &[Words; REGIONS], address: u32) -> Option<u32> {
    let covers = |&&[base, attributes]: &&Words| {
        let bits = (attributes >> 1 & 0x1f) + 1;
        let offset = address.wrapping_sub(base & !0xff);
        let is_inside = attributes & 1 != 0 && offset >> 1 >> (bits - 1) == 0;
        is_inside && attributes >> (8 + (offset >> (bits - 3))) & 1 == 0
    };
    words.iter().rev().find(covers).map(|&[_, attributes]| attributes)
}

/// Returns `true` if a process with these regions may read, or write, at this address.
pub fn allows(words: &[Words; REGIONS], address: u32, is_write: bool) -> bool {
    covering(words, address).is_some_and(|attributes| !is_write || attributes >> 24 & 7 == 0b011)
}

/// Returns `true` if a process with these regions may execute the halfword at this address.
pub fn executes(words: &[Words; REGIONS], address: u32) -> bool {
    covering(words, address).is_some_and(|attributes| attributes >> 28 & 1 == 0)
}
