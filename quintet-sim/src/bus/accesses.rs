//! The processor's accesses: to a memory at once, to a device in its cycle.

use super::watch::{Access, AccessKind};
use super::{Lines, RegionTiming, SystemBus};
use crate::processor::bus::{Bus, BusError, FrontTiming};
use crate::processor::instruction::Size;

impl SystemBus {
    #[inline]
    pub(super) fn read_plain(
        &mut self,
        address: u32,
        size: Size,
        cycle: u64,
    ) -> Result<u32, BusError> {
        match self.memory_at(address) {
            Some((memory, offset)) => Ok(self.memories[memory].read(offset, size)),
            None => self.read_device(address, size, cycle),
        }
    }

    #[inline]
    pub(super) fn write_plain(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        cycle: u64,
    ) -> Result<(), BusError> {
        match self.memory_at(address) {
            Some((memory, offset)) if self.memories[memory].write(offset, size, value) => Ok(()),
            Some((memory, offset)) => self.program(memory, offset, size, value),
            None => self.write_device(address, size, value, cycle),
        }
    }

    #[cold]
    fn read_watched(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError> {
        let value = self.read_plain(address, size, cycle)?;
        let kind = AccessKind::Read;
        self.note(Access { address, size, kind, value, old: value, cycle });
        Ok(value)
    }

    #[cold]
    fn write_watched(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        cycle: u64,
    ) -> Result<(), BusError> {
        let mut before = [0; 4];
        let length = size.bytes() as usize;
        // A register that can't be read has no old value.
        let _ = self.peek(address, &mut before[..length], cycle);
        self.write_plain(address, size, value, cycle)?;
        let (kind, old) = (AccessKind::Write, u32::from_le_bytes(before));
        let value = if size == Size::Word { value } else { value & ((1 << (8 * length)) - 1) };
        self.note(Access { address, size, kind, value, old, cycle });
        Ok(())
    }

    fn note(&mut self, access: Access) {
        if self.watcher.note(access) {
            self.world.requests.rung.push(access);
            self.world.requested = true;
        }
    }
}

impl Bus for SystemBus {
    #[inline]
    fn read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError> {
        if self.watching {
            return self.read_watched(address, size, cycle);
        }
        self.read_plain(address, size, cycle)
    }

    #[inline]
    fn write(&mut self, address: u32, size: Size, value: u32, cycle: u64) -> Result<(), BusError> {
        if self.watching {
            return self.write_watched(address, size, value, cycle);
        }
        self.write_plain(address, size, value, cycle)
    }

    #[inline]
    fn read_memory(&mut self, address: u32, size: Size) -> Option<u32> {
        if self.watching && self.watcher.may_match(address) {
            return None;
        }
        let (memory, offset) = self.memory_at(address)?;
        Some(self.memories[memory].read(offset, size))
    }

    #[inline]
    fn write_memory(&mut self, address: u32, size: Size, value: u32) -> bool {
        if self.watching && self.watcher.may_match(address) {
            return false;
        }
        let place = self.memory_at(address);
        place.is_some_and(|(memory, offset)| self.memories[memory].write(offset, size, value))
    }

    #[inline]
    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        let (memory, offset) = self.memory_at(address).ok_or(BusError)?;
        Ok(self.memories[memory].read(offset, Size::Half) as u16)
    }

    fn advance(&mut self, cycle: u64, lines: &mut Lines) {
        self.catch_up(cycle);
        *lines = self.world.lines;
    }

    #[inline]
    fn next_event(&self) -> u64 {
        self.world.next
    }

    fn regions(&self) -> &[RegionTiming] {
        &self.regions
    }

    fn fronts(&self) -> &[FrontTiming] {
        &self.world.fronts
    }

    #[inline]
    fn fronts_changed(&mut self) -> bool {
        std::mem::take(&mut self.world.fronts_changed)
    }

    #[inline]
    fn code_changed(&mut self) -> bool {
        std::mem::take(&mut self.world.code_changed)
    }
}
