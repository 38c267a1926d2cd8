//! What the operations compute. Each is a function of its operands.

use super::instruction::{Atomic, Condition, Operation, Unary};

/// Computes an operation of two values.
#[inline]
pub fn compute(operation: Operation, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::ShiftLeft => a << (b & 31),
        Operation::SetLess => u32::from(signed_a < signed_b),
        Operation::SetLessUnsigned => u32::from(a < b),
        Operation::Xor => a ^ b,
        Operation::ShiftRight => a >> (b & 31),
        Operation::ShiftRightArithmetic => (signed_a >> (b & 31)) as u32,
        Operation::Or => a | b,
        Operation::And => a & b,
        Operation::Multiply => a.wrapping_mul(b),
        Operation::MultiplyHigh => high(i64::from(signed_a), i64::from(signed_b)),
        Operation::MultiplyHighSignedUnsigned => high(i64::from(signed_a), i64::from(b)),
        Operation::MultiplyHighUnsigned => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Operation::Divide | Operation::DivideUnsigned => divide(operation, a, b),
        Operation::Remainder | Operation::RemainderUnsigned => divide(operation, a, b),
        Operation::Shift1Add => (a << 1).wrapping_add(b),
        Operation::Shift2Add => (a << 2).wrapping_add(b),
        Operation::Shift3Add => (a << 3).wrapping_add(b),
        Operation::AndNot => a & !b,
        Operation::OrNot => a | !b,
        Operation::XorNot => !(a ^ b),
        Operation::Maximum => signed_a.max(signed_b) as u32,
        Operation::MaximumUnsigned => a.max(b),
        Operation::Minimum => signed_a.min(signed_b) as u32,
        Operation::MinimumUnsigned => a.min(b),
        Operation::RotateLeft => a.rotate_left(b & 31),
        Operation::RotateRight => a.rotate_right(b & 31),
        Operation::BitClear => a & !(1 << (b & 31)),
        Operation::BitExtract => a >> (b & 31) & 1,
        Operation::BitInvert => a ^ 1 << (b & 31),
        Operation::BitSet => a | 1 << (b & 31),
    }
}

fn high(a: i64, b: i64) -> u32 {
    // The product of two values of 32 and 33 bits fits.
    (a.wrapping_mul(b) >> 32) as u32
}

/// A division by zero gives all ones, and the dividend as the remainder. The one quotient that does
/// not fit wraps.
fn divide(operation: Operation, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match operation {
        Operation::Divide if b == 0 => u32::MAX,
        Operation::Divide => signed_a.wrapping_div(signed_b) as u32,
        Operation::DivideUnsigned => a.checked_div(b).unwrap_or(u32::MAX),
        Operation::Remainder if b == 0 => a,
        Operation::Remainder => signed_a.wrapping_rem(signed_b) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

/// Computes an operation of one value.
#[inline]
pub fn compute_one(operation: Unary, a: u32) -> u32 {
    match operation {
        Unary::CountLeadingZeros => a.leading_zeros(),
        Unary::CountTrailingZeros => a.trailing_zeros(),
        Unary::CountOnes => a.count_ones(),
        Unary::SignExtendByte => i32::from(a as i8) as u32,
        Unary::SignExtendHalf => i32::from(a as i16) as u32,
        Unary::ZeroExtendHalf => a & 0xffff,
        Unary::OrCombineBytes => {
            u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff }))
        }
        Unary::ReverseBytes => a.swap_bytes(),
    }
}

/// Returns what an atomic operation writes where `old` was.
pub fn combine(operation: Atomic, old: u32, value: u32) -> u32 {
    match operation {
        Atomic::Swap => value,
        Atomic::Add => old.wrapping_add(value),
        Atomic::Xor => old ^ value,
        Atomic::And => old & value,
        Atomic::Or => old | value,
        Atomic::Minimum => (old as i32).min(value as i32) as u32,
        Atomic::Maximum => (old as i32).max(value as i32) as u32,
        Atomic::MinimumUnsigned => old.min(value),
        Atomic::MaximumUnsigned => old.max(value),
    }
}

/// Returns `true` if a branch is taken.
#[inline]
pub fn holds(condition: Condition, a: u32, b: u32) -> bool {
    match condition {
        Condition::Equal => a == b,
        Condition::NotEqual => a != b,
        Condition::Less => (a as i32) < b as i32,
        Condition::GreaterOrEqual => a as i32 >= b as i32,
        Condition::LessUnsigned => a < b,
        Condition::GreaterOrEqualUnsigned => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_has_no_exceptions() {
        let most_negative = 0x8000_0000;
        let cases = [
            (Operation::Divide, 7, 0, u32::MAX),
            (Operation::Divide, most_negative, u32::MAX, most_negative),
            (Operation::Divide, -7_i32 as u32, 2, -3_i32 as u32),
            (Operation::DivideUnsigned, 7, 0, u32::MAX),
            (Operation::Remainder, 7, 0, 7),
            (Operation::Remainder, most_negative, u32::MAX, 0),
            (Operation::Remainder, -7_i32 as u32, 2, -1_i32 as u32),
            (Operation::RemainderUnsigned, 7, 0, 7),
        ];
        for (operation, a, b, result) in cases {
            assert_eq!(compute(operation, a, b), result, "{operation:?} {a:#x} {b:#x}");
        }
    }

    #[test]
    fn the_high_half_of_a_product_has_its_signs() {
        let high = |operation| compute(operation, u32::MAX, u32::MAX);
        assert_eq!(high(Operation::MultiplyHigh), 0);
        assert_eq!(high(Operation::MultiplyHighSignedUnsigned), u32::MAX);
        assert_eq!(high(Operation::MultiplyHighUnsigned), u32::MAX - 1);
    }
}
