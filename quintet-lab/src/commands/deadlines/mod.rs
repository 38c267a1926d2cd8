//! `quintet deadlines`: whether tasks meet their deadlines, and what would break them.

mod run;

use super::measure::place;
use super::options::MachineOptions;
use crate::bounds::annotations::Annotations;
use crate::deadlines::declare::{self, Declared, File, Jobs, Resource};
use crate::deadlines::report::{self, Report};
use crate::deadlines::watch::{Wanted, Watch};
use crate::exit::Outcome;
use crate::firmware::{Firmware, facts};
use crate::input;
use crate::main_stack::{self, Overflow};
use crate::output;
use crate::point::{self, Point};
use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation, Sink};
use crate::trace::units::{Application, Kind};
use crate::window::Edge;
use anyhow::{Context, bail, ensure};
use quintet_sim::machine::Machine;
use run::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet deadlines app                        by `period` and `deadline` of its tasks
  quintet deadlines app --to 2s                a run of two seconds
  quintet deadlines app --tasks tasks.toml     of any firmware: the file says what is periodic
  quintet deadlines app --from main_loop       without what comes before it, as start-up
  quintet deadlines app --annotations bounds.toml   with what you say of loops and calls
  quintet deadlines app --json | jq '.tasks[] | {name, seen, response, bounds}'

In an application of `#[quintet::app]`, tasks, actors and threads declare it:

  #[task(binds = TIMER0A, priority = 3, period = \"1 ms\", deadline = \"400 us\")]

For other firmware, or in addition, a TOML file does:

  [[task]]
  function = \"TIM2_IRQHandler\"   a handler, a task of a known framework, or a function
  period = \"1 ms\"                or a number of cycles: the least time between two
  deadline = \"400 us\"            the period, if left out
  [[task]]
  function = \"control_step\"
  priority = 2                   where thread mode calls it: larger is more urgent
  period = \"10 ms\"
  cost = \"900 us\"                in place of what the run shows
  [[task]]
  thread = \"logger\"              a thread of Quintet, by its name
  period = \"100 ms\"
  [[resource]]
  name = \"bus\"
  section = \"bus_transfer\"       a function that is measured, or longest = \"40 us\"
  users = [\"control_step\", \"logger\"]

A job arrives when its interrupt is pended, its task is woken or its thread made
ready, and ends where it returns or waits. The cost is the longest that a job took
in this run; with it, and with the longest times for which masks and ceilings held
it off, the longest response is computed. The same is computed with the bounds of
`quintet bounds`: of each job, of what interrupts it, and of what holds it off. Where
all of these are known, the answer is BOUNDED: it holds for every run. Otherwise it is
OBSERVED, of this run's costs, and what is open is listed with the way to close it.
What happens before the end of `init` doesn't count, but for deadlines: what has arrived
then arrives at its end. A cost with * was not observed.

Exit codes: 0 if all deadlines are met in the run and by the analysis; 1 if one was
missed, may be missed, jobs arrive more often than declared, or the run was above a
bound; others as of `quintet run`. What the firmware prints goes to standard error.";

/// Show whether tasks meet their deadlines, in a run and by response-time analysis
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: its ELF file
    elf: PathBuf,
    /// What is periodic, and when it must be done: a TOML file
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
    /// Count jobs from here on: a place (a symbol, symbol+offset, or an address as 0x1a4) or a time
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    from: Option<Point>,
    /// Stop there
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    to: Option<Point>,
    /// What you say of loops, calls and functions: a TOML file, as of `quintet bounds`
    #[arg(long, value_name = "FILE")]
    annotations: Option<PathBuf>,
    /// The wait states that the program sets of flash behind a cache or a prefetch. Without it,
    /// the most that it can set
    #[arg(long, value_name = "N")]
    wait_states: Option<u8>,
    /// Show the N longest sections, and N gaps of the bounds; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print JSON, with all sections
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// What is declared, with the application that it is of.
struct Declarations {
    application: Application,
    /// The jobs of the tasks that a framework is known to have, by their names.
    jobs: BTreeMap<String, Jobs>,
    tasks: Vec<Declared>,
    resources: Vec<Resource>,
}

impl Arguments {
    /// Runs the firmware and says whether it meets its deadlines.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let firmware = self.machine.open(&self.elf)?;
        let options = self.options(&firmware)?;
        let file = self.tasks.as_deref().map(File::read).transpose()?;
        let annotations = match &self.annotations {
            Some(path) => Annotations::from_file(path)?,
            None => Annotations::default(),
        };
        let question = Question {
            elf: &self.elf,
            firmware: &firmware,
            options: &options,
            file: file.as_ref(),
            from: self.from.as_ref(),
            annotations: &annotations,
            wait_states: self.wait_states,
        };
        let Judged { report, simulation, end, is_foreign } = question.judge(Sink::Divert)?;
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text(self.top))?;
        }
        report.complaints().for_each(output::complain);
        if is_foreign {
            output::complain(
                "of the tasks of FreeRTOS only the functions count that --tasks names: name the \
                 function that each calls once in a period",
            );
        }
        match end {
            Some(Advance::Ended(Cause::CycleLimit(_))) if self.to.is_some() => {}
            Some(end) if simulation.tell_death(&end) => return Ok(Outcome::Died),
            _ => {}
        }
        let is_broken = report.broken().next().is_some();
        report.broken().for_each(output::complain);
        if is_broken {
            output::complain(
                "a run breaks a bound: the bounds are wrong, or what you say of the code is; \
                 `quintet bounds --check` compares each function",
            );
        }
        let outcome = if report.met && !is_broken { Outcome::Done } else { Outcome::Failed };
        Ok(main_stack::verdict(report.main_stack.as_ref(), outcome))
    }

    /// The options with the end of the run.
    fn options(&self, firmware: &Firmware) -> anyhow::Result<MachineOptions> {
        let mut options = self.machine.clone();
        let points = [self.from.as_ref().filter(|_| self.to.is_some()), self.to.as_ref()];
        if let [_, Some(to)] = point::cycles::<Machine>(firmware, &options, points)? {
            ensure!(to > 0, "--to 0 leaves no time to run: give a time, as --to 2s");
            options.max_cycles = options.cycle_limit().map_or(to, |limit| limit.min(to));
        }
        Ok(options)
    }
}

/// What is to be judged, and how.
pub(super) struct Question<'a> {
    /// The file.
    pub elf: &'a Path,
    /// The firmware in it.
    pub firmware: &'a Firmware,
    /// How it runs.
    pub options: &'a MachineOptions,
    /// What is declared beside attributes.
    pub file: Option<&'a File>,
    /// Where jobs begin to count.
    pub from: Option<&'a Point>,
    /// What the user says of the code.
    pub annotations: &'a Annotations,
    /// See [`Conditions`](crate::bounds::Conditions).
    pub wait_states: Option<u8>,
}

/// The answer, and how the run ended.
pub(super) struct Judged<'a> {
    /// The answer.
    pub report: Report,
    simulation: Simulation<'a>,
    end: Option<Advance>,
    /// Threads run that are not of Quintet.
    is_foreign: bool,
}

impl<'a> Question<'a> {
    /// Runs the firmware.
    pub fn judge(&self, sink: Sink) -> anyhow::Result<Judged<'a>> {
        let (firmware, options) = (self.firmware, self.options);
        let mut simulation = Simulation::new(firmware, options, sink)?;
        let declared = self.declarations(&simulation.machine)?;
        if declared.tasks.is_empty() {
            bail!(nothing_declared(self.elf));
        }
        let [from, _] = point::edges(firmware, options.board()?.clock_hz, [self.from, None])?;
        let wanted = wanted(&declared, from);
        let machine = &mut simulation.machine;
        let mut watch = Watch::new(firmware, &declared.application, wanted, machine);
        check_functions(firmware, &declared.application, &watch)?;
        let end = simulation.advance_following(&mut watch)?;
        watch.finish();
        let run = Run { firmware, declared: &declared, machine: &simulation.machine };
        let window = run.window(&watch, self.from)?;
        let plan = run.plan(&mut watch, window)?;
        let bounds = run.bounds(&watch, &plan, self.annotations, self.wait_states)?;
        let mut report = report::of(&plan, bounds, window, simulation.machine.board().clock_hz);
        report.file = firmware.path.display().to_string();
        report.board.clone_from(&options.board);
        report.main_stack = Overflow::find(firmware, &simulation.machine);
        let kernel = &watch.follower.kernel;
        let is_foreign = kernel.has_threads() && kernel.layout().is_none();
        Ok(Judged { report, simulation, end, is_foreign })
    }

    /// What is declared; perhaps nothing.
    fn declarations(&self, machine: &Machine) -> anyhow::Result<Declarations> {
        let (firmware, file) = (self.firmware, self.file);
        let bytes = input::firmware(self.elf)?;
        // Only ELF files have facts.
        let facts = facts::read(&bytes).ok().flatten();
        let text = facts.as_deref().unwrap_or_default();
        let plain = Application::find(firmware, facts.as_deref(), &[]);
        let jobs = declare::of_application(text, &plain);
        let known = |name: &str| known(&plain, &jobs, name);
        let handler = |name: &str| handler(firmware, machine, name);
        let names = file.iter().flat_map(|file| file.functions());
        let functions: BTreeSet<&str> =
            names.filter(|name| known(name).is_none() && handler(name).is_none()).collect();
        let functions: Vec<String> = functions.into_iter().map(str::to_owned).collect();
        let application = Application::find(firmware, facts.as_deref(), &functions);
        let unit = |name: &str| {
            let is_it =
                |one: &crate::trace::units::Unit| one.kind == Kind::Function && one.name == name;
            application.units.iter().position(is_it).and_then(|place| u16::try_from(place).ok())
        };
        let find = |name: &str| {
            let one = known(name).or_else(|| handler(name).map(Jobs::Exception));
            one.or_else(|| unit(name).map(Jobs::Unit)).with_context(|| no_function(name))
        };
        let mut tasks = declare::of_facts(text, &jobs)?;
        let mut resources = Vec::new();
        if let Some(file) = file {
            let of_file = file.tasks(find)?;
            // What the file says of a task counts.
            tasks.retain(|task| of_file.iter().all(|other| other.jobs != task.jobs));
            tasks.extend(of_file);
            resources = file.resources(|name| {
                unit(name).with_context(|| {
                    format!("the section {name} is a task or a handler: name a function of it")
                })
            })?;
        }
        Ok(Declarations { application, jobs: jobs.clone(), tasks, resources })
    }
}

fn no_function(name: &str) -> String {
    format!("\"{name}\" is no function of the firmware: name one by the end of its path")
}

fn nothing_declared(elf: &Path) -> String {
    format!(
        "no task of {} declares a period. In an application of `#[quintet::app]`, write it at a \
         task: `#[task(.., period = \"10 ms\", deadline = \"5 ms\")]`. For any firmware, give a \
         file by --tasks FILE.toml, with `[[task]]`, `function = \"..\"`, `period = \"10 ms\"` and \
         `deadline = \"5 ms\"` in it",
        elf.display()
    )
}

/// The jobs of a task that a framework is known to have, by the task's name.
pub(crate) fn known(
    application: &Application,
    jobs: &BTreeMap<String, Jobs>,
    name: &str,
) -> Option<Jobs> {
    let guessed = || {
        let mut units = (0_u16..).zip(&application.units);
        let is_it = |one: &crate::trace::units::Unit| {
            one.kind == Kind::Async && (one.title() == name || one.name == name)
        };
        units.find(|(_, one)| is_it(one)).map(|(unit, _)| Jobs::Unit(unit))
    };
    jobs.get(name).cloned().or_else(guessed)
}

/// The exception whose handler a function is, if it is that of one alone.
pub(crate) fn handler(firmware: &Firmware, machine: &Machine, name: &str) -> Option<u16> {
    let address = place(firmware, name).ok()? & !1;
    let vectors = 2..16 + machine.board().interrupts;
    let target = |exception: u16| {
        machine.read_word(machine.vector_table().wrapping_add(4 * u32::from(exception)))
    };
    let mut found =
        vectors.filter(|exception| target(*exception).map(|one| one & !1) == Some(address));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// What the run must tell.
fn wanted(declared: &Declarations, from: Option<Edge>) -> Wanted {
    let priority = |task: &Declared| match task.jobs {
        Jobs::Unit(unit) => {
            let is_function =
                declared.application.units.get(usize::from(unit))?.kind == Kind::Function;
            is_function.then_some((unit, task.priority?))
        }
        _ => None,
    };
    Wanted {
        priorities: declared.tasks.iter().filter_map(priority).collect(),
        sections: declared.resources.iter().filter_map(|one| one.section).collect(),
        from,
    }
}

/// Refuses a function that no instruction belongs to.
fn check_functions(
    firmware: &Firmware,
    application: &Application,
    watch: &Watch<'_>,
) -> anyhow::Result<()> {
    let functions = (0_u16..).zip(&application.units);
    for (unit, about) in functions.filter(|(_, about)| about.kind == Kind::Function) {
        if !watch.follower.has(unit) {
            place(firmware, &about.name).context("--tasks")?;
            bail!("--tasks: {}", no_function(&about.name));
        }
    }
    Ok(())
}
