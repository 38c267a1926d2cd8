//! `quintet test`: runs tests that are files, each on a machine of its own, with a verdict each.

use super::options::{MAX_CYCLES, MachineOptions};
use crate::exit::Outcome;
use crate::expect::file::{Subject, TestFile};
use crate::expect::junit;
use crate::expect::run::{Finished, How, Verdict, run_all};
use crate::firmware::{Firmware, facts};
use crate::simulated::{Simulated, family};
use crate::simulation::Limits;
use crate::trace::span::in_words;
use crate::{ctrl_c, input, output};
use anyhow::{Context, bail, ensure};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So many lines of each channel are shown of a test that failed.
const OUTPUT_LINES: usize = 6;

const EXAMPLES: &str = "\
Examples:
  quintet test app tests                       all .toml files of a folder
  quintet test app tests/button.toml           one of them
  quintet test app tests --junit report.xml    for continuous integration
  quintet test app tests --json | jq '.tests[] | {file, verdict}'

A test is a file of inputs with expectations:

  limit = \"50 ms\"               1 s, if left out

  [[at]]                        as in a file of --inputs
  name = \"press\"
  ms = 3
  pin = \"PA0\"
  press_ms = 20

  [[expect]]
  contains = \"pressed\"          or line = .., the whole of it
  after = \"press\"
  within = \"2 ms\"

  [[expect]]
  pin = \"PC13\"                  level = 1, or edge = \"rising\", \"falling\", \"any\"
  edge = \"rising\"
  within = \"10 ms\"

  [[expect]]
  variable = \"app::PRESSES\"     is = .., at_least = .., at_most = ..
  is = 1
  at = \"20 ms\"

  [[expect]]
  task = \"button\"               does = \"start\", \"end\", or response = \"50 us\"
  does = \"end\"
  after = \"press\"
  within = \"100 us\"

`quintet test` ends a test when all is decided. Its exit code is 0 if all tests passed, and 1 if one
failed.";

/// Run tests that are files: inputs, and what the firmware must do then
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// The tests: folders, of which all .toml files are taken, and files
    #[arg(required = true, value_name = "FOLDER")]
    tests: Vec<PathBuf>,
    /// Write the results as JUnit's XML, too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Run N tests at once; as many as there are cores, if left out
    #[arg(long, value_name = "N")]
    jobs: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    passed: usize,
    failed: usize,
    /// Those that Ctrl-C has cut, or that had not begun.
    interrupted: usize,
    tests: Vec<TestReport>,
}

#[derive(Serialize)]
struct TestReport {
    file: String,
    verdict: &'static str,
    cycles: u64,
    expectations: Vec<ExpectationReport>,
    problems: Vec<String>,
    output: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct ExpectationReport {
    line: usize,
    text: String,
    /// The cycle in which it was met.
    met: Option<u64>,
    problem: Option<String>,
}

impl Arguments {
    /// Runs the tests.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        ensure!(
            self.machine.inputs.is_none(),
            "--inputs is for other commands: a test has its inputs in its own file, as [[at]]"
        );
        let paths = files(&self.tests)?;
        if let Some(path) = &self.junit {
            output::check([path.as_path()])?;
        }
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.run_on::<Machine>(&paths),
            Family::RiscV => self.run_on::<RiscV>(&paths),
        }
    }

    fn run_on<M: Simulated + Send + Sync>(&self, paths: &[PathBuf]) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let facts = facts::read(&input::firmware(&self.elf)?).ok().flatten();
        let machine = M::started(&self.machine, &firmware)?;
        let subject = Subject { firmware: &firmware, facts, machine };
        let tests = read(paths, &subject)?;
        let cycles = self.machine.cycle_limit().filter(|cycles| *cycles != MAX_CYCLES);
        let (instructions, output) =
            (self.machine.instruction_limit(), self.machine.output_limit());
        let limits = Limits { cycles, instructions, output };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.map_or_else(cores, usize::from);
        let finished = run_all(&tests, &subject, How { jobs, limits })?;
        let left = tests.len() - finished.len();
        let name = firmware.path.display().to_string();
        if let Some(path) = &self.junit {
            output::write(path, junit::report(&name, &finished).as_bytes())?;
        }
        self.print(
            (&firmware, &subject.machine.board_name()),
            &finished,
            left,
            subject.machine.clock_hz(),
        )?;
        let is = |verdict| finished.iter().any(|test| test.verdict == verdict);
        Ok(match (is(Verdict::Failed), left > 0 || is(Verdict::Cut) || ctrl_c::is_pressed()) {
            (_, true) => Outcome::Interrupted,
            (true, false) => Outcome::Failed,
            (false, false) => Outcome::Done,
        })
    }

    fn print(
        &self,
        (firmware, board): (&Firmware, &str),
        tests: &[Finished],
        left: usize,
        clock_hz: u64,
    ) -> anyhow::Result<()> {
        let count = |verdict| tests.iter().filter(|test| test.verdict == verdict).count();
        let (passed, failed) = (count(Verdict::Passed), count(Verdict::Failed));
        let interrupted = count(Verdict::Cut) + left;
        if self.json {
            return output::print_json(&Report {
                file: firmware.path.display().to_string(),
                board: board.to_owned(),
                passed,
                failed,
                interrupted,
                tests: tests.iter().map(TestReport::of).collect(),
            });
        }
        let mut text = String::new();
        for test in tests {
            tell(&mut text, test, clock_hz);
        }
        let number =
            |count: usize| if count == 1 { "1 test".into() } else { format!("{count} tests") };
        text.push_str(&format!("{}: {passed} passed, {failed} failed", number(tests.len() + left)));
        if interrupted > 0 {
            text.push_str(&format!(", {interrupted} interrupted"));
        }
        text.push('\n');
        output::print(&text)
    }
}

impl TestReport {
    fn of(test: &Finished) -> Self {
        let expectation = |one: &crate::expect::run::Judged| ExpectationReport {
            line: one.line,
            text: one.text.clone(),
            met: one.met,
            problem: one.problem.clone(),
        };
        Self {
            file: test.file.clone(),
            verdict: test.verdict.word(),
            cycles: test.cycles,
            expectations: test.expectations.iter().map(expectation).collect(),
            problems: test.problems.clone(),
            output: test.output.clone(),
        }
    }
}

/// A test for people.
fn tell(text: &mut String, test: &Finished, clock_hz: u64) {
    let time = in_words(test.cycles, clock_hz);
    let met = test.expectations.iter().filter(|one| one.met.is_some()).count();
    let all = test.expectations.len();
    let word = match test.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "FAILED",
        Verdict::Cut => "interrupted",
    };
    text.push_str(&format!("{word:<6} {}  {met} of {all} met in {time}\n", test.file));
    if test.verdict != Verdict::Failed {
        return;
    }
    for problem in junit::problems(test) {
        for line in problem.lines() {
            text.push_str(&format!("       {line}\n"));
        }
    }
    for (channel, printed) in &test.output {
        let lines: Vec<&str> = printed.lines().collect();
        let shown = lines.len().min(OUTPUT_LINES);
        let which =
            if shown < lines.len() { format!(", the last {shown} lines") } else { String::new() };
        text.push_str(&format!("       output on {channel}{which}:\n"));
        for line in &lines[lines.len() - shown..] {
            text.push_str(&format!("         {line}\n"));
        }
    }
}

/// Reads all tests, and tells the errors of all of them at once.
fn read(paths: &[PathBuf], subject: &Subject<'_, impl Simulated>) -> anyhow::Result<Vec<TestFile>> {
    let mut tests = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        match TestFile::read(path, subject) {
            Ok(test) => tests.push(test),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    match problems.as_slice() {
        [] => Ok(tests),
        [one] => bail!("no test has run: {one}"),
        all => bail!("no test has run, {} files have errors:\n{}", all.len(), all.join("\n")),
    }
}

/// Returns the files, those of a folder in the order of their names.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let is_there = path.exists();
            ensure!(is_there, "there is no file or folder {}", path.display());
            all.push(path.clone());
            continue;
        }
        let found = folder(path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            !found.is_empty(),
            "the folder {} has no test: a test is a file NAME.toml with [[expect]] in it",
            path.display()
        );
        all.extend(found);
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|path| seen.insert(path.clone()));
    Ok(all)
}

fn folder(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "toml") && file.is_file() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}
