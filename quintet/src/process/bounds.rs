//! The ranges that a region of the protection unit can cover if a region has a first and a last
//! address: every range of whole steps of 32 bytes.

#[cfg(all(processes, region_bounds))]
use ::core::cell::Cell;

#[cfg(all(processes, region_bounds))]
use crate::arch::protection::{Access, CODE, DATA, REGIONS, Words, no_region, region, with_rights};

/// The advice in the error about an application whose flash can't be covered.
#[cfg(all(processes, region_bounds))]
pub const COVERABLE: &str = "its address and its size must be multiples of 32";

/// The alignment of the ends of a range, in bytes.
const STEP: u32 = 32;

/// A region: its first address, and the address behind its last one.
pub type Cover = (u32, u32);

/// Returns the region that covers exactly `begin` to `end`, if there is one.
pub const fn cover(begin: u32, end: u32) -> Option<Cover> {
    if begin < end && begin.is_multiple_of(STEP) && end.is_multiple_of(STEP) {
        Some((begin, end))
    } else {
        None
    }
}

/// Returns the first range of at least `bytes`, from `from` on, that a region can cover. The gap
/// before the range and the unneeded part of the range are together less than 64 bytes.
pub fn allot(from: u32, bytes: u32) -> Option<(u32, u32)> {
    let begin = from.checked_next_multiple_of(STEP)?;
    let end = begin.checked_add(bytes.max(1).checked_next_multiple_of(STEP)?)?;
    Some((begin, end))
}

/// Returns the region for a process that uses `begin` to `end`, if there is one.
fn used(begin: u32, end: u32) -> Option<Cover> {
    let end = end.checked_next_multiple_of(STEP)?;
    cover(begin, end)
}

/// Returns `true` if one region can cover exactly this range.
pub const fn is_one(begin: u32, size: u32) -> bool {
    match begin.checked_add(size) {
        Some(end) => cover(begin, end).is_some(),
        None => false,
    }
}

/// Returns the words of the regions of a process: its code and its data. No memory is shared.
#[cfg(all(processes, region_bounds))]
pub fn words(code: Cover, data: Cover) -> [Words; REGIONS] {
    let mut words = [no_region(); REGIONS];
    words[CODE] = region(code.0, code.1, Access::Code);
    words[DATA] = region(data.0, data.1, Access::Data);
    words
}

/// Opens the flash of a process, or closes it, so that the process can't execute an instruction.
#[cfg(all(processes, region_bounds))]
pub fn open_code(words: &[Cell<Words>; REGIONS], is_open: bool) {
    words[CODE].set(with_rights(words[CODE].get(), is_open));
}

/// Opens the memory that a process uses, from `begin` to `end` rounded up to the next multiple of
/// 32, in the words of its regions. Closes the memory behind this.
#[cfg(all(processes, region_bounds))]
pub fn open(words: &[Cell<Words>; REGIONS], (begin, end): (u32, u32)) {
    words[DATA].set(match used(begin, end) {
        Some((begin, end)) => region(begin, end, Access::Data),
        None => no_region(),
    });
}

/// Returns the words of the window to shared memory, of an address and a size, [which a region
/// covers](is_one); or of a closed window.
#[cfg(all(processes, region_bounds))]
pub fn window(shared: Option<(u32, u32)>) -> Words {
    match shared {
        Some((begin, size)) => region(begin, begin + size, Access::Data),
        None => no_region(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_steps_are_covered() {
        assert_eq!(cover(0x2_0000, 0x2_0020), Some((0x2_0000, 0x2_0020)));
        assert_eq!(cover(0x2_0060, 0x2_1520), Some((0x2_0060, 0x2_1520)));
        for (begin, end) in [(0x20, 0x20), (0x40, 0x20), (0x24, 0x60), (0x20, 0x50)] {
            assert_eq!(cover(begin, end), None, "{begin:#x} to {end:#x}");
        }
    }

    #[test]
    fn little_is_lost_by_allotting() {
        for from in 0x2000_0000..0x2000_0040 {
            for bytes in (1..400).chain([20_000]) {
                let (begin, end) = allot(from, bytes).expect("there is much");
                assert!(begin >= from && end - begin >= bytes);
                assert!(cover(begin, end).is_some());
                assert!(end - from - bytes < 64, "{bytes} bytes from {from:#x}");
            }
        }
    }

    #[test]
    fn what_is_used_is_open_to_the_end_of_a_step() {
        assert_eq!(used(0x40, 0x40), None);
        assert_eq!(used(0x40, 0x41), Some((0x40, 0x60)));
        assert_eq!(used(0x40, 0x60), Some((0x40, 0x60)));
        assert_eq!(used(0x40, 0x61), Some((0x40, 0x80)));
        assert_eq!(used(0x40, 0x20), None, "it ends before");
    }

    #[test]
    fn one_region_is_of_whole_steps() {
        assert!(is_one(0x2000_0020, 32) && is_one(0x2000_0060, 96));
        for (begin, size) in [(0x10, 32), (0, 16), (0, 0), (u32::MAX - 31, 64)] {
            assert!(!is_one(begin, size), "{begin:#x} {size}");
        }
    }

    #[test]
    fn the_end_of_the_addresses_is_no_panic() {
        assert_eq!(allot(u32::MAX - 100, 4096), None);
        assert_eq!(allot(u32::MAX - 3, 1), None);
        assert_eq!(used(0x40, u32::MAX), None);
    }
}
