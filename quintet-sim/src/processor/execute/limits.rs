//! ARMv8-M: the limits of stacks. An instruction that would take the stack pointer below the limit
//! of the stack in use doesn't happen, and is a UsageFault STKOF.

use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::instruction::float::Float;
use crate::processor::instruction::{Indexing, Instruction, Offset, Operation, Register};
use crate::processor::system::scb::ccr;
use crate::processor::{Architecture, Processor};

impl<B: Bus> Processor<B> {
    /// Returns the lowest value of the stack pointer in use. `None` if the core has no limits or no
    /// limit is set, and in handlers of HardFault and NMI that ask for no limit (CCR.STKOFHFNMIGN).
    pub(crate) fn stack_limit(&self) -> Option<u32> {
        if self.architecture() != Architecture::V8M {
            return None;
        }
        let limit = self.system.stack_limits[usize::from(self.registers.process_stack)];
        let ignored = self.system.scb.is_set(ccr::IGNORE_STACK_LIMITS);
        (limit != 0 && !(ignored && self.execution_priority() < 0)).then_some(limit)
    }

    /// Returns `true` if any limit is set, so that instructions have to be looked at.
    pub(crate) fn has_stack_limits(&self) -> bool {
        self.system.stack_limits != [0; 2]
    }

    /// Checks the next instruction before its execution.
    pub(crate) fn check_stack_limit(&mut self, instruction: &Instruction) -> Result<(), Fault> {
        let Some(limit) = self.stack_limit() else { return Ok(()) };
        let itstate = self.registers.itstate;
        if itstate != 0 && !self.would_pass(itstate) {
            return Ok(());
        }
        match self.stack_behind(instruction) {
            Some(stack) if stack < limit => Err(Fault::StackOverflow),
            _ => Ok(()),
        }
    }

    /// Returns the stack pointer behind an instruction that writes it.
    fn stack_behind(&mut self, instruction: &Instruction) -> Option<u32> {
        let stack = self.registers.r[13];
        let moved = |base: Register, offset: u32, indexing: Indexing| {
            (base == Register::SP && indexing != Indexing::Offset)
                .then_some(stack.wrapping_add(offset))
        };
        match instruction.operation {
            Operation::StoreMultiple { base, registers, decrement_before, writeback: true }
            | Operation::LoadMultiple { base, registers, decrement_before, writeback: true }
                if base == Register::SP =>
            {
                let bytes = 4 * registers.count_ones();
                Some(if decrement_before {
                    stack.wrapping_sub(bytes)
                } else {
                    stack.wrapping_add(bytes)
                })
            }
            Operation::Load { ref address, .. } | Operation::Store { ref address, .. } => {
                let Offset::Immediate(offset) = address.offset else { return None };
                moved(address.base, offset as u32, address.indexing)
            }
            Operation::LoadDual { base, offset, indexing, .. }
            | Operation::StoreDual { base, offset, indexing, .. } => {
                moved(base, offset as u32, indexing)
            }
            Operation::Alu { rd: Register::SP, .. } | Operation::Move { rd: Register::SP, .. } => {
                // They change nothing but registers.
                let before = self.registers.clone();
                let done = self.perform(instruction, self.registers.itstate);
                let stack = self.registers.r[13];
                self.registers = before;
                done.ok().map(|_| stack)
            }
            Operation::Float(Float::Multiple {
                bytes,
                base: Register::SP,
                decrement_before,
                writeback: true,
                ..
            }) => Some(if decrement_before {
                stack.wrapping_sub(u32::from(bytes))
            } else {
                stack.wrapping_add(u32::from(bytes))
            }),
            _ => None,
        }
    }
}
