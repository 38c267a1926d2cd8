//! The ranges that regions of the protection unit can cover: powers of two, at multiples of their
//! size, without some of their eighths.

#[cfg(all(processes, not(region_bounds)))]
use ::core::cell::Cell;

#[cfg(all(processes, not(region_bounds)))]
use crate::arch::protection::{
    Access, CODE, DATA, REGIONS, WINDOW, Words, closed, extent, no_region, region, with_rights,
};

/// The advice in the error about an application whose flash can't be covered.
#[cfg(all(processes, not(region_bounds)))]
pub const COVERABLE: &str = "its address and its size must be multiples of an eighth of the next \
                             power of two above half its size";

/// The smallest region, in bytes.
const SMALLEST: u32 = if cfg!(large_regions) { 256 } else { 32 };
/// The smallest range that a part of a region covers, in bytes.
const LEAST: u32 = 32;
/// The smallest region with eighths that can be left out.
const SMALLEST_IN_EIGHTHS: u32 = 256;
/// The largest region that is tried.
const LARGEST: u32 = 1 << 30;

/// A region: its base, its size, and a bit for each eighth that the region leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The lowest address.
    pub base: u32,
    /// The size in bytes, a power of two.
    pub size: u32,
    /// The eighths that are left out.
    pub without: u8,
}

/// One or two regions that cover exactly a range.
pub type Cover = (Region, Option<Region>);

/// Returns the regions that cover exactly `begin` to `end`, if there are any. The range must
/// consist of eighths of one region, or of two neighbouring regions of one size.
pub fn cover(begin: u32, end: u32) -> Option<Cover> {
    let mut two = None;
    for size in sizes() {
        match cover_by(size, begin, end) {
            Some(one @ (_, None)) => return Some(one),
            found => two = two.or(found),
        }
    }
    two
}

/// Returns the sizes that are tried.
fn sizes() -> impl Iterator<Item = u32> {
    (SMALLEST.trailing_zeros()..LARGEST.trailing_zeros() + 1).map(|bits| 1 << bits)
}

/// Returns the alignment of the ends of ranges, with regions of a size.
const fn step(size: u32) -> u32 {
    if size < SMALLEST_IN_EIGHTHS { size } else { size / 8 }
}

/// Returns the regions of one size that cover exactly `begin` to `end`, if there are any.
#[inline(never)]
fn cover_by(size: u32, begin: u32, end: u32) -> Option<Cover> {
    let step = step(size);
    if begin >= end || !begin.is_multiple_of(step) || !end.is_multiple_of(step) {
        return None;
    }
    let first = begin & !(size - 1);
    let behind = u64::from(first) + u64::from(size);
    if u64::from(end) <= behind {
        return Some((part(first, size, begin, end), None));
    }
    let second = u32::try_from(behind).ok()?;
    if u64::from(end) > behind + u64::from(size) {
        return None;
    }
    Some((part(first, size, begin, second), Some(part(second, size, second, end))))
}

/// Returns the part of one region from `begin` to `end`, which lie in the region.
fn part(base: u32, size: u32, begin: u32, end: u32) -> Region {
    let without = if size < SMALLEST_IN_EIGHTHS {
        0
    } else {
        let eighth = size / 8;
        let (low, high) = ((begin - base) / eighth, (end - base) / eighth);
        !(((1u16 << high) - (1 << low)) as u8)
    };
    Region { base, size, without }
}

/// Returns the part of a region at `base` with a `size` that is open to a process which uses
/// `begin` to `end`: all eighths that contain a used byte, if there are any. The range begins at an
/// eighth.
pub fn used(base: u32, size: u32, begin: u32, end: u32) -> Option<Region> {
    let low = begin.saturating_sub(base).min(size);
    let high = end.saturating_sub(base).min(size).next_multiple_of(step(size));
    (low < high).then(|| part(base, size, base + low, base + high))
}

/// Returns the first range of at least `bytes`, from `from` on, that regions can cover: the range
/// that ends first. The gap before the range and the unneeded part of the range are together at
/// most two fifths of `bytes`, and 64 bytes; on average much less.
pub fn allot(from: u32, bytes: u32) -> Option<(u32, u32)> {
    let mut best: Option<(u32, u32)> = None;
    for size in sizes() {
        if let Some(found) = allot_by(size, from, bytes)
            && best.is_none_or(|best| found.1 < best.1)
        {
            best = Some(found);
        }
    }
    best
}

/// Returns the first such range that regions of one size can cover.
fn allot_by(size: u32, from: u32, bytes: u32) -> Option<(u32, u32)> {
    // A power of two.
    let last = step(size) - 1;
    let begin = from.checked_add(last)? & !last;
    let end = begin.checked_add(bytes.max(1).checked_add(last)? & !last)?;
    cover_by(size, begin, end).map(|_| (begin, end))
}

/// Returns the words of the regions of a process: two for its code, two for its data. No memory is
/// shared.
#[cfg(all(processes, not(region_bounds)))]
pub fn words(code: Cover, data: Cover) -> [Words; REGIONS] {
    let of = |slot, wanted: Option<Region>, access| match wanted {
        Some(wanted) => region(slot, wanted.base, wanted.size, wanted.without, access),
        None => no_region(slot),
    };
    let mut words = [[0; 2]; REGIONS];
    words[WINDOW] = no_region(WINDOW);
    words[CODE[0]] = of(CODE[0], Some(code.0), Access::Code);
    words[CODE[1]] = of(CODE[1], code.1, Access::Code);
    words[DATA[0]] = of(DATA[0], Some(data.0), Access::Data);
    words[DATA[1]] = of(DATA[1], data.1, Access::Data);
    words
}

/// Opens the flash of a process, or closes it, so that the process can't execute an instruction.
#[cfg(all(processes, not(region_bounds)))]
pub fn open_code(words: &[Cell<Words>; REGIONS], is_open: bool) {
    for slot in CODE {
        words[slot].set(with_rights(words[slot].get(), is_open));
    }
}

/// Opens the memory that a process uses, from `begin` to `end` rounded up to the end of an eighth,
/// in the words of its regions. Closes the memory behind this.
#[cfg(all(processes, not(region_bounds)))]
pub fn open(words: &[Cell<Words>; REGIONS], (begin, end): (u32, u32)) {
    for slot in DATA {
        let now = words[slot].get();
        let Some((base, size)) = extent(now) else { continue };
        words[slot].set(match used(base, size, begin, end) {
            Some(open) => region(slot, open.base, size, open.without, Access::Data),
            None => closed(now),
        });
    }
}

/// Returns the words of the window to shared memory, of an address and a size, [which one region
/// covers](is_one); or of a closed window.
#[cfg(all(processes, not(region_bounds)))]
pub fn window(shared: Option<(u32, u32)>) -> Words {
    match shared {
        Some((begin, size)) if size < SMALLEST => {
            let part = part(begin & !(SMALLEST - 1), SMALLEST, begin, begin + size);
            region(WINDOW, part.base, part.size, part.without, Access::Data)
        }
        Some((begin, size)) => region(WINDOW, begin, size, 0, Access::Data),
        None => no_region(WINDOW),
    }
}

/// Returns `true` if one whole region covers exactly this range.
pub const fn is_one(begin: u32, size: u32) -> bool {
    size >= LEAST && size.is_power_of_two() && begin & (size - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `true` if an address is covered.
    fn covers(cover: Cover, address: u32) -> bool {
        let in_region = |region: &Region| {
            let Some(offset) = address.checked_sub(region.base) else { return false };
            offset < region.size && region.without >> (offset / (region.size / 8)) & 1 == 0
        };
        in_region(&cover.0) || cover.1.as_ref().is_some_and(in_region)
    }

    #[test]
    fn a_power_of_two_at_a_multiple_of_itself_is_one_region() {
        let (first, second) = cover(0x2_0000, 0x2_4000).expect("it is one");
        assert_eq!((first.base, first.size, second), (0x2_0000, 0x4000, None));
    }

    #[test]
    fn exactly_the_range_is_covered() {
        // Miri takes a thousand times as long.
        for begin in (0..4096).step_by(if cfg!(miri) { 1056 } else { 96 }) {
            for length in (32..3000).step_by(160) {
                let Some(found) = cover(begin, begin + length) else { continue };
                for address in (0..9000).step_by(32) {
                    let inside = begin <= address && address < begin + length;
                    assert_eq!(covers(found, address), inside, "{begin} {length} {address}");
                }
            }
        }
    }

    #[test]
    fn what_is_used_is_open_and_no_eighth_more() {
        let (first, second) = cover(0x1200, 0x2600).expect("by two of 4 KiB");
        let (first, second) = (first, second.expect("it crosses a multiple of 4 KiB"));
        for end in (0x1200..=0x2600).step_by(if cfg!(miri) { 1301 } else { 13 }) {
            let open = [first, second].map(|of| used(of.base, of.size, 0x1200, end));
            for address in (0x1000..0x3000).step_by(64) {
                let is_open = open.iter().flatten().any(|&region| covers((region, None), address));
                let reached = u32::next_multiple_of(end, 512);
                let is_used = 0x1200 <= address && address < reached && end > 0x1200;
                assert_eq!(is_open, is_used, "{end:#x} {address:#x}");
            }
        }
    }

    #[test]
    fn one_region_is_a_power_of_two_at_a_multiple_of_itself() {
        assert!(is_one(0x2000_0020, 32) && is_one(0, 1 << 31));
        for (begin, size) in [(0x10, 32), (0, 16), (0, 48), (0x40, 128), (0, 0), (u32::MAX, 1)] {
            assert!(!is_one(begin, size), "{begin:#x} {size}");
        }
    }

    #[test]
    fn a_small_region_is_open_or_closed() {
        assert_eq!(used(0x80, 128, 0x80, 0x80), None);
        let whole = Region { base: 0x80, size: 128, without: 0 };
        assert_eq!(used(0x80, 128, 0x80, 0x81), Some(whole));
        assert_eq!(used(0x80, 128, 0, 0x80), None, "it ends before");
    }

    #[test]
    fn a_range_without_eighths_is_refused() {
        assert_eq!(cover(0x104, 0x204), None, "no multiple of 32");
        assert_eq!(cover(0x20, 0x1020), None, "eighths of 512 bytes don't begin there");
        assert_eq!(cover(0x100, 0x100), None, "nothing");
    }

    #[test]
    fn little_is_lost_by_allotting() {
        for from in (0x2000_0000..0x2000_2000).step_by(if cfg!(miri) { 2240 } else { 224 }) {
            for bytes in (64..20_000).step_by(717) {
                let (begin, end) = allot(from, bytes).expect("there is much");
                assert!(begin >= from && end - begin >= bytes);
                assert!(cover(begin, end).is_some());
                let lost = end - from - bytes;
                assert!(lost <= bytes * 2 / 5 + 64, "{lost} bytes of {bytes} from {from:#x}");
            }
        }
    }

    #[test]
    fn nothing_is_allotted_the_smallest_region() {
        assert_eq!(allot(0x2000_0000, 0), Some((0x2000_0000, 0x2000_0020)));
        assert_eq!(allot(0x2000_0004, 1), Some((0x2000_0020, 0x2000_0040)));
    }

    #[test]
    fn the_end_of_the_addresses_is_no_panic() {
        assert_eq!(allot(u32::MAX - 100, 4096), None);
        assert!(cover(0xffff_ff00, u32::MAX).is_none());
    }
}
