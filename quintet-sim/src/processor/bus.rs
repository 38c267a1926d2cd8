//! What the processor asks of the world outside it.
//!
//! The processor is generic over [`Bus`], so a test needs a small array and sixty lines to run
//! instructions. Everything inside the core's own private peripheral bus (NVIC, SCB, SysTick, MPU,
//! DWT) is not behind this trait: it belongs to the processor.

use super::instruction::Size;

/// Where devices begin (B3.1): below is only memory, and no access there changes an interrupt line.
pub const DEVICES_START: u32 = 0x4000_0000;
/// Where the private peripheral bus begins (B3.1). No memory is at or above it.
pub const PRIVATE_START: u32 = 0xe000_0000;
/// The part of the private peripheral bus that is left to the chip, for instance for a DBGMCU
/// (Cortex-M3 TRM 3.4: what the core doesn't use of its external half).
pub const CHIP_PRIVATE: std::ops::RangeInclusive<u32> = 0xe004_2000..=0xe00f_efff;
/// Where the chip's own system addresses begin (B3.1): behind the private peripheral bus, reached
/// as other devices are.
pub const VENDOR_START: u32 = 0xe010_0000;

/// The access found nothing there, or the device refused it: a precise or imprecise BusFault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusError;

/// The external interrupt lines, up to 240, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// Lines that devices hold high at this moment. A high line pends its interrupt whenever it is
    /// not active.
    pub level: [u32; 8],
}

/// Through which port of the core an address is reached, and how slow the memory behind it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionTiming {
    /// First address.
    pub start: u32,
    /// Last address, included.
    pub end: u32,
    /// The port of the core.
    pub port: Port,
    /// Extra cycles of every read or fetch beyond the one of a zero-wait-state memory.
    pub read_wait_states: u8,
    /// Extra cycles of every write.
    pub write_wait_states: u8,
    /// What is in front of the memory: 0 for nothing, or one more than its place in
    /// [`Bus::fronts`]. Reads then wait as the front end says.
    pub front: u8,
}

/// What stands between the core and a memory that reads a line at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontTiming {
    /// The bytes of a line; a power of two, 4 at least.
    pub line_bytes: u16,
    /// For whom the line that was read last is kept.
    pub buffer: Buffer,
    /// The cache of fetches.
    pub instructions: CacheShape,
    /// The cache of data.
    pub data: DataCache,
    /// What the program can change.
    pub settings: FrontSettings,
}

/// What a program can set of a front end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontSettings {
    /// Extra cycles of a read of the array.
    pub wait_states: u8,
    /// Whether the line that was read last is kept.
    pub buffer: bool,
    /// Whether the next line is read ahead for fetches.
    pub prefetch: bool,
    /// Whether the cache of fetches is on.
    pub instructions: bool,
    /// Whether the cache of data is on.
    pub data: bool,
    /// Whether what the caches hold is forgotten.
    pub flush: bool,
}

/// For whom the line that was read last is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffer {
    /// For nobody.
    None,
    /// For fetches.
    Fetches,
    /// For fetches and data.
    All,
}

/// The lines of a cache, replaced by least recent use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheShape {
    /// How many; 0 for no cache.
    pub lines: u16,
    /// In how many places a line can be; as many as there are lines where it can be anywhere.
    pub ways: u16,
}

/// Where data is cached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataCache {
    /// Nowhere.
    None,
    /// In a cache of its own.
    Own(CacheShape),
    /// In that of the fetches.
    Shared,
}

/// A port of the core towards memory. Two accesses on one port exclude each other in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// ICode and DCode, with instruction fetches and data each on its own bus, and the memory able
    /// to serve both in a cycle.
    CodeSeparate,
    /// ICode and DCode in front of one single-ported memory: data goes first and delays the fetch.
    CodeShared,
    /// The system bus, shared by data and by instruction fetches from SRAM.
    System,
    /// The private peripheral bus.
    Private,
}

/// Memory and devices, as the core's bus matrix sees them.
pub trait Bus {
    /// Reads 1, 2 or 4 bytes, aligned to their size, at `cycle`. Side effects of devices happen.
    fn read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError>;

    /// Writes 1, 2 or 4 bytes, aligned to their size, at `cycle`.
    fn write(&mut self, address: u32, size: Size, value: u32, cycle: u64) -> Result<(), BusError>;

    /// Fetches a halfword of an instruction; no side effects, no time.
    fn fetch(&mut self, address: u32) -> Result<u16, BusError>;

    /// Brings every device up to `cycle` and reports the interrupt lines. The processor calls it
    /// when `cycle` has reached [`Bus::next_event`], and after each access to a device.
    fn advance(&mut self, cycle: u64, lines: &mut Lines);

    /// The cycle at which the next thing happens without the processor's doing (a timer expires, an
    /// input of the script arrives); `u64::MAX` when nothing ever will.
    fn next_event(&self) -> u64;

    /// The timing of the memory map, sorted by address; addresses in none of them behave as
    /// [`Port::System`] without wait states.
    fn regions(&self) -> &[RegionTiming];

    /// What stands in front of memories, as it is set now.
    fn fronts(&self) -> &[FrontTiming] {
        &[]
    }

    /// Whether the program has set [`Bus::fronts`] otherwise since the last call.
    fn fronts_changed(&mut self) -> bool {
        false
    }
}
