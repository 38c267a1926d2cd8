//! The quick path: instructions that the pipeline remembers, one after the other.
//!
//! A state of the pipeline that is remembered names the instruction that comes next. So its number
//! finds all that this instruction needs: what it does, in [eight bytes](micro), and which state
//! follows from its inputs. Nothing is fetched, decoded or asked of devices meanwhile.
//!
//! ```text
//!  [state: address, micro, ways] ── perform ──> inputs ──> way ──> [next state] ── ...
//!        │ a device's event may come, an exception is due, code has changed, a load of a device,
//!        │ an instruction that is not here, a state that is new
//!        └──> Processor::step, which does everything
//! ```
//! An instruction that can't be finished here begins anew there. [`Processor::step`] is the
//! reference: it does the same, and needs none of this.

mod micro;
mod perform;
#[cfg(test)]
mod tests;

pub use micro::Micro;

use super::Processor;
use super::bus::Bus;
use super::exceptions::LONGEST_FETCH;
use super::execute::advance_it;
use super::instruction::Condition;
use super::registers::Registers;
use crate::timing::Inputs;

/// Where [`Processor::hurry`] stops at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No instruction begins in this cycle or later.
    pub cycle: u64,
    /// None begins if so many were executed since power-on.
    pub instructions: u64,
}

impl<B: Bus> Processor<B> {
    /// Executes instructions one after the other as long as nothing but instructions can happen,
    /// and their cycles are remembered. It stops before an address that `is_stop`. `look` sees the
    /// registers, the cycle, and where the instruction was, behind each that has moved the stack
    /// pointer; it saw `stack` last. Returns `false` if there was none.
    pub(crate) fn hurry(
        &mut self,
        limits: Limits,
        mut stack: u32,
        is_stop: impl Fn(u32) -> bool,
        mut look: impl FnMut(&Registers, u64, u32),
    ) -> bool {
        let is_plain = self.plain_limit != 0 && self.registers.thumb && self.registers.ici == 0;
        if self.attention || !is_plain {
            return false;
        }
        // An event within the instruction is seen behind it, as long as it isn't one that asks.
        let end = limits.cycle.min(self.next_event.saturating_sub(LONGEST_FETCH));
        let before = self.instructions;
        while self.instructions < limits.instructions {
            let Some((_, node)) = self.pipeline.node().filter(|(cycle, _)| *cycle < end) else {
                break;
            };
            let address = self.registers.r[15];
            if node.address != address || node.stamp != self.cache.stamp() {
                if self.find_micro(address) {
                    continue;
                }
                break;
            }
            let micro = node.micro;
            let inputs = match self.registers.itstate {
                0 => self.perform_quickly(micro, Inputs::of(true, false), 0),
                itstate => self.perform_in_block(micro, itstate),
            };
            let Some(inputs) = inputs else { break };
            self.pipeline.finish(inputs);
            self.instructions += 1;
            if self.registers.r[13] != stack {
                stack = self.registers.r[13];
                look(&self.registers, self.pipeline.now(), address);
            }
            if is_stop(self.registers.r[15]) {
                break;
            }
        }
        self.instructions != before
    }

    /// One instruction of an IT block.
    #[inline(never)]
    fn perform_in_block(&mut self, micro: Micro, itstate: u8) -> Option<Inputs> {
        let inputs = if self.holds(Condition(itstate >> 4)) {
            self.perform_quickly(micro, Inputs::of(true, true), 1)?
        } else {
            self.perform_skipped(micro)?
        };
        self.registers.itstate = advance_it(itstate);
        Some(inputs)
    }

    /// Gives the pipeline's state its instruction, if that is decoded already.
    #[cold]
    #[inline(never)]
    fn find_micro(&mut self, address: u32) -> bool {
        let Some(decoded) = self.cache.get(address) else { return false };
        let stamp = self.cache.stamp();
        self.pipeline.equip((address, decoded.code), stamp, || Micro::of(address, decoded))
    }
}
