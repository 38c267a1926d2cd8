//! Random sequences on both sides, and the report of a difference.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use super::batch::{self, NAMES, RECORD_WORDS, Record};
use super::generate::{Case, case, code_address};
use super::{Subset, listing, simulated};
use crate::firmware;
use crate::qemu::Setup;

/// The plan of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The seed of the whole run.
    pub seed: u64,
    /// The first case.
    pub first: u64,
    /// The number of cases.
    pub cases: u64,
    /// The instructions to use.
    pub subset: Subset,
}

/// The result of a run without differences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Cases that ran on both sides.
    pub cases: u64,
    /// Instructions in them, as laid out.
    pub halfwords: u64,
    /// Cases that ended with a fault.
    pub faults: u64,
}

/// The cases that fit into one image on the machine.
fn capacity(subset: Subset) -> u64 {
    match subset {
        // The flash of the lm3s6965: 256 KiB.
        Subset::V6M => 440,
        Subset::V7M | Subset::V7EM => 4096,
    }
}

/// Returns the slot of a case: its place in its batch, so that a replay finds the case at the same
/// address.
fn slot(index: u64, subset: Subset) -> u32 {
    (index % capacity(subset)) as u32
}

/// Runs the plan. The error of the first difference is the report.
pub fn run(plan: &Plan, mut progress: impl FnMut(u64)) -> Result<Summary> {
    let bench = Bench::new(plan.subset)?;
    let mut summary = Summary::default();
    let mut next = plan.first;
    let end = plan.first + plan.cases;
    while next < end {
        let room = capacity(plan.subset) - next % capacity(plan.subset);
        let count = room.min(end - next);
        let first = slot(next, plan.subset);
        let cases: Vec<Case> = (next..next + count)
            .map(|index| case(plan.seed, index, slot(index, plan.subset), plan.subset))
            .collect();
        let (expected, actual) = bench.both(first, &cases)?;
        for (place, case) in cases.iter().enumerate() {
            let (Some(expected), Some(actual)) = (expected.get(place), actual.get(place)) else {
                bail!(
                    "seed {} case {}: QEMU finished {} cases of this image, the simulator {}",
                    plan.seed,
                    next + place as u64,
                    expected.len(),
                    actual.len()
                );
            };
            summary.cases += 1;
            summary.halfwords += case.code.len() as u64;
            summary.faults += u64::from(expected[17] != 11);
            if expected != actual {
                let index = next + place as u64;
                let small = bench.minimise(slot(index, plan.subset), case)?;
                bail!(report(plan, index, &small, &bench)?);
            }
        }
        next += count;
        progress(summary.cases);
    }
    Ok(summary)
}

/// Both sides, ready to run images.
struct Bench {
    subset: Subset,
    harness: Vec<u8>,
    path: PathBuf,
}

impl Bench {
    fn new(subset: Subset) -> Result<Self> {
        let harness = batch::harness(subset)?;
        let name = format!("cases-{subset:?}-{}.bin", std::process::id());
        Ok(Self { subset, harness, path: firmware::output().join(name) })
    }

    /// The records of QEMU and of the simulator.
    fn both(&self, first: u32, cases: &[Case]) -> Result<(Vec<Record>, Vec<Record>)> {
        let image = batch::image(&self.harness, first, cases)?;
        batch::save(&image, &self.path)?;
        // One instruction at a time: within a block, QEMU raises a division's trap with registers
        // of before the block.
        let arguments = &["-singlestep"];
        let setup = match self.subset {
            Subset::V7M => Setup { arguments, ..Setup::new("mps2-an385") },
            Subset::V7EM => Setup { arguments, ..Setup::new("mps2-an386") },
            Subset::V6M => {
                Setup { arguments, processor: Some("cortex-m0"), ..Setup::new("lm3s6965evb") }
            }
        };
        // Both run at once: the slower one takes all the time of a batch.
        let (expected, actual) = std::thread::scope(|scope| {
            let actual = scope.spawn(|| simulated::cases(&image, cases.len(), self.subset));
            (setup.run(&self.path), actual.join())
        });
        let expected = expected?;
        let errors = String::from_utf8_lossy(&expected.stderr);
        ensure!(
            expected.status.success(),
            "QEMU ended with {} after {} cases; the image is {}\n{errors}",
            expected.status,
            expected.stdout.len() / size_of::<Record>(),
            self.path.display(),
        );
        let actual = actual.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let actual = actual.context("the simulator")?;
        std::fs::remove_file(&self.path)?;
        Ok((batch::records(&expected.stdout), batch::records(&actual)))
    }

    /// Returns `true` if one case alone still differs.
    fn differs(&self, slot: u32, case: &Case) -> Result<bool> {
        let (expected, actual) = self.both(slot, std::slice::from_ref(case))?;
        Ok(expected != actual)
    }

    /// The shortest beginning of the case that still differs, with every other unit that does not
    /// matter replaced by NOPs.
    fn minimise(&self, slot: u32, case: &Case) -> Result<Case> {
        let mut small = case.clone();
        for length in 1..=case.units.len() {
            let mut shorter = case.clone();
            let end = case.units.get(length).map_or(case.code.len(), |unit| unit.start);
            shorter.code.truncate(end);
            shorter.units.truncate(length);
            if self.differs(slot, &shorter)? {
                small = shorter;
                break;
            }
        }
        for index in (0..small.units.len()).filter(|index| case.units[*index].removable) {
            let end = small.units.get(index + 1).map_or(small.code.len(), |unit| unit.start);
            let mut fewer = small.clone();
            fewer.code[small.units[index].start..end].fill(0xBF00);
            fewer.units[index].name = "-".to_string();
            if self.differs(slot, &fewer)? {
                small = fewer;
            }
        }
        Ok(small)
    }
}

/// Returns the data with which a person finds the mistake.
fn report(plan: &Plan, index: u64, case: &Case, bench: &Bench) -> Result<String> {
    use std::fmt::Write;
    let slot = slot(index, plan.subset);
    let (expected, actual) = bench.both(slot, std::slice::from_ref(case))?;
    let (expected, actual) = (
        expected.first().copied().unwrap_or([0; RECORD_WORDS]),
        actual.first().copied().unwrap_or([0; RECORD_WORDS]),
    );
    let mut text = format!(
        "seed {} case {index} differs. Replay it with\n  \
         cargo proof cross --seed {} --first {index} --cases 1{}\n",
        plan.seed,
        plan.seed,
        match plan.subset {
            Subset::V6M => " --v6m",
            Subset::V7M => "",
            Subset::V7EM => " --v7em",
        },
    );
    let r = &case.registers;
    writeln!(text, "registers before: {r:08x?}\nSP {:08x} flags {:08x}", case.stack, case.flags)?;
    writeln!(
        text,
        "CCR {:08x} SHCSR {:08x} unprivileged: {}",
        case.configuration, case.faults, case.unprivileged
    )?;
    text += &listing::of(case, code_address(slot), plan.subset);
    writeln!(text, "{:>10} {:>10} {:>10}", "", "QEMU", "simulator")?;
    for ((name, expected), actual) in NAMES.iter().zip(expected).zip(actual) {
        let mark = if expected == actual { "" } else { "  <--" };
        writeln!(text, "{name:>10}   {expected:08x}   {actual:08x}{mark}")?;
    }
    Ok(text)
}
