//! What an instruction costs: all states that the simulator's pipeline can be in behind it.
//!
//! Nothing here knows a cycle. The pipeline is told what the processor would tell it, once for each
//! thing that the code leaves open: where a pointer points, whether a condition holds, how long a
//! division takes.

use std::collections::BTreeMap;

use quintet_sim::board::{Board, MemoryKind};
use quintet_sim::processor::bus::{PRIVATE_START, RegionTiming};
use quintet_sim::processor::instruction::float::Float;
use quintet_sim::processor::instruction::{Indexing, Offset, Operation, Register, Size};
use quintet_sim::timing::{Direction, Facts, Kind, Pipeline};

use super::float;
use super::front;
use super::graph::Instruction;
use super::values::{Value, Values};

/// An address that no memory of a board describes: devices, without wait states.
const DEVICE: u32 = 0x4000_0000;

/// Where execution goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// Behind the instruction.
    On,
    /// Elsewhere: [`Timing::go`] says where.
    Away,
}

/// The timing of a board.
#[derive(Clone, Debug)]
pub struct Timing {
    /// After reset.
    fresh: Pipeline,
    regions: Vec<RegionTiming>,
    bit_banding: bool,
    /// An address of each kind of memory that a stack can be in.
    stack: Vec<u32>,
    /// An address of each kind of memory.
    anywhere: Vec<u32>,
    /// `true` if accesses through pointers may be unaligned.
    unaligned: bool,
    /// Whether frames may have registers of a floating-point unit.
    floats: bool,
}

/// A sleep is followed for each of these lengths in cycles, of which the last stands for all that
/// are longer: nothing is under way in the pipeline then.
const SLEEPS: [u64; 6] = [1, 2, 3, 4, 8, 32];

/// An access of an instruction: where, how, and how large.
#[derive(Clone, Copy)]
struct Access {
    place: Value,
    direction: Direction,
    size: Size,
    /// It may be unaligned.
    single: bool,
}

impl Timing {
    /// The timing of a board. `unaligned`: accesses through pointers may be unaligned;
    /// `wait_states`: those that the program sets of the memories behind a front end.
    pub fn new(board: &Board, unaligned: bool, wait_states: Option<u8>) -> Self {
        let configuration = board.configuration();
        let regions = front::always_missed(board, wait_states);
        let fresh = Pipeline::new(&regions, &[], configuration.holds_addresses());
        let ram = board.memories.iter().filter(|memory| memory.kind == MemoryKind::Ram);
        let stack = ram.map(|memory| memory.start).collect();
        let starts = regions.iter().map(|region| region.start);
        let anywhere = starts.chain([DEVICE, PRIVATE_START]).collect();
        let mut timing = Self {
            fresh,
            bit_banding: configuration.bit_banding,
            stack,
            anywhere,
            regions,
            unaligned,
            floats: configuration.has_floating_point(),
        };
        timing.stack = timing.kinds(&timing.stack);
        timing.anywhere = timing.kinds(&timing.anywhere);
        timing
    }

    /// One of the addresses for each kind of memory among them.
    fn kinds(&self, addresses: &[u32]) -> Vec<u32> {
        let mut kinds = Vec::new();
        let mut kept = Vec::new();
        for &address in addresses {
            let kind = self
                .region(address)
                .map(|region| (region.port, region.read_wait_states, region.write_wait_states));
            let kind = (kind, address >= PRIVATE_START);
            if !kinds.contains(&kind) {
                kinds.push(kind);
                kept.push(address);
            }
        }
        kept
    }

    /// The memory at an address.
    pub fn region(&self, address: u32) -> Option<&RegionTiming> {
        self.regions.iter().find(|region| (region.start..=region.end).contains(&address))
    }

    /// All states behind the instruction. Those that go on are complete.
    pub fn step(
        &self,
        before: &Pipeline,
        instruction: &Instruction,
        values: &Values,
    ) -> Vec<(Pipeline, Way)> {
        let mut behind = Vec::new();
        if instruction.conditional {
            let mut skipped = before.clone();
            skipped.issue(instruction.address, &instruction.facts, false, true);
            skipped.retire();
            behind.push((skipped, Way::On));
        }
        let mut issued = before.clone();
        issued.issue(instruction.address, &instruction.facts, true, instruction.conditional);
        for way in ways(instruction) {
            for mut pipeline in self.performed(&issued, instruction, values) {
                if way == Way::On {
                    pipeline.retire();
                }
                behind.push((pipeline, way));
            }
        }
        behind
    }

    /// An instruction that goes [away](Way::Away) goes to `target`.
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

    /// One of the handlers of each kind of place, with their vectors.
    pub fn kinds_of_handlers(&self, handlers: &BTreeMap<u32, u32>) -> Vec<(u32, u32)> {
        let mut kinds = BTreeMap::new();
        for (&target, &vector) in handlers {
            let region = self.region(target).map_or(0, |region| region.start);
            kinds.entry((region, target & 2)).or_insert((target, vector));
        }
        kinds.into_values().collect()
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
    fn performed(
        &self,
        issued: &Pipeline,
        instruction: &Instruction,
        values: &Values,
    ) -> Vec<Pipeline> {
        match instruction.operation() {
            Operation::Divide { .. } => dividing(issued),
            Operation::MultiplyLong { signed, accumulate, .. } => {
                multiplying(issued, signed, accumulate)
            }
            Operation::ChangeState { disable: true, .. } => {
                let mut masked = issued.clone();
                masked.set_mask();
                vec![issued.clone(), masked]
            }
            // The host lets the processor go on behind it.
            Operation::Breakpoint { .. } => {
                let mut resumed = issued.clone();
                resumed.withdraw();
                resumed.resume(instruction.behind());
                vec![resumed]
            }
            Operation::WaitForEvent | Operation::WaitForInterrupt => sleeping(issued),
            Operation::Float(operation) => self.floating(issued, &operation, instruction, values),
            Operation::StoreExclusive { size, base, offset, .. } => {
                let place =
                    values.place(instruction, base, Offset::Immediate(offset.into()), PLAIN);
                let access = Access { place, direction: Direction::Write, size, single: false };
                let mut all = self.accessed(issued, access, 1);
                all.push(issued.clone());
                all
            }
            _ => match access(instruction, values) {
                Some((access, count)) => self.accessed(issued, access, count),
                None => vec![issued.clone()],
            },
        }
    }

    /// An instruction of the floating-point unit.
    fn floating(
        &self,
        issued: &Pipeline,
        operation: &Float,
        instruction: &Instruction,
        values: &Values,
    ) -> Vec<Pipeline> {
        let mut all = Vec::new();
        for settled in float::settled(issued, &self.stack) {
            match float::access(operation, instruction, values) {
                Some((place, direction, count)) => {
                    let access = Access { place, direction, size: Size::Word, single: false };
                    all.extend(self.accessed(&settled, access, count));
                }
                None => {
                    let mut computed = settled;
                    computed.float(operation.cycles());
                    all.push(computed);
                }
            }
        }
        all
    }

    /// The states behind accesses one behind the other, at each place where they may be.
    fn accessed(&self, issued: &Pipeline, access: Access, count: u32) -> Vec<Pipeline> {
        let mut all = Vec::new();
        for place in self.places(access.place) {
            for parts in self.parts(access, place) {
                let mut pipeline = issued.clone();
                for index in 0..count {
                    for &direction in &parts {
                        pipeline.data(place.wrapping_add(4 * index), direction);
                    }
                }
                all.push(pipeline);
            }
        }
        all
    }

    fn places(&self, place: Value) -> Vec<u32> {
        match place {
            Value::Constant(address) => vec![address],
            Value::Stack(_) => self.stack.clone(),
            Value::Unknown => self.anywhere.clone(),
        }
    }

    /// The ways in which an access may be cut into aligned parts. A store to an alias of a bit
    /// reads first.
    fn parts(&self, access: Access, address: u32) -> Vec<Vec<Direction>> {
        let is_known = matches!(access.place, Value::Constant(_));
        let is_bit = matches!(address >> 24, 0x22 | 0x23 | 0x42 | 0x43) && self.bit_banding;
        if is_known && is_bit && access.direction == Direction::Write {
            return vec![vec![Direction::Read, Direction::Write]];
        }
        let whole = vec![access.direction];
        let largest = match access.size {
            Size::Byte => 1,
            Size::Half => 2,
            Size::Word => 3,
        };
        let is_aligned = match access.place {
            Value::Constant(address) => address & (access.size.bytes() - 1) == 0,
            Value::Stack(distance) => distance as u32 & (access.size.bytes() - 1) == 0,
            Value::Unknown => !self.unaligned,
        };
        if is_aligned || !access.single {
            return vec![whole];
        }
        (1..=largest).map(|parts| vec![access.direction; parts]).collect()
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

const PLAIN: Indexing = Indexing::Offset;

/// Where execution can go on behind the instruction if its condition holds.
fn ways(instruction: &Instruction) -> Vec<Way> {
    use Operation as O;
    match instruction.operation() {
        O::Branch { condition, .. } if condition.0 < 14 => vec![Way::On, Way::Away],
        O::CompareBranch { .. } => vec![Way::On, Way::Away],
        O::Branch { .. }
        | O::BranchLink { .. }
        | O::BranchLinkExchange { .. }
        | O::BranchExchange { .. }
        | O::TableBranch { .. } => vec![Way::Away],
        _ if instruction.facts.results >> 15 != 0 => vec![Way::Away],
        _ => vec![Way::On],
    }
}

/// The accesses of an instruction: the first one, and how many words there are.
fn access(instruction: &Instruction, values: &Values) -> Option<(Access, u32)> {
    use Direction::{Read, Write};
    use Operation as O;
    let words = |place, direction, count| {
        (Access { place, direction, size: Size::Word, single: false }, count)
    };
    let found = match instruction.operation() {
        O::Load { size, address, .. } => {
            let place = values.place(instruction, address.base, address.offset, address.indexing);
            (Access { place, direction: Read, size, single: true }, 1)
        }
        O::Store { size, address, .. } => {
            let place = values.place(instruction, address.base, address.offset, address.indexing);
            (Access { place, direction: Write, size, single: true }, 1)
        }
        O::LoadExclusive { size, base, offset, .. } => {
            let place = values.place(instruction, base, Offset::Immediate(offset.into()), PLAIN);
            (Access { place, direction: Read, size, single: false }, 1)
        }
        O::LoadDual { base, offset, indexing, .. } => {
            words(values.place(instruction, base, Offset::Immediate(offset), indexing), Read, 2)
        }
        O::StoreDual { base, offset, indexing, .. } => {
            words(values.place(instruction, base, Offset::Immediate(offset), indexing), Write, 2)
        }
        O::LoadMultiple { base, registers, decrement_before, .. } => {
            let count = registers.count_ones();
            words(values.lowest(base, 4 * count, decrement_before), Read, count)
        }
        O::StoreMultiple { base, registers, decrement_before, .. } => {
            let count = registers.count_ones();
            words(values.lowest(base, 4 * count, decrement_before), Write, count)
        }
        O::TableBranch { half, base, index } => {
            let base = if base == Register::PC {
                Value::Constant(instruction.address.wrapping_add(4))
            } else {
                values.place(instruction, base, Offset::Register { rm: index, lsl: 0 }, PLAIN)
            };
            let size = if half { Size::Half } else { Size::Byte };
            (Access { place: base, direction: Read, size, single: false }, 1)
        }
        _ => return None,
    };
    Some(found)
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
