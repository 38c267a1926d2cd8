//! The extensions of a core, by the name that compilers give the whole: `rv32imac_zba_zbb`.

use std::fmt;

/// A set of extensions, beside the base and the registers for control and status (Zicsr), which
/// every core here has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extensions(u16);

/// The names of the extensions of more than one letter, in the order of the canonical name.
const LONG: [(&str, Extensions); 8] = [
    ("zicsr", Extensions(0)),
    ("zifencei", Extensions::ZIFENCEI),
    ("zca", Extensions::C),
    ("zcb", Extensions::ZCB),
    ("zcmp", Extensions::ZCMP),
    ("zba", Extensions::ZBA),
    ("zbb", Extensions::ZBB),
    ("zbs", Extensions::ZBS),
];

impl Extensions {
    /// Only the first sixteen registers (RV32E).
    pub const E: Self = Self(1 << 0);
    /// Multiplication and division.
    pub const M: Self = Self(1 << 1);
    /// Atomic operations.
    pub const A: Self = Self(1 << 2);
    /// Compressed instructions, without those of floating point (Zca).
    pub const C: Self = Self(1 << 3);
    /// FENCE.I.
    pub const ZIFENCEI: Self = Self(1 << 4);
    /// Shifts with an addition.
    pub const ZBA: Self = Self(1 << 5);
    /// Basic operations on bits.
    pub const ZBB: Self = Self(1 << 6);
    /// Operations on a single bit.
    pub const ZBS: Self = Self(1 << 7);
    /// Further compressed instructions.
    pub const ZCB: Self = Self(1 << 8);
    /// Compressed instructions that push and pop registers.
    pub const ZCMP: Self = Self(1 << 9);

    /// Everything that the simulator knows, with all 32 registers.
    pub const ALL: Self = Self(0x3fe);

    /// Returns `true` if all of `others` are in the set.
    #[inline]
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the set with `others` too.
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Reads a name such as `rv32imac_zba_zbb`.
    ///
    /// # Errors
    /// What of the name the simulator does not have.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut parts = name.split('_');
        let first = parts.next().unwrap_or_default();
        let Some(letters) = first.strip_prefix("rv32") else {
            return Err(format!("\"{name}\" does not begin with rv32"));
        };
        let mut set = match letters.chars().next() {
            Some('i') => Self::default(),
            Some('e') => Self::E,
            _ => return Err(format!("\"{name}\" names no base: rv32i or rv32e")),
        };
        for letter in letters.chars().skip(1) {
            set = set.with(match letter {
                'm' => Self::M,
                'a' => Self::A,
                'c' => Self::C,
                other => return Err(format!("the extension \"{other}\" is not simulated")),
            });
        }
        for part in parts {
            let found = LONG.iter().find(|(name, _)| *name == part);
            let (_, of_part) =
                found.ok_or_else(|| format!("the extension \"{part}\" is not simulated"))?;
            set = set.with(*of_part);
        }
        if (set.has(Self::ZCB) || set.has(Self::ZCMP)) && !set.has(Self::C) {
            return Err("zcb and zcmp need c".to_owned());
        }
        Ok(set)
    }

    /// Returns the value of the register `misa`, without the bit for user mode.
    pub fn misa(self) -> u32 {
        const RV32: u32 = 1 << 30;
        let letter = |has: Self, letter: u8| u32::from(self.has(has)) << (letter - b'a');
        let base = if self.has(Self::E) { 1 << 4 } else { 1 << 8 };
        RV32 | base | letter(Self::A, b'a') | letter(Self::C, b'c') | letter(Self::M, b'm')
    }
}

impl fmt::Display for Extensions {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "rv32{}", if self.has(Self::E) { 'e' } else { 'i' })?;
        for (has, letter) in [(Self::M, 'm'), (Self::A, 'a'), (Self::C, 'c')] {
            if self.has(has) {
                write!(to, "{letter}")?;
            }
        }
        let long = LONG.iter().filter(|(name, set)| *name != "zca" && set.0 != 0 && self.has(*set));
        for (name, _) in long {
            write!(to, "_{name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_and_written() {
        for name in ["rv32i", "rv32e", "rv32imac", "rv32emc_zcb_zcmp", "rv32imac_zba_zbb_zbs"] {
            assert_eq!(Extensions::parse(name).expect("known").to_string(), name);
        }
        assert_eq!(Extensions::parse("rv32imc_zicsr"), Extensions::parse("rv32imc"));
    }

    #[test]
    fn what_is_not_simulated_is_named() {
        let cases = [
            ("rv64i", "\"rv64i\" does not begin with rv32"),
            ("rv32", "\"rv32\" names no base: rv32i or rv32e"),
            ("rv32imf", "the extension \"f\" is not simulated"),
            ("rv32i_zfh", "the extension \"zfh\" is not simulated"),
            ("rv32i_zcb", "zcb and zcmp need c"),
        ];
        for (name, message) in cases {
            assert_eq!(Extensions::parse(name), Err(message.to_owned()));
        }
    }

    #[test]
    fn misa_has_a_bit_for_each_letter() {
        let misa = |name: &str| Extensions::parse(name).expect("known").misa();
        assert_eq!(misa("rv32imac"), 0x4000_1105);
        assert_eq!(misa("rv32e"), 0x4000_0010);
    }
}
