//! What an instruction costs: all states that the simulator's pipeline can be in behind it.
//!
//! Nothing here knows a cycle. The pipeline is told what the processor would tell it, once for each
//! thing that the code leaves open: where a pointer points, whether a condition holds, how long a
//! division takes.

use std::collections::BTreeMap;

use quintet_sim::board::{Board, MemoryKind};
use quintet_sim::processor::bus::{PRIVATE_START, RegionTiming};
use quintet_sim::timing::{Direction, Facts, Kind, Pipeline};

use super::class::{Class, Effect};
use super::float;
use super::front;

/// Addresses of which one at least is in no memory of a board, and behind no bridge: devices,
/// without wait states.
const DEVICES: [u32; 4] = [0x4000_0000, 0x5000_0000, 0x6000_0000, 0x9000_0000];

/// The timing of a board.
#[derive(Clone, Debug)]
pub struct Timing {
    /// After reset.
    fresh: Pipeline,
    regions: Vec<RegionTiming>,
    pub(super) bit_banding: bool,
    /// An address of each kind of memory that a stack can be in.
    pub(super) stack: Vec<u32>,
    /// An address of each kind of memory.
    pub(super) anywhere: Vec<u32>,
    /// Whether frames may have registers of a floating-point unit.
    floats: bool,
}

/// A sleep is followed for each of these lengths in cycles, of which the last stands for all that
/// are longer: nothing is under way in the pipeline then.
const SLEEPS: [u64; 6] = [1, 2, 3, 4, 8, 32];

impl Timing {
    /// The timing of a board. `wait_states`: those that the program sets of the memories behind a
    /// front end.
    pub fn new(board: &Board, wait_states: Option<u8>) -> Self {
        let configuration = board.configuration();
        let regions = front::always_missed(board, wait_states);
        let fresh = Pipeline::new(&regions, &[], configuration.holds_addresses());
        let ram = board.memories.iter().filter(|memory| memory.kind == MemoryKind::Ram);
        let stack = ram.map(|memory| memory.start).collect();
        let starts = regions.iter().map(|region| region.start);
        let anywhere = starts.chain(DEVICES).chain([PRIVATE_START]).collect();
        let mut timing = Self {
            fresh,
            bit_banding: configuration.bit_banding,
            stack,
            anywhere,
            regions,
            floats: configuration.has_floating_point(),
        };
        timing.stack = timing.kinds(&timing.stack);
        timing.anywhere = timing.kinds(&timing.anywhere);
        timing
    }

    /// The memory at an address.
    pub fn region(&self, address: u32) -> Option<&RegionTiming> {
        self.regions.iter().find(|region| (region.start..=region.end).contains(&address))
    }

    /// The same for a program that has no address of a bit-band alias.
    pub fn without_bits(self) -> Self {
        Self { bit_banding: false, ..self }
    }

    /// All memories.
    pub fn regions(&self) -> impl Iterator<Item = &RegionTiming> {
        self.regions.iter()
    }

    /// The states behind an instruction that execution goes on behind, which are complete.
    pub fn on(&self, before: &Pipeline, class: &Class) -> Vec<Pipeline> {
        let mut behind = Vec::new();
        if class.conditional {
            let mut skipped = before.clone();
            skipped.issue(class.address, &class.facts, false, true);
            behind.push(skipped);
        }
        if class.on {
            behind.extend(self.performed(before, class));
        }
        behind.iter_mut().for_each(Pipeline::retire);
        behind
    }

    /// The states in which an instruction goes elsewhere: [`Timing::go`] says where.
    pub fn away(&self, before: &Pipeline, class: &Class) -> Vec<Pipeline> {
        if class.away { self.performed(before, class) } else { Vec::new() }
    }

    /// An instruction that goes [away](Self::away) goes to `target`.
    pub fn go(mut away: Pipeline, target: u32) -> Pipeline {
        away.redirect(target);
        away.retire();
        away
    }

    /// The states in which the first instruction of a handler begins, whose vector is at `vector`;
    /// and of what a reset begins with.
    pub fn entered(&self, target: u32, vector: u32) -> Vec<Pipeline> {
        let mut states = Vec::new();
        for &stack in &self.stack {
            let mut entered = self.fresh.clone();
            entered.resume(target);
            let mut chained = entered.clone();
            states.push(entered.clone());
            states.extend(self.taken(&entered, stack, (target, vector)));
            chained.issue(target, &EXCHANGE, true, false);
            chained.return_exception();
            chained.enter_exception(true);
            chained.vector(vector);
            chained.entered(target);
            states.push(chained);
        }
        states
    }

    /// The states in which a handler begins that interrupts code in a state.
    fn taken(&self, before: &Pipeline, stack: u32, (target, vector): (u32, u32)) -> Vec<Pipeline> {
        let frames: &[bool] = if self.floats { &[false, true] } else { &[false] };
        let states = frames.iter().map(|has_floats| {
            let mut entered = before.clone();
            entered.enter_exception(false);
            frame(&mut entered, stack, Direction::Write);
            if *has_floats {
                float::context(&mut entered, stack, Direction::Write);
            }
            entered.vector(vector);
            entered.entered(target);
            entered
        });
        states.collect()
    }

    /// Where the handlers are, one of each kind of place, with their vectors.
    pub fn kinds_of_handlers(&self, handlers: &BTreeMap<u32, u32>) -> Vec<(u32, u32)> {
        let mut kinds = BTreeMap::new();
        for (&target, &vector) in handlers {
            kinds.entry(self.far(target)).or_insert(vector);
        }
        kinds.into_iter().collect()
    }

    /// The most cycles from a state to a handler's first instruction.
    pub fn entry(&self, before: &Pipeline, handler: (u32, u32)) -> u64 {
        let all = self.stack.iter().flat_map(|&stack| self.taken(before, stack, handler));
        all.map(|entered| entered.now().saturating_sub(before.now())).max().unwrap_or(0)
    }

    /// The most cycles from a handler's return instruction to the first instruction at `target`.
    pub fn exit(&self, target: u32) -> u64 {
        let mut before = self.fresh.clone();
        before.resume(target);
        let began = before.now();
        let all = self.resumed(target).into_iter();
        all.map(|returned| returned.now().saturating_sub(began)).max().unwrap_or(0)
    }

    /// The states in which code goes on at `target` when a handler has returned.
    pub fn resumed(&self, target: u32) -> Vec<Pipeline> {
        let frames: &[bool] = if self.floats { &[false, true] } else { &[false] };
        let mut states = Vec::new();
        for (&stack, has_floats) in
            self.stack.iter().flat_map(|one| frames.iter().map(move |has| (one, has)))
        {
            let mut returned = self.fresh.clone();
            returned.resume(target);
            returned.issue(target, &EXCHANGE, true, false);
            returned.return_exception();
            frame(&mut returned, stack, Direction::Read);
            if *has_floats {
                float::context(&mut returned, stack, Direction::Read);
            }
            returned.returned(target);
            states.push(returned);
        }
        states
    }

    /// What the instruction does, its condition having passed, but for going elsewhere.
    fn performed(&self, before: &Pipeline, class: &Class) -> Vec<Pipeline> {
        let mut issued = before.clone();
        issued.issue(class.address, &class.facts, true, class.conditional);
        if class.float {
            let all = float::settled(&issued, &self.stack).into_iter();
            return all.flat_map(|settled| done(settled, class)).collect();
        }
        done(issued, class)
    }
}

/// The states behind what an instruction does.
fn done(mut issued: Pipeline, class: &Class) -> Vec<Pipeline> {
    match &class.effect {
        Effect::Nothing => vec![issued],
        Effect::Divides => dividing(&issued),
        Effect::Multiplies { signed, accumulate } => multiplying(&issued, *signed, *accumulate),
        Effect::Masks => {
            let mut masked = issued.clone();
            masked.set_mask();
            vec![issued, masked]
        }
        Effect::Breaks => {
            issued.withdraw();
            issued.resume(class.behind());
            vec![issued]
        }
        Effect::Sleeps => sleeping(&issued),
        Effect::Computes(cycles) => {
            issued.float(*cycles);
            vec![issued]
        }
        Effect::Accesses(all) => {
            let accessed = all.iter().map(|accesses| {
                let mut pipeline = issued.clone();
                for &(address, direction) in accesses {
                    pipeline.data(address, direction);
                }
                pipeline
            });
            accessed.collect()
        }
    }
}

/// BX LR.
const EXCHANGE: Facts = Facts { kind: Kind::LinkBranch, ..Facts::NONE };

/// The words of an exception's frame.
fn frame(pipeline: &mut Pipeline, stack: u32, direction: Direction) {
    for word in 0..8 {
        pipeline.data(stack.wrapping_add(4 * word), direction);
    }
}

/// The processor doesn't sleep, or for a while.
fn sleeping(issued: &Pipeline) -> Vec<Pipeline> {
    let slept = SLEEPS.iter().map(|cycles| {
        let mut pipeline = issued.clone();
        pipeline.sleep_until(issued.now() + cycles);
        pipeline
    });
    std::iter::once(issued.clone()).chain(slept).collect()
}

/// Operands for each time that a division takes.
fn dividing(issued: &Pipeline) -> Vec<Pipeline> {
    let operands = [(0, 1), (1, 2)].into_iter().chain((0..8).map(|four| (1 << (4 * four), 1)));
    let divided = operands.map(|(dividend, divisor)| {
        let mut pipeline = issued.clone();
        pipeline.divide(false, dividend, divisor);
        pipeline
    });
    divided.collect()
}

/// Operands for each time that a long multiplication takes.
fn multiplying(issued: &Pipeline, signed: bool, accumulate: bool) -> Vec<Pipeline> {
    let operands = [(1, 1), (0x1_0000, 1), (0x1_0000, 0x1_0001), (0x1_0001, 0x1_0001)];
    let multiplied = operands.map(|(n, m)| {
        let mut pipeline = issued.clone();
        pipeline.multiply_long(signed, accumulate, n, m);
        pipeline
    });
    multiplied.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// States in between would be missing in what follows: each time must be there, not only the
    /// longest.
    #[test]
    fn operands_of_each_time_stand_for_all() {
        let shifts = (0..32).flat_map(|shift| [1_u32 << shift, u32::MAX << shift, !(1 << shift)]);
        let operands: Vec<u32> = shifts.chain([0, 3, 0x1_0001, 0x7fff_ffff]).collect();
        let issued = Pipeline::new(&[], &[], false);
        let times =
            |states: Vec<Pipeline>| -> BTreeSet<u64> { states.iter().map(Pipeline::now).collect() };
        let divided = times(dividing(&issued));
        let mut facts = issued.clone();
        facts.issue(0, &Facts { kind: Kind::MultiplyLong, ..Facts::NONE }, true, false);
        for signed in [false, true] {
            for (n, m) in operands.iter().flat_map(|n| operands.iter().map(move |m| (*n, *m))) {
                let mut pipeline = issued.clone();
                pipeline.divide(signed, n, m);
                assert!(divided.contains(&pipeline.now()), "{signed} {n:#x} / {m:#x}");
                for accumulate in [false, true] {
                    let known = times(multiplying(&facts, signed, accumulate));
                    let mut pipeline = facts.clone();
                    pipeline.multiply_long(signed, accumulate, n, m);
                    assert!(known.contains(&pipeline.now()), "{signed} {n:#x} * {m:#x}");
                }
            }
        }
    }
}
