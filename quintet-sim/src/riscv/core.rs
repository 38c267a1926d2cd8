//! A machine with a hart behind the interface of all cores.

use super::bus::Bus;
use super::csr::{number, status};
use super::decode;
use super::hart::{Hart, Privilege};
use super::instruction::{AfterPop, Instruction};
use super::machine::Machine;
use super::text::REGISTERS;
use super::trap;
use crate::cores::{Core, Family, Flow, Passage, Target, Unwinding};
use crate::image::{Image, ImageError};
use crate::machine::{MemoryError, Output, Stop, Until};

/// The register that holds a return address.
const LINK: u8 = 1;
const STACK: usize = 2;

/// gp, tp, and s0 to s11.
const PRESERVED: u32 = 0x0ffc_0318;

impl<B: Bus> Hart<B> {
    /// Returns a register. `None` if there is none with this number.
    pub fn register(&self, number: usize) -> Option<u32> {
        self.registers.get(number).copied()
    }

    /// Sets a register, and returns `false` if there is none with this number.
    pub fn set_register(&mut self, number: usize, value: u32) -> bool {
        // The first is always 0.
        if number == 0 {
            return true;
        }
        self.registers.get_mut(number).map(|register| *register = value).is_some()
    }

    /// Returns `true` in machine mode.
    pub fn is_privileged(&self) -> bool {
        self.privilege == Privilege::Machine
    }

    /// Returns `true` if no interrupt would be taken now, whichever is enabled.
    pub fn is_masked(&self) -> bool {
        let status = self.peek_csr(number::MSTATUS).unwrap_or(0);
        self.privilege == Privilege::Machine && status & status::MIE == 0
    }

    /// Returns where the instruction at `address` may lead.
    pub fn flow(&self, address: u32, bits: u32) -> Option<Flow> {
        let length = decode::length(bits);
        let bits = if length == 2 { bits & 0xffff } else { bits };
        let instruction = decode::decode(bits, self.configuration().extensions)?;
        Some(Flow { length, to: target(&instruction, address), is_condition: false })
    }
}

impl Core for Machine {
    const FAMILY: Family = Family::RiscV;

    fn register_names(&self) -> &'static [&'static str] {
        &REGISTERS
    }

    fn register(&self, number: usize) -> Option<u32> {
        self.hart.register(number)
    }

    fn set_register(&mut self, number: usize, value: u32) -> bool {
        self.hart.set_register(number, value)
    }

    fn unwinding(&self) -> Unwinding {
        let stack = STACK as u16;
        Unwinding { registers: 32, stack, link: LINK.into(), preserved: PRESERVED }
    }

    fn pc(&self) -> u32 {
        self.hart.pc
    }

    fn stack_pointer(&self) -> u32 {
        self.hart.registers[STACK]
    }

    fn thread_pointer(&self) -> u32 {
        let outermost = self.hart.open_traps().first();
        outermost.map_or(&self.hart.registers, |trap| &trap.registers)[STACK]
    }

    fn is_privileged(&self) -> bool {
        self.hart.is_privileged()
    }

    fn is_masked(&self) -> bool {
        self.hart.is_masked()
    }

    #[inline]
    fn handler(&self) -> u16 {
        self.hart.handler()
    }

    fn handler_name(number: u16) -> String {
        trap::handler_name(number)
    }

    fn is_interrupt(number: u16) -> bool {
        trap::is_interrupt(number)
    }

    fn is_switch(number: u16) -> bool {
        trap::is_switch(number)
    }

    fn cycle(&self) -> u64 {
        self.hart.cycle()
    }

    fn instructions(&self) -> u64 {
        self.hart.instructions()
    }

    fn skipped(&self) -> u64 {
        0
    }

    fn flow(&self, address: u32, bits: u32) -> Option<Flow> {
        self.hart.flow(address, bits)
    }

    fn kind(&self, address: u32, bits: u32) -> String {
        let bits = if decode::length(bits) == 2 { bits & 0xffff } else { bits };
        let instruction = decode::decode(bits, self.hart.configuration().extensions);
        instruction.map_or_else(String::new, |instruction| instruction.text(address))
    }

    fn length(bits: u32) -> u32 {
        decode::length(bits)
    }

    #[inline]
    fn step_within(&mut self, end: u64) -> Option<Stop> {
        self.hart.horizon = end;
        self.step()
    }

    fn run(&mut self, until: &Until) -> Stop {
        self.run_until(until)
    }

    fn observe(&mut self, on: bool) {
        self.hart.history.record(on);
    }

    fn take_passages(&mut self) -> Vec<Passage> {
        self.hart.history.take_passages()
    }

    fn load(&mut self, image: &Image) -> Result<(), ImageError> {
        self.load(image)
    }

    fn read_memory(&self, address: u32, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.read_memory(address, buffer).ok_or(MemoryError { address, verb: "read" })
    }

    fn write_memory(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryError> {
        self.write_memory(address, data).ok_or(MemoryError { address, verb: "write" })
    }

    fn take_output(&mut self) -> Vec<Output> {
        self.take_output()
    }

    fn output_cut(&self) -> Option<u64> {
        self.output_cut()
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
