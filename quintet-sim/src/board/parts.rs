//! The parts of a board around its core: all that the bus needs, whatever the core is.

use super::{
    Board, BridgeDescription, DeviceDescription, FrontDescription, MemoryDescription, MemoryKind,
};
use crate::image::MemoryRange;
use crate::processor::bus::{FrontTiming, Port, RegionTiming};

/// The interrupts that something outside can make pending, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupts {
    /// Those from 0 up to this one, which is not among them.
    Below(u16),
    /// These.
    These(&'static [u16]),
}

impl Interrupts {
    /// Returns `true` if there is an interrupt with this number.
    pub fn has(self, number: u16) -> bool {
        match self {
            Self::Below(end) => number < end,
            Self::These(numbers) => numbers.contains(&number),
        }
    }
}

/// Memories and devices.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The name of the board.
    pub name: &'a str,
    /// The interrupts.
    pub interrupts: Interrupts,
    /// Core cycles a second.
    pub clock_hz: u64,
    /// The memories.
    pub memories: &'a [MemoryDescription],
    /// Slower parts of the address space.
    pub bridges: &'a [BridgeDescription],
    /// The devices.
    pub devices: &'a [DeviceDescription],
}

impl Parts<'_> {
    /// Returns how many cycles pass in `microseconds`, or the largest value if the number doesn't
    /// fit.
    pub fn cycles_of(&self, microseconds: u64) -> u64 {
        let cycles = u128::from(microseconds) * u128::from(self.clock_hz) / 1_000_000;
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// The timing of the memory map, sorted by address.
    pub fn regions(&self) -> Vec<RegionTiming> {
        let mut fronts = 0;
        let memories = self.memories.iter().flat_map(|memory| {
            fronts += u8::from(memory.front_end.is_some());
            let front = if memory.front_end.is_some() { fronts } else { 0 };
            let starts = std::iter::once(memory.start).chain(memory.aliases.iter().copied());
            starts.map(move |start| RegionTiming {
                start,
                front,
                end: start + (memory.size - 1),
                port: memory.port.into(),
                read_wait_states: memory.read_wait_states,
                write_wait_states: memory.write_wait_states,
            })
        });
        let bridges = self.bridges.iter().map(|bridge| RegionTiming {
            start: bridge.start,
            end: bridge.start + (bridge.size - 1),
            port: Port::System,
            read_wait_states: bridge.read_wait_states,
            write_wait_states: bridge.write_wait_states,
            front: 0,
        });
        let mut regions: Vec<_> = memories.chain(bridges).collect();
        regions.sort_by_key(|region| region.start);
        regions
    }

    /// Returns the front ends of memories after reset, in the order to which
    /// [`RegionTiming::front`] refers.
    pub fn fronts(&self) -> Vec<FrontTiming> {
        let described = self.memories.iter().filter_map(|memory| memory.front_end.as_ref());
        described.map(FrontDescription::timing).collect()
    }

    /// Returns every range of addresses with memory behind it, aliases included.
    pub fn memory_ranges(&self) -> Vec<MemoryRange> {
        let ranges = self.memories.iter().flat_map(|memory| {
            let starts = std::iter::once(memory.start).chain(memory.aliases.iter().copied());
            starts.map(|start| MemoryRange {
                name: memory.name.clone(),
                start,
                size: memory.size,
                writable: memory.kind == MemoryKind::Ram,
            })
        });
        ranges.collect()
    }
}

impl Board {
    /// Returns what is around the core.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            name: &self.name,
            interrupts: Interrupts::Below(self.interrupts),
            clock_hz: self.clock_hz,
            memories: &self.memories,
            bridges: &self.bridges,
            devices: &self.devices,
        }
    }
}

impl<'a> From<&'a Board> for Parts<'a> {
    fn from(board: &'a Board) -> Self {
        board.parts()
    }
}
