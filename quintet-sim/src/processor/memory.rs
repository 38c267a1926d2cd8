//! The data access path: what happens to a load or store between the instruction and the bus.

use super::Processor;
use super::bus::Bus;
use super::faults::Fault;
use super::instruction::Size;
use crate::timing::Direction;

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
            return Err(Fault::Unaligned);
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
            return Err(Fault::Unaligned);
        }
        self.write_aligned(address, size, value, privileged)
    }

    /// Loads for the instructions that always need alignment: LDM, LDRD, LDREX.
    #[inline]
    pub(crate) fn read_aligned(
        &mut self,
        address: u32,
        size: Size,
        _privileged: bool,
    ) -> Result<u32, Fault> {
        if address & (size.bytes() - 1) != 0 {
            return Err(Fault::Unaligned);
        }
        let cycle = self.pipeline.data(address, size, Direction::Read);
        self.bus.read(address, size, cycle).map_err(|_| Fault::DataBus { address })
    }

    /// Stores for the instructions that always need alignment: STM, STRD, STREX.
    #[inline]
    pub(crate) fn write_aligned(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        _privileged: bool,
    ) -> Result<(), Fault> {
        if address & (size.bytes() - 1) != 0 {
            return Err(Fault::Unaligned);
        }
        let cycle = self.pipeline.data(address, size, Direction::Write);
        self.bus.write(address, size, value, cycle).map_err(|_| Fault::DataBus { address })
    }
}
