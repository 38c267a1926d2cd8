//! The regions of a process, by the entries of physical memory protection (PMP).
//!
//! A process has the first six entries, two for each region: the window, its code, its data. The
//! first entry of a pair has the region's first address and no rights of its own. The second one
//! has the address behind the region, of the kind TOR. Each pair always has the same rights, so
//! another process needs other addresses only. A region is closed by its two addresses the wrong
//! way round: then it has no byte.
//!
//! No entry is locked, so none holds for machine mode, where the kernel runs.
//!
//! RISC-V Privileged Architecture, 3.7.

use ::core::arch::asm;

use super::entries;

/// The number of regions of a process.
pub const REGIONS: usize = 3;
/// The region for memory that another process shares.
pub const WINDOW: usize = 0;
/// The region for the process's flash.
pub const CODE: usize = 1;
/// The region for the process's memory.
pub const DATA: usize = 2;
/// The number of entries that the unit must have.
pub const NEEDED: u8 = 2 * REGIONS as u8;

/// The rights in an entry's configuration, and its kind: the top of a range.
const READ: u32 = 1 << 0;
const WRITE: u32 = 1 << 1;
const EXECUTE: u32 = 1 << 2;
const TOP_OF_RANGE: u32 = 1 << 3;
/// The configurations of the entries 0 to 3, a byte for each: the window, and the code.
const FIRST: u32 = (READ | WRITE | TOP_OF_RANGE) << 8 | (READ | EXECUTE | TOP_OF_RANGE) << 24;
/// Those of the entries 4 and 5: the data.
const SECOND: u32 = (READ | WRITE | TOP_OF_RANGE) << 8;

/// The words that set a region: the lowest address, and the address behind, both divided by 4.
pub type Words = [u32; 2];

/// The access of a process to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and execute.
    Code,
    /// Read and write.
    Data,
}

/// Returns how many of the [needed](NEEDED) entries the unit has; 0 without a unit, or without a
/// user mode.
///
/// # Safety
/// At start-up: the addresses of the entries are changed.
pub unsafe fn count() -> u8 {
    // SAFETY: the caller's.
    if has_user_mode() { unsafe { entries::count(0) }.min(NEEDED) } else { 0 }
}

/// Returns `true` if a trap could return to user mode.
fn has_user_mode() -> bool {
    let status: u32;
    // SAFETY: no trap comes meanwhile, which would return to user mode.
    unsafe {
        asm!(
            "csrrci {before}, mstatus, 8",
            "csrc mstatus, {mode}",
            "csrr {status}, mstatus",
            "csrs mstatus, {mode}",           // machine mode again
            "andi {before}, {before}, 8",
            "csrs mstatus, {before}",
            before = out(reg) _,
            mode = in(reg) MODE,
            status = out(reg) status,
            options(nostack, preserves_flags),
        );
    }
    status & MODE == 0
}

/// In `mstatus`: the mode before a trap.
const MODE: u32 = 3 << 11;

/// Prepares the unit: no process can access anything. Returns `false` if an entry is locked that
/// would grant more.
///
/// # Safety
/// At start-up, with a unit.
pub unsafe fn initialise() -> bool {
    let (first, second, others): (u32, u32, u32);
    // SAFETY: the caller's. A program that ran before may have left entries: all are cleared, but
    // those that are locked.
    unsafe {
        asm!(
            "csrw pmpcfg0, zero",
            "csrw pmpcfg1, zero",
            "csrw pmpcfg2, zero",
            "csrw pmpcfg3, zero",
            "csrw pmpaddr0, {nowhere}",
            "csrw pmpaddr1, {nowhere}",
            "csrw pmpaddr2, {nowhere}",
            "csrw pmpaddr3, {nowhere}",
            "csrw pmpaddr4, {nowhere}",
            "csrw pmpaddr5, {nowhere}",
            "csrw pmpcfg0, {first}",
            "csrs pmpcfg1, {second}",
            "csrr {first}, pmpcfg0",
            "csrr {second}, pmpcfg1",
            "csrr {others}, pmpcfg2",
            "csrr {more}, pmpcfg3",
            "or {others}, {others}, {more}",
            first = inout(reg) FIRST => first,
            second = inout(reg) SECOND => second,
            nowhere = in(reg) NOWHERE,
            others = out(reg) others,
            more = out(reg) _,
            options(nostack, preserves_flags),
        );
    }
    // A guard of a stack is locked, and grants nothing.
    const RIGHTS: u32 = (READ | WRITE | EXECUTE) * 0x0101_0101;
    first == FIRST && second & 0xffff == SECOND && (second & 0xffff_0000 | others) & RIGHTS == 0
}

/// Assembly that gives the unit the regions of the process at a0, which has them `regions` bytes
/// further on. t0 and t1 change. No two regions of processes are mixed up: machine mode doesn't
/// depend on the entries, and no process runs meanwhile.
macro_rules! load_regions {
    () => {
        "
        lw t0, {regions}(a0)
        lw t1, {regions}+4(a0)
        csrw pmpaddr0, t0                     # the window
        csrw pmpaddr1, t1
        lw t0, {regions}+8(a0)
        lw t1, {regions}+12(a0)
        csrw pmpaddr2, t0                     # the code
        csrw pmpaddr3, t1
        lw t0, {regions}+16(a0)
        lw t1, {regions}+20(a0)
        csrw pmpaddr4, t0                     # the data
        csrw pmpaddr5, t1
        "
    };
}
pub(super) use load_regions;

/// Returns the words of a region from `begin` to `end`, both multiples of 32. `end` is above
/// `begin`. The access follows from the region's place.
pub const fn region(begin: u32, end: u32, _access: Access) -> Words {
    [begin >> 2, end >> 2]
}

/// The address of a region without a byte. Not 0: to QEMU 7.2, an address of 0 behind a region is
/// the end of all addresses.
const NOWHERE: u32 = 1;

/// Returns the words of an unused region.
pub const fn no_region() -> Words {
    [NOWHERE, NOWHERE]
}

/// Returns the words of a region that is open, or closed for now. An unused region stays so.
pub const fn with_rights([one, other]: Words, is_open: bool) -> Words {
    if is_open == (one < other) { [one, other] } else { [other, one] }
}

/// Writes the words of all regions.
///
/// # Safety
/// No other code writes regions meanwhile.
pub unsafe fn write(words: *const [Words; REGIONS]) {
    // SAFETY: the caller's; the words are read from the process.
    unsafe {
        let [window, code, data] = words.read();
        asm!(
            "csrw pmpaddr0, {}", "csrw pmpaddr1, {}",
            "csrw pmpaddr2, {}", "csrw pmpaddr3, {}",
            "csrw pmpaddr4, {}", "csrw pmpaddr5, {}",
            in(reg) window[0], in(reg) window[1],
            in(reg) code[0], in(reg) code[1],
            in(reg) data[0], in(reg) data[1],
            options(nostack, preserves_flags),
        );
    }
}
