//! A step of a hart whose core is timed: the pipeline says in which cycle an instruction executes.

use super::arithmetic::holds;
use super::bus::Bus;
use super::controller;
use super::csr::number;
use super::decode;
use super::hart::{Fetched, Halt, Hart};
use super::instruction::{CsrOperation, Instruction, Source, Width};
use super::pmp;
use super::timing::{self, Access, Facts, Model, Next, Pipeline, Work, hazard3};
use super::trap::{Exception, cause};

/// Returns `true` if an access to a register for control and status writes it.
fn writes(operation: CsrOperation, source: Source) -> bool {
    operation == CsrOperation::Write
        || !matches!(source, Source::Register(0) | Source::Immediate(0))
}

impl<B: Bus> Hart<B> {
    /// Starts the pipeline after a reset.
    pub(super) fn start_pipeline(&mut self) {
        let configuration = &self.configuration;
        let start = configuration.reset_vector;
        let (model, wait_states) = (configuration.model, configuration.wait_states);
        self.pipeline = Pipeline::new(model, wait_states, start, self.cycle);
    }

    /// Returns the cycles that `mcycle` counts: not those in which the core's clock stood still.
    pub(super) fn counted_cycles(&self) -> u64 {
        self.cycle - self.pipeline.as_ref().map_or(0, Pipeline::slept)
    }

    /// Returns the cycle in which the last instruction retires, on a core that is timed.
    pub fn retired(&self) -> Option<u64> {
        self.pipeline.as_ref().map(Pipeline::retired)
    }

    /// Lets the pipeline work until `work` has an outcome. `work` gets a function that says whether
    /// there is an interrupt to take in a cycle.
    #[inline]
    fn with_pipeline<T>(
        &mut self,
        work: impl FnOnce(&mut Pipeline, &mut dyn FnMut(u64) -> bool) -> T,
    ) -> Option<T> {
        let Self { pipeline, bus, csr, pending, next_event, privilege, controller, .. } = self;
        let pipeline = pipeline.as_mut()?;
        let mut interrupt = |cycle| {
            if cycle >= *next_event {
                *pending = controller::pending(bus, controller, cycle);
                *next_event = bus.next_event();
            }
            csr.takes(*pending, *privilege)
        };
        let outcome = work(pipeline, &mut interrupt);
        self.cycle = pipeline.now();
        Some(outcome)
    }

    /// [`Hart::step`] on a core that is timed.
    pub(super) fn step_timed(&mut self) -> Option<Halt> {
        if self.waiting && self.sleep_timed() {
            return self.cannot_wake().then_some(Halt::Asleep);
        }
        let at = self.pc;
        let fetched = self.fetch_instruction(at);
        let length = fetched.as_ref().map_or_else(|_| self.length_at(at), |it| it.length);
        let mut facts = self.facts(at, &fetched, length);
        let mut interrupted = false;
        let next = self.with_pipeline(|pipeline, interrupt| {
            if pipeline.next(length, &mut *interrupt) == Next::Interrupt
                || pipeline.begin(&facts, &mut *interrupt) == Next::Interrupt
            {
                return Next::Interrupt;
            }
            interrupted = interrupt(pipeline.now());
            Next::Instruction
        })?;
        if next == Next::Interrupt {
            if let Some(number) = self.interrupt() {
                self.take_interrupt(number);
            }
            let target = self.pc;
            self.with_pipeline(|pipeline, _| pipeline.enter_handler(target));
            return None;
        }
        let outcome = fetched.and_then(|it: Fetched| self.execute_fetched(&it));
        let halt = match outcome {
            Ok(halt) => halt,
            Err(exception) => {
                facts.work = self.failed(facts.work, exception, at.wrapping_add(length));
                let locks_up = self.locks_up(at, exception);
                self.raise(exception);
                locks_up.then_some(Halt::Lockup)
            }
        };
        if matches!(halt, Some(Halt::Semihosting | Halt::Breakpoint)) {
            facts.work = Work::Simple;
        }
        facts.target = self.pc;
        self.with_pipeline(|pipeline, interrupt| pipeline.finish(&facts, interrupted, interrupt));
        halt
    }

    /// Returns what is known of an instruction before it executes.
    fn facts(&mut self, pc: u32, fetched: &Result<Fetched, Exception>, length: u32) -> Facts {
        let trap = Work::Trap { retires: false };
        let mut facts =
            Facts { work: trap, target: pc, pc, length, sources: [0; 2], conditional: None };
        let Ok(Fetched { bits, decoded: Some(instruction), .. }) = fetched else { return facts };
        facts.work = self.work(instruction);
        facts.sources = match self.configuration.model {
            Model::Hazard3 => hazard3::sources(instruction, *bits),
            // What is illegal waits for no register.
            _ if self.is_refused(instruction) => [0; 2],
            _ => timing::sources(instruction),
        };
        match *instruction {
            Instruction::Branch { offset, .. } => {
                facts.target = pc.wrapping_add(offset);
                facts.conditional = Some(facts.target);
            }
            Instruction::Jump { offset, .. } => facts.target = pc.wrapping_add(offset),
            Instruction::JumpRegister { rs1, offset, .. } => {
                facts.target = self.get(rs1).wrapping_add(offset) & !1;
            }
            Instruction::FenceInstructions => facts.target = pc.wrapping_add(length),
            Instruction::Pop { saved, bytes, .. } => {
                let stack = self.registers[2].wrapping_add(u32::from(bytes));
                let place = stack.wrapping_sub(4 * (u32::from(saved) + 1));
                facts.target = self.peek_word(place) & !1;
            }
            _ => {}
        }
        facts
    }

    /// Returns `true` for an access to a register that is not there, or not in this mode.
    fn is_refused(&self, instruction: &Instruction) -> bool {
        match *instruction {
            Instruction::Csr { operation, source, csr, .. } => {
                !self.may_access(csr, writes(operation, source))
            }
            _ => false,
        }
    }

    /// Sleeps on, and returns `true`, unless there is an interrupt to wake for.
    fn sleep_timed(&mut self) -> bool {
        if self.cycle >= self.next_event {
            self.look_at_bus();
        }
        if self.pending & self.csr.enabled != 0 {
            self.waiting = false;
            self.with_pipeline(|pipeline, _| pipeline.wake());
            return false;
        }
        if self.next_event != u64::MAX || self.horizon != u64::MAX {
            let cycle = self.next_event.min(self.horizon).max(self.cycle + 1);
            self.with_pipeline(|pipeline, _| pipeline.sleep_until(cycle));
        }
        true
    }

    /// Returns the word at an address as the front end would fetch it; 0 where nothing is.
    fn peek_word(&mut self, address: u32) -> u32 {
        let mut half = |at| self.bus.fetch(at).map_or(0, u32::from);
        half(address) | half(address.wrapping_add(2)) << 16
    }

    /// Returns the length of what stands at an address, whether or not it may execute. Where
    /// nothing is, it is that of a whole instruction.
    fn length_at(&mut self, address: u32) -> u32 {
        self.bus.fetch(address).map_or(4, |half| decode::length(u32::from(half)))
    }

    /// Returns the work of an instruction that is about to execute.
    fn work(&self, instruction: &Instruction) -> Work {
        match *instruction {
            Instruction::Branch { condition, rs1, rs2, .. } => {
                if holds(condition, self.get(rs1), self.get(rs2)) {
                    Work::Branch
                } else {
                    Work::Simple
                }
            }
            Instruction::Jump { .. }
            | Instruction::JumpRegister { .. }
            | Instruction::FenceInstructions => Work::Jump,
            Instruction::Registers { operation, rs1, rs2, .. } => {
                timing::work(operation, self.get(rs1), self.get(rs2))
            }
            Instruction::LoadReserved { rd, .. } => Work::Exclusive { loads: rd, transfers: true },
            Instruction::StoreConditional { rd, rs1, .. } => {
                let transfers = self.reservation == Some(self.get(rs1));
                Work::Exclusive { loads: rd, transfers }
            }
            Instruction::Atomic { .. } => Work::Atomic,
            Instruction::Push { saved, .. } => Work::Stack { registers: saved + 1, then: None },
            Instruction::Pop { saved, then, .. } => {
                Work::Stack { registers: saved + 1, then: Some(then) }
            }
            Instruction::MoveFromArguments { .. } | Instruction::MoveToArguments { .. } => {
                Work::Moves
            }
            Instruction::Load { width, rd, rs1, offset } => {
                self.access(pmp::Access::Read, width, self.get(rs1).wrapping_add(offset), Some(rd))
            }
            Instruction::Store { width, rs1, offset, .. } => {
                self.access(pmp::Access::Write, width, self.get(rs1).wrapping_add(offset), None)
            }
            Instruction::Csr { operation, source, csr, .. } => {
                let writes = writes(operation, source);
                let matters = matches!(
                    csr,
                    number::MSTATUS | number::MIE | number::PMPCFG0..=number::PMPADDR15
                );
                // Ibex forgets those that clear bits.
                if writes && matters && operation != CsrOperation::Clear {
                    Work::Control
                } else {
                    Work::Simple
                }
            }
            Instruction::WaitForInterrupt => Work::Wait,
            Instruction::MachineReturn => Work::Trap { retires: true },
            _ => Work::Simple,
        }
    }

    fn access(&self, access: pmp::Access, width: Width, address: u32, loads: Option<u8>) -> Work {
        let is_split = match width {
            Width::Word => address & 3 != 0,
            Width::Half | Width::HalfUnsigned => address & 3 == 3,
            Width::Byte | Width::ByteUnsigned => false,
        };
        let word = address & !3;
        let machine = self.is_machine_data();
        let refused = [word, word.wrapping_add(4)].map(|at| !self.may(access, at, 4, machine));
        Work::Access(Access {
            loads,
            is_split,
            refused,
            fails: false,
            behind: 4,
            behind_jumps: false,
        })
    }

    /// Returns the work of an instruction that has raised an exception.
    fn failed(&mut self, work: Work, exception: Exception, behind: u32) -> Work {
        let is_ibex = self.configuration.model.is_ibex();
        match (work, exception.cause) {
            (Work::Access(access), cause::LOAD_FAULT | cause::STORE_FAULT) if is_ibex => {
                let decoded = self.fetch_instruction(behind).ok().and_then(|it| it.decoded);
                let behind_jumps = decoded.is_some_and(|instruction| {
                    let sources = timing::sources(&instruction);
                    let waits = access.loads.is_some_and(|rd| rd != 0 && sources.contains(&rd));
                    !waits && matches!(self.work(&instruction), Work::Branch | Work::Jump)
                });
                let behind = self.length_at(behind);
                Work::Access(Access { fails: true, behind, behind_jumps, ..access })
            }
            (_, cause) => {
                let calls = [cause::CALL_FROM_USER, cause::CALL_FROM_MACHINE, cause::BREAKPOINT];
                Work::Trap { retires: calls.contains(&cause) }
            }
        }
    }
}
