//! The executor: the effect of each [`Operation`] on the registers and on memory.
//!
//! [`Processor::execute`] is one match; the groups behind it are a file each. An instruction that
//! faults can be executed again, because it changes nothing that it needs. The address is computed
//! first, memory is accessed next, and the destination and the written-back base come last.

pub(super) mod arithmetic;
mod branch;
pub(super) mod data;
mod dsp;
mod float;
mod limits;
mod memory;
mod multiple;
mod special;
#[cfg(test)]
mod tests;

use super::bus::Bus;
use super::cache::Decoded;
use super::faults::Fault;
use super::instruction::{Condition, Instruction, Operation, Register};
use super::{Flow, Processor};

/// The flags' places in APSR.
pub(super) const NEGATIVE: u32 = 1 << 31;
pub(super) const ZERO: u32 = 1 << 30;
pub(super) const CARRY: u32 = 1 << 29;
pub(super) const OVERFLOW: u32 = 1 << 28;
const SATURATED: u32 = 1 << 27;

/// For each condition, the set of the sixteen values of NZCV under which it holds (A7.3).
const CONDITIONS: [u16; 16] = {
    let mut table = [0; 16];
    let mut flags = 0;
    while flags < 16 {
        let (n, z) = (flags & 8 != 0, flags & 4 != 0);
        let (c, v) = (flags & 2 != 0, flags & 1 != 0);
        let positive = [z, c, n, v, c && !z, n == v, n == v && !z, true];
        let mut pair = 0;
        while pair < 8 {
            // The odd conditions are the negations, except that 1111 also means always.
            table[2 * pair] |= (positive[pair] as u16) << flags;
            table[2 * pair + 1] |= ((!positive[pair] || pair == 7) as u16) << flags;
            pair += 1;
        }
        flags += 1;
    }
    table
};

/// ITSTATE behind an instruction of an IT block (`ITAdvance`, A7.3.3).
#[inline]
pub(super) const fn advance_it(itstate: u8) -> u8 {
    if itstate & 7 == 0 { 0 } else { itstate & 0xE0 | itstate << 1 & 0x1F }
}

impl<B: Bus> Processor<B> {
    /// Executes the instruction at `address`, which is also in `registers.r[15]`.
    ///
    /// On [`Flow::Next`] the caller moves on by the instruction's length. On [`Flow::Branched`] the
    /// program counter is final. On a fault, the program counter and ITSTATE stay.
    #[inline(always)]
    pub(super) fn execute(&mut self, address: u32, decoded: &Decoded) -> Result<Flow, Fault> {
        if self.registers.itstate | self.registers.ici != 0 {
            return self.execute_in_progress(address, decoded);
        }
        self.pipeline.issue(address, decoded.code, &decoded.facts, [true, false]);
        self.perform(&decoded.instruction, 0)
    }

    /// Executes one instruction of an IT block, or the rest of an interrupted load or store
    /// multiple. If an interrupt returns to any other instruction with this state, it is an illegal
    /// use of EPSR. The fault tells this to the code that changed the stacked program counter.
    #[inline(never)]
    fn execute_in_progress(&mut self, address: u32, decoded: &Decoded) -> Result<Flow, Fault> {
        if self.registers.itstate != 0 {
            return self.execute_in_it_block(address, decoded);
        }
        self.pipeline.issue(address, decoded.code, &decoded.facts, [true, false]);
        match decoded.instruction.operation {
            Operation::LoadMultiple { .. } | Operation::StoreMultiple { .. } => {
                self.perform(&decoded.instruction, 0)
            }
            _ => Err(Fault::InvalidState),
        }
    }

    /// One instruction of an IT block. BKPT ignores the condition (A7.7.17).
    fn execute_in_it_block(&mut self, address: u32, decoded: &Decoded) -> Result<Flow, Fault> {
        let instruction = &decoded.instruction;
        let itstate = self.registers.itstate;
        let passed = self.holds(Condition(itstate >> 4))
            || matches!(instruction.operation, Operation::Breakpoint { .. });
        self.pipeline.issue(address, decoded.code, &decoded.facts, [passed, true]);
        // This is already the state of the next instruction: an exception return replaces it, and
        // so does an IT in an IT block.
        self.registers.itstate = advance_it(itstate);
        if !passed {
            self.skipped += 1;
            self.pass_by(&instruction.operation);
            return Ok(Flow::Next);
        }
        let flow = match instruction.operation {
            // UNPREDICTABLE; see the decoder's list.
            Operation::Branch { condition, .. } if condition != Condition::AL => {
                Err(Fault::Undefined)
            }
            _ => self.perform(instruction, itstate),
        };
        // BKPT never goes on by itself: the debugger or the handler decides.
        let stays = match flow {
            Ok(Flow::Next) => false,
            Ok(Flow::Branched) => matches!(instruction.operation, Operation::Breakpoint { .. }),
            _ => true,
        };
        if stays {
            self.registers.itstate = itstate;
        }
        flow
    }

    /// Returns `true` if the next instruction of an IT block would be executed.
    fn would_pass(&self, itstate: u8) -> bool {
        self.holds(Condition(itstate >> 4))
    }

    /// Returns `true` if a condition holds now.
    #[inline]
    pub(super) fn holds(&self, condition: Condition) -> bool {
        CONDITIONS[usize::from(condition.0 & 15)] >> (self.registers.apsr >> 28) & 1 != 0
    }

    /// A register as an operand: PC reads as the instruction's address plus 4.
    #[inline]
    fn operand(&self, register: Register) -> u32 {
        let value = self.registers.r[usize::from(register.0 & 15)];
        if register == Register::PC { value.wrapping_add(4) } else { value }
    }

    /// Writes a register other than PC; the two low bits of SP do not exist.
    #[inline]
    pub(super) fn set(&mut self, register: Register, value: u32) {
        let value = if register == Register::SP { value & !3 } else { value };
        self.registers.r[usize::from(register.0 & 15)] = value;
    }

    /// Does the instruction's work, after its condition has passed. `itstate` is ITSTATE before the
    /// instruction.
    #[inline]
    fn perform(&mut self, instruction: &Instruction, itstate: u8) -> Result<Flow, Fault> {
        // Narrow instructions leave the flags alone inside an IT block, except for the comparisons.
        let flags_allowed = itstate == 0 || instruction.length == 4;
        match instruction.operation {
            Operation::Alu { operation, set_flags, rd, rn, ref operand } => {
                return Ok(self.alu(operation, set_flags && flags_allowed, rd, rn, operand));
            }
            Operation::Move { set_flags, rd, ref operand } => {
                return Ok(self.move_operand(set_flags && flags_allowed, rd, operand));
            }
            Operation::MoveNot { set_flags, rd, ref operand } => {
                self.move_not(set_flags && flags_allowed, rd, operand);
            }
            Operation::Compare { operation, rn, ref operand } => {
                self.compare(operation, rn, operand);
            }
            Operation::Adr { rd, offset } => {
                let base = self.operand(Register::PC) & !3;
                self.set(rd, base.wrapping_add_signed(offset));
            }
            Operation::MoveWide { rd, immediate } => self.set(rd, u32::from(immediate)),
            Operation::MoveTop { rd, immediate } => self.move_top(rd, immediate),
            Operation::Load { size, signed, unprivileged, rt, ref address } => {
                return self.load(size, signed, unprivileged, rt, address);
            }
            Operation::Store { size, unprivileged, rt, ref address } => {
                self.store(size, unprivileged, rt, address)?;
            }
            Operation::Branch { condition, offset } => {
                if self.holds(condition) {
                    return Ok(self.branch_relative(offset));
                }
                self.pipeline.pass_by(self.relative(offset));
            }
            Operation::CompareBranch { nonzero, rn, offset } => {
                if (self.operand(rn) != 0) == nonzero {
                    return Ok(self.branch_relative(offset));
                }
            }
            Operation::BranchLink { offset } => {
                self.link(4);
                return Ok(self.branch_relative(offset));
            }
            Operation::BranchExchange { rm } => {
                return Ok(self.branch_exchange(self.operand(rm)));
            }
            Operation::BranchLinkExchange { rm } => {
                let target = self.operand(rm);
                self.link(2);
                return Ok(self.branch_interworking(target));
            }
            Operation::LoadMultiple { base, registers, decrement_before, writeback } => {
                let transfer = multiple::Transfer { base, registers, decrement_before, writeback };
                return self.load_multiple(transfer, itstate);
            }
            Operation::StoreMultiple { base, registers, decrement_before, writeback } => {
                let transfer = multiple::Transfer { base, registers, decrement_before, writeback };
                return self.store_multiple(transfer, itstate);
            }
            Operation::IfThen { first_condition, mask } => {
                self.registers.itstate = first_condition << 4 | mask;
            }
            Operation::Multiply { set_flags, rd, rn, rm } => {
                self.multiply(set_flags && flags_allowed, rd, rn, rm);
            }
            _ => return self.perform_rarer(&instruction.operation),
        }
        Ok(Flow::Next)
    }

    /// The rest of [`Self::perform`], apart so that the frequent part stays small.
    fn perform_rarer(&mut self, operation: &Operation) -> Result<Flow, Fault> {
        match *operation {
            Operation::MultiplyAccumulate { subtract, rd, rn, rm, ra } => {
                self.multiply_accumulate(subtract, rd, rn, rm, ra);
            }
            Operation::MultiplyLong { signed, accumulate, rd_lo, rd_hi, rn, rm } => {
                return Ok(self.multiply_long(signed, accumulate, (rd_lo, rd_hi), (rn, rm)));
            }
            Operation::Divide { signed, rd, rn, rm } => return self.divide(signed, rd, rn, rm),
            Operation::BitFieldInsert { rd, rn, lsb, width } => {
                self.bit_field_insert(rd, rn, lsb, width);
            }
            Operation::BitFieldExtract { signed, rd, rn, lsb, width } => {
                self.bit_field_extract(signed, rd, rn, lsb, width);
            }
            Operation::Saturate { signed, rd, rn, shift, amount, to } => {
                self.saturate(signed, rd, self.shifted(self.operand(rn), shift, amount), to);
            }
            Operation::Extend { signed, size, rd, rm, rotation } => {
                let value = self.operand(rm).rotate_right(u32::from(rotation));
                self.set(rd, arithmetic::extend(value, size, signed));
            }
            Operation::Reverse { kind, rd, rm } => {
                self.set(rd, arithmetic::reverse(kind, self.operand(rm)));
            }
            Operation::CountLeadingZeros { rd, rm } => {
                self.set(rd, self.operand(rm).leading_zeros());
            }
            Operation::LoadDual { rt, rt2, base, offset, indexing } => {
                self.load_dual((rt, rt2), base, offset, indexing)?;
            }
            Operation::StoreDual { rt, rt2, base, offset, indexing } => {
                self.store_dual((rt, rt2), base, offset, indexing)?;
            }
            Operation::LoadAcquire { size, rt, base } => self.load_acquire(size, rt, base)?,
            Operation::StoreRelease { size, rt, base } => self.store_release(size, rt, base)?,
            Operation::LoadExclusive { size, rt, base, offset } => {
                self.load_exclusive(size, rt, base, offset)?;
            }
            Operation::StoreExclusive { size, rd, rt, base, offset } => {
                self.store_exclusive(size, rd, rt, base, offset)?;
            }
            Operation::Dsp(ref dsp) => self.digital_signal_processing(dsp),
            Operation::Float(ref operation) => return self.floating_point(operation),
            Operation::TableBranch { half, base, index } => {
                return self.table_branch(half, base, index);
            }
            ref other => return self.perform_system(other),
        }
        Ok(Flow::Next)
    }

    /// The instructions that act on the processor rather than on data.
    fn perform_system(&mut self, operation: &Operation) -> Result<Flow, Fault> {
        match *operation {
            Operation::ClearExclusive => self.exclusive.clear(),
            Operation::MoveToSpecial { rn, special, mask } => {
                self.move_to_special(special, mask, self.operand(rn));
            }
            Operation::MoveFromSpecial { rd, special } => {
                self.set(rd, self.move_from_special(special));
            }
            Operation::ChangeState { disable, primask, faultmask } => {
                self.change_state(disable, primask, faultmask);
            }
            Operation::WaitForEvent => self.wait_for_event(),
            Operation::WaitForInterrupt => self.wait_for_interrupt(),
            Operation::SendEvent => self.send_event(),
            Operation::InstructionSynchronizationBarrier => self.end_late_unmasking(),
            Operation::SupervisorCall { .. } => return self.supervisor_call(),
            Operation::Breakpoint { immediate } => return self.breakpoint(immediate),
            Operation::Coprocessor { .. } => return Err(Fault::NoCoprocessor),
            Operation::Undefined => return Err(Fault::Undefined),
            // Hints. The barriers have no work here, because everything is in order already; the
            // pipeline has their time.
            _ => {}
        }
        Ok(Flow::Next)
    }
}
