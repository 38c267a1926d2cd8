//! What is known of a register: a constant, something of a number, or a distance from the stack
//! pointer at the entry.

use quintet_sim::processor::instruction::{AluOperation, Shift};

use super::masks::Saved;
use super::steps::{ANY, Steps};

/// The knowledge of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Nothing.
    Unknown,
    /// The register holds this number.
    Constant(u32),
    /// The register holds the stack pointer at the function's entry, plus this number. Where code
    /// aligns the stack, the number is the least one that is possible.
    Stack(i32),
    /// The register holds an address of some stack, as it was read from a stack pointer.
    Stacked,
    /// The register holds an address: this one and a number that is not known, a multiple of
    /// `power`, a power of two.
    Near {
        /// The address.
        base: u32,
        /// What the number is a multiple of.
        power: u32,
    },
    /// The register holds what a mask held before.
    Saved(Saved),
    /// The register holds one of these numbers.
    Steps(Steps),
    /// The register holds a word that never changes, from one of these places.
    Word(Steps),
}

/// From the end of a stack to the registers that a kernel keeps there, there are fewer bytes.
const FRAME_MAX: i32 = 512;

/// Constants are from here to there, but for the first vectors.
const FLASH_START: u32 = 0x100;
const FLASH_END: u32 = 0x2000_0000;

/// The registers of the core are from here to there.
const SYSTEM_START: u32 = 0xe000_0000;
const SYSTEM_END: u32 = 0xe010_0000;

impl Value {
    /// One of these numbers.
    pub fn among(steps: Steps) -> Self {
        match steps.only() {
            Some(number) => Self::Constant(number),
            None if steps == ANY => Self::Unknown,
            None => Self::Steps(steps),
        }
    }

    /// The numbers that it may be. The stack is aligned to words.
    pub fn steps(self) -> Steps {
        match self {
            Self::Unknown | Self::Word(_) | Self::Saved(_) => ANY,
            Self::Near { base, power } => Steps::alike(power, base),
            Self::Constant(number) => Steps::one(number),
            Self::Stack(distance) => Steps::alike(4, distance as u32),
            Self::Stacked => Steps::alike(4, 0),
            Self::Steps(steps) => steps,
        }
    }

    pub fn plus(self, offset: u32) -> Self {
        match self {
            Self::Stack(distance) => Self::Stack(distance.wrapping_add_signed_of(offset)),
            Self::Near { base, power } => Self::Near { base: base.wrapping_add(offset), power },
            Self::Unknown | Self::Steps(_) if is_base(offset) => {
                match self.steps().plus(Steps::one(offset)) {
                    sum if sum == sum.unlimited() => {
                        Self::Near { base: offset, power: self.steps().power() }
                    }
                    sum => Self::among(sum),
                }
            }
            // A frame is not larger, so this is still the same stack.
            Self::Stacked if offset & 3 == 0 && (offset as i32).abs() < FRAME_MAX => Self::Stacked,
            _ => Self::among(self.steps().plus(Steps::one(offset))),
        }
    }

    pub fn joined(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Word(one), Self::Word(other)) => Self::Word(one.or(other)),
            (Self::Near { base, .. }, _) | (_, Self::Near { base, .. }) if is_system(base) => {
                Self::Near { base: SYSTEM_START, power: 1 }
            }
            _ => Self::among(self.steps().or(other.steps())),
        }
    }

    /// Without what may grow with each round of a loop.
    pub fn widened(self) -> Self {
        match self {
            Self::Steps(steps) => Self::among(steps.unlimited()),
            Self::Word(_) => Self::Unknown,
            _ => self,
        }
    }
}

/// Returns `true` for an address that an index may be added to: of flash, or of the core's own
/// registers. Lower numbers are distances within an object.
fn is_base(address: u32) -> bool {
    (FLASH_START..FLASH_END).contains(&address) || is_system(address)
}

/// Returns `true` for an address of the core's own registers.
fn is_system(address: u32) -> bool {
    (SYSTEM_START..SYSTEM_END).contains(&address)
}

/// Adds a number that stands for a signed one.
trait WrappingAdd {
    fn wrapping_add_signed_of(self, offset: u32) -> Self;
}

impl WrappingAdd for i32 {
    fn wrapping_add_signed_of(self, offset: u32) -> Self {
        self.wrapping_add(offset as Self)
    }
}

/// A number shifted by another one.
pub fn shifted(value: u32, shift: Shift, amount: u32) -> Value {
    let result = match shift {
        Shift::Lsl => value.checked_shl(amount).unwrap_or(0),
        Shift::Lsr => value.checked_shr(amount).unwrap_or(0),
        Shift::Asr => ((value as i32) >> amount.min(31)) as u32,
        Shift::Ror => value.rotate_right(amount),
        Shift::Rrx => return Value::Unknown,
    };
    Value::Constant(result)
}

/// The result of an operation.
pub fn calculated(operation: AluOperation, x: Value, y: Value) -> Value {
    use AluOperation as A;
    match (operation, x, y) {
        (A::Add, x, Value::Constant(y)) => x.plus(y),
        (A::Add, Value::Constant(x), y) => y.plus(x),
        (A::Sub, x, Value::Constant(y)) => x.plus(y.wrapping_neg()),
        (A::Add, Value::Near { base, power }, other)
        | (A::Add, other, Value::Near { base, power }) => {
            Value::Near { base, power: power.min(other.steps().power()) }
        }
        // The stack is aligned: it goes down by less than the alignment.
        (A::Bic, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, mask),
        (A::And, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, !mask),
        // A mask has eight bits at most.
        (A::And, Value::Saved(_), Value::Constant(0xff)) => x,
        (A::Orn, Value::Constant(x), Value::Constant(y)) => Value::Constant(x | !y),
        (A::Eor, Value::Constant(x), Value::Constant(y)) => Value::Constant(x ^ y),
        _ => Value::among(reckoned(operation, x.steps(), y.steps())),
    }
}

/// The same of numbers that are not all known.
fn reckoned(operation: AluOperation, x: Steps, y: Steps) -> Steps {
    use AluOperation as A;
    match (operation, x.only(), y.only()) {
        (A::Add, ..) => x.plus(y),
        (A::Sub, ..) => x.minus(y),
        (A::Rsb, ..) => y.minus(x),
        (A::And, _, Some(mask)) => x.and(mask),
        (A::And, Some(mask), _) => y.and(mask),
        (A::And, ..) => Steps::up_to(x.range().1.min(y.range().1)),
        (A::Bic, _, Some(mask)) => x.and(!mask),
        (A::Orr, _, Some(bits)) => x.with(bits),
        (A::Orr, Some(bits), _) => y.with(bits),
        _ => ANY,
    }
}

/// A number of so many bits, all set.
pub fn bits(width: u8) -> u32 {
    u32::MAX.checked_shr(32_u32.saturating_sub(width.into())).unwrap_or(0)
}

/// The least that is left of a place on the stack without the bits of the mask. The stack pointer
/// is always a multiple of four.
fn aligned(distance: i32, mask: u32) -> Value {
    let is_alignment = mask & mask.wrapping_add(1) == 0 && mask < 0x1000;
    if is_alignment { Value::Stack(distance - (mask & !3) as i32) } else { Value::Unknown }
}
