//! The way of one occurrence, instruction by instruction: `quintet measure --instructions`.

use quintet_sim::machine::Machine;
use quintet_sim::processor::decode::{decode, is_wide};
use serde::Serialize;

use crate::debug::Place;
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
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
    halfwords: [u16; 2],
}

impl Before {
    /// As the machine stands.
    pub fn of(machine: &Machine) -> Self {
        let pc = machine.pc();
        let half = |address: u32| machine.read_halfword(address).unwrap_or(0);
        let first = half(pc);
        let second = if is_wide(first) { half(pc.wrapping_add(2)) } else { 0 };
        Self {
            pc,
            cycle: machine.cycle(),
            instructions: machine.instructions(),
            halfwords: [first, second],
        }
    }

    /// Returns the machine's step since then. The occurrence began at `start`.
    pub fn step(&self, firmware: &Firmware, machine: &Machine, start: u64) -> Step {
        let cycle = self.cycle.saturating_sub(start);
        if machine.instructions() == self.instructions {
            let exception = machine.processor.registers.ipsr;
            let code = format!("entry of {}", exception_name(exception));
            let (kind, function) = (String::new(), String::new());
            return Step { cycle, address: None, code, kind, function, line: None };
        }
        let places = firmware.locate(self.pc);
        let place = Place::own_of(&places).filter(|place| place.line.is_some());
        let function = place.and_then(|place| place.function.clone());
        Step {
            cycle,
            address: Some(self.pc),
            code: code(self.halfwords),
            kind: kind(self.halfwords, machine),
            function: function.unwrap_or_else(|| firmware.describe(self.pc)),
            line: place.and_then(line),
        }
    }
}

/// The halfwords as a disassembler shows them.
fn code([first, second]: [u16; 2]) -> String {
    if is_wide(first) { format!("{first:04x} {second:04x}") } else { format!("{first:04x}") }
}

/// Returns the kind of the instruction: the first word of the decoder's text.
fn kind([first, second]: [u16; 2], machine: &Machine) -> String {
    let architecture = machine.processor.configuration.architecture;
    let operation = format!("{:?}", decode(first, second, architecture).operation);
    let word: String = operation.chars().take_while(|letter| letter.is_alphanumeric()).collect();
    let mut words = String::new();
    for letter in word.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
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
        assert_eq!(code([0x4770, 0]), "4770");
        assert_eq!(code([0xf8d0, 0xc018]), "f8d0 c018");
    }
}
