//! Flash that a program writes and erases, by the leave of the chip's flash controller.
//!
//! Neither takes time. What is decoded of the flash is compared with it before it runs again.

use std::sync::Arc;

use super::{Memory, SystemBus};
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

impl SystemBus {
    /// A program writes to a flash. It fails where no controller lets it.
    #[cold]
    pub(super) fn program(
        &mut self,
        memory: usize,
        offset: u32,
        size: Size,
        value: u32,
    ) -> Result<(), BusError> {
        let address = self.address_in(memory).ok_or(BusError)?.wrapping_add(offset);
        let old = self.memories[memory].read(offset, size);
        let wiring = Arc::clone(&self.wiring);
        let programmed = wiring.programmers.iter().find_map(|&programmer| {
            let entry = Arc::make_mut(&mut self.world.devices[programmer]).device();
            entry.program(address, size, old, value)
        });
        let bytes = programmed.ok_or(BusError)?.to_le_bytes();
        self.memories[memory].poke(offset, &bytes[..size.bytes() as usize]);
        self.world.code_changed = true;
        Ok(())
    }

    /// After a write to a register of a device: erases what a flash controller wants erased.
    pub(super) fn erase(&mut self, device: usize) {
        if !self.wiring.programmers.contains(&device) {
            return;
        }
        let entry =
            |bus: &mut Self| Arc::make_mut(&mut bus.world.devices[device]).device().take_erased();
        while let Some((start, length)) = entry(self) {
            for memory in 0..self.memories.len() {
                self.erase_in(memory, start, length);
            }
        }
    }

    /// Erases what of a range of addresses is in a memory, if it is a flash.
    fn erase_in(&mut self, memory: usize, start: u32, length: u32) {
        let Some(first) = self.address_in(memory) else { return };
        let Memory::Flash(bytes) = &self.memories[memory] else { return };
        let (first, size) = (u64::from(first), bytes.len() as u64);
        let (start, end) = (u64::from(start), u64::from(start) + u64::from(length));
        let (from, to) = (start.max(first), end.min(first + size));
        if from < to {
            let erased = vec![0xff; (to - from) as usize];
            self.memories[memory].poke((from - first) as u32, &erased);
            self.world.code_changed = true;
        }
    }

    /// The first address of a memory, not of an alias.
    fn address_in(&self, memory: usize) -> Option<u32> {
        self.windows.iter().find(|window| window.memory == memory).map(|window| window.start)
    }
}
