//! The hart behind the interface of all cores.

use super::bus::Bus;
use super::csr::{number, status};
use super::decode;
use super::hart::{Hart, Privilege};
use super::instruction::{AfterPop, Instruction};
use super::text::REGISTERS;
use crate::cores::{Core, Flow, Target};

/// The register that holds a return address.
const LINK: u8 = 1;

impl<B: Bus> Core for Hart<B> {
    fn register_names(&self) -> &'static [&'static str] {
        &REGISTERS
    }

    fn register(&self, number: usize) -> Option<u32> {
        self.registers.get(number).copied()
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        // The first is always 0.
        if number == 0 {
            return true;
        }
        self.registers.get_mut(number).map(|register| *register = value).is_some()
    }

    fn pc(&self) -> u32 {
        self.pc
    }

    fn is_privileged(&self) -> bool {
        self.privilege == Privilege::Machine
    }

    fn is_masked(&self) -> bool {
        let status = self.peek_csr(number::MSTATUS).unwrap_or(0);
        self.privilege == Privilege::Machine && status & status::MIE == 0
    }

    fn cycle(&self) -> u64 {
        self.cycle()
    }

    fn instructions(&self) -> u64 {
        self.instructions()
    }

    fn flow(&self, address: u32, bits: u32) -> Option<Flow> {
        let instruction = decode::decode(bits, self.configuration().extensions)?;
        Some(Flow { length: decode::length(bits), to: target(&instruction, address) })
    }
}

fn target(instruction: &Instruction, address: u32) -> Target {
    match *instruction {
        Instruction::Branch { offset, .. } => Target::NextOr(address.wrapping_add(offset)),
        Instruction::Jump { rd: 0, offset } => Target::Always(address.wrapping_add(offset)),
        Instruction::Jump { offset, .. } => Target::Call(address.wrapping_add(offset)),
        Instruction::JumpRegister { rd: 0, rs1: LINK, .. } => Target::Return,
        Instruction::JumpRegister { rd: 0, .. } => Target::Unknown,
        Instruction::JumpRegister { .. } => Target::CallUnknown,
        Instruction::Pop { then: AfterPop::Return | AfterPop::ReturnZero, .. } => Target::Return,
        Instruction::MachineReturn => Target::ReturnFromTrap,
        _ => Target::Next,
    }
}
