//! The pipeline with a memory: what an instruction did to a state before, it does again.
//!
//! Straight code and loops bring the pipeline into the same states again and again. So each state
//! between two instructions gets a number, in the form [without a past](super::state). For each
//! state the memory has what followed from what the instruction told the pipeline: the next state,
//! and the number of cycles. An instruction that is known costs one look-up.
//!
//! ```text
//!  remembering   at ──issue, data, redirect: noted──> retire: known ──> next `at`
//!        │                    │                          │ new
//!        │ anything else      │                          v
//!        └────────────────────┴──── settle: the noted, told to the pipeline
//!                                                        │
//!  stepping      the pipeline is told everything <───────┘   after a rest: the state's number
//! ```
//!
//! While remembering, the pipeline isn't up to date, and within an instruction [`Timing::now`] is
//! the cycle before the instruction. What needs an exact cycle there settles first: an access to a
//! device, an exception, a record of an event. The caller keeps away from remembering where an
//! event of a device may come within the instruction: see [`Timing::hold`].
//!
//! A pipeline in front of a memory with lines or a cache, and one that goes by a table, never
//! remembers: their states don't repeat, or cost little.

mod inputs;
mod places;
mod table;
#[cfg(test)]
mod tests;

use super::{Direction, Facts, Kind, NOW, Pipeline, operands};
use crate::processor::bus::{FrontTiming, RegionTiming};
use crate::processor::quick::Micro;
use crate::timing::Table as CoreTable;
pub use inputs::Inputs;
use places::Places;
use table::{NOWHERE, Node, Table};

/// The instructions that are stepped through before the next attempt to remember, and the most.
const SHORT_REST: u32 = 2;
const LONG_REST: u32 = 1024;
/// A stretch of fewer cycles was not worth its beginning and its end.
const WORTH: u64 = 400;

/// The pipeline of a processor, with a memory.
pub struct Timing {
    /// The state, while stepping. Its cycles count from `base`.
    pipeline: Pipeline,
    base: u64,
    /// The number of the state between two instructions, while remembering.
    at: u32,
    /// The cycle of this state, and of the first one since the last rest.
    now: u64,
    began: u64,
    inputs: Inputs,
    table: Table,
    places: Places,
    /// Instructions to step through before the next attempt; how many the last rest had; and the
    /// first cycle for it.
    left: u32,
    rest: u32,
    hold: u64,
    /// An exception is being entered or left, so that the state isn't one between instructions. A
    /// processor may sleep there.
    is_within: bool,
    /// States are remembered at all.
    can_remember: bool,
    /// A tool has switched the memory off.
    is_off: bool,
    /// See [`Timing::longest`].
    longest: u64,
}

impl Timing {
    /// A pipeline after reset: see [`Pipeline::new`] and [`Pipeline::by_table`].
    pub fn new(
        regions: &[RegionTiming],
        fronts: &[FrontTiming],
        holds_addresses: bool,
        table: Option<CoreTable>,
    ) -> Self {
        let waits = |region: &RegionTiming| region.read_wait_states.max(region.write_wait_states);
        let slowest = regions.iter().map(waits).max().unwrap_or(0);
        Self {
            pipeline: Pipeline::new(regions, fronts, holds_addresses).by_table(table),
            base: 0,
            at: NOWHERE,
            now: 0,
            began: 0,
            inputs: Inputs::NONE,
            table: Table::default(),
            places: Places::new(regions),
            left: SHORT_REST,
            rest: SHORT_REST,
            hold: 0,
            is_within: false,
            can_remember: fronts.is_empty() && table.is_none(),
            is_off: false,
            longest: 64 + 40 * (1 + u64::from(slowest)),
        }
    }

    /// Switches the memory of states off or on. Without it, each instruction is stepped through the
    /// pipeline, which takes the same cycles and more of the host's time.
    pub fn set_memory(&mut self, on: bool) {
        self.settle();
        self.is_off = !on;
        self.left = SHORT_REST;
    }

    /// No instruction that is remembered takes more cycles, by far.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Returns the current cycle since reset: the first cycle in which the execute stage is free
    /// for the next instruction. Within an instruction, the cycle is exact behind
    /// [`Timing::settle`] only.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        if self.at != NOWHERE { self.now } else { self.pipeline.now().wrapping_add(self.base) }
    }

    /// Nothing is remembered before `cycle`, since an event may come.
    pub fn hold(&mut self, cycle: u64) {
        self.hold = cycle;
    }

    /// See [`Pipeline::issue`]. The facts are those of the instruction with these halfwords; it has
    /// passed its condition, and is within an IT block, or not.
    #[inline(always)]
    pub fn issue(&mut self, address: u32, code: u32, facts: &Facts, [passed, within]: [bool; 2]) {
        if self.at != NOWHERE {
            let is_met = self.table.is_at(self.at, address, code);
            if is_met || self.table.takes(self.at, (address, code), facts) {
                self.inputs = Inputs::of(passed, within);
                return;
            }
            self.settle();
        }
        self.pipeline.issue(address, facts, passed, within);
    }

    /// The instruction accesses memory, where the cycle doesn't matter: see [`Pipeline::data`].
    #[inline(always)]
    pub fn data_in_memory(&mut self, address: u32, direction: Direction) {
        if self.at != NOWHERE
            && let Some(place) = self.places.of(address)
            && self.inputs.access(place, direction)
        {
            return;
        }
        self.data(address, direction);
    }

    /// See [`Pipeline::data`].
    #[inline(never)]
    pub fn data(&mut self, address: u32, direction: Direction) -> u64 {
        self.settle();
        self.pipeline.data(address, direction).wrapping_add(self.base)
    }

    /// See [`Pipeline::divide`].
    #[inline]
    pub fn divide(&mut self, signed: bool, dividend: u32, divisor: u32) {
        self.busy(operands::divide_cycles(signed, dividend, divisor));
    }

    /// See [`Pipeline::multiply_long`].
    #[inline]
    pub fn multiply_long(&mut self, signed: bool, accumulate: bool, n: u32, m: u32) {
        if self.facts().kind == Kind::MultiplyLong {
            self.busy(operands::multiply_long_cycles(signed, accumulate, n, m));
        }
    }

    fn facts(&self) -> &Facts {
        if self.at != NOWHERE { self.table.facts(self.at) } else { &self.pipeline.current.facts }
    }

    #[inline]
    fn busy(&mut self, cycles: u32) {
        if self.at == NOWHERE {
            self.pipeline.busy(cycles);
        } else {
            self.inputs.busy(cycles);
        }
    }

    /// See [`Pipeline::float`].
    pub fn float(&mut self, cycles: u32) {
        self.settle();
        self.pipeline.float(cycles);
    }

    /// See [`Pipeline::set_mask`].
    pub fn set_mask(&mut self) {
        if self.at == NOWHERE {
            self.pipeline.set_mask();
        } else {
            self.inputs.set_mask();
        }
    }

    /// See [`Pipeline::redirect`].
    #[inline]
    pub fn redirect(&mut self, target: u32) {
        if self.at != NOWHERE && self.inputs.redirect(target) {
            return;
        }
        self.settle();
        self.pipeline.redirect(target);
    }

    /// See [`Pipeline::pass_by`].
    #[inline]
    pub fn pass_by(&mut self, target: u32) {
        // Only a front end asks for it.
        if self.at == NOWHERE {
            self.pipeline.pass_by(target);
        }
    }

    /// See [`Pipeline::retire`].
    #[inline(always)]
    pub fn retire(&mut self) {
        if self.at == NOWHERE {
            self.pipeline.retire();
            self.left = self.left.wrapping_sub(1);
            if self.left == 0 {
                self.remember();
            }
        } else if let Some((next, cycles)) = self.table.find(self.at, self.inputs) {
            self.at = next;
            self.now += u64::from(cycles);
            self.inputs = Inputs::NONE;
        } else {
            self.learn();
        }
    }

    /// The present cycle, and what is remembered of the state between two instructions, if it is
    /// remembered.
    #[inline(always)]
    pub fn node(&self) -> Option<(u64, &Node)> {
        // No node has the number of no state.
        self.table.node(self.at).map(|node| (self.now, node))
    }

    /// Gives the present state the instruction with these halfwords at this address, if it is the
    /// one that was met there.
    pub fn equip(&mut self, place: (u32, u32), stamp: u64, micro: impl FnOnce() -> Micro) -> bool {
        self.table.equip(self.at, place, stamp, micro)
    }

    /// The number of the memory at an address, if the map has one there.
    #[inline(always)]
    pub fn place(&mut self, address: u32) -> Option<u8> {
        self.places.of(address)
    }

    /// The instruction of the present [node](Self::node) tells all of its inputs at once, and ends.
    #[inline(always)]
    pub fn finish(&mut self, inputs: Inputs) {
        self.inputs = inputs;
        self.retire();
    }

    /// Ends a rest, for a test whose programs are short.
    #[cfg(test)]
    pub fn remember_soon(&mut self) {
        (self.left, self.rest) = (1, SHORT_REST);
    }

    /// Finds the number of the pipeline's state, from where remembering goes on.
    #[cold]
    #[inline(never)]
    fn remember(&mut self) {
        if !self.can_remember || self.is_off {
            self.left = u32::MAX;
            return;
        }
        self.left = self.rest;
        let now = self.now();
        if now < self.hold || self.is_within {
            return;
        }
        self.began = now;
        self.go_to(now);
    }

    /// Gives the state, of which the cycle is `now`, its number.
    fn go_to(&mut self, now: u64) {
        self.pipeline.forget_past();
        self.base = now.wrapping_sub(NOW);
        self.at = self.table.number(&self.pipeline);
        self.now = now;
    }

    /// Steps through an instruction that is new in this state, and notes what follows from it.
    #[cold]
    #[inline(never)]
    fn learn(&mut self) {
        let (before, inputs) = (self.at, self.inputs);
        self.catch_up();
        self.pipeline.retire();
        let cycles = self.pipeline.now() - NOW;
        self.go_to(self.now());
        if self.at == NOWHERE {
            self.left = self.rest;
        } else {
            self.table.note(before, inputs, (self.at, cycles as u32));
        }
    }

    /// Brings the pipeline up to date, with what the present instruction has told so far, and
    /// begins a rest.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.at != NOWHERE {
            self.stop();
        }
    }

    #[cold]
    #[inline(never)]
    fn stop(&mut self) {
        self.catch_up();
        let is_worth = self.now.wrapping_sub(self.began) >= WORTH;
        self.rest = if is_worth { SHORT_REST } else { (2 * self.rest).min(LONG_REST) };
        self.left = self.rest;
    }

    fn catch_up(&mut self) {
        self.pipeline.clone_from(self.table.state(self.at));
        self.base = self.now.wrapping_sub(NOW);
        let facts = *self.table.facts(self.at);
        let address = self.table.address(self.at);
        let inputs = std::mem::replace(&mut self.inputs, Inputs::NONE);
        inputs.tell(&mut self.pipeline, address, &facts, &self.places);
        self.at = NOWHERE;
    }
}

/// What settles first: see [`Pipeline`] for each.
impl Timing {
    /// See [`Pipeline::set_fronts`].
    pub fn set_fronts(&mut self, fronts: &[FrontTiming]) {
        self.exact().set_fronts(fronts);
    }

    /// See [`Pipeline::reset_fronts`].
    pub fn reset_fronts(&mut self, fronts: &[FrontTiming]) {
        self.exact().reset_fronts(fronts);
    }

    /// See [`Pipeline::enter_exception`].
    pub fn enter_exception(&mut self, tail_chained: bool) {
        self.exact().enter_exception(tail_chained);
        self.is_within = true;
    }

    /// See [`Pipeline::vector`].
    pub fn vector(&mut self, address: u32) -> u64 {
        self.exact().vector(address).wrapping_add(self.base)
    }

    /// See [`Pipeline::entered`].
    pub fn entered(&mut self, target: u32) {
        self.exact().entered(target);
        self.is_within = false;
    }

    /// See [`Pipeline::return_exception`].
    pub fn return_exception(&mut self) {
        self.exact().return_exception();
        self.is_within = true;
    }

    /// See [`Pipeline::returned`].
    pub fn returned(&mut self, target: u32) {
        self.exact().returned(target);
        self.is_within = false;
    }

    /// See [`Pipeline::sleep_until`].
    pub fn sleep_until(&mut self, cycle: u64) {
        let cycle = self.since_base(cycle);
        self.pipeline.sleep_until(cycle);
    }

    /// See [`Pipeline::withdraw`].
    pub fn withdraw(&mut self) {
        self.exact().withdraw();
    }

    /// See [`Pipeline::started`].
    pub fn started(&mut self) -> u64 {
        self.exact().started().wrapping_add(self.base)
    }

    /// See [`Pipeline::abandon`].
    pub fn abandon(&mut self, cycle: u64) {
        let cycle = self.since_base(cycle);
        self.pipeline.abandon(cycle);
    }

    /// See [`Pipeline::wait_until`].
    pub fn wait_until(&mut self, cycle: u64) {
        let cycle = self.since_base(cycle);
        self.pipeline.wait_until(cycle);
    }

    /// See [`Pipeline::resume`].
    pub fn resume(&mut self, target: u32) {
        self.exact().resume(target);
        self.is_within = false;
    }

    /// See [`Pipeline::arrival`].
    pub fn arrival(&mut self, address: u32, length: u8) -> u64 {
        self.exact().arrival(address, length).wrapping_add(self.base)
    }

    fn exact(&mut self) -> &mut Pipeline {
        self.settle();
        &mut self.pipeline
    }

    /// A cycle as the settled pipeline counts it. One before `base` is long over.
    fn since_base(&mut self, cycle: u64) -> u64 {
        self.settle();
        match self.base > u64::MAX / 2 {
            true => cycle.wrapping_sub(self.base),
            false => cycle.saturating_sub(self.base),
        }
    }
}

/// A copy, or a snapshot, has the state, and no memory of others.
impl Clone for Timing {
    fn clone(&self) -> Self {
        let (pipeline, base) = self.state();
        Self {
            pipeline: pipeline.clone(),
            base,
            at: NOWHERE,
            inputs: Inputs::NONE,
            table: Table::default(),
            places: self.places.clone(),
            left: SHORT_REST,
            ..*self
        }
    }

    /// Takes over the state. What is remembered stays, if it can be true of the other one.
    fn clone_from(&mut self, source: &Self) {
        if self.places != source.places {
            self.table = Table::default();
            self.places.clone_from(&source.places);
        }
        let (pipeline, base) = source.state();
        self.pipeline.clone_from(pipeline);
        self.base = base;
        self.at = NOWHERE;
        self.inputs = Inputs::NONE;
        (self.left, self.rest) = (SHORT_REST, SHORT_REST);
        self.hold = source.hold;
        self.is_within = source.is_within;
        self.can_remember = source.can_remember;
        self.is_off = source.is_off;
        self.longest = source.longest;
    }
}

impl Timing {
    /// The state between two instructions, and what to add to its cycles.
    fn state(&self) -> (&Pipeline, u64) {
        if self.at == NOWHERE {
            (&self.pipeline, self.base)
        } else {
            (self.table.state(self.at), self.now.wrapping_sub(NOW))
        }
    }
}
