//! Branches and everything else that writes the program counter (A2.3.1, B1.4.7).

use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::history::Jump;
use crate::processor::instruction::{Operation, Register, Size};
use crate::processor::registers::Mode;
use crate::processor::{Flow, Processor};

impl<B: Bus> Processor<B> {
    /// `BranchTo`: goes on at an even address.
    #[inline]
    pub(super) fn branch_to(&mut self, target: u32) -> Flow {
        self.notes.jump = Jump { from: self.registers.r[15], to: target };
        self.registers.r[15] = target;
        self.pipeline.redirect(target);
        Flow::Branched
    }

    /// Goes on at an offset from the PC that the instruction reads.
    #[inline]
    pub(super) fn branch_relative(&mut self, offset: i32) -> Flow {
        self.branch_to(self.relative(offset))
    }

    /// The address at an offset from the PC that the instruction reads.
    #[inline]
    pub(super) fn relative(&self, offset: i32) -> u32 {
        self.registers.r[15].wrapping_add(4).wrapping_add_signed(offset)
    }

    /// Tells the pipeline the target of an instruction that an IT block skips, if the fetch unit
    /// asks for that target before it knows.
    pub(super) fn pass_by(&mut self, operation: &Operation) {
        let target = match *operation {
            Operation::Branch { offset, .. } | Operation::BranchLink { offset } => {
                self.relative(offset)
            }
            Operation::BranchExchange { rm: Register::LR }
            | Operation::BranchLinkExchange { rm: Register::LR }
            | Operation::Move { rd: Register::PC, .. } => self.registers.r[14] & !1,
            _ => return,
        };
        self.pipeline.pass_by(target);
    }

    /// `BLXWritePC`: bit 0 becomes the T bit. If the bit is clear, the next instruction faults with
    /// INVSTATE.
    #[inline]
    pub(super) fn branch_interworking(&mut self, target: u32) -> Flow {
        self.registers.thumb = target & 1 != 0;
        self.branch_to(target & !1)
    }

    /// `BXWritePC` and `LoadWritePC`: in handler mode, the addresses at the top of memory are
    /// EXC_RETURN values.
    #[inline]
    pub(super) fn branch_exchange(&mut self, target: u32) -> Flow {
        if target >> 28 == 0xF && self.registers.mode() == Mode::Handler {
            self.return_exception(target);
            return Flow::Branched;
        }
        self.branch_interworking(target)
    }

    /// Puts the return address of a call that is `length` bytes long into LR.
    #[inline]
    pub(super) fn link(&mut self, length: u32) {
        self.registers.r[14] = self.registers.r[15].wrapping_add(length) | 1;
    }

    /// TBB and TBH: an unsigned number of halfwords from a table.
    pub(super) fn table_branch(
        &mut self,
        half: bool,
        base: Register,
        index: Register,
    ) -> Result<Flow, Fault> {
        let (size, scale) = if half { (Size::Half, 1) } else { (Size::Byte, 0) };
        let entry = self.operand(base).wrapping_add(self.operand(index) << scale);
        let privileged = self.is_privileged();
        let halfwords = self.read_data(entry, size, privileged)?;
        Ok(self.branch_relative((halfwords * 2) as i32))
    }
}
