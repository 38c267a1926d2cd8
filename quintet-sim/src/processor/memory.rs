//! The data access path: the way of a load or store from the instruction to the bus.
//!
//! ```text
//!  unaligned? ── yes ─> trap, or split into aligned parts
//!     │ no
//!     ├─ plain: below the first bit-band alias, MPU off ───────────────> bus
//!     └─ checked: MPU ─┬─ private peripheral ─> system/
//!                      ├─ bit-band alias ─────> the bit's byte on the bus
//!                      └─ anything else ──────> bus, and the devices' lines
//! ```

use super::Architecture;
use super::Processor;
use super::bus::{Bus, DEVICES_START, PRIVATE_START, VENDOR_START};
use super::exceptions::number::SYS_TICK;
use super::faults::Fault;
use super::instruction::Size;
use super::system::System;
use super::system::mpu::Access;
use super::system::scb::ccr;
use crate::timing::Direction;

/// The private peripheral bus, to which the MPU does not apply.
const PRIVATE_BUS: std::ops::RangeInclusive<u32> = PRIVATE_START..=VENDOR_START - 1;

/// The byte and the bit behind a bit-band alias address (B3.1, Cortex-M3 TRM 3.7).
fn bit_band(address: u32) -> Option<(u32, u32)> {
    matches!(address >> 24, 0x22 | 0x23 | 0x42 | 0x43).then(|| {
        let offset = address & 0x01ff_ffff;
        ((address & 0xf000_0000) | offset >> 5, offset >> 2 & 7)
    })
}

/// Returns the largest size with which an unaligned access can go on at `address`, `left` bytes
/// before its end.
fn part(address: u32, left: u32) -> Size {
    match (address & 3, left) {
        (0, 4..) => Size::Word,
        (0 | 2, 2..) => Size::Half,
        _ => Size::Byte,
    }
}

impl<B: Bus> Processor<B> {
    /// Loads `size` at `address`, which need not be aligned on ARMv7-M (A3.2.1).
    #[inline]
    pub(crate) fn read_data(
        &mut self,
        address: u32,
        size: Size,
        privileged: bool,
    ) -> Result<u32, Fault> {
        if address & (size.bytes() - 1) != 0 {
            return self.read_unaligned(address, size, privileged);
        }
        self.read_aligned(address, size, privileged)
    }

    /// Stores `size` at `address`, which need not be aligned on ARMv7-M.
    #[inline]
    pub(crate) fn write_data(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
    ) -> Result<(), Fault> {
        if address & (size.bytes() - 1) != 0 {
            return self.write_unaligned(address, size, value, privileged);
        }
        self.write_aligned(address, size, value, privileged)
    }

    /// Loads for the instructions that always need alignment: LDM, LDRD, LDREX.
    #[inline]
    pub(crate) fn read_aligned(
        &mut self,
        address: u32,
        size: Size,
        privileged: bool,
    ) -> Result<u32, Fault> {
        if address & (size.bytes() - 1) != 0 {
            return Err(self.unaligned(address, size, Direction::Read));
        }
        if address >= self.plain_limit {
            return self.read_checked(address, size, privileged);
        }
        if let Some(value) = self.bus.read_memory(address, size) {
            self.pipeline.data_in_memory(address, Direction::Read);
            return Ok(value);
        }
        let cycle = self.pipeline.data(address, Direction::Read);
        match self.bus.read(address, size, cycle) {
            Ok(value) => Ok(value),
            Err(_) => self.precise_bus_fault(address, size, Direction::Read).map(|()| 0),
        }
    }

    /// Stores for the instructions that always need alignment: STM, STRD, STREX.
    #[inline]
    pub(crate) fn write_aligned(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
    ) -> Result<(), Fault> {
        if address & (size.bytes() - 1) != 0 {
            return Err(self.unaligned(address, size, Direction::Write));
        }
        if address >= self.plain_limit {
            return self.write_checked(address, size, value, privileged);
        }
        if self.bus.write_memory(address, size, value) {
            self.pipeline.data_in_memory(address, Direction::Write);
            if self.cache.may_hold(address) {
                self.cache.forget(address);
            }
            return Ok(());
        }
        let cycle = self.pipeline.data(address, Direction::Write);
        if self.bus.write(address, size, value, cycle).is_err() {
            return self.store_failed(address, size, cycle, true);
        }
        if self.cache.may_hold(address) {
            self.cache.forget(address);
        }
        Ok(())
    }

    /// An access that must be aligned and is not.
    #[cold]
    fn unaligned(&mut self, address: u32, size: Size, direction: Direction) -> Fault {
        self.note_access(address, size, direction);
        Fault::Unaligned
    }

    fn traps_unaligned(&self, address: u32) -> bool {
        self.architecture() == Architecture::V6M
            || self.system.scb.is_set(ccr::TRAP_UNALIGNED)
            || PRIVATE_BUS.contains(&address)
    }

    fn read_unaligned(&mut self, address: u32, size: Size, privileged: bool) -> Result<u32, Fault> {
        if self.traps_unaligned(address) {
            return Err(self.unaligned(address, size, Direction::Read));
        }
        let (mut value, mut done) = (0, 0);
        while done < size.bytes() {
            let place = address.wrapping_add(done);
            let part = part(place, size.bytes() - done);
            value |= self.read_aligned(place, part, privileged)? << (8 * done);
            done += part.bytes();
        }
        Ok(value)
    }

    fn write_unaligned(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
    ) -> Result<(), Fault> {
        if self.traps_unaligned(address) {
            return Err(self.unaligned(address, size, Direction::Write));
        }
        let mut done = 0;
        while done < size.bytes() {
            let place = address.wrapping_add(done);
            let part = part(place, size.bytes() - done);
            let mask = u32::MAX >> (32 - 8 * part.bytes());
            self.write_aligned(place, part, value >> (8 * done) & mask, privileged)?;
            done += part.bytes();
        }
        Ok(())
    }

    /// Checks that the MPU allows the access. Returns `Ok(true)` if the MPU makes the memory
    /// strongly ordered.
    fn check_access(
        &mut self,
        address: u32,
        access: Access,
        privileged: bool,
    ) -> Result<bool, Fault> {
        if PRIVATE_BUS.contains(&address) || !self.is_protected() {
            return Ok(false);
        }
        match self.system.mpu.check(address, access, privileged) {
            Some(permissions) => Ok(permissions.strongly_ordered),
            None => Err(Fault::DataAccess { address }),
        }
    }

    /// The same of a load or a store.
    fn check_data(
        &mut self,
        address: u32,
        size: Size,
        direction: Direction,
        privileged: bool,
    ) -> Result<bool, Fault> {
        let access = match direction {
            Direction::Read => Access::Read,
            Direction::Write => Access::Write,
        };
        let checked = self.check_access(address, access, privileged);
        if checked.is_err() {
            self.note_access(address, size, direction);
        }
        checked
    }

    /// Returns `true` if the MPU is in force at the present priority.
    fn is_protected(&self) -> bool {
        let mpu = &self.system.mpu;
        mpu.is_enabled() && (mpu.is_enabled_during_hard_fault() || self.execution_priority() >= 0)
    }

    /// Returns `true` if the MPU's regions can allow code at `address`, where the default memory
    /// map forbids code. They can among devices, and never in the system space (B3.5.3).
    pub(super) fn is_made_executable(&self, address: u32) -> bool {
        address < PRIVATE_START && self.is_protected() && self.system.mpu.covers(address)
    }

    /// Checks that the MPU allows the execution of the instruction at `address`.
    pub(super) fn check_execution(&mut self, address: u32, length: u8) -> Result<(), Fault> {
        let privileged = self.is_privileged();
        for halfword in (0..u32::from(length)).step_by(2) {
            let address = address.wrapping_add(halfword);
            self.check_access(address, Access::Execute, privileged)
                .map_err(|_| Fault::InstructionAccess)?;
        }
        Ok(())
    }

    fn read_checked(&mut self, address: u32, size: Size, privileged: bool) -> Result<u32, Fault> {
        self.check_data(address, size, Direction::Read, privileged)?;
        self.watch_data(address, Access::Read);
        if PRIVATE_BUS.contains(&address) {
            if !privileged && !self.system.allows_unprivileged(address, false) {
                self.note_access(address, size, Direction::Read);
                return Err(Fault::DataBus { address });
            }
            if System::owns(address) {
                return Ok(self.read_private(address, size));
            }
        }
        let cycle = self.pipeline.data(address, Direction::Read);
        let (place, bit) = self.bus_place(address, size);
        let result = self.bus.read(place, size, cycle);
        self.device_accessed(address, cycle);
        match (result, bit) {
            (Ok(value), Some(bit)) => Ok(value >> bit & 1),
            (Ok(value), None) => Ok(value),
            (Err(_), _) => self.precise_bus_fault(address, size, Direction::Read).map(|()| 0),
        }
    }

    fn write_checked(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
    ) -> Result<(), Fault> {
        let ordered = self.check_data(address, size, Direction::Write, privileged)?;
        self.watch_data(address, Access::Write);
        if PRIVATE_BUS.contains(&address) {
            if !privileged && !self.system.allows_unprivileged(address, true) {
                self.note_access(address, size, Direction::Write);
                return Err(Fault::DataBus { address });
            }
            if System::owns(address) {
                return self.write_private(address, size, value);
            }
        }
        let (place, bit) = self.bus_place(address, size);
        let mut value = value;
        if let Some(bit) = bit {
            // A locked read and write of the bit's byte changes the bit.
            let cycle = self.pipeline.data(address, Direction::Read);
            let Ok(old) = self.bus.read(place, size, cycle) else {
                return self.precise_bus_fault(address, size, Direction::Write);
            };
            value = old & !(1 << bit) | (value & 1) << bit;
        }
        let cycle = self.pipeline.data(address, Direction::Write);
        let result = self.bus.write(place, size, value, cycle);
        if self.cache.may_hold(place) {
            self.cache.forget(place);
        }
        self.device_accessed(address, cycle);
        match result {
            Ok(()) => Ok(()),
            Err(_) => self.store_failed(address, size, cycle, !ordered),
        }
    }

    /// Returns the address of an access on the bus, and the number of the bit if `address` is a
    /// bit-band alias. The access has the size of the instruction.
    fn bus_place(&self, address: u32, size: Size) -> (u32, Option<u32>) {
        match bit_band(address) {
            Some((byte, bit)) if self.configuration.bit_banding => {
                let place = byte & !(size.bytes() - 1);
                (place, Some(bit + 8 * (byte - place)))
            }
            _ => (address, None),
        }
    }

    /// A store that the bus refuses. The fault is imprecise if the store was buffered. ARMv6-M has
    /// no write buffer.
    #[cold]
    fn store_failed(
        &mut self,
        address: u32,
        size: Size,
        cycle: u64,
        bufferable: bool,
    ) -> Result<(), Fault> {
        let has_buffer = self.architecture() != Architecture::V6M;
        if !bufferable || !has_buffer || !self.system.scb.buffers_stores() {
            return self.precise_bus_fault(address, size, Direction::Write);
        }
        self.note_access(address, size, Direction::Write);
        self.imprecise_bus_fault(cycle);
        Ok(())
    }

    /// After each access that may have reached a device: the device's interrupt lines may have
    /// changed.
    fn device_accessed(&mut self, address: u32, cycle: u64) {
        if address >= DEVICES_START {
            if self.bus.fronts_changed() {
                self.pipeline.set_fronts(self.bus.fronts());
            }
            if self.bus.code_changed() {
                self.cache.distrust();
            }
            self.advance_devices(cycle);
            self.plan_next_event();
            self.reconsider(cycle);
        }
    }

    fn read_private(&mut self, address: u32, size: Size) -> u32 {
        let cycle = self.pipeline.data(address, Direction::Read);
        self.catch_up(cycle);
        self.system.read(address, size, cycle, &self.registers)
    }

    fn write_private(&mut self, address: u32, size: Size, value: u32) -> Result<(), Fault> {
        let cycle = self.pipeline.data(address, Direction::Write);
        self.catch_up(cycle);
        if self.system.write(address, size, value, cycle).is_err() {
            return self.precise_bus_fault(address, size, Direction::Write);
        }
        self.system_changed(cycle);
        Ok(())
    }

    /// Takes up everything that a write to a private peripheral in `cycle` may have changed.
    pub(super) fn system_changed(&mut self, cycle: u64) {
        // SysTick pends nothing by being written, but may have passed zero on the way.
        if self.system.systick.advance(cycle) {
            self.system.exceptions.set_pending(SYS_TICK, true);
        }
        self.choose_path();
        self.plan_next_event();
        self.reconsider(cycle);
    }

    /// Sends every access along the checked path when one may be refused or watched for.
    pub(super) fn choose_path(&mut self) {
        let checks =
            self.system.mpu.is_enabled() || self.system.is_watching() || self.has_stack_limits();
        self.plain_limit = match (checks, self.configuration.bit_banding) {
            (true, _) => 0,
            (false, true) => 0x2200_0000,
            (false, false) => DEVICES_START,
        };
    }

    /// Stacks one word of a frame. A fault of the access is precise, with or without a buffer
    /// (B1.5.11).
    pub(super) fn write_stack(
        &mut self,
        address: u32,
        value: u32,
        privileged: bool,
    ) -> Result<(), Fault> {
        self.check_data(address, Size::Word, Direction::Write, privileged)?;
        if PRIVATE_BUS.contains(&address) {
            return Err(self.stack_fault(address, Direction::Write));
        }
        let cycle = self.pipeline.data(address, Direction::Write);
        let result = self.bus.write(address, Size::Word, value, cycle);
        if self.cache.may_hold(address) {
            self.cache.forget(address);
        }
        self.device_accessed(address, cycle);
        result.map_err(|_| self.stack_fault(address, Direction::Write))
    }

    /// A word of a frame that nothing takes or gives.
    #[cold]
    fn stack_fault(&mut self, address: u32, direction: Direction) -> Fault {
        self.note_access(address, Size::Word, direction);
        Fault::DataBus { address }
    }

    /// Reads one word of a frame.
    pub(super) fn read_stack(&mut self, address: u32, privileged: bool) -> Result<u32, Fault> {
        self.check_data(address, Size::Word, Direction::Read, privileged)?;
        if PRIVATE_BUS.contains(&address) {
            return Err(self.stack_fault(address, Direction::Read));
        }
        let cycle = self.pipeline.data(address, Direction::Read);
        let result = self.bus.read(address, Size::Word, cycle);
        self.device_accessed(address, cycle);
        result.map_err(|_| self.stack_fault(address, Direction::Read))
    }
}
