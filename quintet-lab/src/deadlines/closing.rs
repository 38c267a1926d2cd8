//! Bounds in place of the observations of a run: of costs, of arrivals, of blocking.
//!
//! ```text
//!  cost      of a handler: its bound, with the entry, the return, and what the interrupted code
//!            takes longer; of a job of a level: all that the level's handler does at most
//!  arrivals  as declared; of what declares nothing there is no bound
//!  blocking  the longest section of any less urgent context, and the entry, the return or the
//!            instruction in which such code is when a job arrives
//! ```
//!
//! A level's handler runs at most as often as its tasks are woken, so the bound of all that it can
//! do once, for each wake, covers its jobs in whatever order they come.

use std::collections::BTreeSet;

use quintet_sim::machine::Machine;
use serde::Serialize;

use super::analysis::Response;
use super::arrivals::Arrivals;
use super::cost::{Cost, Origin};
use super::plan::{Plan, Task};
use super::section::{By, Section};
use super::urgency;
use super::watch::Opening;
use crate::bounds::report::{Verdict, closing_of, what_of};
use crate::bounds::sections::{Finder, Mask, Reached};
use crate::bounds::{Analysis, Interruption, Open};
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
use crate::trace::kernel::Who;
use crate::trace::units::{Application, Kind};

/// Faults, and what comes before them.
const FAULT_LAST: u16 = 6;
const SUPERVISOR_CALL: u16 = 11;
const DEBUG_MONITOR: u16 = 12;

/// Something without a bound, and the way to close it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Gap {
    /// What.
    pub what: String,
    /// What to do.
    pub close: String,
}

/// A plan with bounds, and the gaps in it.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Bounds in place of costs, as far as there are any, and the sections of the code.
    pub plan: Plan,
    /// What is missing of each task: it delays those that are no more urgent.
    pub of_tasks: Vec<BTreeSet<Gap>>,
    /// What is missing elsewhere: it delays tasks from the first urgency up to the second one.
    pub elsewhere: Vec<((u32, u32), Gap)>,
}

/// The bounds of a task.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Bounds {
    /// Of the cost.
    pub cost: Option<u64>,
    /// Of the blocking.
    pub blocking: Option<u64>,
    /// Of the response.
    pub response: Option<u64>,
    /// What is left of the deadline.
    pub slack: Option<i64>,
    /// What has no bound; if nothing, the response has one.
    pub open: Vec<Gap>,
    /// The bounds that the run was above: there is none, unless something is wrong.
    pub broken: Vec<String>,
}

impl Closing {
    /// The gaps in everything that delays a task.
    fn gaps(&self, place: usize) -> Vec<Gap> {
        let urgency = self.plan.tasks[place].load.urgency;
        let of_tasks = self.plan.tasks.iter().zip(&self.of_tasks);
        let delaying = of_tasks.filter(|(other, _)| other.load.urgency >= urgency);
        let mut gaps: BTreeSet<Gap> = delaying.flat_map(|(_, gaps)| gaps.iter().cloned()).collect();
        let reaches = |(least, most): (u32, u32)| least <= urgency && urgency <= most;
        let elsewhere = self.elsewhere.iter().filter(|(range, _)| reaches(*range));
        gaps.extend(elsewhere.map(|(_, gap)| gap.clone()));
        gaps.into_iter().collect()
    }

    /// The bounds of each task that has a deadline, in the order of [`Plan::judge`].
    pub fn bounds(&self) -> Vec<Bounds> {
        let judged = self.plan.judge().into_iter().map(|judged| {
            let task = &self.plan.tasks[judged.task];
            let open = self.gaps(judged.task);
            let mut bounds = Bounds { open, ..Bounds::default() };
            if self.of_tasks[judged.task].is_empty() {
                bounds.cost = Some(task.cost.cycles);
            }
            if !bounds.open.is_empty() {
                bounds.broken = broken(task, &bounds);
                return bounds;
            }
            let sections = self.plan.sections.iter();
            let holding = sections.filter(|one| one.holds_off(task.load.urgency));
            bounds.blocking = Some(holding.map(|one| one.cycles).max().unwrap_or(0));
            match judged.response {
                Response::Bounded { cycles, .. } => bounds.response = Some(cycles),
                Response::Overload | Response::TooLong => bounds.open.push(Gap {
                    what: format!(
                        "{}, and what is as urgent or more, may ask for all of the processor",
                        task.name
                    ),
                    close: "let them do less, or less often, or tighten their bounds".into(),
                }),
            }
            let deadline = task.declared.map_or(0, |times| times.deadline);
            let left = |cycles: u64| i128::from(deadline) - i128::from(cycles);
            bounds.slack =
                bounds.response.map(|cycles| i64::try_from(left(cycles)).unwrap_or(i64::MIN));
            if let Some(cycles) = bounds.response.filter(|cycles| *cycles > deadline) {
                bounds.open.push(Gap {
                    what: format!(
                        "the bound of the response of {}, {cycles} cycles, is above its deadline \
                         of {deadline}",
                        task.name
                    ),
                    close: "tighten the bounds by --annotations, shorten the job, or give it more \
                            time"
                        .into(),
                });
            }
            bounds.broken = broken(task, &bounds);
            bounds
        });
        judged.collect()
    }
}

/// The bounds of a task that a run was above, in words.
fn broken(task: &Task, bounds: &Bounds) -> Vec<String> {
    let seen = &task.seen;
    let pairs = [
        ("cost", bounds.cost, seen.cost),
        ("blocking", bounds.blocking, Some(seen.held_off)),
        ("response", bounds.response, seen.response.map(|(cycles, _)| cycles)),
    ];
    let is_broken = pairs.into_iter().filter_map(|(what, bound, seen)| {
        let (bound, seen) = bound.zip(seen).filter(|(bound, seen)| bound < seen)?;
        Some(format!("the {what} of {} was {seen} cycles, and its bound is {bound}", task.name))
    });
    is_broken.collect()
}

/// All that is known for the bounds of a run's tasks.
pub struct Closer<'a> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// What has jobs in it.
    pub application: &'a Application,
    /// The machine at the end of the run.
    pub machine: &'a Machine,
    /// The bounds of functions.
    pub analysis: &'a Analysis<'a>,
    /// Where jobs begin to count.
    pub opening: Opening,
    /// Whether threads run.
    pub has_threads: bool,
}

impl Closer<'_> {
    /// Puts bounds in the place of the observations of a run.
    pub fn close(&self, plan: &Plan) -> Closing {
        let mut closing = Closing { plan: plan.clone(), ..Closing::default() };
        for task in &mut closing.plan.tasks {
            let mut gaps = BTreeSet::new();
            if self.is_covered(task) {
                task.load.cost = 0;
                closing.of_tasks.push(gaps);
                continue;
            }
            if let Some(cycles) = self.cost(task, &mut gaps) {
                task.load.cost = cycles;
                if task.cost.origin != Origin::Declared {
                    task.cost = Cost { cycles, origin: Origin::Bounded };
                }
            }
            gaps.extend(of_arrivals(task));
            closing.of_tasks.push(gaps);
        }
        for section in plan.sections.iter().filter(|section| section.by == By::Function) {
            closing.elsewhere.push(((section.owner + 1, section.reach), of_measured(section)));
        }
        closing.plan.sections.retain(|section| section.by == By::Declared);
        let vectors = self.analysis.open_vectors().iter();
        closing.elsewhere.extend(vectors.map(|open| ((0, u32::MAX), self.gap(open))));
        let priorities = priorities::gaps(self).into_iter();
        closing.elsewhere.extend(priorities.map(|gap| ((0, u32::MAX), gap)));
        closing.elsewhere.extend(enabling::gaps(self, plan));
        self.add_handlers(&mut closing);
        self.add_sections(&mut closing);
        closing
    }

    /// Whether others pay for it: supervisor calls are part of the cost of their callers, and a
    /// level that finds no job is part of the cost of the wake that began it.
    fn is_covered(&self, task: &Task) -> bool {
        let Who::Exception(exception) = task.who else { return false };
        let is_level = self.application.levels.iter().any(|level| level.exception == exception);
        exception == SUPERVISOR_CALL || is_level && task.declared.is_none()
    }

    /// The most cycles of a job; none if that has no bound.
    fn cost(&self, task: &Task, gaps: &mut BTreeSet<Gap>) -> Option<u64> {
        if task.cost.origin == Origin::Declared {
            return Some(task.cost.cycles);
        }
        match task.who {
            Who::Exception(exception) => self.handler(exception, gaps),
            Who::Unit(unit) => {
                let kind = self.application.units.get(usize::from(unit)).map(|unit| unit.kind);
                let levels = &self.application.levels;
                let level = levels.iter().find(|level| level.slots.contains(&unit));
                match (kind, level) {
                    (Some(Kind::Function), _) => self.function(&task.name, gaps),
                    (_, Some(level)) if level.exception != 0 => self.handler(level.exception, gaps),
                    _ => {
                        gaps.insert(Gap {
                            what: format!("{} runs in a thread, or in main", task.name),
                            close: "give its `cost` in the file of --tasks, or a priority above \
                                    all threads"
                                .into(),
                        });
                        None
                    }
                }
            }
            Who::Thread(_) => {
                gaps.insert(Gap {
                    what: format!("{} is a thread, whose jobs are no functions", task.name),
                    close: "give its `cost` in the file of --tasks, or name by `function` what \
                            it calls once in a period"
                        .into(),
                });
                None
            }
        }
    }

    fn handler(&self, exception: u16, gaps: &mut BTreeSet<Gap>) -> Option<u64> {
        let handlers = self.analysis.handlers();
        let handler = handlers.iter().find(|handler| handler.exception == exception)?;
        let cycles = self.bound(handler.entry, gaps)?;
        Some(cycles + self.analysis.interruption().around())
    }

    fn function(&self, name: &str, gaps: &mut BTreeSet<Gap>) -> Option<u64> {
        let entry = crate::firmware::symbols::resolve(&self.firmware.image, name);
        let Ok(entry) = entry.map(|entry| entry & !1) else {
            gaps.insert(Gap {
                what: format!("{name} has no code of its own: it is part of its callers"),
                close: "mark it #[inline(never)], or give its `cost` in the file of --tasks".into(),
            });
            return None;
        };
        self.bound(entry, gaps)
    }

    /// The bound of a function's cycles.
    fn bound(&self, entry: u32, gaps: &mut BTreeSet<Gap>) -> Option<u64> {
        let bound = self.analysis.bounds().get(&entry)?;
        let open = bound.open_cycles.iter().chain(&bound.observed).chain(&bound.waits);
        let before = gaps.len();
        gaps.extend(open.map(|open| self.gap(open)));
        if !bound.returns {
            gaps.insert(Gap {
                what: format!("{} never returns", self.firmware.describe(entry)),
                close: "let its job return".into(),
            });
        }
        bound.cycles.filter(|_| gaps.len() == before)
    }

    fn gap(&self, open: &Open) -> Gap {
        Gap {
            what: what_of(self.firmware, self.analysis, open),
            close: closing_of(open.cause).into(),
        }
    }

    /// Handlers that have not run in the run, and may.
    fn add_handlers(&self, closing: &mut Closing) {
        for handler in self.analysis.handlers() {
            let exception = handler.exception;
            let returns =
                self.analysis.bounds().get(&handler.entry).is_some_and(|bound| bound.returns);
            let is_fault = exception <= FAULT_LAST
                || exception == SUPERVISOR_CALL
                || exception == DEBUG_MONITOR;
            if !returns || is_fault || self.is_planned(&closing.plan, exception) {
                continue;
            }
            let urgency = urgency::of_exception(self.machine, exception);
            closing.elsewhere.push((
                (0, urgency),
                Gap {
                    what: format!(
                        "the handler of {}, {}, did not run, and declares no period",
                        exception_name(exception),
                        self.firmware.describe(handler.entry)
                    ),
                    close: "declare its period, and its `cost` if it does not run".into(),
                },
            ));
        }
    }

    /// Whether an exception is that of a task, or of a level that has one.
    fn is_planned(&self, plan: &Plan, exception: u16) -> bool {
        let level = self.application.levels.iter().find(|level| level.exception == exception);
        plan.tasks.iter().any(|task| match task.who {
            Who::Exception(one) => one == exception,
            Who::Unit(unit) => level.is_some_and(|level| level.slots.contains(&unit)),
            Who::Thread(_) => false,
        }) && level.is_none_or(|level| {
            let is_planned = |unit: &u16| plan.tasks.iter().any(|one| one.who == Who::Unit(*unit));
            level.slots.iter().all(is_planned)
        })
    }

    /// What holds tasks off.
    fn add_sections(&self, closing: &mut Closing) {
        let around: Interruption = self.analysis.interruption();
        let base = around.holds_off();
        let finder = Finder::new(self.analysis);
        for handler in self.analysis.handlers() {
            let bound = self.analysis.bounds().get(&handler.entry);
            let Some(bound) = bound.filter(|bound| bound.returns) else { continue };
            if handler.exception <= FAULT_LAST {
                continue;
            }
            let owner = urgency::of_exception(self.machine, handler.exception);
            // A handler is over when it has returned, whatever it masks.
            let whole = bound.cycles.filter(|_| Verdict::of(bound) == Verdict::Bounded);
            let reached = self.analysis.reached(handler.entry);
            self.add_of(&finder, closing, (&reached, None), owner, whole.map(|one| one + base));
            if handler.exception == SUPERVISOR_CALL && self.analysis.has_supervisor_calls() {
                add_supervisor(closing, owner, whole.map(|one| one + around.around()));
            }
        }
        let Opening { pc, masked, .. } = self.opening;
        let reached = self.analysis.reached_behind(pc);
        self.add_of(&finder, closing, (&reached, masked.then_some(pc)), 0, None);
        for section in closing.plan.sections.iter_mut().filter(|one| one.by != By::Declared) {
            section.cycles += base;
        }
        closing.plan.sections.push(section(
            "an instruction, or the entry or return of a handler".into(),
            (0, u32::MAX),
            base,
        ));
        if self.has_threads {
            closing.elsewhere.push((
                (1, u32::MAX),
                Gap {
                    what: "threads run: their masks and ceilings, and the switches between them, \
                           are those of this run"
                        .into(),
                    close: "none: an image with threads stays OBSERVED".into(),
                },
            ));
        }
    }

    /// The sections of a context.
    fn add_of(
        &self,
        finder: &Finder<'_, '_>,
        closing: &mut Closing,
        (reached, masked): (&Reached, Option<u32>),
        owner: u32,
        whole: Option<u64>,
    ) {
        if whole.is_none() {
            let gaps = reached.hidden().map(|open| ((owner + 1, u32::MAX), self.gap(open)));
            closing.elsewhere.extend(gaps);
        }
        for one in finder.sections(reached, masked) {
            let reach = match one.mask {
                Mask::Basepri(value) => urgency::of_basepri(self.machine, value),
                Mask::All => u32::MAX,
            };
            let cycles = match (one.cycles, whole) {
                (Some(cycles), Some(whole)) => Some(cycles.min(whole)),
                (cycles, whole) => cycles.or(whole),
            };
            match cycles {
                Some(cycles) => {
                    let place = self.firmware.functions_in_words(one.address, 3);
                    closing.plan.sections.push(section(place, (owner, reach), cycles));
                }
                None => {
                    let gaps = one.open.iter().map(|open| ((owner + 1, reach), self.gap(open)));
                    closing.elsewhere.extend(gaps);
                }
            }
        }
    }
}

/// What is missing of the arrivals of a task.
fn of_arrivals(task: &Task) -> Option<Gap> {
    match task.load.arrivals {
        Arrivals::Sporadic { jitter: 0, .. } => None,
        Arrivals::Sporadic { period, jitter } => Some(Gap {
            what: format!(
                "{} has arrived {jitter} cycles earlier than its period of {period} says",
                task.name
            ),
            close: "declare the shortest time between two arrivals as its period".into(),
        }),
        Arrivals::Observed(_) => Some(Gap {
            what: format!("{} declares no period: it may arrive more often", task.name),
            close: format!(
                "write `period` at its task, or [[task]] with `function = \"{}\"` in the \
                 file of --tasks",
                task.name
            ),
        }),
    }
}

/// The handler of supervisor calls runs for less urgent code.
fn add_supervisor(closing: &mut Closing, urgency: u32, cycles: Option<u64>) {
    let place = "the handler of supervisor calls";
    match cycles {
        Some(cycles) => {
            closing.plan.sections.push(section(place.into(), (0, urgency), cycles));
        }
        None => closing.elsewhere.push((
            (1, urgency),
            Gap {
                what: format!("{place} has no bound"),
                close: "see `quintet bounds`; [[bound]] in the file of --annotations says one"
                    .into(),
            },
        )),
    }
}

/// A section that is measured.
fn of_measured(section: &Section) -> Gap {
    Gap {
        what: format!("how long {} is in use is measured in this run", section.place),
        close: "give its `longest` in place of `section` in the file of --tasks".into(),
    }
}

fn section(place: String, (owner, reach): (u32, u32), cycles: u64) -> Section {
    Section {
        place,
        by: By::Bound,
        how: "code".into(),
        owner,
        reach,
        unit: None,
        cycles,
        at: None,
        times: 0,
    }
}

mod enabling;
mod priorities;
#[cfg(test)]
mod tests;
