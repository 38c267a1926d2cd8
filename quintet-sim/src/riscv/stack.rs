//! Pushes and pops of Zcmp.

use super::bus::Bus;
use super::hart::{ARGUMENT, Flow, Hart};
use super::instruction::{AfterPop, Register, Width, saved_register};
use super::trap::Exception;

const RETURN_ADDRESS: usize = 1;
const STACK_POINTER: usize = 2;

impl<B: Bus> Hart<B> {
    /// Stores the saved registers below the stack pointer, the highest first, and `ra` last.
    pub(super) fn push(&mut self, saved: u8, bytes: u8) -> Result<(), Exception> {
        let mut address = self.registers[STACK_POINTER];
        let list = (0..saved).rev().map(saved_register);
        for register in list.chain([RETURN_ADDRESS as Register]) {
            address = address.wrapping_sub(4);
            self.store(Width::Word, address, self.get(register))?;
        }
        let stack = &mut self.registers[STACK_POINTER];
        *stack = stack.wrapping_sub(u32::from(bytes));
        Ok(())
    }

    /// Loads what [`Self::push`] has stored. The stack pointer changes only if every load is done.
    pub(super) fn pop(&mut self, saved: u8, bytes: u8, then: AfterPop, next: u32) -> Flow {
        let above = self.registers[STACK_POINTER].wrapping_add(u32::from(bytes));
        let mut address = above;
        let list = (0..saved).rev().map(saved_register);
        for register in list.chain([RETURN_ADDRESS as Register]) {
            address = address.wrapping_sub(4);
            let value = self.load(Width::Word, address)?;
            self.set(register, value);
        }
        self.registers[STACK_POINTER] = above;
        match then {
            AfterPop::Nothing => return Ok(next),
            AfterPop::Return => {}
            AfterPop::ReturnZero => self.registers[ARGUMENT] = 0,
        }
        Ok(self.registers[RETURN_ADDRESS] & !1)
    }
}
