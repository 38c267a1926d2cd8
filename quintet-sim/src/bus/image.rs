//! The bus's part of a snapshot, and the way back.

use super::{Memory, MemoryImage, SystemBus, World};
use crate::processor::bus::{Bus, BusError, Lines, RegionTiming};
use crate::processor::instruction::Size;

/// Memories as shared pages, devices as shared state.
#[derive(Clone, Debug)]
pub struct BusImage {
    memories: Vec<MemoryImage>,
    world: World,
}

impl SystemBus {
    /// Returns the present state, for [`SystemBus::restore`].
    pub fn snapshot(&mut self) -> BusImage {
        let memories = self.memories.iter_mut().map(Memory::snapshot).collect();
        BusImage { memories, world: self.world.clone() }
    }

    /// Restores the state of a snapshot.
    pub fn restore(&mut self, image: &BusImage) {
        for (memory, kept) in self.memories.iter_mut().zip(&image.memories) {
            memory.restore(kept);
        }
        self.world.clone_from(&image.world);
    }
}

/// Lets a snapshot's processor have this as its bus. No access finds anything until the snapshot is
/// restored.
impl Bus for BusImage {
    fn read(&mut self, _address: u32, _size: Size, _cycle: u64) -> Result<u32, BusError> {
        Err(BusError)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: u64) -> Result<(), BusError> {
        Err(BusError)
    }

    fn fetch(&mut self, _address: u32) -> Result<u16, BusError> {
        Err(BusError)
    }

    fn advance(&mut self, _cycle: u64, _lines: &mut Lines) {}

    fn next_event(&self) -> u64 {
        u64::MAX
    }

    fn regions(&self) -> &[RegionTiming] {
        &[]
    }
}
