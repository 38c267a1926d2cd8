//! Puts the declarations of tasks and the observations of a run together, and says of each task
//! whether the task meets its deadline.

use super::analysis::{self, Load, Response};
use super::arrivals::Arrivals;
use super::cost::{Cost, Origin};
use super::section::{By, Section};
use super::watch::Source;
use crate::trace::kernel::Who;

/// A declared period is wrong, and not kept inexactly, where arrivals come this part of it too
/// early.
const JITTER_PART: u64 = 2;

/// A task with a deadline, or something else that takes the processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// The handler, unit or thread that has the jobs.
    pub who: Who,
    /// Its priority in words.
    pub priority: String,
    /// The declared times.
    pub declared: Option<Times>,
    /// The most cycles of a job.
    pub cost: Cost,
    /// The observations of the run.
    pub seen: Seen,
    /// For the analysis.
    pub load: Load,
}

/// The period and the deadline of a task, in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The least time between two arrivals.
    pub period: u64,
    /// From the arrival to the end, at the most.
    pub deadline: u64,
}

/// The observations of a task in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// How many jobs are over.
    pub jobs: u64,
    /// The most cycles of one, whatever is declared.
    pub cost: Option<u64>,
    /// The shortest time between two arrivals.
    pub distance: Option<u64>,
    /// The longest response, and when that job arrived.
    pub response: Option<(u64, u64)>,
    /// For how long less urgent code ran at the most while a job was not over.
    pub held_off: u64,
    /// How many jobs missed the deadline.
    pub missed: u64,
    /// The first of them: when it arrived, and when its deadline was.
    pub first_missed: Option<(u64, u64)>,
}

impl Seen {
    /// That of a source, up to the end of the run.
    pub fn of(source: &Source, deadline: Option<u64>, end: u64) -> Self {
        let arrivals = source.arrivals();
        let mut seen = Self {
            jobs: source.jobs.len() as u64,
            cost: cost_of(source).map(|cost| cost.cycles),
            distance: arrivals.windows(2).map(|pair| pair[1] - pair[0]).min(),
            held_off: source.jobs.iter().map(|job| job.held_off).max().unwrap_or(0),
            ..Self::default()
        };
        let over = source.jobs.iter().map(|job| (job.arrival, job.end));
        // One that is not over has taken so long at least.
        let others = source.unfinished().map(|arrival| (arrival, end));
        for (arrival, end) in over.chain(others) {
            let response = end.saturating_sub(arrival);
            if seen.response.is_none_or(|(longest, _)| response > longest) {
                seen.response = Some((response, arrival));
            }
            if let Some(deadline) = deadline.filter(|deadline| response > *deadline) {
                seen.missed += 1;
                let missed = (arrival, arrival.saturating_add(deadline));
                let first = seen.first_missed.filter(|first| first.0 <= arrival);
                seen.first_missed = Some(first.unwrap_or(missed));
            }
        }
        seen
    }
}

/// The longest cost of a source's jobs: one that is not over has taken so much at least.
pub fn cost_of(source: &Source) -> Option<Cost> {
    let longest = source.jobs.iter().max_by_key(|job| job.cost);
    let unfinished = (source.taken, source.unfinished().unwrap_or(0));
    let all = longest.map(|job| (job.cost, job.arrival)).into_iter();
    let all = all.chain(Some(unfinished).filter(|(taken, _)| *taken > 0));
    let (cycles, arrival) = all.max_by_key(|(cycles, _)| *cycles)?;
    Some(Cost { cycles, origin: Origin::Observed { arrival } })
}

/// Why a task may not meet its deadline, or does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// In this run, and by the analysis.
    Met,
    /// By the analysis, a job may take longer.
    MayMiss,
    /// A job did.
    Missed,
    /// Jobs arrive more often than declared, so nothing follows from the period.
    ArrivesEarly,
}

/// The answer of the analysis for a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The task, by its place in the plan.
    pub task: usize,
    /// For how long it may be held off.
    pub blocking: u64,
    /// The section that holds the task off; none if there is none, or none that is known.
    pub by: Option<usize>,
    /// The longest response.
    pub response: Response,
    /// The most cycles that a job may take before a deadline is missed, of this task or another.
    pub cost_most: Option<u64>,
    /// The verdict.
    pub verdict: Verdict,
}

/// All tasks, and the sections that hold them off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// Those that declare something, and then all else that takes the processor.
    pub tasks: Vec<Task>,
    /// The sections.
    pub sections: Vec<Section>,
}

impl Plan {
    fn loads(&self) -> Vec<Load> {
        self.tasks.iter().map(|task| task.load.clone()).collect()
    }

    /// For how long a task may be held off, and by which section: the longest, or what the run has
    /// shown if that is more.
    fn blocking(&self, task: &Task) -> (u64, Option<usize>) {
        let sections = self.sections.iter().enumerate();
        let holding = sections.filter(|(_, section)| section.holds_off(task.load.urgency));
        let longest =
            holding.max_by_key(|(place, section)| (section.cycles, std::cmp::Reverse(*place)));
        match longest {
            Some((place, section)) if section.cycles >= task.seen.held_off => {
                (section.cycles, Some(place))
            }
            _ => (task.seen.held_off, None),
        }
    }

    /// The answer of the analysis for each task that has a deadline.
    pub fn judge(&self) -> Vec<Judged> {
        let loads = self.loads();
        let declared = self.tasks.iter().enumerate();
        let declared = declared.filter_map(|(place, task)| Some((place, task, task.declared?)));
        let judged = declared.map(|(place, task, times)| {
            let (blocking, by) = self.blocking(task);
            let response = analysis::response(&loads, place, blocking);
            let is_early = match &task.load.arrivals {
                Arrivals::Sporadic { period, jitter } => *jitter > period / JITTER_PART,
                Arrivals::Observed(_) => false,
            };
            let verdict = match () {
                () if task.seen.missed > 0 => Verdict::Missed,
                () if is_early => Verdict::ArrivesEarly,
                () if response.is_within(times.deadline) => Verdict::Met,
                () => Verdict::MayMiss,
            };
            let cost_most = self.cost_most(&loads, place);
            Judged { task: place, blocking, by, response, cost_most, verdict }
        });
        judged.collect()
    }

    /// Returns `true` if every task with a deadline meets it by the analysis; `held_off` says for
    /// how long.
    fn meets(&self, loads: &[Load], held_off: impl Fn(&Task) -> u64) -> bool {
        self.first_missed(loads, held_off).is_none()
    }

    fn first_missed(&self, loads: &[Load], held_off: impl Fn(&Task) -> u64) -> Option<usize> {
        let mut tasks = self.tasks.iter().enumerate();
        let misses = |(place, task): &(usize, &Task)| {
            task.declared.is_some_and(|times| {
                !analysis::response(loads, *place, held_off(task)).is_within(times.deadline)
            })
        };
        tasks.find(misses).map(|(place, _)| place)
    }

    /// The most cycles that a job of a task may take; none if a deadline is missed already.
    fn cost_most(&self, loads: &[Load], place: usize) -> Option<u64> {
        let mut loads = loads.to_vec();
        let longest = self.deadline_longest();
        let cost = loads[place].cost;
        let cell = std::cell::RefCell::new(&mut loads);
        analysis::largest(cost, longest.max(cost), |cycles| {
            let mut loads = cell.borrow_mut();
            loads[place].cost = cycles;
            self.meets(&loads, |task| self.blocking(task).0)
        })
    }

    fn deadline_longest(&self) -> u64 {
        self.tasks.iter().filter_map(|task| Some(task.declared?.deadline)).max().unwrap_or(0)
    }

    /// How long a section may become before a deadline is missed, and the task that misses it
    /// then; none if it delays no task with a deadline, or a deadline is missed already.
    pub fn section_most(&self, place: usize) -> Option<(u64, usize)> {
        let section = self.sections.get(place)?;
        let loads = self.loads();
        let held_off = |cycles: u64| {
            move |task: &Task| match self.blocking(task).0 {
                other if section.holds_off(task.load.urgency) => other.max(cycles),
                other => other,
            }
        };
        let delays = |task: &Task| task.declared.is_some() && section.holds_off(task.load.urgency);
        if !self.tasks.iter().any(delays) {
            return None;
        }
        let longest = self.deadline_longest().max(section.cycles);
        let most = analysis::largest(section.cycles, longest, |cycles| {
            self.meets(&loads, held_off(cycles))
        })?;
        Some((most, self.first_missed(&loads, held_off(most + 1))?))
    }

    /// The part of the processor that all tasks ask for.
    pub fn utilisation(&self) -> f64 {
        self.tasks.iter().map(|task| analysis::utilisation(&task.load)).sum()
    }
}

/// A section of a resource that the user declares, from its most urgent user's urgency.
pub fn declared_section(name: &str, cycles: u64, users: &[u32]) -> Section {
    Section {
        place: name.to_owned(),
        by: By::Declared,
        how: "resource".into(),
        owner: users.iter().copied().min().unwrap_or(0),
        reach: users.iter().copied().max().unwrap_or(0),
        unit: None,
        cycles,
        at: None,
        times: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadlines::watch::Job;

    fn task(name: &str, urgency: u32, cycles: u64, period: u64, deadline: u64) -> Task {
        let arrivals = Arrivals::Sporadic { period, jitter: 0 };
        Task {
            name: name.into(),
            who: Who::Exception(15),
            priority: urgency.to_string(),
            declared: Some(Times { period, deadline }),
            cost: Cost { cycles, origin: Origin::Declared },
            seen: Seen { jobs: 1, ..Seen::default() },
            load: Load { urgency, shares: false, cost: cycles, arrivals },
        }
    }

    fn plan() -> Plan {
        let tasks = vec![task("fast", 3, 3, 10, 8), task("slow", 1, 10, 40, 30)];
        Plan { tasks, sections: vec![declared_section("bus", 2, &[1, 3])] }
    }

    #[test]
    fn a_section_of_a_less_urgent_task_delays() {
        let judged = plan().judge();
        assert_eq!(judged[0].response, Response::Bounded { cycles: 5, interference: 0 });
        assert_eq!((judged[0].blocking, judged[0].by), (2, Some(0)));
        assert_eq!(judged[1].response, Response::Bounded { cycles: 16, interference: 6 });
        assert_eq!((judged[1].blocking, judged[1].by), (0, None), "its own section is its cost");
        assert!(judged.iter().all(|one| one.verdict == Verdict::Met));
    }

    #[test]
    fn it_is_told_how_far_costs_and_sections_may_grow() {
        let plan = plan();
        // With the cost of 3, the section may take 5 until the deadline of 8.
        assert_eq!(plan.section_most(0), Some((5, 0)));
        // 6 and 2 of blocking are 8; the slow one then takes 10 + 3 * 6 = 28.
        assert_eq!(plan.judge()[0].cost_most, Some(6));
        // 21 + 3 * 3 = 30; in 30 cycles the fast one comes three times.
        assert_eq!(plan.judge()[1].cost_most, Some(21));
    }

    #[test]
    fn what_may_be_missed_and_what_was_are_told_apart() {
        let mut plan = plan();
        plan.sections[0].cycles = 6;
        assert_eq!(plan.judge()[0].verdict, Verdict::MayMiss);
        assert_eq!((plan.section_most(0), plan.judge()[1].cost_most), (None, None));
        plan.tasks[0].seen.missed = 1;
        assert_eq!(plan.judge()[0].verdict, Verdict::Missed);
        plan.tasks[1].load.arrivals = Arrivals::Sporadic { period: 40, jitter: 21 };
        assert_eq!(plan.judge()[1].verdict, Verdict::ArrivesEarly);
    }

    #[test]
    fn jobs_that_are_late_or_never_end_are_missed() {
        let job = |arrival, end| Job { arrival, end, cost: 4, held_off: 1 };
        let mut source = Source::default();
        source.jobs = vec![job(0, 5), job(10, 19), job(20, 28)];
        let seen = Seen::of(&source, Some(7), 100);
        assert_eq!((seen.missed, seen.first_missed), (2, Some((10, 17))));
        assert_eq!((seen.response, seen.distance, seen.held_off), (Some((9, 10)), Some(10), 1));
        let all = Seen::of(&source, Some(9), 100);
        assert_eq!((all.missed, all.first_missed), (0, None));
    }
}
