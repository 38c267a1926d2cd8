//! The answer as tables, as JSON, and what is wrong in sentences.

use super::analysis::{self, Response};
use super::closing::{Bounds, Gap};
use super::cost::Origin;
use super::plan::{Judged, Plan, Task, Verdict};
use super::section::By;
use crate::main_stack::Overflow;
use crate::report::table::grouped;
use crate::trace::span::in_words;
use serde::Serialize;
use std::collections::BTreeSet;

mod text;

/// The answer.
#[derive(Serialize)]
pub struct Report {
    /// The firmware.
    pub file: String,
    /// The board.
    pub board: String,
    /// Cycles of a second.
    pub clock_hz: u64,
    /// The first cycle that counts, and the one behind the last.
    pub from: u64,
    /// The end.
    pub to: u64,
    /// Whether the deadlines are met in all runs, or as far as this one tells; or a word for a run
    /// that contradicts the bounds.
    pub verdict: &'static str,
    /// What has no bound; nothing if the verdict is BOUNDED.
    pub open: Vec<Gap>,
    /// `true` if every deadline is met, in the run and by the analysis.
    pub met: bool,
    /// The part of the processor that everything asks for, in percent.
    pub utilisation_percent: f64,
    /// The tasks with deadlines, the most urgent first.
    pub tasks: Vec<TaskRow>,
    /// Everything else that takes the processor away from them.
    pub others: Vec<OtherRow>,
    /// The sections that delay a task, the longest first.
    pub sections: Vec<SectionRow>,
    /// What the main stack was written over; null where it has stayed above its end.
    pub main_stack: Option<Overflow>,
}

/// A task with a deadline; times are in cycles.
#[derive(Serialize)]
pub struct TaskRow {
    name: String,
    priority: String,
    period: u64,
    deadline: u64,
    cost: u64,
    /// Where the cost is known from.
    cost_origin: &'static str,
    /// What it may become before a deadline is missed; null if one is already.
    cost_most: Option<u64>,
    jobs: u64,
    /// The longest of the run, whatever is declared.
    cost_seen: Option<u64>,
    /// The shortest time between two arrivals; null with fewer than two.
    distance: Option<u64>,
    blocking: u64,
    /// Which section blocks it; null if none that is known.
    blocked_by: Option<String>,
    /// What others take, in the longest response.
    interference: Option<u64>,
    /// The longest response by the analysis; null if there is no bound.
    response: Option<u64>,
    /// The longest of the run, and when that job arrived.
    seen: Option<u64>,
    seen_at: Option<u64>,
    /// What is left of the deadline, by the analysis and in the run.
    slack: Option<i64>,
    missed: u64,
    /// The first job that missed: when it arrived.
    first_missed: Option<u64>,
    verdict: &'static str,
    /// The same for all runs.
    bounds: Bounds,
    #[serde(skip)]
    complaint: Option<String>,
}

/// Something without a deadline.
#[derive(Serialize)]
pub struct OtherRow {
    name: String,
    priority: String,
    jobs: u64,
    cost: u64,
    distance: Option<u64>,
    utilisation_percent: f64,
}

/// A section.
#[derive(Serialize)]
pub struct SectionRow {
    place: String,
    by: By,
    how: String,
    cycles: u64,
    at: Option<u64>,
    times: u64,
    /// The tasks that it delays more than any other section.
    delays: Vec<String>,
    /// What it may become before a deadline is missed, and whose; null if one is already.
    most: Option<u64>,
    then_misses: Option<String>,
}

/// The verdict where every bound is closed.
const BOUNDED: &str = "BOUNDED";
/// The verdict where the run was above a bound.
const BROKEN: &str = "BROKEN";

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::MayMiss => "may miss",
            Self::Missed => "missed",
            Self::ArrivesEarly => "too often",
        }
    }
}

/// A part of 1 in percent, with two places.
fn percent(part: f64) -> f64 {
    (part * 10_000.0).round() / 100.0
}

/// The answer of a plan, without what only the run knows. `bounds` are those of the tasks that have
/// a deadline, as [`Closing::bounds`](super::closing::Closing::bounds) tells them.
pub fn of(plan: &Plan, bounds: Vec<Bounds>, (from, to): (u64, u64), clock_hz: u64) -> Report {
    let judged = plan.judge();
    let context = Context { plan, clock_hz };
    let open: BTreeSet<Gap> = bounds.iter().flat_map(|one| one.open.iter().cloned()).collect();
    let met = judged.iter().all(|one| one.verdict == Verdict::Met);
    let is_broken = bounds.iter().any(|one| !one.broken.is_empty());
    let is_bounded = met && open.is_empty() && bounds.len() == judged.len();
    let verdict = match (is_broken, is_bounded) {
        (true, _) => BROKEN,
        (false, true) => BOUNDED,
        _ => "OBSERVED",
    };
    let pairs =
        judged.iter().zip(bounds.into_iter().chain(std::iter::repeat_with(Bounds::default)));
    let mut tasks: Vec<TaskRow> = pairs.map(|(one, bounds)| context.task(one, bounds)).collect();
    // The most urgent first.
    let urgency = |one: &Judged| std::cmp::Reverse(plan.tasks[one.task].load.urgency);
    let mut order: Vec<usize> = (0..judged.len()).collect();
    order.sort_by_key(|place| urgency(&judged[*place]));
    let mut sorted: Vec<Option<TaskRow>> = tasks.drain(..).map(Some).collect();
    let tasks = order.iter().filter_map(|place| sorted[*place].take()).collect();
    let mut others: Vec<&Task> = plan.tasks.iter().filter(|one| one.declared.is_none()).collect();
    others.sort_by_key(|one| std::cmp::Reverse(one.load.urgency));
    Report {
        file: String::new(),
        board: String::new(),
        clock_hz,
        from,
        to,
        verdict,
        open: open.into_iter().collect(),
        met,
        utilisation_percent: percent(plan.utilisation()),
        tasks,
        others: others.into_iter().map(other).collect(),
        sections: context.sections(&judged),
        main_stack: None,
    }
}

fn other(task: &Task) -> OtherRow {
    OtherRow {
        name: task.name.clone(),
        priority: task.priority.clone(),
        jobs: task.seen.jobs,
        cost: task.cost.cycles,
        distance: task.seen.distance,
        utilisation_percent: percent(analysis::utilisation(&task.load)),
    }
}

struct Context<'a> {
    plan: &'a Plan,
    clock_hz: u64,
}

impl Context<'_> {
    fn words(&self, cycles: u64) -> String {
        in_words(cycles, self.clock_hz)
    }

    fn task(&self, judged: &Judged, bounds: Bounds) -> TaskRow {
        let task = &self.plan.tasks[judged.task];
        let (period, deadline) = task.declared.map_or((0, 0), |one| (one.period, one.deadline));
        let (response, interference) = match judged.response {
            Response::Bounded { cycles, interference } => (Some(cycles), Some(interference)),
            Response::Overload | Response::TooLong => (None, None),
        };
        let seen = task.seen.response;
        let longest = response.map(|cycles| cycles.max(seen.map_or(0, |(cycles, _)| cycles)));
        let left = |cycles: u64| {
            let left = i128::from(deadline) - i128::from(cycles);
            i64::try_from(left).unwrap_or(i64::MIN)
        };
        TaskRow {
            name: task.name.clone(),
            priority: task.priority.clone(),
            period,
            deadline,
            cost: task.cost.cycles,
            cost_origin: task.cost.origin.word(),
            cost_most: judged.cost_most,
            jobs: task.seen.jobs,
            cost_seen: task.seen.cost,
            distance: task.seen.distance,
            blocking: judged.blocking,
            blocked_by: judged.by.map(|section| self.plan.sections[section].place.clone()),
            interference,
            response,
            seen: seen.map(|(cycles, _)| cycles),
            seen_at: seen.map(|(_, at)| at),
            slack: longest.map(left),
            missed: task.seen.missed,
            first_missed: task.seen.first_missed.map(|(arrival, _)| arrival),
            verdict: judged.verdict.word(),
            bounds,
            complaint: self.complaint(task, judged),
        }
    }

    /// What is wrong, in a sentence.
    fn complaint(&self, task: &Task, judged: &Judged) -> Option<String> {
        let (name, times) = (&task.name, task.declared?);
        let deadline = self.words(times.deadline);
        match judged.verdict {
            Verdict::Missed => Some(self.missed(task, times.deadline)),
            Verdict::ArrivesEarly => Some(format!(
                "{name} arrives more often than it declares: two jobs come {} apart, and its \
                 period is {}; each wake begins a job, so declare the shortest time between two",
                self.words(task.seen.distance.unwrap_or(0)),
                self.words(times.period)
            )),
            Verdict::MayMiss => Some(match judged.response {
                Response::Bounded { cycles, interference } => format!(
                    "{name} may miss its deadline of {deadline}: a job may take {}, of which {} \
                     are its own, {} others take, and for {} it is held off{}",
                    self.words(cycles),
                    self.words(task.cost.cycles),
                    self.words(interference),
                    self.words(judged.blocking),
                    judged.by.map_or(String::new(), |by| {
                        format!(" by {}", self.plan.sections[by].place)
                    })
                ),
                Response::Overload => format!(
                    "{name} may miss its deadline of {deadline}: it, and what is as urgent or \
                     more, ask for {:.2} % of the processor, so its response has no bound; let \
                     them do less, or less often",
                    percent(self.asked(task))
                ),
                Response::TooLong => format!(
                    "{name} may miss its deadline of {deadline}: it, and what is as urgent or \
                     more, ask for {:.2} % of the processor, so near to all that no bound of its \
                     response was found",
                    percent(self.asked(task))
                ),
            }),
            Verdict::Met => match (judged.response, task.seen.response) {
                (Response::Bounded { cycles, .. }, Some((seen, at))) if seen > cycles => {
                    Some(format!(
                        "{name} took {} in the run, from {} on, and {} by the analysis: something \
                         delays it that is no task, no interrupt and no section",
                        self.words(seen),
                        self.words(at),
                        self.words(cycles)
                    ))
                }
                _ => None,
            },
        }
    }

    fn missed(&self, task: &Task, deadline: u64) -> String {
        let (arrival, due) = task.seen.first_missed.unwrap_or_default();
        let (longest, at) = task.seen.response.unwrap_or_default();
        let times = if task.seen.missed == 1 { "once" } else { "several times" };
        format!(
            "{} missed its deadline of {} {times} ({} of {} jobs): first that at {} (cycle {}), of \
             the job that arrived at {}; the longest took {}, from {} on",
            task.name,
            self.words(deadline),
            grouped(task.seen.missed),
            grouped(task.seen.jobs.max(task.seen.missed)),
            self.words(due),
            grouped(due),
            self.words(arrival),
            self.words(longest),
            self.words(at)
        )
    }

    /// The part of the processor that a task, and all that is as urgent or more, ask for.
    fn asked(&self, task: &Task) -> f64 {
        let all = self.plan.tasks.iter().map(|one| &one.load);
        let all = all.filter(|load| load.urgency >= task.load.urgency);
        all.map(analysis::utilisation).sum()
    }

    fn sections(&self, judged: &[Judged]) -> Vec<SectionRow> {
        let delays = |urgency: u32, place: usize| self.plan.sections[place].holds_off(urgency);
        let of_interest = |place: &usize| {
            judged.iter().any(|one| delays(self.plan.tasks[one.task].load.urgency, *place))
        };
        let row = |place: usize| {
            let section = &self.plan.sections[place];
            let most = self.plan.section_most(place);
            let delayed = judged.iter().filter(|one| one.by == Some(place));
            SectionRow {
                place: section.place.clone(),
                by: section.by,
                how: section.how.clone(),
                cycles: section.cycles,
                at: section.at,
                times: section.times,
                delays: delayed.map(|one| self.plan.tasks[one.task].name.clone()).collect(),
                most: most.map(|(cycles, _)| cycles),
                then_misses: most.map(|(_, task)| self.plan.tasks[task].name.clone()),
            }
        };
        (0..self.plan.sections.len()).filter(of_interest).map(row).collect()
    }
}

impl Report {
    /// What is wrong, in sentences.
    pub fn complaints(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().filter_map(|task| task.complaint.as_deref())
    }

    /// The longest responses: of the run, by the analysis, and of all runs.
    pub fn responses(&self) -> Vec<(String, u64)> {
        let of_task = |task: &TaskRow| {
            let kinds = [
                ("seen", task.seen),
                ("by the analysis", task.response),
                ("of all runs", task.bounds.response),
            ];
            let known = kinds.into_iter().filter_map(|(kind, cycles)| Some((kind, cycles?)));
            let name = &task.name;
            known.map(|(kind, cycles)| (format!("{name}, {kind}"), cycles)).collect::<Vec<_>>()
        };
        self.tasks.iter().flat_map(of_task).collect()
    }

    /// The bounds that the run was above, in sentences: something is wrong, then.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().flat_map(|task| task.bounds.broken.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadlines::arrivals::Arrivals;
    use crate::deadlines::cost::Cost;
    use crate::deadlines::plan::{Seen, Times, declared_section};

    fn task(name: &str, urgency: u32, cycles: u64, times: Option<(u64, u64)>) -> Task {
        let period = times.map_or(50, |(period, _)| period);
        let arrivals = Arrivals::Sporadic { period, jitter: 0 };
        Task {
            name: name.into(),
            who: crate::trace::kernel::Who::Exception(15),
            priority: urgency.to_string(),
            declared: times.map(|(period, deadline)| Times { period, deadline }),
            cost: Cost { cycles, origin: Origin::Observed { arrival: 1 } },
            seen: Seen { jobs: 4, response: Some((cycles, 30)), ..Seen::default() },
            load: analysis::Load { urgency, shares: false, cost: cycles, arrivals },
        }
    }

    fn report(tasks: Vec<Task>) -> Report {
        let plan = Plan { tasks, sections: vec![declared_section("bus", 2, &[1, 3])] };
        let gap = Gap { what: "a loop".into(), close: "give its count".into() };
        let open = || Bounds { open: vec![gap.clone()], ..Bounds::default() };
        let bounds = plan.judge().iter().map(|_| open()).collect();
        of(&plan, bounds, (0, 1_000), 1_000_000)
    }

    #[test]
    fn tables_have_the_most_urgent_first_and_say_what_is_known() {
        let slow = task("slow", 1, 10, Some((40, 30)));
        let report =
            report(vec![slow, task("fast", 3, 3, Some((10, 8))), task("tick", 5, 1, None)]);
        let names: Vec<_> = report.tasks.iter().map(|task| &*task.name).collect();
        assert_eq!((names, report.met), (vec!["fast", "slow"], true));
        let text = report.text(1);
        for part in [
            "5.000 us",
            "OBSERVED: all 2 deadlines are met, in this run of 1.000 ms and",
            "this is no guarantee",
            "a loop\n      give its count",
            "57.00 % of the processor",
            "runs too",
            "bus",
        ] {
            assert!(text.contains(part), "no \"{part}\" in\n{text}");
        }
        assert_eq!(report.complaints().count(), 0);
    }

    #[test]
    fn what_is_wrong_is_told_in_a_sentence() {
        let complaint = |tasks: Vec<Task>| {
            let report = report(tasks);
            assert!(!report.met);
            report.complaints().collect::<Vec<_>>().join("\n")
        };
        let mut late = task("late", 3, 3, Some((10, 8)));
        late.seen.missed = 2;
        late.seen.first_missed = Some((20, 28));
        let text = complaint(vec![late]);
        for part in ["late missed its deadline of 8.000 us", "2 of 4 jobs", "cycle 28", "arrived"] {
            assert!(text.contains(part), "no \"{part}\" in {text}");
        }
        let text = complaint(vec![task("long", 3, 7, Some((10, 8)))]);
        for part in
            ["long may miss its deadline", "take 9.000 us", "2.000 us it is held off by bus"]
        {
            assert!(text.contains(part), "no \"{part}\" in {text}");
        }
        let text = complaint(vec![task("a", 3, 6, Some((10, 8))), task("b", 2, 6, Some((10, 9)))]);
        assert!(text.contains("b may miss") && text.contains("ask for 120.00 %"), "{text}");
        let mut early = task("early", 3, 3, Some((10, 8)));
        early.seen.distance = Some(2);
        early.load.arrivals = Arrivals::Sporadic { period: 10, jitter: 8 };
        let text = complaint(vec![early]);
        assert!(text.contains("early arrives more often than it declares"), "{text}");
    }

    #[test]
    fn a_delay_that_nobody_knows_is_told() {
        let mut odd = task("odd", 4, 3, Some((10, 8)));
        odd.seen.response = Some((6, 70));
        let report = report(vec![odd]);
        let text = report.complaints().collect::<String>();
        assert!(report.met && text.contains("odd took 6.000 us in the run"), "{text}");
    }
}
