//! Accesses to the registers of devices: whole words, whatever the access. Registers may appear
//! again at other addresses.

use std::sync::Arc;

use super::SystemBus;
use crate::board::ALIAS;
use crate::peripherals::Peripheral;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

impl SystemBus {
    #[cold]
    pub(super) fn read_device(
        &mut self,
        address: u32,
        size: Size,
        cycle: u64,
    ) -> Result<u32, BusError> {
        let (device, offset) = self.wiring.find(address).ok_or(BusError)?;
        let offset = if self.wiring.devices[device].has_aliases { offset % ALIAS } else { offset };
        self.catch_up(cycle);
        let entry = Arc::make_mut(&mut self.world.devices[device]).device();
        entry.advance(cycle);
        if entry.has_byte_registers() {
            let byte = entry.read(offset, cycle);
            self.changed(device, cycle);
            return byte;
        }
        let word = entry.read(offset & !3, cycle);
        self.changed(device, cycle);
        let shifted = word? >> (8 * (offset & 3));
        Ok(match size {
            Size::Byte => shifted & 0xff,
            Size::Half => shifted & 0xffff,
            Size::Word => shifted,
        })
    }

    #[cold]
    pub(super) fn write_device(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        cycle: u64,
    ) -> Result<(), BusError> {
        let (device, offset) = self.wiring.find(address).ok_or(BusError)?;
        let value = match size {
            Size::Byte => value & 0xff,
            Size::Half => value & 0xffff,
            Size::Word => value,
        };
        let (alias, offset) = match self.wiring.devices[device].has_aliases {
            true => (offset / ALIAS, offset % ALIAS),
            false => (0, offset),
        };
        self.catch_up(cycle);
        let entry = Arc::make_mut(&mut self.world.devices[device]).device();
        entry.advance(cycle);
        if entry.has_byte_registers() {
            let done = entry.write(offset, value & 0xff, cycle);
            self.changed(device, cycle);
            return done;
        }
        let mut value = value << (8 * (offset & 3));
        if alias != 0 && !entry.ones_clear(offset & !3) {
            value = self.altered(device, offset & !3, alias, value, cycle)?;
        }
        let entry = Arc::make_mut(&mut self.world.devices[device]).device();
        let done = entry.write(offset & !3, value, cycle);
        self.erase(device);
        self.changed(device, cycle);
        done
    }

    /// Returns a register's value with the bits of `mask` flipped, set or cleared. The value comes
    /// from a copy of the device, so that the read has no effect.
    fn altered(
        &self,
        device: usize,
        offset: u32,
        alias: u32,
        mask: u32,
        cycle: u64,
    ) -> Result<u32, BusError> {
        let old = Peripheral::clone(&self.world.devices[device]).device().read(offset, cycle)?;
        Ok(match alias {
            1 => old ^ mask,
            2 => old | mask,
            _ => old & !mask,
        })
    }
}
