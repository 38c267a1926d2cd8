//! What the models did, as text: a line a program.
//!
//! ```text
//!  core seed number instructions cycles sum
//! ```
//! The sum is one of the address and the cycle of each instruction, so that a program whose
//! instructions are one cycle off has another one.

use anyhow::{Context, Result};
use quintet_sim::riscv::timing::Model;

use super::CORES;
use super::models::Bench;
use super::programs::Program;
use super::simulated::Trace;

/// A program and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The program.
    pub program: Program,
    /// The instructions that retired.
    pub instructions: u64,
    /// The cycle of the last.
    pub cycles: u64,
    /// A sum of all addresses and cycles.
    pub sum: u32,
}

/// Runs programs on a model; returns their lines.
///
/// # Errors
/// The model has ended.
pub fn measure(
    bench: &mut Bench,
    name: &str,
    model: Model,
    seed: u64,
    count: u64,
) -> Result<String> {
    let mut text = String::new();
    for number in 0..count {
        let trace = bench.run(&Program::random(model, seed, number))?;
        let [instructions, cycles, sum] = summary(&trace);
        text += &format!("{name} {seed} {number} {instructions} {cycles} {sum:08x}\n");
    }
    Ok(text)
}

/// Reads lines.
///
/// # Errors
/// A line of another form.
pub fn read(text: &str) -> Result<Vec<Record>> {
    text.lines().map(|line| one(line).with_context(|| format!("not a record: {line}"))).collect()
}

fn one(line: &str) -> Option<Record> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let model = CORES.iter().find(|(known, _)| *known == name)?.1;
    let mut number = || words.next()?.parse::<u64>().ok();
    let (seed, index, instructions, cycles) = (number()?, number()?, number()?, number()?);
    let sum = u32::from_str_radix(words.next()?, 16).ok()?;
    Some(Record { program: Program::random(model, seed, index), instructions, cycles, sum })
}

/// Returns the number of instructions, the last cycle and the sum.
pub fn summary(trace: &Trace) -> [u64; 3] {
    let mut sum = 0x811c_9dc5u32;
    for (address, cycle) in &trace.retired {
        for word in [u64::from(*address), *cycle] {
            for byte in word.to_le_bytes() {
                sum = (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
    }
    let last = trace.retired.last().map_or(0, |last| last.1);
    [trace.retired.len() as u64, last, u64::from(sum)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs that were measured by `cargo xtask rtl --record`.
    const RECORDS: &str = include_str!("records.txt");

    #[test]
    fn cores_do_what_their_register_transfer_models_did() {
        let records = read(RECORDS).unwrap();
        assert!(records.len() >= 250, "{}", records.len());
        for record in records {
            let [instructions, cycles, sum] = summary(&record.program.simulate());
            let what = format!("{:?} of {:?}", record.program.number, record.program.model);
            let expected = (record.instructions, record.cycles, u64::from(record.sum));
            assert_eq!((instructions, cycles, sum), expected, "{what}");
        }
    }

    #[test]
    fn a_line_of_another_form_is_refused() {
        for line in ["", "ibex-small 1 2 3 4", "hazard3 1 1 1 1 00000000", "ibex-small 1 1 1 1 x"] {
            let message = read(&format!("{line}\n")).unwrap_err().to_string();
            assert_eq!(message, format!("not a record: {line}"));
        }
    }

    #[test]
    fn a_cycle_more_is_another_sum() {
        let trace = Trace { retired: vec![(4, 1), (8, 2)], stopped: true };
        let later = Trace { retired: vec![(4, 1), (8, 3)], stopped: true };
        assert_ne!(summary(&trace)[2], summary(&later)[2]);
    }
}
