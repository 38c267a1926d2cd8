//! `quintet coverage`: the lines, functions and branches that were executed.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv;
use serde::Serialize;

use super::options::MachineOptions;
use crate::coverage::{self, Coverage, File, PARTIAL, Recorder, Share, cobertura, gathered, html};
use crate::exit::Outcome;
use crate::output;
use crate::report::table::{self, table};
use crate::simulated::{Simulated, family};
use crate::simulation::{Simulation, Sink};

const EXAMPLES: &str = "\
Examples:
  quintet coverage app                           a table of the source files
  quintet coverage app --html coverage.html      the sources, line by line, in one page
  quintet coverage app --lcov app.info           for genhtml and other tools
  quintet coverage app --cobertura coverage.xml  for continuous integration
  quintet coverage b --add a.info --lcov all.info    two runs together
  quintet coverage app --only src/               the files of one directory
  QUINTET_COVERAGE=cov cargo test                a file of each test in the directory cov
  quintet coverage --merge cov --html all.html   all tests together
  quintet coverage app --fail-under 80           exit with 1 if fewer lines were executed
  quintet coverage app --json | jq '.lines.percent'

The firmware runs as it is: the executed instructions are looked up in its debug
information. A line counts if it has instructions in the image, an inlined function
in its own file and in its callers'; optimised code has fewer lines than the sources.
Branches are the ways out of conditional branch instructions; conditions in an IT
block are none, and an instruction there whose condition fails isn't executed. Code
that the compiler left out is in no figure. Files of compilers' libraries and of
packages count with --all. The firmware's output goes to standard error.";

/// Show which lines, functions and branches were executed
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: an ELF file with debug information
    #[arg(required_unless_present = "merge")]
    elf: Option<PathBuf>,
    /// Run nothing, and add up the files that runs with QUINTET_COVERAGE=DIRECTORY have written
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["elf", "all"])]
    merge: Option<PathBuf>,
    /// Add what an earlier run has executed: a file of --lcov. May be given several times
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,
    /// Count the files of the compiler's library and of crates too
    #[arg(long)]
    all: bool,
    /// Count only files whose path begins with PATH. May be given several times
    #[arg(long, value_name = "PATH")]
    only: Vec<String>,
    /// Write a page with the sources
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write lcov's tracefile
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write Cobertura's XML file
    #[arg(long, value_name = "FILE")]
    cobertura: Option<PathBuf>,
    /// Exit with code 1 if fewer than PERCENT of the lines were executed
    #[arg(long, value_name = "PERCENT")]
    fail_under: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report {
    file: String,
    lines: Figures,
    functions: Figures,
    branches: Figures,
    files: Vec<FileReport>,
    /// That a run was cut before its end, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<&'static str>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    lines: Figures,
    functions: Figures,
    branches: Figures,
    /// Lines with code that were not executed.
    missed: Vec<u32>,
}

/// Counts of executed parts.
#[derive(Serialize)]
struct Figures {
    hit: usize,
    all: usize,
    percent: Option<f64>,
}

impl From<Share> for Figures {
    fn from(share: Share) -> Self {
        Self { hit: share.hit, all: share.all, percent: share.percent() }
    }
}

impl Arguments {
    /// Runs the firmware and shows the executed parts.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let files = [&self.html, &self.lcov, &self.cobertura];
        output::check(files.into_iter().filter_map(Option::as_deref))?;
        let earlier: Vec<Coverage> =
            self.add.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
        let (mut coverage, has_died) = match &self.merge {
            Some(directory) => (gathered::merge(directory)?, false),
            None => match family(&self.machine, self.source())? {
                Family::CortexM => self.of_run::<Machine>()?,
                Family::RiscV => self.of_run::<riscv::machine::Machine>()?,
            },
        };
        earlier.into_iter().for_each(|earlier| coverage.add(earlier));
        if !self.only.is_empty() {
            let is_wanted = |path: &str| self.only.iter().any(|only| path.starts_with(only));
            let seen = coverage.files.keys().next().cloned().unwrap_or_default();
            coverage.files.retain(|path, _| is_wanted(path));
            ensure!(
                !coverage.files.is_empty(),
                "no file begins with what --only says, {}: write paths as in the table, such as \
                 {seen}",
                self.only.join(" or ")
            );
        }
        self.write(&coverage)?;
        if self.json {
            output::print_json(&report(self.source(), &coverage))?;
        } else {
            output::print(&text(&coverage))?;
        }
        if has_died {
            return Ok(Outcome::Died);
        }
        let percent = coverage.shares()[0].percent().unwrap_or_default();
        if let Some(wanted) = self.fail_under.filter(|wanted| percent < *wanted) {
            output::complain(&format!(
                "{percent:.2} % of the lines were executed, less than {wanted} %; --html shows \
                 which were not"
            ));
            return Ok(Outcome::Failed);
        }
        Ok(Outcome::Done)
    }

    /// What the coverage is of: the firmware, or the directory of runs.
    fn source(&self) -> &Path {
        self.merge.as_deref().or(self.elf.as_deref()).unwrap_or(Path::new(""))
    }

    /// What a run executes, and whether it has died.
    fn of_run<M: Simulated>(&self) -> anyhow::Result<(Coverage, bool)> {
        let firmware = M::open(&self.machine, self.source())?;
        let mut simulation = Simulation::<M>::new(&firmware, &self.machine, Sink::Divert)?;
        let mut recorder = Recorder::default();
        let end = simulation.advance_stepwise(|machine, from| recorder.look(machine, from))?;
        let mut coverage = recorder.coverage(&simulation.machine, &firmware, self.all);
        coverage.is_partial = simulation.is_cut();
        if self.add.is_empty() {
            // What ended the run is told, although there is nothing to show of it.
            gathered::check(&coverage, &firmware).inspect_err(|_| {
                simulation.tell_death(&end);
            })?;
        }
        Ok((coverage, simulation.tell_death(&end)))
    }

    /// Writes the files that are asked for.
    fn write(&self, coverage: &Coverage) -> anyhow::Result<()> {
        if let Some(path) = &self.lcov {
            output::write(path, coverage::write(coverage).as_bytes())?;
        }
        if let Some(path) = &self.cobertura {
            output::write(path, cobertura(coverage).as_bytes())?;
        }
        if let Some(path) = &self.html {
            let name = self.source().file_name().unwrap_or_default().to_string_lossy();
            let source = |path: &str| std::fs::read_to_string(path).ok();
            output::write(path, html(coverage, &name, &source).as_bytes())?;
        }
        Ok(())
    }
}

fn read(path: &Path) -> anyhow::Result<Coverage> {
    let context = || format!("--add {}", path.display());
    let text = std::fs::read_to_string(path).with_context(context)?;
    coverage::read(&text).with_context(context)
}

fn report(path: &Path, coverage: &Coverage) -> Report {
    let [lines, functions, branches] = coverage.shares();
    let file = |(path, file): (&String, &File)| FileReport {
        file: path.clone(),
        lines: file.line_share().into(),
        functions: file.function_share().into(),
        branches: file.branch_share().into(),
        missed: file.lines.iter().filter(|line| *line.1 == 0).map(|line| *line.0).collect(),
    };
    Report {
        file: path.display().to_string(),
        lines: lines.into(),
        functions: functions.into(),
        branches: branches.into(),
        files: coverage.files.iter().map(file).collect(),
        partial: coverage.is_partial.then_some(PARTIAL),
    }
}

fn text(coverage: &Coverage) -> String {
    let heads = ["file", ">lines", ">of", ">", ">functions", ">of", ">branches", ">of"];
    let mut rows = table(&heads);
    let mut row = |name: &str, [lines, functions, branches]: [Share; 3]| {
        let percent = lines.percent().map(|percent| format!("{percent:.1} %"));
        let cells = [lines.hit, lines.all].map(|number| number.to_string());
        let others = [functions.hit, functions.all, branches.hit, branches.all];
        let others = others.map(|number| number.to_string());
        let cells = cells.into_iter().chain([percent.unwrap_or_default()]).chain(others);
        rows.add_row(std::iter::once(name.to_owned()).chain(cells));
    };
    for (path, file) in &coverage.files {
        row(path, [file.line_share(), file.function_share(), file.branch_share()]);
    }
    row("all", coverage.shares());
    let partial = if coverage.is_partial { format!("{PARTIAL}\n") } else { String::new() };
    format!("{}{partial}", table::text(&rows))
}
