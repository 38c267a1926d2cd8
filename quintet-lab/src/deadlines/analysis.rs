//! Response times by analysis, on one processor, with fixed priorities.
//!
//! The longest response of a task is that of one of its jobs in the longest time in which the
//! processor is never free for less urgent work, which begins when all more urgent tasks arrive at
//! once, just behind the beginning of a section that holds the task off. With the costs `C`, the
//! arrivals `n(t)` in any `t` cycles, the blocking `B`, and the job's number `q` from 0 on:
//!
//! ```text
//! start   S = B + q C + Σ n_j(S + 1) C_j                    all others j as urgent or more
//! end     F = S + C + Σ (n_h(F) - n_h(S + 1)) C_h           those h that may preempt it
//! response    = max over q of F - (the earliest arrival of the job q)
//! ```
//!
//! Each is the least solution, which is found by inserting: the right side grows with the left one.
//! Without others of the same urgency it is `R = B + C + Σ ceil(R / T) C` of M. Joseph and P.
//! Pandya, *Finding response times in a real-time system* (1986), with the blocking and the
//! arbitrary deadlines of N. Audsley, A. Burns, M. Richardson, K. Tindell and A. Wellings,
//! *Applying new scheduling theory to static priority pre-emptive scheduling* (1993). Jobs of one
//! urgency that don't preempt each other, in whatever order they get the processor, are those of a
//! preemption threshold which is the priority: Y. Wang and M. Saksena, *Scheduling fixed-priority
//! tasks with preemption threshold* (1999). The blocking is one section of one less urgent task, as
//! ceilings have it: L. Sha, R. Rajkumar and J. Lehoczky, *Priority inheritance protocols* (1990).

use super::arrivals::Arrivals;

/// So many insertions, for one task, don't find a solution: there is none that matters.
const INSERTIONS_MAX: u32 = 1_000_000;
/// Nor is one that takes longer: days.
const CYCLES_MAX: u64 = 1 << 44;

/// What the analysis has to know of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Load {
    /// How urgent it is: larger preempts.
    pub urgency: u32,
    /// `true` if tasks of the same urgency may take the processor away from it.
    pub shares: bool,
    /// The cycles of a job, at the most.
    pub cost: u64,
    /// How often it arrives, at the most.
    pub arrivals: Arrivals,
}

/// The longest response of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// So many cycles.
    Bounded {
        /// From the arrival to the end.
        cycles: u64,
        /// The part that others take, as urgent or more, and jobs of its own before it.
        interference: u64,
    },
    /// It, and what is as urgent or more, ask for more than the processor has.
    Overload,
    /// The insertions don't end in a time that matters: nearly all of the processor is asked for.
    TooLong,
}

impl Response {
    /// Returns `true` if it is known, and not longer than that.
    pub fn is_within(self, deadline: u64) -> bool {
        matches!(self, Self::Bounded { cycles, .. } if cycles <= deadline)
    }
}

/// The part of the processor that a task asks for.
pub fn utilisation(load: &Load) -> f64 {
    load.cost as f64 * load.arrivals.rate()
}

/// The longest response of the task at a place, which may be held off for so many cycles.
pub fn response(loads: &[Load], of: usize, blocking: u64) -> Response {
    let Some(task) = loads.get(of) else { return Response::TooLong };
    let others = || loads.iter().enumerate().filter(move |(place, _)| *place != of);
    let all: Vec<&Load> = others()
        .map(|(_, load)| load)
        .filter(|load| load.urgency >= task.urgency && load.cost > 0)
        .collect();
    let preempts = |load: &&&Load| load.urgency > task.urgency || task.shares;
    let preempting: Vec<&Load> = all.iter().filter(preempts).copied().collect();
    if utilisation(task) + all.iter().map(|load| utilisation(load)).sum::<f64>() > 1.0 + 1e-12 {
        return Response::Overload;
    }
    let case = Case { task, all, preempting, blocking, insertions: INSERTIONS_MAX };
    case.solve().unwrap_or(Response::TooLong)
}

/// One task, with those that delay it.
struct Case<'a> {
    task: &'a Load,
    /// As urgent, or more.
    all: Vec<&'a Load>,
    /// Of them, those that may preempt it.
    preempting: Vec<&'a Load>,
    blocking: u64,
    insertions: u32,
}

impl Case<'_> {
    fn solve(mut self) -> Option<Response> {
        let (own, blocking) = (self.blocking.checked_add(self.task.cost)?, self.blocking);
        let mut everybody = self.all.clone();
        everybody.push(self.task);
        let busy =
            self.least(own.max(1), |busy| blocking.checked_add(demand(&everybody, busy)?))?;
        let mut cycles = 0;
        for number in 0..u64::from(INSERTIONS_MAX) {
            let arrival = self.task.arrivals.span(number + 1);
            if arrival >= busy {
                break;
            }
            cycles = cycles.max(self.end(number)?.saturating_sub(arrival));
        }
        Some(Response::Bounded { cycles, interference: cycles.saturating_sub(own) })
    }

    /// When the job of a number ends.
    fn end(&mut self, number: u64) -> Option<u64> {
        let (cost, blocking) = (self.task.cost, self.blocking);
        let before = blocking.checked_add(cost.checked_mul(number)?)?;
        let all = std::mem::take(&mut self.all);
        let start = self.least(before, |start| before.checked_add(demand(&all, start + 1)?));
        self.all = all;
        let start = start?;
        let preempting = std::mem::take(&mut self.preempting);
        let already = demand(&preempting, start + 1)?;
        let own = start.checked_add(cost)?;
        let end = self
            .least(own, |end| own.checked_add(demand(&preempting, end)?.saturating_sub(already)));
        self.preempting = preempting;
        end
    }

    /// The least solution of `x = right(x)` that isn't below `from`.
    fn least(&mut self, from: u64, right: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let mut cycles = from;
        loop {
            self.insertions = self.insertions.checked_sub(1)?;
            let next = right(cycles)?;
            if next <= cycles {
                return Some(cycles);
            }
            cycles = Some(next).filter(|next| *next <= CYCLES_MAX)?;
        }
    }
}

/// What the tasks ask for in so many cycles.
fn demand(loads: &[&Load], cycles: u64) -> Option<u64> {
    loads.iter().try_fold(0_u64, |sum, load| {
        sum.checked_add(load.arrivals.within(cycles).checked_mul(load.cost)?)
    })
}

/// The largest value from `least` on, up to `most`, for which `holds`, which holds up to some value
/// and not behind it; none if it doesn't even for `least`.
pub fn largest(least: u64, most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if !holds(least) {
        return None;
    }
    let (mut good, mut bad) = (least, most.saturating_add(1).max(least + 1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}

#[cfg(test)]
mod tests;
