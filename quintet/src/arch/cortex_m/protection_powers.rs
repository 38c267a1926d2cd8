//! The regions of a process, if the unit's regions are powers of two in size, at multiples of their
//! size, without some of their eighths.
//!
//! A process has the last five regions: two for its code, two for its data, and the window. The
//! regions before these guard stacks. A region has the same kind for every process. So between the
//! writes of its two words, where an interrupt may come, the change makes no difference that
//! privileged code would notice.
//!
//! Armv7-M Architecture Reference Manual: B3.5 (regions; four by one store: B3.5.8).

pub use stores::write;
#[cfg(noted_pauses)]
pub use stores::{allows, executes};

#[cfg_attr(not(noted_pauses), path = "protection_powers/stores.rs")]
#[cfg_attr(noted_pauses, path = "protection_powers/stores_masked.rs")]
mod stores;

/// The unit's kind, and its control register.
const KIND: *const u32 = 0xe000_ed90 as *const u32;
const CONTROL: *mut u32 = 0xe000_ed94 as *mut u32;
/// Memory that no region covers is as without the unit.
const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;

/// The number of the unit's regions that a process has: the last ones.
pub const REGIONS: usize = 5;
/// The region for memory that another process shares.
pub const WINDOW: usize = 0;
/// The two regions for the process's flash.
pub const CODE: [usize; 2] = [1, 2];
/// The two regions for the process's memory.
pub const DATA: [usize; 2] = [3, 4];
/// The first of the unit's regions that processes have.
const FIRST: u32 = 3;
/// The number of regions that the unit must have.
pub const NEEDED: u8 = FIRST as u8 + REGIONS as u8;

/// The words that set a region, the lowest address first.
pub type Words = [u32; 2];

/// The access of a process to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and execute.
    Code,
    /// Read and write.
    Data,
}

/// Returns the number of the unit's regions; 0 without a unit.
pub fn count() -> u8 {
    // SAFETY: the register reads as zero where there is no unit.
    let kind = unsafe { KIND.read_volatile() };
    (kind >> 8) as u8
}

/// Enables the unit without protection: memory that no region covers is as without the unit, for
/// privileged code only.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's.
    unsafe { CONTROL.write_volatile(ENABLED_WITH_BACKGROUND) };
}

/// Returns the words of the region `slot`, 0 to 4. The region begins at `base`, a multiple of its
/// `size`, which is a power of two from 32 on. `without` has a bit for each eighth that the region
/// leaves out.
pub const fn region(slot: usize, base: u32, size: u32, without: u8, access: Access) -> Words {
    let number = FIRST + slot as u32;
    let rights = match access {
        Access::Code => 0b110 << 24,
        Access::Data => 1 << 28 | 0b011 << 24,
    };
    // Normal memory, as flash and RAM without a cache: write-through.
    let kind = 1 << 17;
    let words = (without as u32) << 8 | (size.trailing_zeros() - 1) << 1 | 1;
    [base | 1 << 4 | number, rights | kind | words]
}

/// Returns the words of an unused region.
pub const fn no_region(slot: usize) -> Words {
    [1 << 4 | (FIRST + slot as u32), 0]
}

/// Returns the words of a region that is closed for now, and keeps its base and its size.
pub const fn closed([base, attributes]: Words) -> Words {
    [base, attributes & !1]
}

/// Returns the words of a region that is open, or closed for now. An unused region stays so.
pub const fn with_rights([base, attributes]: Words, is_open: bool) -> Words {
    [base, if is_open && attributes != 0 { attributes | 1 } else { attributes & !1 }]
}

/// Returns the base and the size of a region, even while the region is closed. Returns `None` for
/// an unused region.
pub const fn extent([base, attributes]: Words) -> Option<(u32, u32)> {
    match attributes {
        0 => None,
        _ => Some((base & !0x1f, 2 << (attributes >> 1 & 0x1f))),
    }
}
