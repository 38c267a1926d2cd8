//! A hart: the registers, and one step after the other.

use super::arithmetic::{compute, compute_one, holds};
use super::bus::Bus;
use super::csr::{self, status};
use super::decode;
use super::extensions::Extensions;
use super::history::History;
use super::instruction::{Instruction, Register};
use super::pmp::{Access, Protection};
use super::timing::{Model, Pipeline};
use super::trap::{Exception, cause};
use super::xh3irq::Xh3irq;
use super::{controller, vexriscv_pmp};
use crate::processor::instruction::Size;
use std::collections::VecDeque;

/// The options of a core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The extensions.
    pub extensions: Extensions,
    /// Whether there is a user mode.
    pub user_mode: bool,
    /// Whether there is physical memory protection.
    pub protection: bool,
    /// Whether the protection is that of the specification, also on a VexRiscv, which has its own.
    pub standard_protection: bool,
    /// Whether a load or store at an address that is no multiple of its size is done. Otherwise it
    /// traps. Atomic operations always trap.
    pub misaligned: bool,
    /// Whether there is a register `time`.
    pub time: bool,
    /// The address of the first instruction.
    pub reset_vector: u32,
    /// The core.
    pub model: Model,
    /// The wait states of the memories, for a core that is timed.
    pub wait_states: u8,
}

impl Configuration {
    /// Whether the regions of memory protection are VexRiscv's own.
    pub(super) fn has_vexriscv_protection(&self) -> bool {
        self.model.is_vexriscv() && !self.standard_protection
    }

    /// The bits that an address of an instruction can have.
    pub(super) fn pc_mask(&self) -> u32 {
        if self.extensions.has(Extensions::C) { !1 } else { !3 }
    }
}

/// The privilege with which the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Privilege {
    /// User mode.
    User,
    /// Machine mode.
    Machine,
}

/// Why a step was not an ordinary one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The program asks for a service of semihosting: the hart stands at its EBREAK.
    Semihosting,
    /// The hart stands at an EBREAK, and [`Hart::halts_at_breakpoint`] is set.
    Breakpoint,
    /// The hart waits, and no interrupt that would end this will ever come.
    Asleep,
    /// The first instruction of the handler raises the exception that it is to handle, and would
    /// do so for ever.
    Lockup,
}

/// A hart and its bus.
#[derive(Clone, Debug)]
pub struct Hart<B> {
    /// x0 to x31. The first is always 0.
    pub registers: [u32; 32],
    /// The address of the next instruction.
    pub pc: u32,
    /// The privilege.
    pub privilege: Privilege,
    /// Memory and devices.
    pub bus: B,
    /// Whether the program may ask for services.
    pub semihosting: bool,
    /// Whether an EBREAK halts for a debugger, in place of its exception.
    pub halts_at_breakpoint: bool,
    /// A sleeping hart sleeps until this cycle at most.
    pub horizon: u64,
    pub(super) configuration: Configuration,
    pub(super) csr: csr::Registers,
    pub(super) protection: Protection,
    /// The word that LR.W has reserved.
    pub(super) reservation: Option<u32>,
    /// The pending interrupts, as the bus has last said.
    pub(super) pending: u32,
    pub(super) cycle: u64,
    pub(super) instructions: u64,
    pub(super) traps: u64,
    /// When the bus has to be looked at again.
    pub(super) next_event: u64,
    pub(super) waiting: bool,
    /// The lines of the bus, on a core that sees them later.
    pub(super) lines: u32,
    /// The stores to devices that the bus has not done yet, on a core that doesn't wait for them.
    pub(super) posted: VecDeque<(u32, Size, u32)>,
    /// The pipeline of a core that is timed.
    pub(super) pipeline: Option<Pipeline>,
    /// Hazard3's controller of external interrupts.
    pub(super) controller: Option<Xh3irq>,
    /// The traps, for tools.
    pub(super) history: History,
}

/// An instruction as it was fetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    pub(super) bits: u32,
    pub(super) length: u32,
    /// `None` if it is illegal.
    pub(super) decoded: Option<Instruction>,
}

/// The outcome of an instruction: the address of the next, or an exception.
pub(super) type Flow = Result<u32, Exception>;

/// `slli x0, x0, 0x1f` and `srai x0, x0, 7`, which stand around the EBREAK of a service.
const BEFORE_SERVICE: u32 = 0x01f0_1013;
const BEHIND_SERVICE: u32 = 0x4070_5013;

pub(super) const ARGUMENT: usize = 10;

impl<B: Bus> Hart<B> {
    /// A hart after power-on.
    pub fn new(configuration: Configuration, bus: B) -> Self {
        let mut hart = Self {
            registers: [0; 32],
            pc: 0,
            privilege: Privilege::Machine,
            bus,
            semihosting: true,
            horizon: u64::MAX,
            csr: csr::Registers::default(),
            configuration,
            protection: Protection::default(),
            reservation: None,
            pending: 0,
            cycle: 0,
            instructions: 0,
            traps: 0,
            next_event: 0,
            waiting: false,
            lines: 0,
            posted: VecDeque::new(),
            pipeline: None,
            controller: None,
            halts_at_breakpoint: false,
            history: History::default(),
        };
        hart.reset();
        hart
    }

    /// Resets the hart. The cycle goes on.
    pub fn reset(&mut self) {
        self.registers = [0; 32];
        self.pc = self.configuration.reset_vector;
        self.privilege = Privilege::Machine;
        self.csr = csr::Registers::new(&self.configuration);
        self.protection = Protection::default();
        self.reservation = None;
        self.waiting = false;
        self.lines = 0;
        self.posted.clear();
        self.next_event = 0;
        self.history.reset(self.cycle);
        if let Some(controller) = &mut self.controller {
            controller.reset();
        }
        self.start_pipeline();
    }

    /// Returns the options of the core.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns the cycle since power-on. On a core that is not timed each instruction takes one.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Returns how many instructions have been executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Returns how many traps have been entered.
    pub fn traps(&self) -> u64 {
        self.traps
    }

    /// Lets time pass, as for a service.
    pub fn wait(&mut self, cycles: u64) {
        self.cycle = self.cycle.saturating_add(cycles);
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.stall_until(self.cycle);
        }
    }

    /// Goes on behind the EBREAK at which the hart has halted.
    pub fn skip_breakpoint(&mut self) {
        let first = self.bus.fetch(self.pc).map_or(3, u32::from);
        self.pc = self.pc.wrapping_add(decode::length(first));
        self.count();
    }

    /// Executes one instruction, enters a trap, or sleeps until the next event.
    #[inline]
    pub fn step(&mut self) -> Option<Halt> {
        match &self.pipeline {
            Some(Pipeline::VexRiscv(_)) => return self.step_vexriscv(),
            Some(_) => return self.step_timed(),
            None => {}
        }
        if self.cycle >= self.next_event {
            self.look_at_bus();
        }
        if self.waiting && self.sleep() {
            return self.cannot_wake().then_some(Halt::Asleep);
        }
        if let Some(number) = self.interrupt() {
            self.take_interrupt(number);
            return None;
        }
        let at = self.pc;
        match self.execute() {
            Ok(None) => None,
            Ok(Some(halt)) => Some(halt),
            Err(exception) => {
                self.cycle += 1;
                let locks_up = self.locks_up(at, exception);
                self.raise(exception);
                locks_up.then_some(Halt::Lockup)
            }
        }
    }

    /// Returns `true` for an exception of the first instruction of the handler that is to handle
    /// the same.
    pub(super) fn locks_up(&self, at: u32, exception: Exception) -> bool {
        self.privilege == Privilege::Machine
            && at == self.csr.vector_base()
            && self.csr.exception_pc == at
            && self.csr.cause == exception.cause
            && exception.cause <= cause::ILLEGAL_INSTRUCTION
    }

    /// Learns what the bus has for the hart.
    pub(super) fn look_at_bus(&mut self) {
        let lines = controller::pending(&mut self.bus, &mut self.controller, self.cycle);
        if self.configuration.model.is_vexriscv() {
            self.lines = lines;
        } else {
            self.pending = lines;
        }
        self.next_event = self.bus.next_event();
    }

    /// Sleeps on, and returns `true`, unless there is an interrupt to wake for.
    fn sleep(&mut self) -> bool {
        if self.pending & self.csr.enabled != 0 {
            self.waiting = false;
            return false;
        }
        if self.next_event != u64::MAX || self.horizon != u64::MAX {
            self.cycle = self.next_event.min(self.horizon).max(self.cycle + 1);
        }
        true
    }

    pub(super) fn cannot_wake(&self) -> bool {
        self.next_event == u64::MAX
    }

    fn count(&mut self) {
        if self.configuration.model == Model::Untimed {
            self.cycle += 1;
        }
        self.instructions += 1;
    }

    pub(super) fn fetch(&mut self, address: u32) -> Result<u32, Exception> {
        let fault = Exception { cause: cause::FETCH_FAULT, value: address };
        let machine = self.privilege == Privilege::Machine;
        if !self.may(Access::Execute, address, 2, machine) {
            return Err(fault);
        }
        let half = self.bus.fetch(address).map(u32::from);
        // A VexRiscv does not hear that nothing is there.
        if self.configuration.model.is_vexriscv() {
            return Ok(half.unwrap_or(0xffff));
        }
        half.map_err(|_| fault)
    }

    /// Returns `true` if protection allows an access.
    #[inline]
    pub(super) fn may(&self, access: Access, address: u32, length: u32, machine: bool) -> bool {
        if !self.configuration.protection {
            return true;
        }
        if self.configuration.has_vexriscv_protection() {
            return vexriscv_pmp::allows(&self.protection, access, address, machine);
        }
        self.protection.allows(access, address, length, machine)
    }

    fn execute(&mut self) -> Result<Option<Halt>, Exception> {
        let fetched = self.fetch_instruction(self.pc)?;
        self.execute_fetched(&fetched)
    }

    /// Fetches and decodes what is at an address.
    pub(super) fn fetch_instruction(&mut self, at: u32) -> Result<Fetched, Exception> {
        let first = self.fetch(at)?;
        let length = decode::length(first);
        let bits = match length {
            2 => first,
            _ => first | self.fetch(at.wrapping_add(2))? << 16,
        };
        Ok(Fetched { bits, length, decoded: self.decode(bits) })
    }

    /// Executes the instruction at `pc`.
    pub(super) fn execute_fetched(&mut self, fetched: &Fetched) -> Result<Option<Halt>, Exception> {
        let Fetched { bits, length, decoded } = *fetched;
        let illegal = Exception { cause: cause::ILLEGAL_INSTRUCTION, value: bits };
        let instruction = decoded.ok_or(illegal)?;
        let next = self.pc.wrapping_add(length);
        if instruction == Instruction::Breakpoint && length == 4 && self.is_service() {
            return Ok(Some(Halt::Semihosting));
        }
        if instruction == Instruction::Breakpoint && self.halts_at_breakpoint {
            return Ok(Some(Halt::Breakpoint));
        }
        let flow = self.perform(&instruction, next, illegal)?;
        if flow & !self.configuration.pc_mask() != 0 {
            return Err(Exception { cause: cause::FETCH_MISALIGNED, value: flow });
        }
        self.write_link(&instruction, next);
        self.pc = flow;
        self.registers[0] = 0;
        self.count();
        Ok(None)
    }

    /// A jump links only when its target is one.
    fn write_link(&mut self, instruction: &Instruction, next: u32) {
        if let Instruction::Jump { rd, .. } | Instruction::JumpRegister { rd, .. } = instruction {
            self.set(*rd, next);
        }
    }

    /// Returns `true` if the instructions around an EBREAK make it a request. User mode has none,
    /// since services reach all memory.
    fn is_service(&mut self) -> bool {
        self.is_service_at(self.pc)
    }

    /// Returns `true` if an EBREAK at an address is a request.
    pub(super) fn is_service_at(&mut self, at: u32) -> bool {
        let mut is = |address: u32, bits: u32| {
            let halves = [address, address.wrapping_add(2)].map(|at| self.bus.fetch(at));
            halves == [Ok(bits as u16), Ok((bits >> 16) as u16)]
        };
        let (before, behind) = (at.wrapping_sub(4), at.wrapping_add(4));
        self.semihosting
            && self.privilege == Privilege::Machine
            && is(before, BEFORE_SERVICE)
            && is(behind, BEHIND_SERVICE)
    }

    #[inline]
    pub(super) fn get(&self, register: Register) -> u32 {
        self.registers[usize::from(register & 31)]
    }

    #[inline]
    pub(super) fn set(&mut self, register: Register, value: u32) {
        self.registers[usize::from(register & 31)] = value;
    }

    fn perform(&mut self, instruction: &Instruction, next: u32, illegal: Exception) -> Flow {
        match *instruction {
            Instruction::LoadUpper { rd, value } => self.set(rd, value),
            Instruction::AddUpperToPc { rd, value } => self.set(rd, self.pc.wrapping_add(value)),
            Instruction::Jump { offset, .. } => return Ok(self.pc.wrapping_add(offset)),
            Instruction::JumpRegister { rs1, offset, .. } => {
                return Ok(self.get(rs1).wrapping_add(offset) & !1);
            }
            Instruction::Branch { condition, rs1, rs2, offset } => {
                if holds(condition, self.get(rs1), self.get(rs2)) {
                    return Ok(self.pc.wrapping_add(offset));
                }
            }
            Instruction::Load { width, rd, rs1, offset } => {
                let value = self.load(width, self.get(rs1).wrapping_add(offset))?;
                self.set(rd, value);
            }
            Instruction::Store { width, rs1, rs2, offset } => {
                self.store(width, self.get(rs1).wrapping_add(offset), self.get(rs2))?;
            }
            Instruction::Immediate { operation, rd, rs1, value } => {
                self.set(rd, compute(operation, self.get(rs1), value));
            }
            Instruction::Registers { operation, rd, rs1, rs2 } => {
                self.set(rd, compute(operation, self.get(rs1), self.get(rs2)));
            }
            Instruction::Unary { operation, rd, rs1 } => {
                self.set(rd, compute_one(operation, self.get(rs1)));
            }
            // Everything is in order here.
            Instruction::Fence { .. } | Instruction::FenceInstructions => {}
            _ => return self.perform_rare(instruction, next, illegal),
        }
        Ok(next)
    }

    fn perform_rare(&mut self, instruction: &Instruction, next: u32, illegal: Exception) -> Flow {
        let machine = self.privilege == Privilege::Machine;
        match *instruction {
            Instruction::EnvironmentCall => {
                let cause = if machine { cause::CALL_FROM_MACHINE } else { cause::CALL_FROM_USER };
                return Err(Exception { cause, value: 0 });
            }
            Instruction::Breakpoint if self.configuration.model.is_vexriscv() => {
                return Err(illegal);
            }
            Instruction::Breakpoint => {
                // The specification allows the address too; QEMU and Ibex give 0.
                return Err(Exception { cause: cause::BREAKPOINT, value: 0 });
            }
            Instruction::MachineReturn if machine => {
                self.leave();
                return Ok(self.pc);
            }
            Instruction::WaitForInterrupt if machine || self.csr.status & status::TW == 0 => {
                self.waiting = true;
            }
            Instruction::MachineReturn | Instruction::WaitForInterrupt => return Err(illegal),
            Instruction::Csr { operation, rd, source, csr } => {
                self.change_csr(operation, rd, source, csr).ok_or(illegal)?;
            }
            Instruction::LoadReserved { rd, rs1, .. } => {
                let address = self.get(rs1);
                let value = self.load_atomic(address)?;
                self.reservation = Some(address);
                self.set(rd, value);
            }
            Instruction::StoreConditional { rd, rs1, rs2, .. } => {
                self.store_conditional(rd, rs1, rs2)?;
            }
            Instruction::Atomic { operation, rd, rs1, rs2, .. } => {
                self.atomic(operation, rd, rs1, rs2)?;
            }
            Instruction::Push { saved, bytes } => self.push(saved, bytes)?,
            Instruction::Pop { saved, bytes, then } => return self.pop(saved, bytes, then, next),
            Instruction::MoveFromArguments { r1, r2 } => {
                let [a0, a1] = [self.registers[ARGUMENT], self.registers[ARGUMENT + 1]];
                self.set(r1, a0);
                self.set(r2, a1);
            }
            Instruction::MoveToArguments { r1, r2 } => {
                let values = [self.get(r1), self.get(r2)];
                self.registers[ARGUMENT..ARGUMENT + 2].copy_from_slice(&values);
            }
            // All others are in `perform`.
            _ => {}
        }
        Ok(next)
    }
}
