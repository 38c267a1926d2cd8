//! The pipeline: when each thing that the processor does happens.
//!
//! The processor tells the pipeline what it executes, in order and as it does it; the pipeline
//! answers with the cycle of each bus access and keeps [`Pipeline::now`].
//!
//! Three stages: fetch into a queue of words (`fetch`), decode, execute. An instruction enters
//! the decode stage when its last halfword has arrived and the one before it has left; it enters
//! the execute stage a cycle later at the earliest, when that is free.
//!
//! ```text
//!            decode d │ execute x            behind it
//!  plain              │ 1 cycle
//!  load               │ address x, data x+1  next at x+2, a load or store on the same bus at x+1
//!  store              │ address x, data x+1  next at x+1, a load at x+2
//!  B, BL, Bcc  fetch d│ 1 cycle              the target is fetched from d on, executes at x+2
//!  BX, CBZ            │ fetch x              the target executes at x+3
//! ```

mod exceptions;
mod facts;
mod fetch;
mod operands;
mod ports;
#[cfg(test)]
mod tests;

pub use facts::{Facts, Kind};

use crate::processor::bus::{Port, RegionTiming};
use crate::processor::instruction::Size;
use fetch::Fetch;
use ports::{Ports, same_bus};

/// What an instruction's data does on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// What of an executing instruction matters to the one behind it.
#[derive(Clone, Copy, Debug)]
struct Executing {
    kind: Kind,
    /// The registers it has yet to write when the next is decoded.
    writes: u16,
    /// A long multiplication's high result.
    high: u16,
    /// IT may fold behind it.
    takes_it: bool,
    /// The cycle of its decode.
    decode: u64,
    /// The cycle in which it entered the execute stage.
    start: u64,
}

/// The instruction that the processor is executing.
#[derive(Clone, Copy, Debug)]
struct Current {
    facts: Facts,
    address: u32,
    passed: bool,
    /// The cycle of its decode.
    decode: u64,
    /// It takes no place in the execute stage.
    vanishes: bool,
    /// The target's fetch began in the decode stage.
    early: bool,
    /// The flags that it depends on were being made while it was decoded.
    speculates: bool,
    /// It waits behind a division, which does not announce its end: the decode stage starts over
    /// until then.
    behind_division: bool,
    /// Its load or store may begin while the load before it gets its data, if it is on the same
    /// bus: that bus, and when it can begin otherwise.
    overlap: Option<(Port, u64)>,
    /// The accesses so far.
    accesses: u8,
    redirected: bool,
}

/// The timing model of the Cortex-M3's pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    fetch: Fetch,
    ports: Ports,
    current: Current,
    previous: Executing,
    /// The first cycle in which the next instruction can enter the decode stage.
    decode_free: u64,
    /// The cycle in which the current instruction entered the execute stage.
    start: u64,
    /// The first cycle in which the execute stage is free.
    execute_free: u64,
    /// The bus of the last load, while it is the latest instruction.
    load_bus: Option<Port>,
    /// The cycle of the last address phase of data.
    last_address: u64,
    /// The first cycle in which a load can follow the last store.
    stored: u64,
    /// The first cycle in which the last store has left the core.
    drained: u64,
    /// The cycle in which flags were last made.
    flags: u64,
    /// The cycle before an exception's first access, and the one in which its vector arrived.
    exception_began: u64,
    vector_read: u64,
    /// For each register, the first cycle in which an execute stage can begin with an address made
    /// of it.
    address_ready: [u64; 16],
}

impl Pipeline {
    /// A pipeline after reset, in front of the given memories.
    pub fn new(regions: &[RegionTiming]) -> Self {
        let ports = Ports::new(regions);
        let facts = Facts::NONE;
        Self {
            fetch: Fetch::new(ports.clone()),
            ports,
            current: Current {
                facts,
                address: 0,
                passed: true,
                decode: 0,
                vanishes: false,
                early: false,
                speculates: false,
                behind_division: false,
                overlap: None,
                accesses: 0,
                redirected: false,
            },
            previous: Executing::nothing(),
            decode_free: 0,
            start: 0,
            execute_free: 0,
            load_bus: None,
            last_address: 0,
            stored: 0,
            drained: 0,
            flags: u64::MAX,
            exception_began: 0,
            vector_read: 0,
            address_ready: [0; 16],
        }
    }

    /// The current cycle since reset: the first one in which the execute stage is free for the next
    /// instruction.
    #[inline]
    pub fn now(&self) -> u64 {
        self.execute_free
    }

    /// An instruction is executed. `passed` is false when its condition failed (inside an IT
    /// block);
    /// `conditional` when it is in an IT block at all.
    #[inline]
    pub fn issue(&mut self, address: u32, facts: &Facts, passed: bool, conditional: bool) {
        if facts.kind == Kind::IfThen && self.folds(address) {
            self.fetch.consume_with_last(address, self.previous.decode);
            self.fetch.release(self.start);
            self.current.vanishes = true;
            self.current.facts = *facts;
            return;
        }
        let decode = self.fetch.available(address, facts.length).max(self.decode_free);
        self.fetch.consume(address, facts.length, decode);
        self.current = Current {
            facts: *facts,
            address,
            passed,
            decode,
            vanishes: false,
            early: false,
            speculates: false,
            behind_division: false,
            overlap: None,
            accesses: 0,
            redirected: false,
        };
        if (facts.kind == Kind::Nop || !passed) && self.is_absorbed(decode) {
            self.current.vanishes = true;
            self.previous.takes_it = false;
            self.decode_free = decode + 1;
            self.fetch.release(decode + 1);
            return;
        }
        self.anticipate_branch(decode, passed);
        self.enter_execute(decode, facts, passed);
        self.previous.takes_it = facts.length == 2 && !conditional && facts.kind.takes_it();
    }

    /// The instruction accesses memory; returns the cycle of the transfer. Called once for each
    /// aligned part of an unaligned access, and once for each register of a load or store multiple,
    /// in bus order.
    #[inline]
    pub fn data(&mut self, address: u32, size: Size, direction: Direction) -> u64 {
        let _ = size;
        let region = self.ports.at(address);
        let first = self.current.accesses == 0;
        self.current.accesses = self.current.accesses.saturating_add(1);
        let wanted = if first { self.first_address(region.port) } else { self.last_address + 1 };
        let (at, wait) = self.access(wanted, &region, direction);
        self.last_address = at + wait;
        self.occupy(at + wait, region.port);
        at + wait + 1
    }

    /// The operands of a division: its time depends on them.
    #[inline]
    pub fn divide(&mut self, signed: bool, dividend: u32, divisor: u32) {
        self.busy(operands::divide_cycles(signed, dividend, divisor));
    }

    /// The operands of a long multiplication: its time depends on them.
    #[inline]
    pub fn multiply_long(&mut self, signed: bool, accumulate: bool, n: u32, m: u32) {
        self.busy(operands::multiply_long_cycles(signed, accumulate, n, m));
    }

    /// MSR or CPS raises the execution priority: one cycle more, so that no exception that it masks
    /// is taken behind it.
    pub fn raise_mask(&mut self) {
        self.busy(2);
    }

    /// The instruction wrote the program counter: the queue refills from `target`.
    #[inline]
    pub fn redirect(&mut self, target: u32) {
        let (stop, start) = self.redirection();
        self.fetch.redirect(target, stop, start);
        self.current.redirected = true;
        self.decode_free = self.start + 1;
        let target_executes = (start + self.fetch.latency() + 1).max(self.start + 2);
        self.execute_free = self.execute_free.max(target_executes);
    }

    /// The instruction is complete.
    #[inline]
    pub fn retire(&mut self) {
        let current = &self.current;
        match current.facts.kind {
            Kind::ConditionalBranch if !current.redirected && current.speculates => {
                self.fetch.waste(current.decode);
            }
            Kind::InstructionBarrier if current.passed && !current.redirected => {
                self.refetch_behind_barrier();
            }
            _ => {}
        }
    }

    /// IT is handled together with the narrow instruction before it when both are in the queue.
    fn folds(&self, address: u32) -> bool {
        self.previous.takes_it && self.fetch.is_available(address, self.previous.decode)
    }

    /// While a load waits for its data, an instruction that needs nothing of the execute stage
    /// passes.
    fn is_absorbed(&self, decode: u64) -> bool {
        self.previous.kind == Kind::Load && decode == self.previous.start
    }

    /// In the decode stage, branches whose target is known start its fetch.
    fn anticipate_branch(&mut self, decode: u64, passed: bool) {
        let kind = self.current.facts.kind;
        self.current.early = match kind {
            Kind::Branch | Kind::ConditionalBranch => true,
            Kind::LinkBranch => {
                let link = self.previous.writes & 1 << 14 != 0 && self.execute_free > decode;
                !link && self.address_ready[14] <= decode
            }
            _ => false,
        };
        self.current.speculates = self.flags == decode;
        self.current.behind_division = self.previous.kind == Kind::Divide;
        if !passed && matches!(kind, Kind::Branch | Kind::LinkBranch) {
            self.fetch.waste(decode);
        }
    }

    /// Finds the first cycle in the execute stage.
    fn enter_execute(&mut self, decode: u64, facts: &Facts, passed: bool) {
        let mut start = decode + 1;
        let mut registers = facts.address_registers;
        while registers != 0 {
            start = start.max(self.address_ready[registers.trailing_zeros() as usize]);
            registers &= registers - 1;
        }
        match facts.kind {
            Kind::Load | Kind::LoadMultiple | Kind::TableBranch if passed => {
                start = start.max(self.stored);
            }
            Kind::DataBarrier => start = start.max(self.drained),
            _ => {}
        }
        let free = if passed { self.shared_free(facts, start) } else { self.execute_free };
        self.begin(start.max(free), facts, passed);
    }

    /// The first cycle in which the execute stage takes the current instruction. It may share it
    /// with the one before: a load or store behind a load, and MLA behind the long multiplication
    /// whose high word it accumulates. `ready` is when it could start for all else.
    fn shared_free(&mut self, facts: &Facts, ready: u64) -> u64 {
        let (free, previous) = (self.execute_free, &self.previous);
        let shares = match facts.kind {
            Kind::Load | Kind::Store => {
                let independent = facts.base == 0 && facts.address_registers & previous.writes == 0;
                self.current.overlap =
                    self.load_bus.filter(|_| independent).map(|bus| (bus, ready.max(free)));
                self.current.overlap.is_some()
            }
            Kind::MultiplyAccumulate => {
                previous.kind == Kind::MultiplyLong && facts.accumulator & previous.high != 0
            }
            _ => false,
        };
        free - u64::from(shares)
    }

    fn begin(&mut self, start: u64, facts: &Facts, passed: bool) {
        self.start = start;
        self.decode_free = start;
        self.fetch.release(start);
        self.load_bus = None;
        self.previous = Executing {
            kind: if passed { facts.kind } else { Kind::Plain },
            writes: if passed { facts.results | facts.base } else { 0 },
            high: if facts.kind == Kind::MultiplyLong { facts.accumulator } else { 0 },
            takes_it: false,
            decode: self.current.decode,
            start,
        };
        let two = matches!(facts.kind, Kind::MultiplyAccumulate | Kind::MultiplySubtract);
        self.execute_free = start + if two && passed { 2 } else { 1 };
        if passed {
            if facts.sets_flags {
                self.flags = start;
            }
            self.ready(facts.results, self.execute_free + 1);
        }
    }

    /// Registers can make addresses for execute stages from `cycle` on.
    #[inline]
    fn ready(&mut self, mut registers: u16, cycle: u64) {
        while registers != 0 {
            self.address_ready[registers.trailing_zeros() as usize] = cycle;
            registers &= registers - 1;
        }
    }

    /// Execution takes `cycles` in all.
    fn busy(&mut self, cycles: u32) {
        let facts = self.current.facts;
        self.execute_free = self.start + u64::from(cycles);
        self.ready(facts.results, self.execute_free + 1);
        if facts.kind == Kind::MultiplyLong {
            // The low word is written a cycle before the high one.
            self.ready(facts.results & !facts.late, self.execute_free);
        }
    }

    /// The first address phase of the current instruction: earlier than thought when it turns out
    /// to be on the bus of the load before it, and not otherwise.
    #[inline]
    fn first_address(&mut self, port: Port) -> u64 {
        if let Some((bus, otherwise)) = self.current.overlap
            && !same_bus(bus, port)
        {
            self.start = otherwise;
            self.decode_free = otherwise;
            self.previous.start = otherwise;
            // It has left the decode stage all the same: its words are free since the earlier
            // cycle.
        }
        self.start
    }

    /// An address phase, not before `wanted`: its cycle, and the wait states of the transfer behind
    /// it.
    #[inline]
    fn access(&mut self, wanted: u64, region: &RegionTiming, direction: Direction) -> (u64, u64) {
        let write = direction == Direction::Write;
        let wait_states = if write { region.write_wait_states } else { region.read_wait_states };
        let at = match region.port {
            Port::System if self.fetch.uses_system_bus() => {
                self.fetch.claim_system_bus(wanted, write, wait_states)
            }
            Port::CodeShared => {
                for cycle in wanted..=wanted + u64::from(wait_states) {
                    self.fetch.yield_code_bus(cycle);
                }
                wanted
            }
            _ => wanted,
        };
        (at, u64::from(wait_states))
    }

    /// What an address phase in cycle `at` means for the instructions behind.
    #[inline]
    fn occupy(&mut self, at: u64, port: Port) {
        let facts = self.current.facts;
        self.execute_free = at + 2;
        match facts.kind {
            Kind::Load => {
                self.load_bus = Some(port);
                self.ready(facts.results, at + 2);
            }
            Kind::LoadMultiple => {
                self.ready(facts.results, at + 2);
                self.ready(facts.late, at + 3);
            }
            Kind::Store => {
                self.execute_free = at + 1 + u64::from(facts.register_offset);
                self.stored = at + 2;
                self.drained = at + 2;
            }
            Kind::StoreMultiple => {
                self.stored = at + 2;
                self.drained = at + 3;
            }
            Kind::StoreExclusive => {
                self.stored = at + 2;
                self.drained = at + 2;
                self.ready(facts.results, at + 3);
            }
            _ => {}
        }
        self.ready(facts.base, at + 2);
    }

    /// When the queue is emptied for the target of the current instruction, and when its fetch
    /// begins.
    fn redirection(&self) -> (u64, u64) {
        let current = &self.current;
        match current.facts.kind {
            _ if current.early && current.behind_division => (self.start - 1, self.start - 1),
            _ if current.early => (current.decode, current.decode),
            Kind::ComputedBranch => (self.start, self.start + 1),
            Kind::Load | Kind::LoadMultiple => (self.last_address, self.last_address + 2),
            Kind::TableBranch => (self.last_address, self.last_address + 3),
            _ => (self.start, self.start),
        }
    }

    /// ISB empties the queue. A request that the system bus has registered cannot be taken back.
    fn refetch_behind_barrier(&mut self) {
        let behind = self.current.address.wrapping_add(u32::from(self.current.facts.length));
        let at = self.start + u64::from(self.fetch.uses_system_bus());
        self.fetch.redirect(behind, at, at);
        self.decode_free = self.start + 1;
    }
}

impl Executing {
    fn nothing() -> Self {
        Self { kind: Kind::Plain, writes: 0, high: 0, takes_it: false, decode: 0, start: 0 }
    }
}
