//! Numbers for the memories of the map: all addresses of one have the same timing.

use std::sync::Arc;

use crate::processor::bus::RegionTiming;

/// The parts of the address space for each of which the last memory found is at hand.
const PARTS: usize = 8;

/// A memory found before. None has an end before its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    start: u32,
    end: u32,
    number: u8,
}

/// The memories of a map.
#[derive(Clone, Debug)]
pub struct Places {
    regions: Arc<[RegionTiming]>,
    found: [Found; PARTS],
}

/// What was found last doesn't count.
impl PartialEq for Places {
    fn eq(&self, other: &Self) -> bool {
        self.regions == other.regions
    }
}

impl Places {
    /// Those of a map, sorted by address.
    pub fn new(regions: &[RegionTiming]) -> Self {
        Self { regions: regions.into(), found: [Found { start: 1, end: 0, number: 0 }; PARTS] }
    }

    /// The number of the memory at `address`, if the map has one there.
    #[inline(always)]
    pub fn of(&mut self, address: u32) -> Option<u8> {
        let found = self.found[(address >> 29) as usize % PARTS];
        if address >= found.start && address <= found.end {
            return Some(found.number);
        }
        self.find(address)
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, address: u32) -> Option<u8> {
        let is_here = |region: &&RegionTiming| region.start <= address && address <= region.end;
        let index = self.regions.iter().position(|region| is_here(&region))?;
        let number = u8::try_from(index).ok()?;
        let RegionTiming { start, end, .. } = self.regions[index];
        self.found[(address >> 29) as usize % PARTS] = Found { start, end, number };
        Some(number)
    }

    /// An address of the memory with this number.
    pub fn address(&self, number: u8) -> u32 {
        self.regions.get(usize::from(number)).map_or(0, |region| region.start)
    }
}
