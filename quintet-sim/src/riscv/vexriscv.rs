//! A step of a VexRiscv: cycles of its pipeline, until an instruction retires or a handler is
//! entered.

use super::arithmetic::holds;
use super::bus::{Bus, line};
use super::decode;
use super::extensions::Extensions;
use super::hart::{Halt, Hart, Privilege};
use super::instruction::{CsrOperation, Instruction, Operation, Source};
use super::pmp::Access;
use super::timing::vexriscv::slot::Slot;
use super::timing::vexriscv::{Event, Protects, World};
use super::timing::{Model, Pipeline};

/// The cycles of a step, after which it ends without an instruction.
const CYCLES_MAX: u32 = 10_000;

/// The hart, as its pipeline sees it.
struct Outside<'a, B> {
    hart: &'a mut Hart<B>,
    halt: Option<Halt>,
    has_posted: bool,
}

/// Returns `true` for a register for control and status that the core has.
pub(super) fn has(csr: u16) -> bool {
    matches!(
        csr,
        0x300
            | 0x301
            | 0x304
            | 0x305
            | 0x340..=0x344
            | 0x3a0..=0x3a3
            | 0x3b0..=0x3bf
            | 0xb00
            | 0xb02
            | 0xb80
            | 0xb82
            | 0xbc0
            | 0xc00
            | 0xc02
            | 0xc80
            | 0xc82
            | 0xf11..=0xf14
            | 0xfc0
    )
}

impl<B: Bus> Hart<B> {
    /// Decodes an instruction as the core does. A VexRiscv has LR and SC, and no other atomic
    /// operation, and takes 16 bits of zeros for a move of the stack pointer to s0.
    #[inline]
    pub(super) fn decode(&self, bits: u32) -> Option<Instruction> {
        let extensions = self.configuration.extensions;
        let decoded = decode::decode(bits, extensions);
        if !self.configuration.model.is_vexriscv() {
            return decoded;
        }
        if bits == 0 && extensions.has(Extensions::C) {
            return Some(Instruction::Immediate {
                operation: Operation::Add,
                rd: 8,
                rs1: 2,
                value: 0,
            });
        }
        decoded.filter(|it| !matches!(it, Instruction::Atomic { .. }))
    }

    /// [`Hart::step`] on a VexRiscv.
    pub(super) fn step_vexriscv(&mut self) -> Option<Halt> {
        let Some(Pipeline::VexRiscv(mut core)) = self.pipeline.take() else { return None };
        let mut outside = Outside { hart: self, halt: None, has_posted: false };
        for _ in 0..CYCLES_MAX {
            if core.is_asleep() && !outside.hart.is_called() {
                let hart = &outside.hart;
                let cycle = hart.next_event.min(hart.horizon);
                if hart.cannot_wake() {
                    outside.halt = Some(Halt::Asleep);
                }
                if cycle != u64::MAX {
                    core.skip_to(cycle);
                }
                if outside.halt.is_some() || core.now() >= outside.hart.horizon {
                    break;
                }
            }
            let event = core.cycle(&mut outside);
            if event != Event::None || core.now() >= outside.hart.horizon {
                break;
            }
        }
        let halt = outside.halt;
        self.cycle = core.now();
        self.pipeline = Some(Pipeline::VexRiscv(core));
        halt
    }

    /// Returns `true` if an interrupt is pending that would end a sleep, or will be soon.
    fn is_called(&self) -> bool {
        let own = (self.lines | self.pending) & self.csr.enabled != 0;
        own || self.bus.external_lines() & self.csr.external.mask != 0
    }
}

impl<B: Bus> World for Outside<'_, B> {
    fn half(&mut self, address: u32) -> u16 {
        self.hart.bus.fetch(address).unwrap_or(0xffff)
    }

    fn slot(&mut self, pc: u32, length: u32, bits: u32) -> Slot {
        let configuration = &self.hart.configuration;
        let compressed = configuration.model == Model::VexRiscvImac;
        let decoded = self.hart.decode(bits);
        let is_breakpoint = decoded == Some(Instruction::Breakpoint);
        let is_service = is_breakpoint && self.hart.is_service_at(pc);
        let known = decoded.filter(|_| !is_breakpoint || is_service);
        Slot::new(pc, length, known, compressed)
    }

    fn may_execute(&self, address: u32) -> bool {
        let machine = self.hart.privilege == Privilege::Machine;
        self.hart.may(Access::Execute, address, 4, machine)
    }

    fn is_taken(&self, slot: &Slot) -> bool {
        let Some(Instruction::Branch { condition, rs1, rs2, .. }) = slot.instruction else {
            return false;
        };
        holds(condition, self.hart.get(rs1), self.hart.get(rs2))
    }

    fn address(&self, slot: &Slot) -> u32 {
        match slot.instruction {
            Some(Instruction::JumpRegister { rs1, offset, .. }) => {
                self.hart.get(rs1).wrapping_add(offset) & !1
            }
            Some(
                Instruction::Load { rs1, offset, .. } | Instruction::Store { rs1, offset, .. },
            ) => self.hart.get(rs1).wrapping_add(offset),
            Some(
                Instruction::LoadReserved { rs1, .. } | Instruction::StoreConditional { rs1, .. },
            ) => self.hart.get(rs1),
            _ => 0,
        }
    }

    fn is_refused(&self, slot: &Slot, address: u32) -> bool {
        let is_store = slot.memory().is_some_and(|memory| memory.is_store);
        let access = if is_store { Access::Write } else { Access::Read };
        !self.hart.may(access, address & !3, 4, self.hart.is_machine_data())
    }

    fn is_illegal(&self, slot: &Slot) -> bool {
        let machine = self.hart.privilege == Privilege::Machine;
        match slot.instruction {
            Some(Instruction::Csr { operation, rd, source, csr }) => {
                let is_hidden = csr >> 8 & 3 != 0 && !machine;
                let writes = operation == CsrOperation::Write
                    || !matches!(source, Source::Register(0) | Source::Immediate(0));
                let reads = operation != CsrOperation::Write || rd != 0;
                let is_lost = csr >> 10 == 3 && writes && !reads;
                is_hidden || is_lost || self.hart.peek_csr(csr).is_none()
            }
            _ => !machine,
        }
    }

    fn protects(&self, slot: &Slot) -> Option<Protects> {
        let Some(Instruction::Csr { operation, source, csr, .. }) = slot.instruction else {
            return None;
        };
        let writes = operation == CsrOperation::Write
            || !matches!(source, Source::Register(0) | Source::Immediate(0));
        let machine = self.hart.privilege == Privilege::Machine;
        if !writes || !machine || !self.hart.configuration.protection {
            return None;
        }
        match csr >> 4 {
            0x3a => Some(Protects::Options),
            0x3b => Some(Protects::Address),
            _ => None,
        }
    }

    fn lines(&mut self, cycle: u64, external: &mut u32) -> u32 {
        if cycle >= self.hart.next_event {
            self.hart.cycle = cycle;
            self.hart.look_at_bus();
        }
        self.hart.csr.external.lines = *external;
        let is_called = self.hart.csr.external.calls();
        *external = self.hart.bus.external_lines();
        let own = self.hart.lines & (line::TIMER | line::SOFTWARE);
        own | if is_called { line::EXTERNAL } else { 0 }
    }

    fn set_pending(&mut self, pending: u32) {
        self.hart.pending = pending;
    }

    fn enabled(&self) -> (u32, bool) {
        let csr = &self.hart.csr;
        (csr.enabled, csr.takes(u32::MAX, self.hart.privilege))
    }

    fn execute(&mut self, cycle: u64) -> bool {
        self.hart.cycle = cycle;
        let at = self.hart.pc;
        let before = self.hart.posted.len();
        let outcome = self.hart.fetch_instruction(at).and_then(|it| self.hart.execute_fetched(&it));
        self.hart.waiting = false;
        self.has_posted = self.hart.posted.len() > before;
        match outcome {
            Ok(halt) => {
                self.halt = halt.or(self.halt);
                true
            }
            Err(exception) => {
                if self.hart.locks_up(at, exception) {
                    self.halt = Some(Halt::Lockup);
                }
                self.hart.raise(exception);
                false
            }
        }
    }

    fn has_posted(&self) -> bool {
        self.has_posted
    }

    fn write_device(&mut self, cycle: u64) {
        let Some((address, size, value)) = self.hart.posted.pop_front() else { return };
        self.hart.cycle = cycle;
        // Nobody hears of a store where nothing is.
        let _ = self.hart.bus.write(address, size, value, cycle);
        self.hart.look_at_bus();
    }

    fn interrupt(&mut self, number: u32) {
        self.hart.take_interrupt(number);
    }

    fn pc(&self) -> u32 {
        self.hart.pc
    }
}
