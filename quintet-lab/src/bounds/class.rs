//! The facts of an instruction on which its time depends, and nothing else.
//!
//! Two instructions of one class take the same cycles in the same state, wherever they are: their
//! code is moved to one [home](Timing::home) in the memory, and of an access only the kind of the
//! memory is kept. So each state is followed through a class once.

use std::ops::RangeInclusive;

use quintet_sim::processor::bus::{PRIVATE_START, Port, VENDOR_START};
use quintet_sim::processor::instruction::{Indexing, Offset, Operation, Register, Size};
use quintet_sim::timing::{Direction, Facts};

use super::cost::Timing;
use super::float;
use super::graph::Instruction;
use super::values::{Value, Values};

/// The home of code is so many bytes behind the beginning of its memory.
const HOME: u32 = 0x40;

/// The target of a branch far away is so many bytes behind the beginning of its memory.
const FAR: u32 = 0x200;

/// A memory must have so much room for both. Code this near to the end of its memory isn't moved.
const ROOM: u32 = 0x400;
const END: u32 = 0x20;

/// A branch fetches in vain words that are at most so many bytes behind it.
const NEAR: u32 = 16;

/// The accesses of an instruction, one behind the other.
pub type Accesses = Vec<(u32, Direction)>;

/// All facts on which the timing of an instruction depends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// The home of the instruction.
    pub address: u32,
    /// The use of the pipeline.
    pub facts: Facts,
    /// `true` in an IT block.
    pub conditional: bool,
    /// `true` if execution can go on behind the instruction when its condition holds.
    pub on: bool,
    /// `true` if execution can go on elsewhere when its condition holds.
    pub away: bool,
    /// `true` for the floating-point unit, which may have to save registers first.
    pub float: bool,
    /// The effect of the instruction.
    pub effect: Effect,
}

/// The effect of an instruction besides a branch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Nothing that takes time.
    Nothing,
    /// A division.
    Divides,
    /// A long multiplication.
    Multiplies {
        /// `true` for signed numbers.
        signed: bool,
        /// `true` if the product is added to the destination.
        accumulate: bool,
    },
    /// The instruction may set a mask that was clear.
    Masks,
    /// A breakpoint: the host lets the processor go on behind it.
    Breaks,
    /// The processor may sleep.
    Sleeps,
    /// The floating-point unit is busy for so many cycles.
    Computes(u32),
    /// One of these lists of accesses; an empty list is no access.
    Accesses(Vec<Accesses>),
}

/// An access of an instruction.
#[derive(Clone, Copy)]
struct Access {
    place: Value,
    direction: Direction,
    size: Size,
    /// `true` if the access may be unaligned.
    single: bool,
}

impl Class {
    /// Returns the address behind the instruction.
    pub fn behind(&self) -> u32 {
        self.address.wrapping_add(self.facts.length.into())
    }

    /// Returns `true` if the processor may sleep.
    pub fn sleeps(&self) -> bool {
        self.effect == Effect::Sleeps
    }
}

/// A memory's properties that matter to an access.
type MemoryKind = (Option<(Port, u8, u8)>, bool);

impl Timing {
    /// Returns the address to which code is moved: one for all code of a memory at the same place
    /// of a word.
    pub fn home(&self, address: u32) -> u32 {
        self.moved(address, HOME)
    }

    /// Returns the target of a branch from `from` to `target`, when the branch is at home. A target
    /// nearby keeps its distance, as the branch may have fetched a word of it in vain.
    pub fn target(&self, from: u32, target: u32) -> u32 {
        if is_near(from, target) {
            return self.home(from).wrapping_add(target.wrapping_sub(from));
        }
        self.far(target)
    }

    /// Returns the address that stands for a target far away. Targets in the same memory and at the
    /// same place of a word are alike.
    pub fn far(&self, target: u32) -> u32 {
        self.moved(target, FAR)
    }

    fn moved(&self, address: u32, place: u32) -> u32 {
        let region = self.region(address);
        let region = region.filter(|one| {
            one.end - one.start >= ROOM && one.end - address >= END && one.start & 3 == 0
        });
        region.map_or(address, |region| region.start + place + (address & 2))
    }

    /// Returns the class of an instruction. `values` are the known values of registers before it.
    pub fn class(&self, instruction: &Instruction, values: &Values) -> Class {
        let (on, away) = ways(instruction);
        Class {
            address: self.home(instruction.address),
            facts: instruction.facts,
            conditional: instruction.conditional,
            on,
            away,
            float: matches!(instruction.operation(), Operation::Float(_)),
            effect: self.effect(instruction, values),
        }
    }

    fn effect(&self, instruction: &Instruction, values: &Values) -> Effect {
        match instruction.operation() {
            Operation::Divide { .. } => Effect::Divides,
            Operation::MultiplyLong { signed, accumulate, .. } => {
                Effect::Multiplies { signed, accumulate }
            }
            Operation::ChangeState { disable: true, .. } => Effect::Masks,
            Operation::Breakpoint { .. } => Effect::Breaks,
            Operation::WaitForEvent | Operation::WaitForInterrupt => Effect::Sleeps,
            Operation::Float(operation) => match float::access(&operation, instruction, values) {
                Some((place, direction, count)) => {
                    let size = Size::Word;
                    let access = Access { place, direction, size, single: false };
                    Effect::Accesses(self.accesses(access, count))
                }
                None => Effect::Computes(operation.cycles()),
            },
            Operation::StoreExclusive { size, base, offset, .. } => {
                let place =
                    values.place(instruction, base, Offset::Immediate(offset.into()), PLAIN);
                let access = Access { place, direction: Direction::Write, size, single: false };
                let mut all = self.accesses(access, 1);
                all.push(Vec::new());
                Effect::Accesses(all)
            }
            _ => match access(instruction, values) {
                Some((access, count)) => Effect::Accesses(self.accesses(access, count)),
                None => Effect::Nothing,
            },
        }
    }

    /// Returns `count` accesses one behind the other, for each place where they may be.
    fn accesses(&self, access: Access, count: u32) -> Vec<Accesses> {
        let mut all: Vec<Accesses> = Vec::new();
        let mut add = |place: u32, parts: &[Direction]| {
            let words = (0..count).flat_map(|index| {
                let address = self.alike(place.wrapping_add(4 * index));
                parts.iter().map(move |direction| (address, *direction))
            });
            let words = words.collect();
            if !all.contains(&words) {
                all.push(words);
            }
        };
        let bits = self.bits(access.place).filter(|_| access.direction == Direction::Write);
        let always_bits = bits.is_some() && matches!(access.place, Value::Constant(_));
        for parts in parts(access) {
            for &place in self.places(access.place).iter().filter(|_| !always_bits) {
                add(place, &vec![access.direction; parts]);
            }
            // A store to an alias of a bit reads first.
            if let Some(place) = bits {
                add(place, &[Direction::Read, Direction::Write].repeat(parts));
            }
        }
        all
    }

    /// Returns the address that stands for all addresses of a kind of memory.
    fn alike(&self, address: u32) -> u32 {
        let kind = self.kind(address);
        let known = self.anywhere.iter().find(|one| self.kind(**one) == kind);
        known.copied().unwrap_or(address)
    }

    /// Returns one of the addresses for each kind of memory.
    pub fn kinds(&self, addresses: &[u32]) -> Vec<u32> {
        let mut kinds = Vec::new();
        let mut kept = Vec::new();
        for &address in addresses {
            let kind = self.kind(address);
            if !kinds.contains(&kind) {
                kinds.push(kind);
                kept.push(address);
            }
        }
        kept
    }

    fn kind(&self, address: u32) -> MemoryKind {
        let region = self.region(address);
        let kind =
            region.map(|region| (region.port, region.read_wait_states, region.write_wait_states));
        (kind, (PRIVATE_START..VENDOR_START).contains(&address))
    }

    fn places(&self, place: Value) -> Vec<u32> {
        match place {
            Value::Constant(address) => vec![address],
            Value::Stack(_) | Value::Stacked => self.stack.clone(),
            Value::Steps(steps) => {
                let (first, last) = steps.range();
                if self.is_one_kind(first, last) { vec![first] } else { self.anywhere.clone() }
            }
            Value::Unknown | Value::Word(_) | Value::Near { .. } | Value::Saved(_) => {
                self.anywhere.clone()
            }
        }
    }

    /// Returns `true` if all addresses from one to another are in the same memory, or in none.
    fn is_one_kind(&self, first: u32, last: u32) -> bool {
        let is_private = |address| (PRIVATE_START..VENDOR_START).contains(&address);
        match (self.region(first), self.region(last)) {
            (Some(one), Some(other)) => one.start == other.start,
            (None, None) if is_private(first) => is_private(last),
            (None, None) => {
                let begins = |start: u32| (first..=last).contains(&start);
                !self.regions().any(|region| begins(region.start)) && !begins(PRIVATE_START)
            }
            _ => false,
        }
    }

    /// Returns an alias of a bit, if a place may be one.
    fn bits(&self, place: Value) -> Option<u32> {
        const ALIASES: [(u32, u32); 2] = [(0x2200_0000, 0x23ff_ffff), (0x4200_0000, 0x43ff_ffff)];
        if !self.bit_banding || matches!(place, Value::Stack(_) | Value::Stacked) {
            return None;
        }
        let (first, last) = place.steps().range();
        let is_in = |(start, end): &&(u32, u32)| first <= *end && last >= *start;
        ALIASES.iter().find(is_in).map(|(start, _)| (*start).max(first))
    }
}

/// Returns the numbers of aligned parts into which an access may be cut.
fn parts(access: Access) -> RangeInclusive<usize> {
    let (least, most) = access.place.steps().range();
    let is_private = least >= PRIVATE_START && most < VENDOR_START;
    // Among the registers of the core, an unaligned access is a fault.
    if access.place.steps().are_multiples(access.size.bytes()) || !access.single || is_private {
        return 1..=1;
    }
    match access.size {
        Size::Byte => 1..=1,
        Size::Half => 1..=2,
        Size::Word => 1..=3,
    }
}

const PLAIN: Indexing = Indexing::Offset;

/// Returns `true` if the target is within the words that a branch at `from` may fetch in vain.
pub fn is_near(from: u32, target: u32) -> bool {
    target.wrapping_sub(from) <= NEAR
}

/// Returns whether execution can go on behind the instruction, and elsewhere, if its condition
/// holds.
fn ways(instruction: &Instruction) -> (bool, bool) {
    use Operation as O;
    match instruction.operation() {
        O::Branch { condition, .. } if condition.0 < 14 => (true, true),
        O::CompareBranch { .. } => (true, true),
        O::Branch { .. }
        | O::BranchLink { .. }
        | O::BranchLinkExchange { .. }
        | O::BranchExchange { .. }
        | O::TableBranch { .. } => (false, true),
        _ => {
            let writes_pc = instruction.facts.results >> 15 != 0;
            (!writes_pc, writes_pc)
        }
    }
}

/// Returns the first access of an instruction, and the number of words.
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
        O::LoadAcquire { size, base, .. } => {
            let place = values.place(instruction, base, Offset::Immediate(0), PLAIN);
            (Access { place, direction: Read, size, single: true }, 1)
        }
        O::StoreRelease { size, base, .. } => {
            let place = values.place(instruction, base, Offset::Immediate(0), PLAIN);
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
