//! lowRISC's Ibex, with two stages or three.
//!
//! ```text
//!  prefetch buffer ──> decode and execute ──> writeback (of three stages only)
//!        ^                │   ╰──> port for data ──────────┘ the response of a load or store
//!        ╰── jumps ───────╯
//! ```
//! The stage that executes holds one instruction at a time. With two stages, an instruction is done
//! when it leaves; a load or store waits there for its response. With three stages it waits in the
//! last one, and nothing else executes before the cycle of the response.

mod prefetch;

use super::{Access, Facts, Model, Next, Work};
use crate::riscv::instruction::Register;
use prefetch::{Asked, Prefetch};

/// The cycles of a quotient before the last: absolute values of both operands and 32 bits between
/// the first and the sign.
const DIVISION: u64 = 36;

/// The options that matter for time.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// There are three stages.
    writeback: bool,
    /// Targets of branches have an adder of their own.
    branch_adder: bool,
    /// The cycles of a product before the last: for its lower half, and for its upper half.
    product: [u64; 2],
}

const SMALL: Shape = Shape { writeback: false, branch_adder: false, product: [2, 3] };
const MAXPERF: Shape = Shape { writeback: true, branch_adder: true, product: [0, 1] };

/// What the controller does while no instruction executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Control {
    /// After reset and after sleep: an instruction may come, but none executes.
    FirstFetch,
    /// Instructions come and execute.
    Decode,
}

/// The pipeline.
#[derive(Clone, Debug)]
pub struct Ibex {
    shape: Shape,
    now: u64,
    latency: u64,
    prefetch: Prefetch,
    control: Control,
    /// The cycle in which the load or store in the last stage gets its response.
    response: u64,
    /// The register that a load in the last stage writes.
    loading: Register,
    retired: u64,
    /// Whether the next instruction is in the stage.
    is_in_stage: bool,
    /// Whether this is the last cycle of an instruction in the stage.
    leaves: bool,
    /// Whether there is an interrupt in this cycle, if that is known.
    interrupted: Option<bool>,
    /// The length of the instruction behind.
    length: u32,
    /// Cycles in which the clock stood still, and in which it has begun to.
    slept: u64,
    sleeps_from: u64,
}

impl Ibex {
    /// A pipeline after reset in the cycle `now`, at a memory with these wait states.
    pub fn new(model: Model, wait_states: u8, reset_vector: u32, now: u64) -> Self {
        let shape = if model == Model::IbexMaxperf { MAXPERF } else { SMALL };
        let mut ibex = Self {
            shape,
            now,
            latency: 1 + u64::from(wait_states),
            prefetch: Prefetch::new(wait_states),
            control: Control::FirstFetch,
            response: 0,
            loading: 0,
            retired: 0,
            is_in_stage: false,
            leaves: false,
            interrupted: None,
            length: 4,
            slept: 0,
            sleeps_from: 0,
        };
        // Reset, which takes the first address, and a cycle more that requests it.
        ibex.tick(Asked { run: false, jump: Some(reset_vector), take: false });
        ibex.jump(reset_vector);
        ibex
    }

    /// Returns the current cycle since reset.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns the cycle in which the last instruction retires.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// Returns how many cycles the clock of the core has stood still.
    pub fn slept(&self) -> u64 {
        self.slept
    }

    #[inline]
    fn tick(&mut self, asked: Asked) -> bool {
        let is_taken = self.prefetch.clock(self.now, self.length, asked);
        self.now += 1;
        is_taken
    }

    /// A cycle in which the stage takes nothing.
    #[inline]
    fn stall(&mut self) {
        self.tick(Asked { run: true, jump: None, take: false });
    }

    /// Lets time pass in which the instruction in the stage does nothing.
    pub fn stall_until(&mut self, cycle: u64) {
        while self.now < cycle {
            if self.prefetch.is_full() {
                self.now = cycle;
                return;
            }
            self.stall();
        }
    }

    fn jump(&mut self, target: u32) {
        self.tick(Asked { run: true, jump: Some(target), take: false });
    }

    /// A cycle in which the stage takes an instruction unless there is an interrupt.
    #[inline]
    fn take(&mut self, unless: bool) -> bool {
        self.tick(Asked { run: true, jump: None, take: !unless })
    }

    /// Goes on until an instruction of `length` bytes is where it executes.
    #[inline]
    pub fn next(&mut self, length: u32, mut interrupt: impl FnMut(u64) -> bool) -> Next {
        self.length = length;
        if self.leaves {
            self.leaves = false;
            let interrupted = self.interrupted.take().unwrap_or_else(|| interrupt(self.now));
            self.is_in_stage = self.take(interrupted);
        }
        while !self.is_in_stage {
            let interrupted = interrupt(self.now);
            let first = self.control == Control::FirstFetch;
            if interrupted && (first || self.now >= self.response) {
                self.control = Control::Decode;
                self.stall();
                if interrupt(self.now) {
                    return Next::Interrupt;
                }
                self.is_in_stage = self.take(false);
                continue;
            }
            self.is_in_stage = self.take(interrupted);
            self.control = Control::Decode;
        }
        Next::Instruction
    }

    /// Goes to the handler of an interrupt.
    pub fn enter_handler(&mut self, target: u32) {
        self.jump(target);
    }

    /// Goes on until the instruction in the stage executes. Of one that only jumps, the target goes
    /// to the prefetch buffer before: while an access has no response, but not while a register is
    /// being loaded that the instruction reads.
    #[inline]
    pub fn begin(&mut self, facts: &Facts) {
        let is_jump = facts.conditional.is_some() || facts.work == Work::Jump;
        if !self.shape.writeback || self.now > self.response {
            return;
        }
        let waits = self.loading != 0 && facts.sources.contains(&self.loading);
        if waits {
            self.stall_until(self.response + 1);
        } else if !is_jump {
            self.stall_until(self.response);
        }
    }

    /// Does the cycles of the instruction that [`Ibex::begin`] has begun, but for the last one if
    /// the next instruction can come in it. `interrupted` says whether there was an interrupt to
    /// take before the instruction executed.
    #[inline]
    pub fn finish(
        &mut self,
        facts: &Facts,
        interrupted: bool,
        mut interrupt: impl FnMut(u64) -> bool,
    ) {
        self.is_in_stage = false;
        let first = self.now;
        match facts.work {
            // A branch that is not taken may have begun before.
            Work::Simple
            | Work::Atomic
            | Work::Exclusive { .. }
            | Work::Stack { .. }
            | Work::Moves => self.stall_until(self.response),
            Work::Branch => {
                if !self.shape.branch_adder {
                    self.stall();
                    return self.leave_by_jump(facts.target);
                }
                if self.now >= self.response || !self.shape.writeback {
                    return self.leave_by_jump(facts.target);
                }
                self.jump(facts.target);
                self.stall_until(self.response);
            }
            Work::Jump => {
                if self.shape.branch_adder && self.now >= self.response {
                    return self.leave_by_jump(facts.target);
                }
                self.jump(facts.target);
                if self.shape.writeback {
                    self.stall_until(self.response);
                }
            }
            Work::Multiply => self.stall_until(self.now + self.shape.product[0]),
            Work::MultiplyHigh => self.stall_until(self.now + self.shape.product[1]),
            Work::Divide { by_zero, .. } => {
                self.stall_until(self.now + if by_zero { 1 } else { DIVISION });
            }
            Work::Access(access) => {
                return self.access(&access, facts, interrupted, &mut interrupt);
            }
            Work::Control => {
                self.retire();
                self.stall();
                return self.stall();
            }
            Work::Wait => {
                self.retire();
                self.stall();
                self.stall();
                self.sleeps_from = self.prefetch.quiet_from(self.now) + 1;
                self.tick(Asked { run: false, jump: None, take: false });
                return;
            }
            Work::Trap { .. } => {
                self.stall_until(self.response);
                self.retire();
                self.stall();
                return self.jump(facts.target);
            }
        }
        self.retire();
        self.leave(first, interrupted);
    }

    /// The stage takes the next instruction while this one leaves.
    fn leave(&mut self, first: u64, interrupted: bool) {
        self.leaves = true;
        self.interrupted = (self.now == first).then_some(interrupted);
    }

    /// The instruction in the stage leaves it in this cycle.
    fn retire(&mut self) {
        self.retired = self.now + u64::from(self.shape.writeback);
    }

    fn leave_by_jump(&mut self, target: u32) {
        self.retire();
        self.jump(target);
    }

    fn access(
        &mut self,
        access: &Access,
        facts: &Facts,
        interrupted: bool,
        interrupt: &mut impl FnMut(u64) -> bool,
    ) {
        let (done, response) = self.transfers(access);
        let first = self.now;
        if !self.shape.writeback {
            self.stall_until(response);
            self.retire();
            if access.fails {
                self.stall();
                return self.jump(facts.target);
            }
            return self.leave(first, interrupted);
        }
        self.stall_until(done);
        self.response = response;
        self.retired = response;
        self.loading = access.loads.unwrap_or(0);
        if !access.fails {
            return self.leave(first, interrupted);
        }
        // What stands behind may come before the response, and may send a target to the buffer.
        self.length = access.behind;
        let mut jumps = access.behind_jumps;
        let mut is_in_stage = false;
        while self.now <= response {
            if is_in_stage && jumps {
                jumps = false;
                self.jump(facts.target);
                continue;
            }
            let holds = is_in_stage || self.now == response || interrupt(self.now);
            is_in_stage |= self.take(holds);
        }
        self.jump(facts.target);
    }

    /// Returns the cycle in which the last transfer of an access is granted, and the one of its
    /// response. A transfer that protection refuses is not requested: it takes a cycle to notice.
    fn transfers(&self, access: &Access) -> (u64, u64) {
        let now = self.now;
        let latency = self.latency;
        match (access.is_split, access.refused) {
            (false, [false, _]) => (now, now + latency),
            (false, [true, _]) => (now + 1, now + 2),
            (true, [false, false]) => (now + latency, now + 2 * latency),
            (true, [false, true]) => (now + latency + 1, now + latency + 2),
            (true, [true, false]) => (now + 2, now + 2 + latency),
            (true, [true, true]) => (now + 3, now + 4),
        }
    }

    /// Sleeps on until `cycle`.
    pub fn sleep_until(&mut self, cycle: u64) {
        while self.now < cycle && self.prefetch.is_busy() {
            self.tick(Asked { run: false, jump: None, take: false });
        }
        self.now = self.now.max(cycle);
    }

    /// Wakes: an interrupt is pending in this cycle.
    pub fn wake(&mut self) {
        self.slept += self.now.saturating_sub(self.sleeps_from);
        self.tick(Asked { run: false, jump: None, take: false });
        self.control = Control::FirstFetch;
    }
}
