//! The instruction that could not be executed: a trap, an instruction of another core, or no
//! instruction.

use quintet_sim::image::BuiltFor;
use quintet_sim::machine::Machine;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::{decode, is_wide};
use quintet_sim::processor::instruction::Operation;

/// What it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// UDF, with its number: undefined for ever, so that programs can end by it.
    Trap(u16),
    /// Of floating point, on a core without it.
    FloatingPoint,
    /// Of floating point, on a core that has it, while CPACR keeps it off.
    UnitIsOff,
    /// One that other cores have.
    Missing {
        /// The architecture that has it.
        of: &'static str,
        /// That of the core.
        has: &'static str,
    },
    /// None that is known.
    Unknown,
}

/// An instruction, by its halfwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executed {
    /// Its first halfword.
    pub first: u16,
    /// Its second one; 0 where it has none.
    pub second: u16,
    /// What it is.
    pub kind: Kind,
}

impl Executed {
    /// As a disassembler shows it.
    pub fn text(self) -> String {
        let Self { first, second, .. } = self;
        if is_wide(first) { format!("{first:04x} {second:04x}") } else { format!("{first:04x}") }
    }
}

/// The instruction at an address, of firmware that was built for an architecture.
pub fn executed(machine: &Machine, built_for: Option<BuiltFor>, address: u32) -> Executed {
    let half = |address: u32| machine.read_halfword(address).unwrap_or(0);
    let first = half(address);
    let second = if is_wide(first) { half(address.wrapping_add(2)) } else { 0 };
    let configuration = &machine.processor.configuration;
    let kind = match kind((first, second), configuration.architecture, built_for) {
        Kind::FloatingPoint if configuration.has_floating_point() => Kind::UnitIsOff,
        other => other,
    };
    Executed { first, second, kind }
}

fn kind(
    (first, second): (u16, u16),
    architecture: Architecture,
    built_for: Option<BuiltFor>,
) -> Kind {
    if let Some(number) = trap(first, second) {
        return Kind::Trap(number);
    }
    let has = match architecture {
        Architecture::V6M => BuiltFor::V6M,
        Architecture::V7M => BuiltFor::V7M,
        Architecture::V7EM => BuiltFor::V7EM,
        Architecture::V8M => BuiltFor::V8M,
    };
    let missing = |of: BuiltFor| Kind::Missing { of: of.name(), has: has.name() };
    let is_of_v7 = match decode(first, second, Architecture::V7M).operation {
        Operation::Undefined | Operation::Coprocessor { .. } => false,
        _ => has == BuiltFor::V6M,
    };
    match built_for {
        _ if is_of_v7 => missing(BuiltFor::V7M),
        _ if is_floating_point(first, second) => Kind::FloatingPoint,
        Some(of) if of > BuiltFor::V7M && of > has && is_wide(first) => missing(of),
        _ => Kind::Unknown,
    }
}

/// The number of a UDF (A7.7.194): of its wide form too.
fn trap(first: u16, second: u16) -> Option<u16> {
    let wide = first & 0xfff0 == 0xf7f0 && second & 0xf000 == 0xa000;
    match first >> 8 {
        0xde => Some(first & 0xff),
        _ if wide => Some((first & 15) << 12 | second & 0xfff),
        _ => None,
    }
}

/// Of the coprocessors 10 and 11, which stand for the floating-point unit.
fn is_floating_point(first: u16, second: u16) -> bool {
    matches!(first >> 8, 0xec..=0xef | 0xfc..=0xff) && matches!(second >> 8 & 15, 10 | 11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_is_no_instruction_of_another_core() {
        let on = |code, architecture| kind(code, architecture, Some(BuiltFor::V8M));
        for architecture in [Architecture::V6M, Architecture::V7M] {
            assert_eq!(on((0xdefe, 0), architecture), Kind::Trap(254));
            assert_eq!(on((0xf7f1, 0xa002), architecture), Kind::Trap(0x1002));
        }
    }

    #[test]
    fn only_what_the_core_lacks_is_missing() {
        let v6 = |code| kind(code, Architecture::V6M, None);
        let of_v7 = Kind::Missing { of: "ARMv7-M", has: "ARMv6-M" };
        // UBFX, MOVW, CBZ: and bytes that are nothing.
        assert_eq!(v6((0xf3c0, 0x0100)), of_v7);
        assert_eq!(v6((0xf240, 0x0001)), of_v7);
        assert_eq!(v6((0xb100, 0)), of_v7);
        assert_eq!(v6((0xb600, 0)), Kind::Unknown);
        let v7 = |code, built_for| kind(code, Architecture::V7M, built_for);
        let vadd = (0xee30, 0x0a20);
        assert_eq!(v7(vadd, Some(BuiltFor::V7EM)), Kind::FloatingPoint);
        // SADD16: of the DSP extension.
        let sadd16 = (0xfa90, 0xf001);
        assert_eq!(
            v7(sadd16, Some(BuiltFor::V7EM)),
            Kind::Missing { of: "ARMv7E-M", has: "ARMv7-M" }
        );
        assert_eq!(v7(sadd16, Some(BuiltFor::V7M)), Kind::Unknown);
    }

    #[test]
    fn it_is_shown_by_its_halfwords() {
        let text = |first, second| Executed { first, second, kind: Kind::Unknown }.text();
        assert_eq!((text(0xb600, 0), text(0xf3c0, 0x100)), ("b600".into(), "f3c0 0100".into()));
    }
}
