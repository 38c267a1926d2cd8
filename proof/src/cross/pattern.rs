//! Instruction encodings as bit patterns, and their filling with random operands.
//!
//! A pattern is the encoding diagram of the architecture manual in one string of 16 or 32
//! characters (spaces are ignored): `0` and `1` are themselves, a letter is a field. A letter's
//! bits need not be neighbours; they are numbered from the left, so that `i` in a modified
//! immediate collects i:imm3:imm8. Letters mean:
//!
//! | letter | field |
//! |---|---|
//! | `d` `h` `l` | a register that is written |
//! | `n` `m` `a` `s` | a register that is read |
//! | `t` `u` | a register that is loaded or stored |
//! | `S` | the bit that makes the flags change |
//! | others | a number |
//!
//! The simulator's decoder has no part in this: the patterns check it.

use crate::random::Random;

/// The fields of a filled pattern, by letter.
#[derive(Clone, Debug)]
pub struct Fields([u32; 128]);

impl Fields {
    /// The value of the field `letter`; 0 when the pattern has no such field.
    pub fn get(&self, letter: char) -> u32 {
        self.0[letter as usize & 127]
    }

    /// Sets a field, cut to its width when it is encoded.
    pub fn set(&mut self, letter: char, value: u32) {
        self.0[letter as usize & 127] = value;
    }
}

/// Letters that name core registers.
pub const REGISTERS: &str = "dhlnmastu";

/// The number of bits of each field.
fn width(pattern: &str, letter: char) -> u32 {
    pattern.chars().filter(|&each| each == letter).count() as u32
}

/// Random fields for `pattern`. Registers are R0 to R12 and LR: SP and PC are asked for by name.
pub fn fill(pattern: &str, random: &mut Random) -> Fields {
    let mut fields = Fields([0; 128]);
    let mut seen = 0u128;
    for letter in pattern.chars().filter(char::is_ascii_alphabetic) {
        if seen & 1 << (letter as u32) != 0 {
            continue;
        }
        seen |= 1 << (letter as u32);
        let bits = width(pattern, letter);
        let mut value = random.word() & ((1u64 << bits) - 1) as u32;
        if REGISTERS.contains(letter) && (value == 13 || value == 15) {
            value = random.below(13);
        }
        fields.set(letter, value);
    }
    fields
}

/// The halfwords of `pattern` with `fields`.
pub fn encode(pattern: &str, fields: &Fields) -> Vec<u16> {
    let mut bits = 0u32;
    let mut count = 0;
    let mut left: Vec<u32> = (0..128u8).map(|letter| width(pattern, letter as char)).collect();
    for letter in pattern.chars().filter(|letter| *letter != ' ') {
        let bit = match letter {
            '0' => 0,
            '1' => 1,
            _ => {
                left[letter as usize] -= 1;
                fields.get(letter) >> left[letter as usize] & 1
            }
        };
        bits = bits << 1 | bit;
        count += 1;
    }
    match count {
        16 => vec![bits as u16],
        32 => vec![(bits >> 16) as u16, bits as u16],
        _ => unreachable!("{pattern} has {count} bits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_fields_are_numbered_from_the_left() {
        let pattern = "11110i10 0100jjjj 0iiidddd iiiiiiii";
        let mut fields = fill(pattern, &mut Random::new(1));
        fields.set('i', 0x1DC3);
        fields.set('j', 0xA);
        fields.set('d', 7);
        // MOVW R7, #0xADC3
        assert_eq!(encode(pattern, &fields), [0xF64A, 0x57C3]);
    }

    #[test]
    fn filled_registers_are_never_sp_or_pc() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let fields = fill("dddd nnnn mmmm iiii", &mut random);
            for letter in "dnm".chars() {
                assert!(!matches!(fields.get(letter), 13 | 15));
            }
        }
    }
}
