//! Every encoding decodes to something, and each table of chapter A5 to the right thing.

use super::{decode, is_wide};
use crate::processor::Architecture::{V6M, V7M};
use crate::processor::instruction::Operation;

/// A small generator of pseudo-random numbers (xorshift), so that the test is the same every time.
fn random(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[test]
fn every_first_halfword_decodes_with_its_length() {
    for first in 0..=u16::MAX {
        let wide = matches!(first >> 11, 0b11101..=0b11111);
        assert_eq!(is_wide(first), wide, "{first:04x}");
        for architecture in [V6M, V7M] {
            let instruction = decode(first, 0xBF00, architecture);
            assert_eq!(instruction.length, if wide { 4 } else { 2 }, "{first:04x}");
        }
    }
}

#[test]
fn wide_encodings_decode_and_only_the_baseline_is_in_armv6m() {
    let mut state = 0x1234_5678;
    for _ in 0..1_000_000 {
        let code = random(&mut state);
        let (first, second) = ((code >> 16) as u16 | 0xE800, code as u16);
        let full = decode(first, second, V7M);
        let small = decode(first, second, V6M);
        assert_eq!((full.length, small.length), (4, 4));
        if small != full {
            assert_eq!(small.operation, Operation::Undefined);
        }
        if first >> 11 != 0b11110 || second >> 15 == 0 {
            assert_eq!(small.operation, Operation::Undefined, "{first:04x} {second:04x}");
        }
    }
}
