//! Loads and stores: protection first, then the bus.

use super::bus::Bus;
use super::csr::status;
use super::hart::{Hart, Privilege};
use super::instruction::Width;
use super::pmp::Access;
use super::trap::{Exception, cause};
use crate::processor::instruction::Size;

/// The exceptions of an access.
#[derive(Clone, Copy)]
struct Causes {
    misaligned: u32,
    fault: u32,
}

const OF_LOADS: Causes = Causes { misaligned: cause::LOAD_MISALIGNED, fault: cause::LOAD_FAULT };
const OF_STORES: Causes = Causes { misaligned: cause::STORE_MISALIGNED, fault: cause::STORE_FAULT };

const fn size(width: Width) -> Size {
    match width {
        Width::Byte | Width::ByteUnsigned => Size::Byte,
        Width::Half | Width::HalfUnsigned => Size::Half,
        Width::Word => Size::Word,
    }
}

impl<B: Bus> Hart<B> {
    /// Whether loads and stores are those of machine mode.
    pub(super) fn is_machine_data(&self) -> bool {
        let borrowed = self.csr.status & status::MPRV != 0;
        let privilege = if borrowed { self.csr.previous_privilege() } else { Privilege::Machine };
        self.privilege == Privilege::Machine && privilege == Privilege::Machine
    }

    /// Loads, with the extension of the width.
    #[inline]
    pub(super) fn load(&mut self, width: Width, address: u32) -> Result<u32, Exception> {
        let value = self.read(Access::Read, size(width), address, OF_LOADS)?;
        Ok(match width {
            Width::Byte => i32::from(value as i8) as u32,
            Width::Half => i32::from(value as i16) as u32,
            _ => value,
        })
    }

    /// Loads a word for LR.W.
    pub(super) fn load_atomic(&mut self, address: u32) -> Result<u32, Exception> {
        aligned(address, cause::LOAD_MISALIGNED)?;
        self.read(Access::Read, Size::Word, address, OF_LOADS)
    }

    /// Loads a word that an atomic operation writes too. Its exceptions are those of stores.
    pub(super) fn load_for_store(&mut self, address: u32) -> Result<u32, Exception> {
        aligned(address, cause::STORE_MISALIGNED)?;
        let machine = self.is_machine_data();
        if !self.may(Access::Read, address, 4, machine) {
            return Err(Exception { cause: cause::STORE_FAULT, value: address });
        }
        self.read(Access::Write, Size::Word, address, OF_STORES)
    }

    fn read(
        &mut self,
        access: Access,
        size: Size,
        address: u32,
        causes: Causes,
    ) -> Result<u32, Exception> {
        self.check(access, size, address, causes)?;
        let bytes = size.bytes();
        if address.is_multiple_of(bytes) {
            let value = self.bus.read(address, size, self.cycle);
            self.touched(address);
            if self.configuration.model.is_vexriscv() {
                // It does not hear that nothing is there.
                return Ok(value.unwrap_or(u32::MAX));
            }
            return value.map_err(|_| Exception { cause: causes.fault, value: address });
        }
        let mut value = 0;
        for index in 0..bytes {
            let at = address.wrapping_add(index);
            let byte = self.bus.read(at, Size::Byte, self.cycle);
            self.touched(at);
            let byte = byte.map_err(|_| Exception { cause: causes.fault, value: at })?;
            value |= byte << (8 * index);
        }
        Ok(value)
    }

    /// Stores the low bits of a value.
    #[inline]
    pub(super) fn store(
        &mut self,
        width: Width,
        address: u32,
        value: u32,
    ) -> Result<(), Exception> {
        let size = size(width);
        self.check(Access::Write, size, address, OF_STORES)?;
        let bytes = size.bytes();
        let fault = |value| Exception { cause: cause::STORE_FAULT, value };
        if self.configuration.model.is_vexriscv() && address.is_multiple_of(bytes) {
            if self.bus.is_device(address) {
                self.posted.push_back((address, size, value));
            } else {
                let _ = self.bus.write(address, size, value, self.cycle);
            }
            return Ok(());
        }
        if address.is_multiple_of(bytes) {
            let done = self.bus.write(address, size, value, self.cycle);
            self.touched(address);
            return done.map_err(|_| fault(address));
        }
        for (index, byte) in (0..bytes).zip(value.to_le_bytes()) {
            let at = address.wrapping_add(index);
            let done = self.bus.write(at, Size::Byte, u32::from(byte), self.cycle);
            self.touched(at);
            done.map_err(|_| fault(at))?;
        }
        Ok(())
    }

    /// Checks alignment and protection. Of an access that protection refuses in part, nothing is
    /// done, and its first refused byte is told.
    #[inline]
    fn check(
        &self,
        access: Access,
        size: Size,
        address: u32,
        causes: Causes,
    ) -> Result<(), Exception> {
        let bytes = size.bytes();
        let is_aligned = address.is_multiple_of(bytes);
        if !is_aligned && !self.configuration.misaligned {
            return Err(Exception { cause: causes.misaligned, value: address });
        }
        let machine = self.is_machine_data();
        let fault = |value| Err(Exception { cause: causes.fault, value });
        if is_aligned {
            return if self.may(access, address, bytes, machine) { Ok(()) } else { fault(address) };
        }
        let mut places = (0..bytes).map(|index| address.wrapping_add(index));
        places.find(|at| !self.may(access, *at, 1, machine)).map_or(Ok(()), fault)
    }

    /// After an access: a device may have changed its interrupts.
    #[inline]
    fn touched(&mut self, address: u32) {
        if self.bus.is_device(address) {
            self.look_at_bus();
        }
    }
}

fn aligned(address: u32, cause: u32) -> Result<(), Exception> {
    if address.is_multiple_of(4) { Ok(()) } else { Err(Exception { cause, value: address }) }
}
