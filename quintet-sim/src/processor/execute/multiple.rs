//! Load and store multiple, which an interrupt can split (B1.5.10).
//!
//! An exception that is due between two transfers stops the instruction, which goes on after the
//! handler. ICI keeps the number of the next register. In three cases the instruction starts from
//! the beginning instead: inside an IT block (ICI and ITSTATE share their bits), if the base is
//! among the registers loaded, and if the stores are below the stack pointer, where the exception
//! puts its frame.

use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::instruction::{Register, Size};
use crate::processor::{Architecture, Flow, Processor};

/// The fields of a load or store multiple.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    pub(super) base: Register,
    pub(super) registers: u16,
    pub(super) decrement_before: bool,
    pub(super) writeback: bool,
}

impl Transfer {
    fn has_base(&self) -> bool {
        self.registers >> self.base.0 & 1 != 0
    }

    /// The lowest address and the base afterwards, from the base.
    fn range(&self, base: u32) -> (u32, u32) {
        let bytes = 4 * self.registers.count_ones();
        if self.decrement_before {
            let low = base.wrapping_sub(bytes);
            (low, low)
        } else {
            (base, base.wrapping_add(bytes))
        }
    }

    /// Returns the rest of a transfer that goes on at register `ici`: the registers and the first
    /// address. If `ici` is 0, or names a register that is not in the list, the rest is the whole
    /// transfer.
    fn remainder(&self, low: u32, ici: u8) -> (u16, u32) {
        let next = 1u16 << (ici & 15);
        if ici == 0 || self.registers & next == 0 {
            return (self.registers, low);
        }
        let done = (self.registers & (next - 1)).count_ones();
        (self.registers & !(next - 1), low.wrapping_add(4 * done))
    }
}

impl<B: Bus> Processor<B> {
    /// Stops at register `next`; the instruction is executed again after the exception.
    fn interrupted(&mut self, next: u8, resumable: bool, itstate: u8) -> Flow {
        // ARMv6-M has no ICI: the instruction starts over.
        let resumable = resumable && itstate == 0 && self.architecture() != Architecture::V6M;
        self.registers.ici = if resumable { next } else { 0 };
        self.registers.itstate = itstate;
        Flow::Branched
    }

    /// LDM, LDMDB and POP. A loaded base is written last, so that a fault leaves the base
    /// unchanged.
    pub(super) fn load_multiple(&mut self, transfer: Transfer, itstate: u8) -> Result<Flow, Fault> {
        let privileged = self.is_privileged();
        let (low, mut new_base) = transfer.range(self.operand(transfer.base));
        let ici = std::mem::take(&mut self.registers.ici);
        let (registers, mut address) = transfer.remainder(low, ici);
        let mut left = registers;
        let mut program_counter = 0;
        while left != 0 {
            let register = Register(left.trailing_zeros() as u8);
            if left != registers && self.interrupt_due() {
                return Ok(self.interrupted(register.0, !transfer.has_base(), itstate));
            }
            let value = self.read_aligned(address, Size::Word, privileged)?;
            match register {
                Register::PC => program_counter = value,
                register if register == transfer.base => new_base = value,
                register => self.set(register, value),
            }
            address = address.wrapping_add(4);
            left &= left - 1;
        }
        if transfer.writeback || transfer.has_base() {
            self.set(transfer.base, new_base);
        }
        if registers >> 15 != 0 {
            return Ok(self.branch_exchange(program_counter));
        }
        Ok(Flow::Next)
    }

    /// STM, STMDB and PUSH. A base in the list is stored with its old value.
    pub(super) fn store_multiple(
        &mut self,
        transfer: Transfer,
        itstate: u8,
    ) -> Result<Flow, Fault> {
        let privileged = self.is_privileged();
        let (low, new_base) = transfer.range(self.operand(transfer.base));
        let resumable = !(transfer.decrement_before && transfer.base == Register::SP);
        let ici = std::mem::take(&mut self.registers.ici);
        let (registers, mut address) = transfer.remainder(low, ici);
        let mut left = registers;
        while left != 0 {
            let register = Register(left.trailing_zeros() as u8);
            if left != registers && self.interrupt_due() {
                return Ok(self.interrupted(register.0, resumable, itstate));
            }
            self.write_aligned(address, Size::Word, self.operand(register), privileged)?;
            address = address.wrapping_add(4);
            left &= left - 1;
        }
        if transfer.writeback {
            self.set(transfer.base, new_base);
        }
        Ok(Flow::Next)
    }
}
