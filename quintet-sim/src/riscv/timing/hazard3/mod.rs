//! Hazard3, with a port for instructions and one for data.
//!
//! ```text
//!  front end ──> execute ──────> memory
//!     ^             │ address      │ data phase of a load or store
//!     ╰── jumps ────╯              ╰── traps, a cycle behind
//! ```
//! An instruction retires when it leaves the stage that executes. A load or store has its address
//! phase there, in that cycle, and its data phase in the stage behind, which holds up the next one.
//! An instruction that needs several cycles executes in its last one, so an interrupt can come
//! before, and a division begins anew behind it.

mod frontend;

use super::{Facts, Next, Work};
use crate::riscv::instruction::{AfterPop, Instruction, Register, saved_register};
use frontend::{FrontEnd, Jump};

/// The cycles of a quotient between its first and its last, without those for signs.
const DIVISION: u64 = 17;

const RETURN_ADDRESS: Register = 1;
const STACK_POINTER: Register = 2;
const ARGUMENT: Register = 10;

/// The pipeline.
#[derive(Clone, Debug)]
pub struct Hazard3 {
    now: u64,
    latency: u64,
    front: FrontEnd,
    /// When the data phase ends.
    data: u64,
    /// The register that it loads.
    loading: Register,
    /// Whether it is of an LR or SC.
    is_exclusive: bool,
    /// An access waited for the port in the last cycle.
    waited: bool,
    /// The instruction in the stage has jumped already.
    jumped: bool,
    retired: u64,
}

impl Hazard3 {
    /// A pipeline after reset in the cycle `now`, at a memory with these wait states.
    pub fn new(wait_states: u8, start: u32, now: u64) -> Self {
        Self {
            now: now + 1,
            latency: 1 + u64::from(wait_states),
            front: FrontEnd::new(wait_states, start),
            data: 0,
            loading: 0,
            is_exclusive: false,
            waited: false,
            jumped: false,
            retired: 0,
        }
    }

    /// Returns the current cycle since reset.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns the cycle in which the last instruction has retired.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    fn tick(&mut self, used: u32, jump: Option<Jump>) {
        self.front.clock(self.now, used, jump);
        self.now += 1;
    }

    fn stall(&mut self) {
        self.tick(0, None);
    }

    /// Lets time pass in which nothing executes.
    pub fn stall_until(&mut self, cycle: u64) {
        while self.now < cycle {
            self.stall();
        }
    }

    /// Goes on until an instruction of `length` bytes is where it executes.
    pub fn next(&mut self, length: u32, mut interrupt: impl FnMut(u64) -> bool) -> Next {
        self.jumped = false;
        self.waited = false;
        loop {
            if interrupt(self.now) && self.now > self.data {
                return Next::Interrupt;
            }
            if self.front.has(length) {
                return Next::Instruction;
            }
            self.stall();
        }
    }

    /// Goes to the handler of an interrupt.
    pub fn enter_handler(&mut self, target: u32) {
        self.go(target);
    }

    /// Goes elsewhere, as soon as the front end can.
    fn go(&mut self, target: u32) {
        while !self.front.can_jump() {
            self.stall();
        }
        self.front.forget();
        self.tick(0, Some(Jump { target, keeps: None }));
    }

    fn is_held(&self, facts: &Facts) -> bool {
        let [first, second] = facts.sources;
        let second = if facts.work.is_store() { 0 } else { second };
        let reads = |register| register != 0 && register == self.loading;
        self.now <= self.data && (reads(first) || reads(second))
    }

    /// Goes on until the instruction in the stage is in its last cycle there.
    pub fn begin(&mut self, facts: &Facts, mut interrupt: impl FnMut(u64) -> bool) -> Next {
        match facts.work {
            Work::Stack { registers, then } => {
                return self.stack(facts, registers, then, &mut interrupt);
            }
            Work::Moves => return self.moves(facts, &mut interrupt),
            _ => {}
        }
        let mut done = None;
        loop {
            if interrupt(self.now) && !self.waited && (done.is_none() || !facts.work.is_atomic()) {
                if self.now > self.data {
                    return Next::Interrupt;
                }
                done = None;
                self.stall();
                continue;
            }
            self.waited = false;
            let held = self.is_held(facts);
            if !held && self.jump_of(facts).is_some() && !self.jumped {
                if !self.front.can_jump() {
                    self.stall();
                    continue;
                }
                if self.now < self.data {
                    self.jump(facts, Some(facts.length));
                    self.jumped = true;
                    continue;
                }
            }
            let overlaps = facts.work.is_atomic() && self.is_exclusive && self.now <= self.data;
            if held || overlaps {
                self.stall();
                continue;
            }
            let ready = self.now >= self.data;
            if done.is_none() && (ready || matches!(facts.work, Work::Divide { .. })) {
                done = Some(self.now + self.work(facts));
            }
            if ready && done.is_some_and(|done| self.now >= done) {
                return Next::Instruction;
            }
            self.waited = facts.work.is_access() && !ready;
            self.stall();
        }
    }

    /// Goes on until a part of an instruction can leave the stage. Returns `false` if there is an
    /// interrupt instead, which lets the instruction begin anew behind it.
    fn part(&mut self, reads: Register, interrupt: &mut impl FnMut(u64) -> bool) -> bool {
        loop {
            let held = reads != 0 && reads == self.loading && self.now <= self.data;
            if interrupt(self.now) {
                return false;
            }
            if !held && self.now >= self.data {
                return true;
            }
            self.stall();
        }
    }

    /// Behind a part that an interrupt has stopped: the access in flight ends first.
    fn interrupted(&mut self) -> Next {
        self.stall_until(self.data + 1);
        Next::Interrupt
    }

    /// A push or pop does its accesses one after the other, then jumps if it returns, and moves the
    /// stack pointer last. From the jump on, no interrupt comes.
    fn stack(
        &mut self,
        facts: &Facts,
        registers: u8,
        then: Option<AfterPop>,
        interrupt: &mut impl FnMut(u64) -> bool,
    ) -> Next {
        for number in 0..registers {
            if !self.part(facts.sources[0], interrupt) {
                return self.interrupted();
            }
            let loads = match number.checked_sub(1) {
                None => RETURN_ADDRESS,
                Some(saved) => saved_register(saved),
            };
            self.enter_memory(then.map(|_| loads), true, false);
            self.stall();
        }
        if then == Some(AfterPop::ReturnZero) {
            if !self.part(0, interrupt) {
                return self.interrupted();
            }
            self.stall();
        }
        if matches!(then, Some(AfterPop::Return | AfterPop::ReturnZero)) {
            while self.loading == RETURN_ADDRESS && self.now <= self.data || !self.front.can_jump()
            {
                self.stall();
            }
            let jump = Jump { target: facts.target, keeps: Some(facts.length) };
            let ready = self.now >= self.data;
            self.tick(0, Some(jump));
            if !ready {
                self.stall_until(self.data + 1);
            }
        }
        self.stall_until(self.data);
        Next::Instruction
    }

    /// Two moves, one after the other.
    fn moves(&mut self, facts: &Facts, interrupt: &mut impl FnMut(u64) -> bool) -> Next {
        let [first, second] = facts.sources;
        if !self.part(first, interrupt) {
            return self.interrupted();
        }
        self.stall();
        // No interrupt comes between them.
        self.part(second, &mut |_| false);
        Next::Instruction
    }

    /// Returns the cycles before the last one.
    fn work(&self, facts: &Facts) -> u64 {
        match facts.work {
            Work::Divide { extra, .. } => DIVISION + u64::from(extra),
            Work::Atomic => 2 * self.latency + 1,
            _ => 0,
        }
    }

    /// Returns where the instruction goes, if that is not where the front end has gone.
    fn jump_of(&self, facts: &Facts) -> Option<u32> {
        let [predicted, _] = self.front.prediction();
        match (facts.conditional, facts.work) {
            (Some(_), Work::Branch) => (!predicted).then_some(facts.target),
            (Some(_), _) => predicted.then_some(facts.pc.wrapping_add(facts.length)),
            (None, Work::Jump) => Some(facts.target),
            _ => None,
        }
    }

    fn jump(&mut self, facts: &Facts, keeps: Option<u32>) {
        let Some(target) = self.jump_of(facts) else { return };
        let [predicted, _] = self.front.prediction();
        let is_back = facts.conditional.is_some_and(|target| target < facts.pc);
        if predicted || facts.conditional.is_none() && target == facts.pc.wrapping_add(4) {
            self.front.forget();
        } else if is_back {
            self.front.remember(facts.pc, facts.length == 4, target);
        }
        self.tick(if keeps.is_some() { 0 } else { facts.length }, Some(Jump { target, keeps }));
    }

    /// Does the last cycle of the instruction in the stage.
    pub fn finish(&mut self, facts: &Facts) {
        if facts.work != (Work::Trap { retires: false }) {
            self.retired = self.now;
        }
        match facts.work {
            Work::Access(access) => self.enter_memory(access.loads, true, false),
            Work::Exclusive { loads, transfers } => {
                self.enter_memory(Some(loads), transfers, true);
            }
            _ => {}
        }
        if self.jump_of(facts).is_some() && !self.jumped {
            self.jump(facts, None);
        } else {
            self.tick(facts.length, None);
        }
        if let Work::Trap { .. } = facts.work {
            self.go(facts.target);
        }
    }

    fn enter_memory(&mut self, loads: Option<Register>, transfers: bool, is_exclusive: bool) {
        self.data = self.now + if transfers { self.latency } else { 1 };
        self.loading = loads.unwrap_or(0);
        self.is_exclusive = is_exclusive;
    }

    /// Sleeps on until `cycle`.
    pub fn sleep_until(&mut self, cycle: u64) {
        self.stall_until(cycle);
    }

    /// Wakes: an interrupt is pending in this cycle.
    pub fn wake(&mut self) {
        self.stall();
    }
}

/// Returns the registers by which the core thinks that an instruction reads: of those that access
/// registers for control, parts of other fields too.
pub(in crate::riscv) fn sources(instruction: &Instruction, bits: u32) -> [Register; 2] {
    let [first, second] = super::sources(instruction);
    match instruction {
        Instruction::Csr { .. } => [(bits >> 15 & 31) as u8, (bits >> 20 & 31) as u8],
        Instruction::Fence { .. } => [(bits >> 15 & 31) as u8, 0],
        Instruction::Push { .. } | Instruction::Pop { .. } => [STACK_POINTER, 0],
        Instruction::MoveFromArguments { .. } => [ARGUMENT, ARGUMENT + 1],
        Instruction::MoveToArguments { r1, r2 } => [*r1, *r2],
        _ => [first, second],
    }
}
