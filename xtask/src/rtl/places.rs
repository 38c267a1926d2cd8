//! Where a program has what, the registers by which it reaches that, and the numbers of the
//! instructions and registers that stand in programs as they are.

/// Where the data is, behind the first address of memory.
pub const DATA: usize = 0x6000;
/// The bytes of data.
pub const DATA_BYTES: usize = 0x400;
/// The bytes that make two addresses share a place in a cache.
pub const CACHE_BYTES: i32 = 0x1000;
/// Where the code ends at the latest.
pub const CODE_MAX: usize = 0x5000;
/// Data that only accesses reach that pass by the cache, behind the first address of memory. An
/// address within the cached data would show that the simulator's cache has no data.
pub const BESIDE: usize = 0xa000;

/// Counts the turns of the whole program.
pub const COUNTER: u32 = 25;
/// Points to the registers of the memory around the core.
pub const PAGE: u32 = 27;
/// Is 1.
pub const ONE: u32 = 30;
/// Point to data; both to the same place in a cache.
pub const BASES: [u32; 2] = [26, 23];
/// Points to what passes by the cache.
pub const BY_CACHE: u32 = 24;
/// The counter of a loop.
pub const TURNS: u32 = 20;
/// What jumps compute with.
pub const LINK: u32 = 21;
/// What goes into registers for control.
pub const VALUE: u32 = 22;
/// The handler's.
pub const HANDLER: [u32; 2] = [28, 29];
/// Takes values that differ from model to model.
pub const IGNORED: u32 = 31;

/// `mstatus`.
pub const MSTATUS: u32 = 0x300;
/// `mie`.
pub const MIE: u32 = 0x304;
/// `mtvec`.
pub const MTVEC: u32 = 0x305;
/// `mscratch`.
pub const MSCRATCH: u32 = 0x340;
/// `mepc`.
pub const MEPC: u32 = 0x341;
/// `mcause`.
pub const MCAUSE: u32 = 0x342;
/// `pmpcfg0`.
pub const PMPCFG0: u32 = 0x3a0;
/// `pmpaddr0`.
pub const PMPADDR0: u32 = 0x3b0;
/// `mcycle`.
pub const MCYCLE: u32 = 0xb00;
/// A VexRiscv's: the lines of devices that are let through.
pub const EXTERNAL_MASK: u32 = 0xbc0;
/// The bit of interrupts in `mstatus`.
pub const INTERRUPTS: u32 = 8;
/// The privilege before the trap in `mstatus`.
pub const PRIVILEGE: u32 = 3 << 11;
/// The cause of a call from user mode.
pub const CALL_FROM_USER: i32 = 8;
/// FENCE.
pub const FENCE: u32 = 0x0ff0_000f;
/// FENCE.I.
pub const FENCE_I: u32 = 0x0000_100f;
/// ECALL.
pub const ECALL: u32 = 0x0000_0073;
/// MRET.
pub const MRET: u32 = 0x3020_0073;
/// WFI.
pub const WFI: u32 = 0x1050_0073;
/// No core has it.
pub const ILLEGAL: u32 = 0x0000_000b;
