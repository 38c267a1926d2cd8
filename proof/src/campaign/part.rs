//! One program's part of the campaign: its scenario, its amount of runs, and its line in the table.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use quintet_lab::commands::options::MachineOptions;
use quintet_lab::ctrl_c;
use quintet_lab::inject::campaign::{Amount, Outcome};
use quintet_lab::inject::prepared::Prepared;
use quintet_lab::inject::report::Parts;
use quintet_lab::inject::scenario::Scenario;
use quintet_lab::inject::undisturbed::Point;
use quintet_lab::inject::windows::WindowText;
use quintet_lab::report::table::grouped;
use quintet_sim::machine::{Stop, Until};

use super::programs::Programs;

/// The table's first line.
pub const HEADING: &str = "program          instructions  exceptions   singles        pairs \
                           \x20           of  seconds  result";
/// A program that has not ended by then never does.
pub const CYCLES_MAX: u64 = 100_000_000;

/// How much of the campaign is made.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Amounts {
    /// Only N single injections of each program
    #[arg(long, value_name = "N")]
    pub sample: Option<u64>,
    /// Second injections before at most the next N instructions
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub pair_distance: u64,
    /// So many pairs that those of each program take about N million cycles
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub pair_cycles: u64,
    /// Choose others
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

/// A program, ready to be interrupted.
pub struct Part {
    name: String,
    scenario: Scenario,
    applications: Vec<PathBuf>,
    prepared: Prepared,
}

/// What came of it.
pub struct Finding {
    name: String,
    instructions: usize,
    exceptions: usize,
    singles: u64,
    pairs: u64,
    pairs_possible: u64,
    failed: u64,
    seconds: f64,
    /// The failures in words.
    pub failures: String,
}

/// The sums over all programs.
#[derive(Default)]
pub struct Totals {
    instructions: usize,
    singles: u64,
    pairs: u64,
    pairs_possible: u64,
    failed: u64,
    seconds: f64,
}

impl Part {
    /// Opens the program of this name with its scenario, and runs it undisturbed.
    pub fn open(name: &str, programs: &Programs) -> Result<Self> {
        let scenario = Scenario::from_file(&scenario_file(name))?;
        let options = options(name, &scenario, programs);
        let elf = programs.elf(name);
        let prepared = Prepared::new(&scenario, &options, &elf).context(name.to_owned())?;
        let Some(prepared) = prepared else { bail!("interrupted by Ctrl-C") };
        let applications = options.process;
        Ok(Self { name: name.into(), scenario, applications, prepared })
    }

    /// The same, unless the program goes wrong by itself.
    pub fn open_right(name: &str, programs: &Programs) -> Result<Option<Self>> {
        let scenario = Scenario::from_file(&scenario_file(name))?;
        let options = options(name, &scenario, programs);
        let firmware = options.open(&programs.elf(name))?;
        let mut machine = options.machine(&firmware)?;
        let until = Until { max_cycles: Some(CYCLES_MAX), ..Until::default() };
        if machine.run(&until) != (Stop::Exit { code: 0 }) {
            return Ok(None);
        }
        Self::open(name, programs).map(Some)
    }

    /// Makes the injections; `None` after Ctrl-C.
    pub fn run(&self, amounts: &Amounts) -> Option<Finding> {
        let started = Instant::now();
        let amount = Amount {
            sample: amounts.sample,
            pairs: Some(self.pairs(amounts)),
            pair_distance: Some(amounts.pair_distance),
            seed: amounts.seed,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
        };
        let (singles, pairs) = self.prepared.campaign().run(&amount);
        if ctrl_c::is_pressed() {
            return None;
        }
        let seconds = started.elapsed().as_secs_f64();
        let failed = |part: &Outcome| part.tallies.values().map(|tally| tally.failures).sum();
        let (undisturbed, pairs_failed) =
            (&self.prepared.undisturbed, pairs.as_ref().map_or(0, failed));
        let failed = failed(&singles) + pairs_failed;
        let report = || self.report(&singles, pairs.as_ref(), seconds, amount.jobs);
        Some(Finding {
            name: self.name.clone(),
            instructions: undisturbed.points.len(),
            exceptions: undisturbed.sources.len(),
            singles: singles.runs(),
            pairs: pairs.as_ref().map_or(0, Outcome::runs),
            pairs_possible: pairs.as_ref().map_or(0, |pairs| pairs.possible),
            failed,
            seconds,
            failures: if failed == 0 { String::new() } else { report() },
        })
    }

    /// About how many cycles the injections will take.
    #[must_use]
    pub fn cost(&self, amounts: &Amounts) -> u64 {
        let undisturbed = &self.prepared.undisturbed;
        let injections = |point: &Point| undisturbed.sets[point.set].len() as u64;
        let singles: u64 = undisturbed.points.iter().map(injections).sum();
        let singles = amounts.sample.map_or(singles, |sample| singles.min(sample));
        // There can't be more pairs.
        let seconds = amounts.pair_distance.min(undisturbed.points.len() as u64);
        let possible = singles.saturating_mul(seconds * undisturbed.sources.len() as u64);
        (singles + self.pairs(amounts).min(possible)) * self.cost_of_a_run()
    }

    /// How many pairs are chosen at most.
    fn pairs(&self, amounts: &Amounts) -> u64 {
        1_000_000 * amounts.pair_cycles / self.cost_of_a_run().max(1)
    }

    /// The mean length of a run, from its first injection to the program's end: in cycles, or in
    /// instructions if it mostly sleeps.
    fn cost_of_a_run(&self) -> u64 {
        let undisturbed = &self.prepared.undisturbed;
        let count = undisturbed.points.len().max(1) as u64;
        let end = undisturbed.end.cycle();
        let sum: u64 = undisturbed.points.iter().map(|point| end - point.moment.cycle).sum();
        (sum / count).min(undisturbed.instructions)
    }

    /// All that can be said about failures.
    fn report(
        &self,
        singles: &Outcome,
        pairs: Option<&Outcome>,
        seconds: f64,
        jobs: usize,
    ) -> String {
        let firmware = &self.prepared.firmware;
        let file = scenario_file(&self.name);
        let mut command =
            format!("cargo lab inject {} --scenario {}", firmware.path.display(), file.display());
        command += &format!(" --board {}", self.prepared.board);
        for application in &self.applications {
            command += &format!(" --process {}", application.display());
        }
        let parts = Parts {
            firmware,
            board: &self.prepared.board,
            windows: self.scenario.windows.iter().map(WindowText::describe).collect(),
            undisturbed: &self.prepared.undisturbed,
            command: &command,
            seconds,
            jobs,
        };
        parts.report(singles, pairs, true).text()
    }
}

impl Finding {
    /// Returns `true` if no run went wrong.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.failed == 0
    }

    /// The runs that went wrong.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.failed
    }

    /// Runs.
    #[must_use]
    pub const fn runs(&self) -> u64 {
        self.singles + self.pairs
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(
            formatter,
            &[&self.name, &grouped(self.instructions as u64), &self.exceptions.to_string()],
            [self.singles, self.pairs_possible, self.pairs, self.failed],
            self.seconds,
        )
    }
}

impl Totals {
    /// Adds a program's.
    pub fn add(&mut self, finding: &Finding) {
        self.instructions += finding.instructions;
        self.singles += finding.singles;
        self.pairs += finding.pairs;
        self.pairs_possible += finding.pairs_possible;
        self.failed += finding.failed;
        self.seconds += finding.seconds;
    }

    /// Runs.
    #[must_use]
    pub const fn runs(&self) -> u64 {
        self.singles + self.pairs
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(
            formatter,
            &["all", &grouped(self.instructions as u64), ""],
            [self.singles, self.pairs_possible, self.pairs, self.failed],
            self.seconds,
        )
    }
}

/// The machine that a program runs on.
fn options(name: &str, scenario: &Scenario, programs: &Programs) -> MachineOptions {
    MachineOptions {
        board: scenario.board.clone().unwrap_or_else(|| programs.processor.board.into()),
        load: None,
        also: Vec::new(),
        process: programs.applications(name).to_vec(),
        app_elf: Vec::new(),
        process_semihosting: false,
        vector_table: None,
        svd: None,
        max_cycles: CYCLES_MAX,
        max_instructions: 0,
        max_output: 0,
        inputs: scenario.inputs.clone(),
        stdin: None,
    }
}

/// What is interrupted in a program: its own file, or that of all who have none.
fn scenario_file(name: &str) -> PathBuf {
    let own = super::directory().join(format!("{name}.toml"));
    if own.exists() { own } else { super::directory().join("program.toml") }
}

/// A line of the table.
fn line(
    formatter: &mut fmt::Formatter<'_>,
    [name, instructions, exceptions]: &[&str; 3],
    [singles, possible, pairs, failed]: [u64; 4],
    seconds: f64,
) -> fmt::Result {
    let [singles, possible, pairs] = [singles, possible, pairs].map(grouped);
    let result = if failed == 0 { "clean".into() } else { format!("{} WRONG", grouped(failed)) };
    write!(
        formatter,
        "{name:16} {instructions:>12} {exceptions:>11} {singles:>9} {pairs:>12} {possible:>14} \
         {seconds:>8.1}  {result}"
    )
}
