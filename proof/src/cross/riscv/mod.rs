//! `cargo proof cross-riscv`: random RISC-V instructions on the simulator and on QEMU.
//!
//! Both run `quintet-sim/tests/firmware/riscv/harness` with the same cases behind it, and leave a
//! record of each: the registers, the cause of the trap that ended the case with its value and
//! address, `mstatus`, and a sum of the memory that the case may touch.

pub mod generate;

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::image::Image;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

use crate::firmware;
use crate::qemu::{self, Setup};
use generate::{Case, Kind};

/// QEMU's program for the architecture.
pub const QEMU: &str = "qemu-system-riscv32";
/// The target of the harness.
const TARGET: &str = "riscv32imac-unknown-none-elf";
/// Where the harness expects the cases, and how much of a head they have.
const CASES: u32 = 0x8010_0000;
const HEAD: usize = 64;
/// The words of a record.
const RECORD_WORDS: usize = 36;
/// The cases of one image.
const BATCH: u64 = 4096;
/// The bytes that one request of semihosting writes at most, in the simulator.
const WRITE_MAX: u64 = 1 << 20;
const _: () = assert!(BATCH * 4 * RECORD_WORDS as u64 <= WRITE_MAX, "a batch is one request");
/// The cycles that a case may take in the simulator, with the harness around it.
const CYCLES_MAX: u64 = 10_000;
/// `mcause` of an access that is refused.
const LOAD_FAULT: u32 = 5;
const STORE_FAULT: u32 = 7;
/// QEMU's core with the extensions of the board `virt-rv32`.
const PROCESSOR: &str =
    "rv32,h=false,f=false,d=false,s=false,u=true,zba=true,zbb=true,zbc=false,zbs=true";

/// Run random RISC-V instructions on the simulator and on QEMU, and compare what they leave
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many sequences
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    cases: u64,
    /// The stream of sequences
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The number of the first one: `--first N --cases 1` replays one
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Each of the compressed encodings alone, instead of random sequences
    #[arg(long)]
    compressed: bool,
}

impl Arguments {
    /// Runs them.
    pub fn run(&self) -> Result<()> {
        if !qemu::has(QEMU) {
            bail!("{QEMU} is not installed: install the package qemu-system-misc");
        }
        let kind = if self.compressed { Kind::Compressed } else { Kind::Random };
        let cases = if self.compressed { 1 << 16 } else { self.cases };
        let summary = compare(kind, self.seed, self.first, cases)?;
        println!(
            "{} cases agree, of which {} ended by another trap than their last instruction's; {} \
             more are left open by the specification",
            summary.cases, summary.traps, summary.open
        );
        Ok(())
    }
}

/// The result of a run without differences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Cases that ran on both sides.
    pub cases: u64,
    /// Cases that an exception ended before their last instruction.
    pub traps: u64,
    /// Cases whose outcome the specification leaves open.
    pub open: u64,
}

type Record = [u32; RECORD_WORDS];

/// Runs cases on both sides. The error of the first difference is the report.
///
/// # Errors
/// A difference; a side that can't run.
pub fn compare(kind: Kind, seed: u64, first: u64, count: u64) -> Result<Summary> {
    let harness = firmware::build("riscv-harness", TARGET)?;
    let mut summary = Summary::default();
    let mut next = first;
    let end = first + count;
    while next < end {
        let size = BATCH.min(end - next);
        let cases: Vec<Case> = (next..next + size).map(|index| kind.case(seed, index)).collect();
        let image = image(&cases);
        let mut expected = on_qemu(&harness, &image)?;
        let actual = simulated(&harness, &image, cases.len())?;
        for ((record, case), ours) in expected.iter_mut().zip(&cases).zip(&actual) {
            correct(record, case, ours);
        }
        for (place, case) in cases.iter().enumerate() {
            let index = next + place as u64;
            let (Some(expected), Some(actual)) = (expected.get(place), actual.get(place)) else {
                bail!("case {index}: QEMU has {} records, we {}", expected.len(), actual.len());
            };
            if is_open(expected, case) {
                summary.open += 1;
                continue;
            }
            summary.cases += 1;
            summary.traps += u64::from(expected[31] != 3);
            if expected != actual {
                bail!(report(seed, index, case, expected, actual));
            }
        }
        next += size;
    }
    Ok(summary)
}

/// Returns `true` for a misaligned access across the border of a region: a core may do it in parts,
/// as ours, which are checked one by one. QEMU checks it as a whole.
fn is_open(record: &Record, case: &Case) -> bool {
    let address = record[32];
    let is_fault = matches!(record[31], LOAD_FAULT | STORE_FAULT);
    is_fault && address & 3 != 0 && case.has_border(address, address.wrapping_add(3))
}

/// Removes known differences of QEMU from its record. An atomic operation that may not read raises
/// the exception of a load: the specification asks for that of a store. And of a misaligned access
/// whose second word may not be accessed, the value is the address of the first byte: the
/// specification asks for that of the part that has failed.
fn correct(record: &mut Record, case: &Case, ours: &Record) {
    if record[31] == LOAD_FAULT && case.is_atomic(record[33]) {
        record[31] = STORE_FAULT;
    }
    let second = (record[32] | 3).wrapping_add(1);
    if matches!(record[31], LOAD_FAULT | STORE_FAULT) && record[32] & 3 != 0 && ours[32] == second {
        record[32] = second;
    }
}

/// The cases as the harness reads them.
fn image(cases: &[Case]) -> Vec<u8> {
    let mut image = vec![0; HEAD];
    image[..4].copy_from_slice(&(cases.len() as u32).to_le_bytes());
    for case in cases {
        image.extend(case.bytes());
    }
    image
}

fn records(output: &[u8]) -> Vec<Record> {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let record = |bytes: &[u8]| std::array::from_fn(|index| word(&bytes[4 * index..]));
    output.chunks_exact(4 * RECORD_WORDS).map(record).collect()
}

fn on_qemu(harness: &std::path::Path, image: &[u8]) -> Result<Vec<Record>> {
    let path = firmware::output().join(format!("riscv-cases-{}.bin", std::process::id()));
    std::fs::write(&path, image)?;
    let loader = format!("loader,file={},addr={CASES:#x},force-raw=on", path.display());
    let setup = Setup {
        program: QEMU,
        processor: Some(PROCESSOR),
        arguments: &["-bios", "none", "-singlestep"],
        loader: Some(&loader),
        ..Setup::new("virt")
    };
    let output = setup.run(harness);
    std::fs::remove_file(&path)?;
    let output = output?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "QEMU ended with {}\n{errors}", output.status);
    Ok(records(&output.stdout))
}

fn simulated(harness: &std::path::Path, image: &[u8], cases: usize) -> Result<Vec<Record>> {
    let mut machine = Machine::new(&Board::named("virt-rv32")?);
    machine.load(&Image::parse_riscv_elf(&std::fs::read(harness)?)?)?;
    machine.load(&Image::raw(image, CASES)?)?;
    machine.set_output_limit(None);
    let cycles = Some(100_000 + CYCLES_MAX * cases as u64);
    let stop = machine.run(&Limits { cycles, instructions: None });
    ensure!(
        matches!(stop, Stop::Exit { code: 0 }),
        "the simulator stopped: {stop:?}, {}",
        machine.whereabouts()
    );
    let output = machine.take_output();
    let output = output.first().context("the simulator printed nothing")?;
    Ok(records(&output.bytes))
}

/// Returns the data with which a person finds the mistake.
fn report(seed: u64, index: u64, case: &Case, expected: &Record, actual: &Record) -> String {
    use std::fmt::Write;
    let mut text = format!("case {index} of seed {seed} differs; --first {index} replays it\n");
    let _ = writeln!(text, "mstatus {:#x}, pmp {:x?}", case.status, case.protection);
    let _ = write!(text, "{}", case.listing());
    for place in (0..RECORD_WORDS).filter(|place| expected[*place] != actual[*place]) {
        let name = match place {
            0..=30 => format!("x{}", place + 1),
            31 => "mcause".to_owned(),
            32 => "mtval".to_owned(),
            33 => "mepc".to_owned(),
            34 => "mstatus".to_owned(),
            _ => "memory".to_owned(),
        };
        let (theirs, ours) = (expected[place], actual[place]);
        let _ = writeln!(text, "{name}: QEMU {theirs:#010x}, the simulator {ours:#010x}");
    }
    let _ = write!(text, "before: {:x?}", case.registers);
    text
}
