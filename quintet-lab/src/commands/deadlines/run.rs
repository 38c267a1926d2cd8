//! Puts the plan together of what is declared, and of what the run has shown.

use super::Declarations;
use crate::bounds::annotations::Annotations;
use crate::bounds::{Analysis, Conditions};
use crate::deadlines::analysis::Load;
use crate::deadlines::arrivals::Arrivals;
use crate::deadlines::closing::{Bounds, Closer, Gap};
use crate::deadlines::cost::{Cost, Origin};
use crate::deadlines::declare::{Declared, Jobs};
use crate::deadlines::plan::{self, Plan, Seen, Task, Times};
use crate::deadlines::section::{By, Section};
use crate::deadlines::urgency;
use crate::deadlines::watch::{Source, Watch};
use crate::firmware::Firmware;
use crate::point::Point;
use crate::trace::kernel::Who;
use crate::trace::record::exception_in_words;
use crate::trace::span::in_words;
use crate::trace::units::Kind;
use anyhow::{Context, bail, ensure};
use quintet_sim::machine::Machine;
use std::collections::BTreeMap;

/// A run that is over.
pub struct Run<'a> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// What is declared.
    pub declared: &'a Declarations,
    /// The machine at its end.
    pub machine: &'a Machine,
}

impl Run<'_> {
    fn words(&self, cycles: u64) -> String {
        in_words(cycles, self.machine.board().clock_hz)
    }

    /// The part of the run that counts.
    pub fn window(&self, watch: &Watch<'_>, from: Option<&Point>) -> anyhow::Result<(u64, u64)> {
        let end = self.machine.cycle();
        let begin = watch.begin.with_context(|| {
            let from = from.map(Point::text).unwrap_or_default();
            format!("--from: {from} was never reached in {}", self.words(end))
        })?;
        Ok((begin.min(end), end))
    }

    /// The tasks and the sections.
    pub fn plan(&self, watch: &mut Watch<'_>, window: (u64, u64)) -> anyhow::Result<Plan> {
        let mut sources = std::mem::take(&mut watch.sources);
        let has_threads = watch.follower.kernel.has_threads();
        let shares = |source: &Source| {
            has_threads && source.urgency > 0 && source.urgency < urgency::HANDLERS
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

    /// The bounds of the tasks that have a deadline, in the order of [`Plan::judge`]. Fails if the
    /// annotations are wrong.
    pub fn bounds(
        &self,
        watch: &Watch<'_>,
        plan: &Plan,
        annotations: &Annotations,
        wait_states: Option<u8>,
    ) -> anyhow::Result<Vec<Bounds>> {
        let board = self.machine.board();
        let conditions = Conditions {
            board,
            vector_table: self.machine.vector_table(),
            annotations,
            observed: None,
            wait_states,
            breakpoints_are_free: false,
            cuts_at_masks: false,
        };
        let analysis = match Analysis::new(self.firmware, conditions) {
            Ok(analysis) => analysis,
            Err(error) if *annotations != Annotations::default() => return Err(error),
            Err(error) => return Ok(unbounded(plan, &format!("{error:#}"))),
        };
        let closer = Closer {
            firmware: self.firmware,
            application: &self.declared.application,
            machine: self.machine,
            analysis: &analysis,
            opening: watch.opening,
            has_threads: watch.follower.kernel.has_threads(),
        };
        Ok(closer.close(plan).bounds())
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
            who,
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
                (unit.kind != Kind::Function).then(|| unit.title())?
            }
        };
        let cost = plan::cost_of(source)?;
        let arrivals = Arrivals::observed(&source.arrivals(), window.1 - window.0);
        let load = Load { urgency: source.urgency, shares: false, cost: cost.cycles, arrivals };
        let seen = Seen::of(source, None, window.1);
        let priority = self.priority(&name, who, source);
        Some(Task { name, who, priority, declared: None, cost, seen, load })
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
                let called = urgency::priority_of_thread(source.urgency);
                priority.map(u32::from).or(called).map_or("-".into(), |one| one.to_string())
            }
            Who::Thread(_) => urgency::priority_of_thread(source.urgency)
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

/// No task has bounds.
fn unbounded(plan: &Plan, why: &str) -> Vec<Bounds> {
    let gap = Gap { what: why.to_owned(), close: "its answer is of this run's costs".into() };
    let declared = plan.tasks.iter().filter(|task| task.declared.is_some());
    declared.map(|_| Bounds { open: vec![gap.clone()], ..Bounds::default() }).collect()
}
