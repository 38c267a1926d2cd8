//! The regions of a process, if each region of the unit has a first and a last address, both
//! multiples of 32 bytes.
//!
//! A process has the first three regions: the window, its code, its data. No two regions of the
//! unit may cover one address: an access there is a fault, even by privileged code. If one
//! process's window shows another's memory, the regions could overlap after the words of one
//! process are written and before those of the other. So the unit is off while its regions are
//! written, by privileged code that no process interrupts. For privileged code, memory is then as
//! without the unit.
//!
//! Armv8-M Architecture Reference Manual: B11.1 (protection), D1.2.162 to D1.2.173 (registers).

/// The number of the unit's regions that a process has: the first ones.
pub const REGIONS: usize = 3;
/// The region for memory that another process shares.
pub const WINDOW: usize = 0;
/// The region for the process's flash.
pub const CODE: usize = 1;
/// The region for the process's memory.
pub const DATA: usize = 2;
/// The number of regions that the unit must have.
pub const NEEDED: u8 = REGIONS as u8;

/// The alignment of a region's addresses.
const STEP: u32 = 32;

const TYPE: *const u32 = 0xe000_ed90 as *const u32;
const CONTROL: *mut u32 = 0xe000_ed94 as *mut u32;
/// Memory that no region covers is as without the unit, for privileged code only.
const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
const NUMBER: *mut u32 = 0xe000_ed98 as *mut u32;
/// The pairs of words of four regions, from the selected one on, which is a multiple of four.
const REGISTERS: *mut Words = 0xe000_ed9c as *mut Words;
const ATTRIBUTES: *mut u32 = 0xe000_edc0 as *mut u32;
/// Normal memory, as flash and RAM without a cache: write-through, inside and outside.
const WRITE_THROUGH: u32 = 0xaa;

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
    let kind = unsafe { TYPE.read_volatile() };
    (kind >> 8) as u8
}

/// Enables the unit without protection: memory that no region covers is as without the unit, for
/// privileged code only.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's. All regions use the first kind of memory. A program that ran before may
    // have left regions.
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

/// Assembly that gives the unit the regions of the process in r0; r2 to r12 change. `regions` is
/// the offset of the regions in the process. One store, from the lowest address on, switches the
/// unit off, selects the regions from 0 on, and writes them.
#[doc(hidden)]
#[macro_export]
macro_rules! __load_regions {
    () => {
        "
        movw r12, #0xed94                     // r12 = the unit's registers,
        movt r12, #0xe000                     // from MPU_CTRL on
        add r2, r0, #{regions}                // r2 = the words of the process
        movs r4, #0                           // MPU_CTRL: the unit is off meanwhile
        movs r5, #0                           // MPU_RNR: from the region 0 on
        ldmia r2, {{r6-r11}}                  // the bounds of three regions
        stmia r12, {{r4-r11}}                 // off, selected, and written
        movs r4, #5                           // ENABLE, and PRIVDEFENA for privileged code
        str r4, [r12]                         // the unit is on
        "
    };
}

/// Returns the words of a region from `begin` to `end`, both multiples of 32. `end` is above
/// `begin`.
pub const fn region(begin: u32, end: u32, access: Access) -> Words {
    let rights = match access {
        // Read by all code.
        Access::Code => 0b11 << 1,
        // Read and written by all code, executed by none.
        Access::Data => 0b01 << 1 | 1,
    };
    [begin | rights, (end - STEP) | 1]
}

/// Returns the words of an unused region.
pub const fn no_region() -> Words {
    [0, 0]
}

/// Returns the words of a region that is open, or closed for now. An unused region stays so.
pub const fn with_rights([begin, end]: Words, is_open: bool) -> Words {
    [begin, if is_open && end != 0 { end | 1 } else { end & !1 }]
}

/// Writes the words of all regions.
///
/// # Safety
/// No other code writes regions meanwhile.
pub unsafe fn write(words: *const [Words; REGIONS]) {
    // SAFETY: the unit is off until all are written; the words are read from the process.
    unsafe {
        let words = words.read();
        CONTROL.write_volatile(0);
        NUMBER.write_volatile(0);
        for (index, words) in words.into_iter().enumerate() {
            REGISTERS.add(index).write_volatile(words);
        }
        CONTROL.write_volatile(ENABLED_WITH_BACKGROUND);
    }
}
