//! `quintet deadlines`: whether tasks meet their deadlines, and what would break them.

use super::measure::place;
use super::options::MachineOptions;
use crate::deadlines::analysis::Load;
use crate::deadlines::arrivals::Arrivals;
use crate::deadlines::cost::{Cost, Origin};
use crate::deadlines::declare::{self, Declared, File, Jobs, Resource};
use crate::deadlines::plan::{self, Plan, Seen, Task, Times};
use crate::deadlines::report;
use crate::deadlines::section::{By, Section};
use crate::deadlines::watch::{Source, Wanted, Watch};
use crate::exit::Outcome;
use crate::firmware::{Firmware, facts};
use crate::input;
use crate::main_stack::{self, Overflow};
use crate::output;
use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation, Sink};
use crate::trace::kernel::Who;
use crate::trace::record::exception_in_words;
use crate::trace::span::{Span, in_words};
use crate::trace::units::{Application, Kind};
use anyhow::{Context, bail, ensure};
use quintet_sim::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet deadlines app                        by `period` and `deadline` of its tasks
  quintet deadlines app --to 2s                a run of two seconds
  quintet deadlines app --tasks tasks.toml     of any firmware: the file says what is periodic
  quintet deadlines app --from main_loop       without what comes before it, as start-up
  quintet deadlines app --json | jq '.tasks[] | {name, response, seen}'

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
it off, the longest response is computed. So the answer is OBSERVED: of this run's
costs. What happens before the end of `init` doesn't count, but for deadlines: what
has arrived then arrives at its end. A cost with * was not observed.

Exit codes: 0 if all deadlines are met in the run and by the analysis; 1 if one was
missed, may be missed, or jobs arrive more often than declared; others as of
`quintet run`. What the firmware prints goes to standard error.";

/// Show whether tasks meet their deadlines, in a run and by response-time analysis
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: its ELF file
    elf: PathBuf,
    /// What is periodic, and when it must be done: a TOML file
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
    /// Count jobs from here on: a symbol, symbol+offset, or an address
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// Stop there
    #[arg(long, value_name = "TIME", value_parser = Span::parse)]
    to: Option<Span>,
    /// Show the N longest sections; 0 for all
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
        let options = self.options()?;
        let firmware = options.open(&self.elf)?;
        let file = self.tasks.as_deref().map(File::read).transpose()?;
        let mut simulation = Simulation::new(&firmware, &options, Sink::Divert)?;
        let declared = self.declarations(&firmware, file.as_ref(), &simulation.machine)?;
        let from = self.from.as_ref().map(|text| place(&firmware, text)).transpose();
        let wanted = wanted(&declared, from.context("--from")?);
        let machine = &mut simulation.machine;
        let mut watch = Watch::new(&firmware, &declared.application, wanted, machine);
        check_functions(&firmware, &declared.application, &watch)?;
        let end = simulation.advance_following(&mut watch)?;
        watch.finish();
        let run = Run { firmware: &firmware, declared: &declared, machine: &simulation.machine };
        let window = run.window(&watch, self.from.as_deref())?;
        let plan = run.plan(&mut watch, window)?;
        let mut report = report::of(&plan, window, simulation.machine.board().clock_hz);
        report.file = firmware.path.display().to_string();
        report.board.clone_from(&options.board);
        report.main_stack = Overflow::find(&firmware, &simulation.machine);
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text(self.top))?;
        }
        report.complaints().for_each(output::complain);
        if watch.follower.kernel.has_threads() && watch.follower.kernel.layout().is_none() {
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
        let outcome = if report.met { Outcome::Done } else { Outcome::Failed };
        Ok(main_stack::verdict(report.main_stack.as_ref(), outcome))
    }

    /// The options with the end of the run.
    fn options(&self) -> anyhow::Result<MachineOptions> {
        let mut options = self.machine.clone();
        if let Some(to) = self.to {
            let to = to.cycles(options.board()?.clock_hz);
            ensure!(to > 0, "--to 0 leaves no time to run: give a time, as --to 2s");
            options.max_cycles = options.cycle_limit().map_or(to, |limit| limit.min(to));
        }
        Ok(options)
    }

    fn declarations(
        &self,
        firmware: &Firmware,
        file: Option<&File>,
        machine: &Machine,
    ) -> anyhow::Result<Declarations> {
        let bytes = input::firmware(&self.elf)?;
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
        if tasks.is_empty() {
            bail!(nothing_declared(&self.elf));
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
fn known(application: &Application, jobs: &BTreeMap<String, Jobs>, name: &str) -> Option<Jobs> {
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
fn handler(firmware: &Firmware, machine: &Machine, name: &str) -> Option<u16> {
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
fn wanted(declared: &Declarations, from: Option<u32>) -> Wanted {
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

/// A run that is over.
struct Run<'a> {
    firmware: &'a Firmware,
    declared: &'a Declarations,
    machine: &'a Machine,
}

impl Run<'_> {
    fn words(&self, cycles: u64) -> String {
        in_words(cycles, self.machine.board().clock_hz)
    }

    /// The part of the run that counts.
    fn window(&self, watch: &Watch<'_>, from: Option<&str>) -> anyhow::Result<(u64, u64)> {
        let end = self.machine.cycle();
        let begin = watch.begin.with_context(|| {
            format!("--from: {} was never reached in {}", from.unwrap_or_default(), self.words(end))
        })?;
        Ok((begin.min(end), end))
    }

    fn plan(&self, watch: &mut Watch<'_>, window: (u64, u64)) -> anyhow::Result<Plan> {
        let mut sources = std::mem::take(&mut watch.sources);
        let has_threads = watch.follower.kernel.has_threads();
        let shares = |source: &Source| {
            has_threads && source.urgency > 0 && source.urgency < Watch::of_exception_least()
        };
        let mut tasks = Vec::new();
        let mut never = Vec::new();
        for declared in &self.declared.tasks {
            let who = self.who(watch, &sources, declared)?;
            let mut source = sources.remove(&who).unwrap_or_default();
            if source.arrivals().is_empty() {
                // Its cost may be declared.
                source.urgency = watch.urgency_of(self.machine, who).unwrap_or(0);
            }
            match self.declared_task(declared, who, &source, window) {
                Some(mut task) => {
                    task.load.shares = shares(&source);
                    tasks.push(task);
                }
                None => never.push(declared.name.as_str()),
            }
        }
        if !never.is_empty() {
            bail!(
                "{} never ended a job in this run of {}, so nothing is known of the cost: let the \
                 run be longer (--to, --max-cycles), give it what it waits for (--inputs), or \
                 declare `cost` in the file of --tasks",
                never.join(" and "),
                self.words(window.1 - window.0)
            );
        }
        for (who, source) in &sources {
            let task = self.other_task(watch, *who, source, window);
            tasks.extend(task.map(|mut task| {
                task.load.shares = shares(source);
                task
            }));
        }
        let sections = self.sections(watch, &tasks)?;
        Ok(Plan { tasks, sections })
    }

    /// What has the jobs of a task.
    fn who(
        &self,
        watch: &mut Watch<'_>,
        sources: &BTreeMap<Who, Source>,
        declared: &Declared,
    ) -> anyhow::Result<Who> {
        let label = match &declared.jobs {
            Jobs::Exception(exception) => return Ok(Who::Exception(*exception)),
            Jobs::Unit(unit) => return Ok(Who::Unit(*unit)),
            Jobs::Thread(label) => label,
        };
        let threads = sources.keys().filter_map(|who| match who {
            Who::Thread(control) => Some(*control),
            _ => None,
        });
        let kernel = &mut watch.follower.kernel;
        let mut seen = threads.map(|control| (control, kernel.thread(self.machine, control).name));
        if let Some((control, _)) = seen.find(|(_, name)| name == label) {
            return Ok(Who::Thread(control));
        }
        let Some(layout) = watch.follower.kernel.layout() else {
            bail!(
                "{label}: the firmware has no threads of Quintet; name the function that the \
                 thread calls once in a period, by `function`"
            );
        };
        let all: Vec<(u32, String)> = layout
            .all(&self.firmware.image, self.machine)
            .map(|(control, about)| (control, about.name))
            .collect();
        let Some((control, _)) = all.iter().find(|(_, name)| name == label) else {
            let names: Vec<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
            bail!("no thread has the name \"{label}\"; there are {}", names.join(", "));
        };
        Ok(Who::Thread(*control))
    }

    /// A task with a deadline; none if nothing is known of its cost.
    fn declared_task(
        &self,
        declared: &Declared,
        who: Who,
        source: &Source,
        window: (u64, u64),
    ) -> Option<Task> {
        let clock = self.machine.board().clock_hz;
        let (period, deadline) = (declared.period.cycles(clock), declared.deadline.cycles(clock));
        let given =
            declared.cost.map(|span| Cost { cycles: span.cycles(clock), origin: Origin::Declared });
        let cost = given.or_else(|| plan::cost_of(source))?;
        let load = Load {
            urgency: source.urgency,
            shares: false,
            cost: cost.cycles,
            arrivals: Arrivals::declared(period, &source.arrivals()),
        };
        Some(Task {
            name: declared.name.clone(),
            priority: self.priority(declared.name.as_str(), who, source),
            declared: Some(Times { period, deadline }),
            cost,
            seen: Seen::of(source, Some(deadline), window.1),
            load,
        })
    }

    /// Something without a deadline that takes the processor.
    fn other_task(
        &self,
        watch: &mut Watch<'_>,
        who: Who,
        source: &Source,
        window: (u64, u64),
    ) -> Option<Task> {
        let application = &self.declared.application;
        let name = match who {
            Who::Exception(exception) => {
                let mut tasks = self.declared.jobs.iter();
                let task = tasks.find(|(_, jobs)| **jobs == Jobs::Exception(exception));
                task.map(|(name, _)| name.clone()).unwrap_or_else(|| {
                    exception_in_words(self.firmware, application, self.machine, exception)
                })
            }
            Who::Thread(control) => watch.follower.kernel.thread(self.machine, control).name,
            Who::Unit(unit) => {
                let unit = application.units.get(usize::from(unit))?;
                // Its cycles are those of the context that calls it.
                (unit.kind != Kind::Function).then(|| unit.title().to_owned())?
            }
        };
        let cost = plan::cost_of(source)?;
        let arrivals = Arrivals::observed(&source.arrivals(), window.1 - window.0);
        let load = Load { urgency: source.urgency, shares: false, cost: cost.cycles, arrivals };
        let seen = Seen::of(source, None, window.1);
        let priority = self.priority(&name, who, source);
        Some(Task { name, priority, declared: None, cost, seen, load })
    }

    /// The priority of a task in words: of a handler that no framework knows, its byte.
    fn priority(&self, name: &str, who: Who, source: &Source) -> String {
        let units = &self.declared.application.units;
        match who {
            Who::Exception(exception) => {
                let is_it = |unit: &&crate::trace::units::Unit| {
                    unit.kind == Kind::Hardware && unit.name == name
                };
                match units.iter().find(is_it).and_then(|unit| unit.priority) {
                    Some(priority) => priority.to_string(),
                    None => {
                        let table = &self.machine.processor.system.exceptions;
                        format!("{:#04x}", table.priority_byte(exception))
                    }
                }
            }
            Who::Unit(unit) => {
                let priority = units.get(usize::from(unit)).and_then(|unit| unit.priority);
                let called = Watch::priority_of_thread(source.urgency);
                priority.map(u32::from).or(called).map_or("-".into(), |one| one.to_string())
            }
            Who::Thread(_) => Watch::priority_of_thread(source.urgency)
                .map_or("-".into(), |priority| priority.to_string()),
        }
    }

    /// The sections of the run and those that the file declares.
    fn sections(&self, watch: &Watch<'_>, tasks: &[Task]) -> anyhow::Result<Vec<Section>> {
        let mut found = watch.found(self.firmware, self.machine);
        let clock = self.machine.board().clock_hz;
        for resource in &self.declared.resources {
            let name = &resource.name;
            let mut users = Vec::new();
            for user in &resource.users {
                let Some(task) = tasks.iter().find(|task| task.name == *user) else {
                    let names: Vec<&str> = tasks.iter().map(|task| &*task.name).collect();
                    bail!(
                        "the resource {name} is used by {user}, which is no task: there are {}",
                        names.join(", ")
                    );
                };
                users.push(task.load.urgency);
            }
            let reach = users.iter().copied().max().unwrap_or(0);
            if let Some(longest) = resource.longest {
                found.push(plan::declared_section(name, longest.cycles(clock), &users));
                continue;
            }
            let mut has_run = false;
            for section in found.iter_mut().filter(|one| one.unit == resource.section) {
                if section.by == By::Function {
                    section.place.clone_from(name);
                    (section.how, section.reach, has_run) = ("resource".into(), reach, true);
                }
            }
            ensure!(
                has_run,
                "the section of the resource {name} never ran in this run: let it be longer, or \
                 declare `longest` in place of `section`"
            );
        }
        found.sort_by_key(|section| std::cmp::Reverse(section.cycles));
        Ok(found)
    }
}
