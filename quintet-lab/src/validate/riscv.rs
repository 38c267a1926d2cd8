//! RISC-V cores against their own register-transfer models.
//!
//! A file has sequences and whole programs of one core, with the cycle in which each instruction
//! retires, at three numbers of wait states. [`bench`] is the memory around the core, as it was
//! when they were measured. A sequence is exact if every instruction retires in its cycle.

mod bench;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use data_encoding::{BASE64, Encoding, HEXLOWER};
use quintet_sim::files;
use quintet_sim::riscv::hart::Hart;
use quintet_sim::riscv::timing::Model;
use serde::Deserialize;

use super::report::{Entry, Measurement};
use super::sequences::Hex;
use bench::Bench;

/// The files, and the cores whose time is modelled.
const FILES: [(&str, Option<Model>); 5] = [
    ("ibex-small", Some(Model::IbexSmall)),
    ("ibex-maxperf", Some(Model::IbexMaxperf)),
    ("hazard3", Some(Model::Hazard3)),
    ("vexriscv-imac", Some(Model::VexRiscvImac)),
    ("vexriscv-secure", Some(Model::VexRiscvSecure)),
];

/// The instructions after which a sequence or program is given up.
const INSTRUCTIONS_MAX: u64 = 1_000_000;
/// The register that holds a program's result: a0.
const RESULT: usize = 10;

/// What was found for each core.
#[derive(Clone, Debug, Default)]
pub struct Cores {
    /// The entries of each core with a model.
    pub entries: Vec<(String, Vec<Entry>)>,
    /// The cores of which there is a file, and no model.
    pub without_model: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    sequences: Vec<Sequence>,
    programs: Vec<Program>,
}

#[derive(Deserialize)]
struct Sequence {
    id: String,
    class: String,
    /// The pass of `start` that is measured.
    occurrence: u32,
    start: Hex,
    /// The address, the bits and the text of each instruction, and its cycle without wait states.
    insns: Vec<(Hex, String, String, u64)>,
    /// The cycles of the instructions at other numbers of wait states.
    retire: BTreeMap<u8, Vec<u64>>,
    image: String,
    data: String,
}

#[derive(Deserialize)]
struct Program {
    id: String,
    image: String,
    /// By the number of wait states.
    cycles: BTreeMap<u8, u64>,
    result: Hex,
}

/// An instruction that has retired: its address and the cycle.
type Retired = (u32, u64);

/// Repeats what is in the files of a directory and contains `filter`.
///
/// # Errors
/// A file that can't be read.
pub fn run(directory: &Path, filter: &str) -> Result<Cores> {
    let mut cores = Cores::default();
    for (name, model) in FILES {
        let path = directory.join(format!("{name}-released.json"));
        if !path.is_file() {
            continue;
        }
        match model {
            Some(model) => cores.entries.push((name.to_owned(), file(&path, model, filter)?)),
            None => cores.without_model.push(name.to_owned()),
        }
    }
    Ok(cores)
}

fn file(path: &Path, model: Model, filter: &str) -> Result<Vec<Entry>> {
    let text = files::read_text(path)?;
    let file: File = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a file of RISC-V sequences", path.display()))?;
    let has = |id: &str, class: &str| id.contains(filter) || class.contains(filter);
    let sequences = file.sequences.iter().filter(|one| has(&one.id, &one.class));
    let programs = file.programs.iter().filter(|one| has(&one.id, "program"));
    let entries = sequences.map(|one| sequence(one, model));
    entries.chain(programs.map(|one| program(one, model))).collect()
}

/// The bytes of a text.
fn bytes(encoding: &Encoding, text: &str) -> Result<Vec<u8>> {
    Ok(encoding.decode(text.as_bytes())?)
}

fn sequence(sequence: &Sequence, model: Model) -> Result<Entry> {
    let image = bytes(&BASE64, &sequence.image).context("an image is not base64")?;
    let data = bytes(&HEXLOWER, &sequence.data).context("data is not hexadecimal")?;
    let first = sequence.insns.iter().map(|insn| insn.3).collect();
    let all = std::iter::once((0, first))
        .chain(sequence.retire.iter().map(|(wait_states, cycles)| (*wait_states, cycles.clone())));
    let measurements = all.map(|(wait_states, cycles): (u8, Vec<u64>)| {
        let addresses = sequence.insns.iter().map(|insn| insn.0.0);
        let expected: Vec<Retired> = addresses.zip(cycles).collect();
        let mut hart = bench::hart(model, wait_states, &image, &data);
        let actual = trace(&mut hart, sequence, expected.len());
        Measurement {
            case: format!("{wait_states} wait states"),
            measured: expected.last().map_or(0, |last| last.1),
            simulated: compare(&expected, &actual),
        }
    });
    Ok(Entry {
        name: sequence.id.clone(),
        class: sequence.class.clone(),
        measurements: measurements.collect(),
        disassembly: sequence.insns.iter().map(|insn| insn.2.clone()).collect(),
    })
}

/// Returns the cycles of the whole, if each instruction retires in its cycle or the whole differs.
fn compare(expected: &[Retired], actual: &[Retired]) -> Result<u64, String> {
    let wrong = expected.iter().zip(actual).find(|(expected, actual)| expected != actual);
    match (wrong, expected.last(), actual.last()) {
        _ if actual.len() != expected.len() => Err("it does not come to its end".to_owned()),
        (Some((expected, actual)), ..) if expected.0 != actual.0 => {
            Err(format!("{:#x} executes instead of {:#x}", actual.0, expected.0))
        }
        (Some((at, actual)), Some(measured), Some(simulated)) if measured == simulated => {
            Err(format!("{:#x} retires in cycle {} instead of {}", at.0, actual.1, at.1))
        }
        (_, _, simulated) => Ok(simulated.map_or(0, |simulated| simulated.1)),
    }
}

/// Runs until so many instructions have retired behind the start of a sequence.
fn trace(hart: &mut Hart<Bench>, sequence: &Sequence, count: usize) -> Vec<Retired> {
    let mut passes = 0;
    let mut retired: Vec<Retired> = Vec::with_capacity(count);
    while retired.len() < count && hart.instructions() < INSTRUCTIONS_MAX {
        let Some((address, cycle)) = step(hart) else { continue };
        passes += u32::from(address == sequence.start.0);
        if passes >= sequence.occurrence {
            retired.push((address, cycle));
        }
    }
    let start = retired.first().map_or(0, |first| first.1);
    retired.iter().map(|(address, cycle)| (*address, cycle - start)).collect()
}

/// Steps, and returns the instruction if one has retired or trapped.
fn step(hart: &mut Hart<Bench>) -> Option<Retired> {
    let (pc, before) = (hart.pc, (hart.instructions(), hart.retired()));
    let first = hart.bus.word(pc) & 0xffff;
    hart.step();
    let after = (hart.instructions(), hart.retired());
    // Hazard3 has gone to the target of a CM.POPRET already when that retires.
    let pops = hart.configuration().model == Model::Hazard3 && first & 0xfd03 == 0xbc02;
    let address = if pops { hart.pc } else { pc };
    (before != after).then_some((address, after.1.unwrap_or(0)))
}

/// A program counts the cycles of its work itself, and stores them.
fn program(program: &Program, model: Model) -> Result<Entry> {
    let image = bytes(&BASE64, &program.image).context("an image is not base64")?;
    let measurements = program.cycles.iter().map(|(wait_states, measured)| {
        let mut hart = bench::hart(model, *wait_states, &image, &[]);
        while !hart.bus.has_stopped() && hart.instructions() < INSTRUCTIONS_MAX {
            hart.step();
        }
        let result = hart.registers[RESULT];
        let simulated = if !hart.bus.has_stopped() {
            Err("it does not come to its end".to_owned())
        } else if result != program.result.0 {
            Err(format!("its result is {result:#x}"))
        } else {
            Ok(u64::from(hart.bus.stored()))
        };
        Measurement { case: format!("{wait_states} wait states"), measured: *measured, simulated }
    });
    Ok(Entry {
        name: program.id.clone(),
        class: "program".to_owned(),
        measurements: measurements.collect(),
        disassembly: Vec::new(),
    })
}
