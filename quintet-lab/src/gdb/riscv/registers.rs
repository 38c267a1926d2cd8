//! The registers of a RISC-V core by GDB's numbers, and the description of the target.

use std::fmt::Write;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use quintet_sim::riscv::csr::number;
use quintet_sim::riscv::text::REGISTERS;

/// The registers for control and status that GDB sees. It can't write them.
pub(crate) const CSRS: [(&str, u16); 12] = [
    ("mstatus", number::MSTATUS),
    ("misa", number::MISA),
    ("mie", number::MIE),
    ("mtvec", number::MTVEC),
    ("mscratch", number::MSCRATCH),
    ("mepc", number::MEPC),
    ("mcause", number::MCAUSE),
    ("mtval", number::MTVAL),
    ("mip", number::MIP),
    ("mcycle", number::MCYCLE),
    ("minstret", number::MINSTRET),
    ("mhartid", number::MHARTID),
];

pub(super) const COUNTER: usize = 32;
/// x0 to x31, and the program counter.
pub(super) const COUNT: usize = COUNTER + 1;
pub(super) const ALL: usize = COUNT + CSRS.len();

/// A RISC-V core of 32 bits.
#[derive(Debug)]
pub enum Rv32 {}

impl Arch for Rv32 {
    type Usize = u32;
    type Registers = Values;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// A register by its place in the description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number(pub(super) usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < ALL).then_some((Self(id), NonZeroUsize::new(4)))
    }
}

/// All registers, in the order of the description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values(pub(super) [u32; ALL]);

impl Default for Values {
    fn default() -> Self {
        Self([0; ALL])
    }
}

impl Registers for Values {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[COUNTER]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().flat_map(|value| value.to_le_bytes()).for_each(|byte| write_byte(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        if words.len() > ALL || !rest.is_empty() {
            return Err(());
        }
        for (value, word) in self.0.iter_mut().zip(words) {
            *value = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

/// The description of the target: GDB's standard features for RISC-V.
pub(super) fn description() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n\
         <target version=\"1.0\">\n  <architecture>riscv:rv32</architecture>\n  \
         <feature name=\"org.gnu.gdb.riscv.cpu\">\n",
    );
    for name in REGISTERS {
        let kind = match name {
            "ra" => "code_ptr",
            "sp" | "gp" | "tp" => "data_ptr",
            _ => "int",
        };
        // GDB's own name of the frame pointer.
        let name = if name == "s0" { "fp" } else { name };
        // Writing to a string never fails.
        let _ = writeln!(text, "    <reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\"/>");
    }
    text.push_str("    <reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\"/>\n  </feature>\n");
    text.push_str("  <feature name=\"org.gnu.gdb.riscv.csr\">\n");
    for (name, _) in CSRS {
        let _ = writeln!(text, "    <reg name=\"{name}\" bitsize=\"32\" group=\"system\"/>");
    }
    text.push_str("  </feature>\n</target>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_lists_as_many_registers_as_there_are() {
        let text = description();
        assert_eq!(text.matches("<reg ").count(), ALL);
        assert!(text.ends_with("</feature>\n</target>\n"));
        assert!(Number::from_raw_id(ALL).is_none() && Number::from_raw_id(ALL - 1).is_some());
    }
}
