//! Stores to the registers of the core that decide which handler runs, and when: the vector table,
//! the priorities and their grouping, and which interrupts are enabled.
//!
//! A store through a pointer of which nothing is known is taken to reach none of them. A store at a
//! constant address does, and so does one at a constant base with an index that is not known.

use std::ops::RangeInclusive;

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{Offset, Operation, Size};

use super::graph::{Instruction, Program};
use super::knowledge::Known;
use super::values::{Value, Values};

/// VTOR.
const VECTOR_TABLE: RangeInclusive<u32> = 0xe000_ed08..=0xe000_ed0b;
/// AIRCR: the grouping of priorities.
const GROUPING: RangeInclusive<u32> = 0xe000_ed0c..=0xe000_ed0f;
/// ISER, ICER, ISPR, ICPR and IABR: which interrupts are enabled, pending and active.
const ENABLING: RangeInclusive<u32> = 0xe000_e100..=0xe000_e17f;
const DISABLING: RangeInclusive<u32> = 0xe000_e180..=0xe000_e1ff;
const PENDING: RangeInclusive<u32> = 0xe000_e200..=0xe000_e27f;
const CLEARING: RangeInclusive<u32> = 0xe000_e280..=0xe000_e2ff;
const ACTIVE: RangeInclusive<u32> = 0xe000_e300..=0xe000_e3ff;
/// SHPR.
const OF_SYSTEM: RangeInclusive<u32> = 0xe000_ed18..=0xe000_ed23;
/// IPR.
const OF_INTERRUPTS: RangeInclusive<u32> = 0xe000_e400..=0xe000_e4ef;
/// All of these.
const REGISTERS: RangeInclusive<u32> = 0xe000_e000..=0xe000_efff;
/// The arrays of registers between which an index that begins in one of them does not leave it.
const ARRAYS: [RangeInclusive<u32>; 8] = [
    ENABLING,
    DISABLING,
    PENDING,
    CLEARING,
    ACTIVE,
    OF_INTERRUPTS,
    OF_SYSTEM,
    0xe000_ed90..=0xe000_edef,
];

/// A pointer that may lead to more places, not all of them here, is one of which nothing is known.
const FEW: u32 = 64;

/// A store to such registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// The function.
    pub function: u32,
    /// The block of it.
    pub block: u32,
    /// The instruction.
    pub address: u32,
    /// The lowest and the highest byte that it may write.
    pub bytes: (u32, u32),
    /// The word, halfword or byte, with its size in bytes, if it goes to one known place.
    pub value: Option<(u32, u32)>,
}

impl Write {
    /// Returns `true` if the store may move the vector table.
    pub fn moves_table(&self) -> bool {
        self.reaches(&VECTOR_TABLE)
    }

    /// Returns `true` if the store may change a priority, or their grouping.
    pub fn sets_priority(&self) -> bool {
        [GROUPING, OF_SYSTEM, OF_INTERRUPTS].iter().any(|all| self.reaches(all))
    }

    /// The first register that disables interrupts, those from 0 to 31.
    pub const DISABLING: u32 = *DISABLING.start();

    /// Returns `true` if the store may disable an interrupt.
    pub fn disables(&self) -> bool {
        self.reaches(&DISABLING)
    }

    /// Returns `true` if the store may change the grouping of priorities.
    pub fn groups(&self) -> bool {
        self.reaches(&GROUPING)
    }

    fn reaches(&self, registers: &RangeInclusive<u32>) -> bool {
        self.bytes.0 <= *registers.end() && self.bytes.1 >= *registers.start()
    }
}

/// The stores of a program to registers of the core.
pub fn writes(image: &Image, program: &Program, known: &Known) -> Vec<Write> {
    let mut all = Vec::new();
    for function in program.functions.values() {
        for (start, block) in &function.blocks {
            let Some(values) = known.get(&(function.entry, *start)) else { continue };
            let mut values = values.clone();
            for instruction in &block.instructions {
                if let Some((bytes, value)) = write(instruction, &values) {
                    let (function, address) = (function.entry, instruction.address);
                    all.push(Write { function, block: *start, address, bytes, value });
                }
                values.step(image, instruction);
            }
        }
    }
    all
}

/// The bytes that a store may write, and the value with its size.
type Stored = ((u32, u32), Option<(u32, u32)>);

fn write(instruction: &Instruction, values: &Values) -> Option<Stored> {
    use Operation as O;
    match instruction.operation() {
        O::Store { size, rt, address, .. } => {
            let place = values.place(instruction, address.base, address.offset, address.indexing);
            stored(place, size.bytes(), Some(values.of(rt)))
        }
        O::StoreRelease { size, rt, base } => {
            let indexing = quintet_sim::processor::instruction::Indexing::Offset;
            let place = values.place(instruction, base, Offset::Immediate(0), indexing);
            stored(place, size.bytes(), Some(values.of(rt)))
        }
        O::StoreExclusive { size: Size::Word, base, offset, .. } => {
            let offset = Offset::Immediate(offset.into());
            let indexing = quintet_sim::processor::instruction::Indexing::Offset;
            stored(values.place(instruction, base, offset, indexing), 4, None)
        }
        O::StoreDual { base, offset, indexing, .. } => {
            stored(values.place(instruction, base, Offset::Immediate(offset), indexing), 8, None)
        }
        O::StoreMultiple { base, registers, decrement_before, .. } => {
            let bytes = 4 * registers.count_ones();
            stored(values.lowest(base, bytes, decrement_before), bytes, None)
        }
        _ => None,
    }
}

fn stored(place: Value, size: u32, value: Option<Value>) -> Option<Stored> {
    let (first, last) = match place {
        Value::Unknown | Value::Word(_) | Value::Saved(_) | Value::Stack(_) | Value::Stacked => {
            return None;
        }
        Value::Near { base, .. } => match ARRAYS.iter().find(|array| array.contains(&base)) {
            Some(array) => (base, *array.end()),
            None => (base, *REGISTERS.end()),
        },
        Value::Constant(_) => place.steps().range(),
        Value::Steps(steps) => {
            // Of a pointer that may lead elsewhere, only the places here, if it has few.
            if !REGISTERS.contains(&steps.range().0) && steps.all(FEW).is_none() {
                return None;
            }
            let (first, last) = steps.within(*REGISTERS.start(), *REGISTERS.end()).range();
            let array = ARRAYS.iter().find(|array| array.contains(&first));
            (first, array.map_or(last, |array| last.min(*array.end())))
        }
    };
    if !REGISTERS.contains(&first) {
        return None;
    }
    let value = match (place, value) {
        (Value::Constant(_), Some(Value::Constant(value))) => Some((value, size)),
        _ => None,
    };
    Some(((first, last.saturating_add(size - 1)), value))
}
