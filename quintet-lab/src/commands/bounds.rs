//! `quintet bounds`: bounds of execution time and of stack, from the image.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use quintet_sim::cores::Family;
use quintet_sim::riscv::machine::Machine as RiscV;
use serde::Serialize;

use super::options::MachineOptions;
use crate::bounds::annotations::Annotations;
use crate::bounds::check::{self, Compared};
use crate::bounds::observe::{Observed, Recorder};
use crate::bounds::report::{self, Row};
use crate::bounds::{Analysis, Conditions, riscv};
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::symbols::resolve;
use crate::output;
use crate::report::table::grouped;
use crate::simulated::{Simulated, family};
use crate::simulation::{Simulation, Sink};

const EXAMPLES: &str = "\
Examples:
  quintet bounds app                              the handlers of all exceptions
  quintet bounds app --function app::step         functions, each with what it calls
  quintet bounds app --all --json | jq '.functions[] | select(.verdict == \"OPEN\")'
  quintet bounds app --suggest > bounds.toml      annotations to fill in, for what is open
  quintet bounds app --annotations bounds.toml    with what you say of loops and calls
  quintet bounds app --observe                    with what a run shows of them
  quintet bounds app --check                      does any run of a function break its bound?

BOUNDED: no run takes more cycles or more bytes of stack. ENDLESS: the function never
returns, and its stack has a bound. WAITS: the function sleeps, and its cycles are
those awake. OBSERVED: a bound rests on the rounds of a loop, or the targets of a
call, that one run has shown. OPEN: something has no bound; each such
place is named. Cycles count from a function's first instruction to the one behind its
call, of a handler to the one behind its return, when nothing interrupts it. They are
those of the simulator on the board, from the worst state of the pipeline that the code
of the image can bring about. A call that ends in a panic is no path.
A load or store counts as unaligned wherever the code doesn't prove that it is aligned.

On a RISC-V core, only stacks have bounds, and without annotations: BOUNDED and OPEN say
that of the stack.

An annotations file:

  [[loop]]
  function = \"app::checksum\"
  at = \"src/main.rs:42\"
  iterations = 64

  [[call]]
  function = \"app::dispatch\"
  at = \"src/main.rs:51\"
  targets = [\"app::on_button\", \"app::on_timer\"]

  [[recursion]]
  function = \"app::walk\"
  depth = 8

  [[bound]]
  function = \"app::flash_write\"
  cycles = 900
  stack = 64

`[[bound]]` is of a function whose code, and whatever it calls, is not looked at.
Of a loop with several entries, give the `iterations` of each, by `at`. Behind a
cache or a prefetch, each access is taken to miss.

`iterations` is how often the loop begins a round each time it is entered, at most.";

/// Bound execution time and stack, from the image
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: an ELF file with symbols
    elf: PathBuf,
    /// A function: a symbol, the end of its path, or an address. May be given several times
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// All functions
    #[arg(long, conflicts_with = "function")]
    all: bool,
    /// What you say of loops, calls and recursion: a TOML file
    #[arg(long, value_name = "FILE")]
    annotations: Option<PathBuf>,
    /// Run the firmware, and take from the run what the code doesn't tell
    #[arg(long)]
    observe: bool,
    /// Run the firmware, and compare each function with its bounds
    #[arg(long)]
    check: bool,
    /// Print annotations for what is open, as TOML
    #[arg(long, conflicts_with_all = ["json", "check"])]
    suggest: bool,
    /// The wait states that the program sets of flash behind a cache or a prefetch. Without it,
    /// the most that it can set
    #[arg(long, value_name = "N")]
    wait_states: Option<u8>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    file: String,
    board: &'a str,
    /// What the run contradicts, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
    /// The number of states of the pipeline that were followed.
    states: usize,
    functions: Vec<Row>,
    /// Why there may be other handlers than these.
    vectors: Vec<String>,
    /// What an interruption adds.
    interruption: crate::bounds::Interruption,
    /// The most bytes of the main stack, of all handlers that interrupt each other.
    main_stack: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<Vec<Compared>>,
}

/// The same on a RISC-V core, where only stacks have bounds.
#[derive(Serialize)]
struct OfRiscV {
    file: String,
    board: String,
    functions: Vec<riscv::Row>,
}

impl Arguments {
    /// Finds the bounds and shows them.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        if family(&self.machine, &self.elf)? == Family::RiscV {
            return self.of_riscv();
        }
        let firmware = self.machine.open(&self.elf)?;
        let annotations = match &self.annotations {
            Some(path) => Annotations::from_file(path)?,
            None => Annotations::default(),
        };
        let board = self.machine.board()?;
        let vector_table = self.machine.machine(&firmware)?.vector_table();
        let conditions = Conditions {
            board: &board,
            vector_table,
            annotations: &annotations,
            observed: None,
            wait_states: self.wait_states,
            breakpoints_are_free: self.check,
            cuts_at_masks: false,
        };
        let mut analysis = Analysis::new(&firmware, conditions)?;
        let runs = self.observe || self.check;
        let observed = runs.then(|| self.observe(&firmware, &analysis)).transpose()?;
        if self.observe {
            let conditions = Conditions { observed: observed.as_ref(), ..conditions };
            analysis = Analysis::new(&firmware, conditions)?;
        }
        let entries = self.entries(&firmware, &analysis)?;
        if self.suggest {
            let suggested = report::suggested(&firmware, &analysis, &entries, observed.as_ref());
            let note = ctrl_c::note().map(|note| format!("# {note}\n")).unwrap_or_default();
            output::print_bytes((note + &toml::to_string(&suggested)?).as_bytes())?;
            return Ok(Outcome::Done);
        }
        let checked =
            observed.as_ref().map(|observed| check::compare(&firmware, &analysis, observed));
        let broken = checked.as_deref().and_then(check::headline);
        let is_broken = broken.is_some();
        let report = Report {
            file: firmware.path.display().to_string(),
            board: &self.machine.board,
            broken,
            states: analysis.states(),
            interruption: analysis.interruption(),
            main_stack: analysis.main_stack(),
            functions: report::rows(&firmware, &analysis, &entries),
            vectors: report::vectors(&firmware, &analysis),
            checked: checked.filter(|_| self.check),
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        if is_broken {
            output::complain(
                "a run breaks a bound: the bounds are wrong, or an annotation is; what is marked \
                 BROKEN says where",
            );
            return Ok(Outcome::Failed);
        }
        Ok(Outcome::Done)
    }

    /// The bounds of stack on a RISC-V core.
    fn of_riscv(&self) -> anyhow::Result<Outcome> {
        let refused = [
            (self.annotations.is_some(), "--annotations"),
            (self.observe, "--observe"),
            (self.check, "--check"),
            (self.suggest, "--suggest"),
            (self.wait_states.is_some(), "--wait-states"),
        ];
        if let Some((_, option)) = refused.iter().find(|(is_asked, _)| *is_asked) {
            anyhow::bail!(
                "{option} is not there yet for a RISC-V core: bounds of stack are, of all \
                 functions or of those that --function names; leave {option} out"
            );
        }
        let firmware = <RiscV as Simulated>::open(&self.machine, &self.elf)?;
        let machine = RiscV::started(&self.machine, &firmware)?;
        let mut stacks = riscv::Stacks::new(&firmware, &machine);
        let entries = match self.function.as_slice() {
            [] => stacks.entries(),
            names => {
                let find = |name: &String| resolve(&firmware.image, name).context("--function");
                names.iter().map(find).collect::<anyhow::Result<_>>()?
            }
        };
        anyhow::ensure!(
            !entries.is_empty(),
            "{} has no symbols of functions: take the file that the linker made, before it is \
             stripped",
            firmware.path.display()
        );
        let rows: Vec<riscv::Row> = entries.into_iter().map(|entry| stacks.row(entry)).collect();
        if self.json {
            output::print_json(&OfRiscV {
                file: firmware.path.display().to_string(),
                board: machine.board_name(),
                functions: rows,
            })?;
        } else {
            output::print(&riscv::text(&rows))?;
        }
        Ok(Outcome::Done)
    }

    /// Runs the firmware.
    fn observe(&self, firmware: &Firmware, analysis: &Analysis<'_>) -> anyhow::Result<Observed> {
        let mut simulation = Simulation::new(firmware, &self.machine, Sink::Divert)?;
        let mut recorder = Recorder::new(analysis, &simulation.machine);
        let end = simulation.advance_stepwise(|machine, from| recorder.look(machine, from))?;
        simulation.tell_death(&end);
        Ok(recorder.into_observed(&simulation.machine))
    }

    /// The functions that are asked for.
    fn entries(
        &self,
        firmware: &Firmware,
        analysis: &Analysis<'_>,
    ) -> anyhow::Result<BTreeSet<u32>> {
        if self.all {
            return Ok(analysis.bounds().keys().copied().collect());
        }
        if self.function.is_empty() {
            return Ok(analysis.handlers().iter().map(|handler| handler.entry).collect());
        }
        let mut entries = BTreeSet::new();
        for name in &self.function {
            let entry = resolve(&firmware.image, name).context("--function")?;
            anyhow::ensure!(
                analysis.bounds().contains_key(&entry),
                "--function: {name} ({entry:#x}) is not the first instruction of a function; \
                 `quintet bounds --all` lists functions"
            );
            entries.insert(entry);
        }
        Ok(entries)
    }
}

impl Report<'_> {
    fn text(&self) -> String {
        let Some(checked) = &self.checked else {
            let states = grouped(self.states as u64);
            let none = match self.vectors.as_slice() {
                [] => "The main stack has no bound: that of a handler or of Reset is open.".into(),
                open => format!(
                    "Which handlers there are is open, and so is the main stack:\n  {}",
                    open.join("\n  ")
                ),
            };
            let main = self.main_stack.map_or_else(
                || none,
                |bytes| format!("The main stack takes {} bytes at most.", grouped(bytes.into())),
            );
            let around = self.interruption;
            let broken = self.broken.iter().map(|line| format!("{line}\n\n"));
            return format!(
                "{}{}\n{main}\nAn interruption adds {} cycles to its handler's: entry {}, \
                 return {}, and {} for what goes on.\n{states} states of the pipeline on {}.\n",
                broken.collect::<String>(),
                report::text(&self.functions),
                around.around(),
                around.entry,
                around.exit,
                around.refill,
                self.board
            );
        };
        check::text(checked)
    }
}
