//! The debugger's view of the bus: everything can be seen, nothing happens by looking.

use super::{Memory, SystemBus};
use crate::board::ALIAS;
use crate::peripherals::Peripheral;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;
use crate::rtt::SEARCH_BYTES_MAX;
use crate::script::Action;

impl SystemBus {
    /// Reads as a debugger: no side effect, no time. Registers of devices are read as words from a
    /// copy.
    pub fn peek(&self, address: u32, buffer: &mut [u8], cycle: u64) -> Result<(), BusError> {
        if let Some((memory, offset)) = self.memory_at(address) {
            let bytes = self.memories[memory].bytes().get(offset as usize..).unwrap_or(&[]);
            // All of it may be in this memory.
            if let Some(bytes) = bytes.get(..buffer.len()) {
                buffer.copy_from_slice(bytes);
                return Ok(());
            }
        }
        for (index, byte) in buffer.iter_mut().enumerate() {
            let at = address.wrapping_add(index as u32);
            *byte = if let Some((memory, offset)) = self.memory_at(at) {
                self.memories[memory].read(offset, Size::Byte) as u8
            } else {
                let (device, offset) = self.wiring.find(at).ok_or(BusError)?;
                let aliased = self.wiring.devices[device].has_aliases;
                let offset = if aliased { offset % ALIAS } else { offset };
                let mut copy = Peripheral::clone(&self.world.devices[device]);
                copy.device().advance(cycle);
                if copy.view().has_byte_registers() {
                    *byte = copy.device().read(offset, cycle)? as u8;
                    continue;
                }
                let word = copy.device().read(offset & !3, cycle)?;
                word.to_le_bytes()[(offset & 3) as usize]
            };
        }
        Ok(())
    }

    /// Returns a part of RAM as it is now, if one RAM contains the whole part.
    pub fn ram(&self, address: u32, length: u32) -> Option<&[u8]> {
        let (memory, offset) = self.memory_at(address)?;
        let Memory::Ram(_) = &self.memories[memory] else { return None };
        let start = offset as usize;
        self.memories[memory].bytes().get(start..start.checked_add(length as usize)?)
    }

    /// Returns the first address in a RAM at a multiple of 4 that has `pattern`, and that `accept`
    /// approves.
    pub fn find_in_ram(&self, pattern: &[u8], accept: impl Fn(u32) -> bool) -> Option<u32> {
        self.memories.iter().enumerate().find_map(|(index, memory)| {
            let Memory::Ram(_) = memory else { return None };
            let window = self.windows.iter().find(|window| window.memory == index)?;
            let bytes = memory.bytes();
            (0..bytes.len().min(SEARCH_BYTES_MAX))
                .step_by(4)
                .filter(|&at| bytes[at..].starts_with(pattern))
                .map(|at| window.start.wrapping_add(at as u32))
                .find(|&address| accept(address))
        })
    }

    /// Writes memory as a debugger: flash too, no time. Addresses without memory are an error, and
    /// then nothing is written.
    pub fn poke(&mut self, address: u32, data: &[u8]) -> Result<(), BusError> {
        let places = || (0..data.len()).map(|index| address.wrapping_add(index as u32));
        if places().any(|at| self.memory_at(at).is_none()) {
            return Err(BusError);
        }
        let mut rest = data;
        let mut at = address;
        while let Some((memory, offset)) = self.memory_at(at).filter(|_| !rest.is_empty()) {
            let room = self.memories[memory].bytes().len() - offset as usize;
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.memories[memory].poke(offset, now);
            at = at.wrapping_add(now.len() as u32);
            rest = later;
        }
        Ok(())
    }

    /// Does now what a script would do, for an action that has a place in place of a time.
    pub fn perform(&mut self, action: &Action, cycle: u64) {
        self.catch_up(cycle);
        self.act(action, cycle);
        self.schedule();
    }

    /// Returns the level of a pin of a GPIO, the number of the device among the board's.
    pub fn pin_level(&self, device: usize, pin: u8) -> bool {
        self.world.levels.get(device).is_some_and(|levels| levels >> (pin & 31) & 1 != 0)
    }
}
