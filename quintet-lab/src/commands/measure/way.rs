//! The way of one occurrence, instruction by instruction: `quintet measure --instructions`.

use quintet_sim::cores::Core;
use serde::Serialize;

use crate::debug::Place;
use crate::firmware::Firmware;
use crate::report::table::{self, grouped, table};

/// The most instructions of a way that are kept: each takes memory.
pub const STEPS_MAX: usize = 100_000;

/// One step of the processor's: an instruction, or the entry of an exception.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The cycle of its beginning, counted from the start.
    pub cycle: u64,
    /// The instruction's address; null for the entry of an exception.
    pub address: Option<u32>,
    /// The instruction's halfwords, or the exception's name.
    pub code: String,
    /// The kind of the instruction, by the simulator's word.
    pub kind: String,
    /// The function, as far as is known, with an offset where no line is.
    pub function: String,
    /// The source's file and line, where debug information has them.
    pub line: Option<String>,
}

/// The state before a step.
pub struct Before {
    pc: u32,
    cycle: u64,
    instructions: u64,
    bits: u32,
}

impl Before {
    /// As the machine stands.
    pub fn of(machine: &impl Core) -> Self {
        let pc = machine.pc();
        Self {
            pc,
            cycle: machine.cycle(),
            instructions: machine.instructions(),
            bits: machine.bits(pc).unwrap_or(0),
        }
    }

    /// Returns the machine's step since then. The occurrence began at `start`.
    pub fn step<M: Core>(&self, firmware: &Firmware, machine: &M, start: u64) -> Step {
        let cycle = self.cycle.saturating_sub(start);
        if machine.instructions() == self.instructions {
            let code = format!("entry of {}", M::handler_name(machine.handler()));
            let (kind, function) = (String::new(), String::new());
            return Step { cycle, address: None, code, kind, function, line: None };
        }
        let places = firmware.locate(self.pc);
        let place = Place::own_of(&places).filter(|place| place.line.is_some());
        let function = place.and_then(|place| place.function.clone());
        Step {
            cycle,
            address: Some(self.pc),
            code: code(self.bits, M::length(self.bits)),
            kind: machine.kind(self.pc, self.bits),
            function: function.unwrap_or_else(|| firmware.describe(self.pc)),
            line: place.and_then(line),
        }
    }
}

/// The halfwords as a disassembler shows them.
fn code(bits: u32, length: u32) -> String {
    let (first, second) = (bits & 0xffff, bits >> 16);
    if length == 4 { format!("{first:04x} {second:04x}") } else { format!("{first:04x}") }
}

/// The file, without its directories, and the line.
fn line(place: &Place) -> Option<String> {
    let file = place.file.as_deref()?;
    let name = file.rsplit('/').next().unwrap_or(file);
    Some(format!("{name}:{}", place.line?))
}

/// The way as a table.
pub fn text(number: u64, steps: &[Step]) -> String {
    let mut rows = table(&[">cycle", "address", "code", "does", "where"]);
    for step in steps {
        let address = step.address.map(|address| format!("{address:#07x}")).unwrap_or_default();
        let place = match &step.line {
            Some(line) => format!("{} ({line})", step.function),
            None => step.function.clone(),
        };
        rows.add_row([grouped(step.cycle), address, step.code.clone(), step.kind.clone(), place]);
    }
    let cut = if steps.len() < STEPS_MAX { "" } else { "and more, which are not kept\n" };
    format!("Occurrence {number}:\n{}{cut}\n", table::text(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halfwords_are_shown_as_a_disassembler_does() {
        assert_eq!(code(0x4770, 2), "4770");
        assert_eq!(code(0xc018_f8d0, 4), "f8d0 c018");
    }
}
