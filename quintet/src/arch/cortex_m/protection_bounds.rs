//! The regions of a process where each of the unit's has a first and a last address, both of 32
//! bytes.
//!
//! A process has the first three: the window, its code, its data. No two of the unit's regions may
//! cover one address: an access there is a fault, also of privileged code. Between the words of one
//! process and those of another they might, where the one's window shows the other's memory. So the
//! unit is off while its regions are written, by privileged code that no process interrupts; to
//! that everything is as without the unit.
//!
//! Armv8-M Architecture Reference Manual: B11.1 (protection), D1.2.162 to D1.2.173 (registers).

/// How many of the unit's regions a process has: the first ones.
pub const REGIONS: usize = 3;
/// The one by which it accesses what another process shares.
pub const WINDOW: usize = 0;
/// The one that is its flash.
pub const CODE: usize = 1;
/// The one that is its memory.
pub const DATA: usize = 2;
/// How many regions the unit must have.
pub const NEEDED: u8 = REGIONS as u8;

/// What the addresses of a region are multiples of.
const STEP: u32 = 32;

const TYPE: *const u32 = 0xe000_ed90 as *const u32;
const CONTROL: *mut u32 = 0xe000_ed94 as *mut u32;
/// Everything that no region covers is as without the unit, for privileged code alone.
const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
const NUMBER: *mut u32 = 0xe000_ed98 as *mut u32;
/// The pairs of words of four regions, from the one on that was chosen, a multiple of four.
const REGISTERS: *mut Words = 0xe000_ed9c as *mut Words;
const ATTRIBUTES: *mut u32 = 0xe000_edc0 as *mut u32;
/// Normal memory, as flash and RAM without a cache are: write-through, inside and outside.
const WRITE_THROUGH: u32 = 0xaa;

/// The words by which a region is set, the lowest address first.
pub type Words = [u32; 2];

/// What a process may do in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and execute.
    Code,
    /// Read and write.
    Data,
}

/// How many regions the unit has; none without a unit.
pub fn count() -> u8 {
    // SAFETY: the register reads as zero where there is no unit.
    let kind = unsafe { TYPE.read_volatile() };
    (kind >> 8) as u8
}

/// Protects nothing yet: everything that no region covers is as without the unit, for privileged
/// code alone.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's. The first of the kinds of memory is that of all regions. A program that
    // ran before may have left regions.
    unsafe {
        CONTROL.write_volatile(0);
        for number in 0..count() {
            NUMBER.write_volatile(u32::from(number));
            REGISTERS.write_volatile(no_region());
        }
        ATTRIBUTES.write_volatile(ATTRIBUTES.read_volatile() & !0xff | WRITE_THROUGH);
        CONTROL.write_volatile(ENABLED_WITH_BACKGROUND);
    }
}

/// Assembly that gives the unit the regions of the process in r0: r2 to r12 change. `regions` is
/// where they are in it. One store, from the lowest address on: the unit is off, the regions from
/// 0 on are chosen, and written.
#[doc(hidden)]
#[macro_export]
macro_rules! __load_regions {
    () => {
        "
        movw r12, #0xed94
        movt r12, #0xe000
        add r2, r0, #{regions}
        movs r4, #0
        movs r5, #0
        ldmia r2, {{r6-r11}}
        stmia r12, {{r4-r11}}
        movs r4, #5
        str r4, [r12]
        "
    };
}

/// The words of a region from `begin` to `end`, both multiples of 32, of which `end` is more.
pub const fn region(begin: u32, end: u32, access: Access) -> Words {
    let rights = match access {
        // Read by everybody.
        Access::Code => 0b11 << 1,
        // Read and written by everybody, executed by nobody.
        Access::Data => 0b01 << 1 | 1,
    };
    [begin | rights, (end - STEP) | 1]
}

/// The words of a region that isn't used.
pub const fn no_region() -> Words {
    [0, 0]
}

/// Writes the words of all regions.
///
/// # Safety
/// Nobody else writes regions meanwhile.
pub unsafe fn write(words: &[Words; REGIONS]) {
    // SAFETY: the unit is off until all are written.
    unsafe {
        CONTROL.write_volatile(0);
        NUMBER.write_volatile(0);
        for (index, &words) in words.iter().enumerate() {
            REGISTERS.add(index).write_volatile(words);
        }
        CONTROL.write_volatile(ENABLED_WITH_BACKGROUND);
    }
}
