//! The instructions that read and write a word as one.

use super::arithmetic::combine;
use super::bus::Bus;
use super::hart::Hart;
use super::instruction::{Atomic, Register, Width};
use super::trap::{Exception, cause};

impl<B: Bus> Hart<B> {
    pub(super) fn store_conditional(
        &mut self,
        rd: Register,
        rs1: Register,
        rs2: Register,
    ) -> Result<(), Exception> {
        let address = self.get(rs1);
        if !address.is_multiple_of(4) {
            return Err(Exception { cause: cause::STORE_MISALIGNED, value: address });
        }
        let is_reserved = match self.reservation {
            // A VexRiscv does not remember which word it was.
            Some(_) if self.configuration.model.is_vexriscv() => true,
            reserved => reserved == Some(address),
        };
        if is_reserved {
            self.store(Width::Word, address, self.get(rs2))?;
        }
        self.reservation = None;
        self.set(rd, u32::from(!is_reserved));
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        operation: Atomic,
        rd: Register,
        rs1: Register,
        rs2: Register,
    ) -> Result<(), Exception> {
        let address = self.get(rs1);
        let old = self.load_for_store(address)?;
        self.store(Width::Word, address, combine(operation, old, self.get(rs2)))?;
        self.set(rd, old);
        Ok(())
    }
}
