//! The processor's view of the world outside it.
//!
//! The processor is generic over [`Bus`], so a test needs a small array and sixty lines to run
//! instructions. Everything inside the core's own private peripheral bus (NVIC, SCB, SysTick, MPU,
//! DWT) belongs to the processor and is not behind this trait.

use super::instruction::Size;

/// Where devices begin (B3.1): below is only memory, and no access there changes an interrupt line.
pub const DEVICES_START: u32 = 0x4000_0000;
/// Where the private peripheral bus begins (B3.1). No memory is at or above it.
pub const PRIVATE_START: u32 = 0xe000_0000;
/// The part of the private peripheral bus that the core leaves to the chip, for instance for a
/// DBGMCU (Cortex-M3 TRM 3.4: the unused part of its external half).
pub const CHIP_PRIVATE: std::ops::RangeInclusive<u32> = 0xe004_2000..=0xe00f_efff;
/// Where the chip's own system addresses begin (B3.1): behind the private peripheral bus. The core
/// reaches them as it does devices.
pub const VENDOR_START: u32 = 0xe010_0000;

/// The access found nothing at its address, or the device refused the access: a precise or
/// imprecise BusFault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusError;

/// The external interrupt lines, up to 240, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// Lines that devices hold high at this moment. A high line pends its interrupt whenever the
    /// interrupt is not active.
    pub level: [u32; 8],
}

/// The port of the core that reaches an address, and the wait states of the memory there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionTiming {
    /// First address.
    pub start: u32,
    /// Last address, included.
    pub end: u32,
    /// The port of the core.
    pub port: Port,
    /// Extra cycles of every read or fetch. A memory without wait states takes one cycle.
    pub read_wait_states: u8,
    /// Extra cycles of every write.
    pub write_wait_states: u8,
    /// The front end of the memory: 0 for none, or one more than its place in [`Bus::fronts`]. The
    /// front end then gives the wait states of reads.
    pub front: u8,
}

/// The front end between the core and a memory that reads a line at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontTiming {
    /// The bytes of a line: a power of two, at least 4.
    pub line_bytes: u16,
    /// The accesses for which the front end keeps the line that was read last.
    pub buffer: Buffer,
    /// The cache of fetches.
    pub instructions: CacheShape,
    /// The cache of data.
    pub data: DataCache,
    /// The settings that the program can change.
    pub settings: FrontSettings,
}

/// The settings of a front end that a program can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontSettings {
    /// Extra cycles of a read of the array.
    pub wait_states: u8,
    /// `true` if the line that was read last is kept.
    pub buffer: bool,
    /// `true` if the next line is read ahead for fetches.
    pub prefetch: bool,
    /// `true` if the cache of fetches is on.
    pub instructions: bool,
    /// `true` if the cache of data is on.
    pub data: bool,
    /// `true` if the caches forget their content.
    pub flush: bool,
}

/// The accesses for which the front end keeps the line that was read last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffer {
    /// For no access.
    None,
    /// For fetches.
    Fetches,
    /// For fetches and data.
    All,
}

/// The lines of a cache, replaced by least recent use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheShape {
    /// The number of lines; 0 for no cache.
    pub lines: u16,
    /// The number of places where a line can be. As many as there are lines, if a line can be
    /// anywhere.
    pub ways: u16,
}

/// The cache of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataCache {
    /// Nowhere.
    None,
    /// A cache of its own.
    Own(CacheShape),
    /// In that of the fetches.
    Shared,
}

/// A port of the core towards memory. Two accesses on one port exclude each other in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// ICode and DCode: instruction fetches and data each have a bus, and the memory can serve both
    /// in one cycle.
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

    /// Reads as [`Bus::read`] does, if the address is in a memory, where the cycle doesn't matter.
    fn read_memory(&mut self, _address: u32, _size: Size) -> Option<u32> {
        None
    }

    /// Writes as [`Bus::write`] does, if the address is in a memory, where the cycle doesn't
    /// matter. Otherwise returns `false`, and does nothing.
    fn write_memory(&mut self, _address: u32, _size: Size, _value: u32) -> bool {
        false
    }

    /// Fetches a halfword of an instruction. A fetch has no side effects and takes no time.
    fn fetch(&mut self, address: u32) -> Result<u16, BusError>;

    /// Brings every device up to `cycle` and reports the interrupt lines. The processor calls this
    /// function when `cycle` has reached [`Bus::next_event`], and after each access to a device.
    fn advance(&mut self, cycle: u64, lines: &mut Lines);

    /// Returns the cycle of the next event that the processor does not cause (a timer expires, an
    /// input of the script arrives); `u64::MAX` if there is none.
    fn next_event(&self) -> u64;

    /// Returns the timing of the memory map, sorted by address. Addresses in no region behave as
    /// [`Port::System`] without wait states.
    fn regions(&self) -> &[RegionTiming];

    /// Returns the front ends of memories, with their present settings.
    fn fronts(&self) -> &[FrontTiming] {
        &[]
    }

    /// Returns `true` if the program has set [`Bus::fronts`] otherwise since the last call.
    fn fronts_changed(&mut self) -> bool {
        false
    }

    /// Whether flash was programmed or erased since the last call.
    fn code_changed(&mut self) -> bool {
        false
    }
}
