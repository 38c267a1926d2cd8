//! Single, dual and exclusive loads and stores.

use super::arithmetic::extend;
use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::instruction::{Address, Indexing, Offset, Register, Size};
use crate::processor::{Flow, Processor};

/// The address of an access, and the new value of its base.
struct Target {
    address: u32,
    written_back: Option<u32>,
}

impl<B: Bus> Processor<B> {
    /// The base of an address; PC as a base is word-aligned.
    #[inline]
    pub(super) fn base(&self, base: Register) -> u32 {
        let value = self.operand(base);
        if base == Register::PC { value & !3 } else { value }
    }

    #[inline]
    fn target(&self, base: Register, offset: u32, indexing: Indexing) -> Target {
        let base = self.base(base);
        let sum = base.wrapping_add(offset);
        match indexing {
            Indexing::Offset => Target { address: sum, written_back: None },
            Indexing::PreIndexed => Target { address: sum, written_back: Some(sum) },
            Indexing::PostIndexed => Target { address: base, written_back: Some(sum) },
        }
    }

    #[inline]
    fn single_target(&self, address: &Address) -> Target {
        let offset = match address.offset {
            Offset::Immediate(offset) => offset as u32,
            Offset::Register { rm, lsl } => self.operand(rm) << lsl,
        };
        self.target(address.base, offset, address.indexing)
    }

    #[inline]
    fn write_back(&mut self, base: Register, written_back: Option<u32>) {
        if let Some(value) = written_back {
            self.set(base, value);
        }
    }

    /// LDR and its variants. With PC as the destination, the instruction is a branch.
    #[inline]
    pub(super) fn load(
        &mut self,
        size: Size,
        signed: bool,
        unprivileged: bool,
        rt: Register,
        address: &Address,
    ) -> Result<Flow, Fault> {
        let target = self.single_target(address);
        let privileged = !unprivileged && self.is_privileged();
        let value = self.read_data(target.address, size, privileged)?;
        self.write_back(address.base, target.written_back);
        if rt == Register::PC {
            return Ok(self.branch_exchange(value));
        }
        self.set(rt, extend(value, size, signed));
        Ok(Flow::Next)
    }

    /// STR and its variants.
    #[inline]
    pub(super) fn store(
        &mut self,
        size: Size,
        unprivileged: bool,
        rt: Register,
        address: &Address,
    ) -> Result<(), Fault> {
        let target = self.single_target(address);
        let privileged = !unprivileged && self.is_privileged();
        let value = extend(self.operand(rt), size, false);
        self.write_data(target.address, size, value, privileged)?;
        self.write_back(address.base, target.written_back);
        Ok(())
    }

    /// LDRD.
    pub(super) fn load_dual(
        &mut self,
        (rt, rt2): (Register, Register),
        base: Register,
        offset: i32,
        indexing: Indexing,
    ) -> Result<(), Fault> {
        let target = self.target(base, offset as u32, indexing);
        let privileged = self.is_privileged();
        let first = self.read_aligned(target.address, Size::Word, privileged)?;
        let second = self.read_aligned(target.address.wrapping_add(4), Size::Word, privileged)?;
        self.set(rt, first);
        self.set(rt2, second);
        self.write_back(base, target.written_back);
        Ok(())
    }

    /// STRD.
    pub(super) fn store_dual(
        &mut self,
        (rt, rt2): (Register, Register),
        base: Register,
        offset: i32,
        indexing: Indexing,
    ) -> Result<(), Fault> {
        let target = self.target(base, offset as u32, indexing);
        let privileged = self.is_privileged();
        let (first, second) = (self.operand(rt), self.operand(rt2));
        self.write_aligned(target.address, Size::Word, first, privileged)?;
        self.write_aligned(target.address.wrapping_add(4), Size::Word, second, privileged)?;
        self.write_back(base, target.written_back);
        Ok(())
    }

    /// LDA, LDAH and LDAB. An address that isn't aligned is a fault, whatever CCR says.
    pub(super) fn load_acquire(
        &mut self,
        size: Size,
        rt: Register,
        base: Register,
    ) -> Result<(), Fault> {
        let privileged = self.is_privileged();
        let value = self.read_aligned(self.operand(base), size, privileged)?;
        self.set(rt, value);
        Ok(())
    }

    /// STL, STLH and STLB.
    pub(super) fn store_release(
        &mut self,
        size: Size,
        rt: Register,
        base: Register,
    ) -> Result<(), Fault> {
        let privileged = self.is_privileged();
        let value = extend(self.operand(rt), size, false);
        self.write_aligned(self.operand(base), size, value, privileged)
    }

    /// LDREX, LDREXH and LDREXB.
    pub(super) fn load_exclusive(
        &mut self,
        size: Size,
        rt: Register,
        base: Register,
        offset: u16,
    ) -> Result<(), Fault> {
        let address = self.operand(base).wrapping_add(u32::from(offset));
        let privileged = self.is_privileged();
        let value = self.read_aligned(address, size, privileged)?;
        self.exclusive.reserve();
        self.set(rt, value);
        Ok(())
    }

    /// STREX, STREXH and STREXB: 0 in `rd` when the store happened, 1 when not. The alignment is
    /// checked in either case (B2.3.6).
    pub(super) fn store_exclusive(
        &mut self,
        size: Size,
        rd: Register,
        rt: Register,
        base: Register,
        offset: u16,
    ) -> Result<(), Fault> {
        let address = self.operand(base).wrapping_add(u32::from(offset));
        if address & (size.bytes() - 1) != 0 {
            return Err(Fault::Unaligned);
        }
        let stores = self.exclusive.take();
        if stores {
            let privileged = self.is_privileged();
            let value = extend(self.operand(rt), size, false);
            self.write_aligned(address, size, value, privileged)?;
        }
        self.set(rd, u32::from(!stores));
        Ok(())
    }
}
