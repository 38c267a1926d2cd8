//! Known task sets, the same results as the crate `response-time-analysis` has, whose theorems are
//! proved in Coq, and no response of a simulated schedule that is longer.

use super::*;
use response_time_analysis::arrival::{Curve, Sporadic};
use response_time_analysis::demand::RBF;
use response_time_analysis::fixed_priority::{floating_nonpreemptive, fully_nonpreemptive};
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::wcet::Scalar;

/// Random numbers that are always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit
    }
}

fn load(urgency: u32, cost: u64, period: u64) -> Load {
    let arrivals = Arrivals::Sporadic { period, jitter: 0 };
    Load { urgency, shares: false, cost, arrivals }
}

fn cycles(loads: &[Load], of: usize, blocking: u64) -> Option<u64> {
    match response(loads, of, blocking) {
        Response::Bounded { cycles, .. } => Some(cycles),
        _ => None,
    }
}

/// Sets of two to five tasks, mostly of a utilisation below 1, and a blocking.
fn random_sets(seed: u64, count: usize, urgencies: u64) -> Vec<(Vec<Load>, u64)> {
    let mut random = Random(seed);
    let mut one = || {
        let period = 5 + random.below(60);
        let jitter = if random.below(3) == 0 { random.below(period) } else { 0 };
        let cost = 1 + random.below(period.div_ceil(4));
        let urgency = random.below(urgencies) as u32;
        let arrivals = Arrivals::Sporadic { period, jitter };
        Load { urgency, shares: false, cost, arrivals }
    };
    let mut set = |index: usize| ((0..2 + index % 4).map(|_| one()).collect(), index as u64 % 6);
    (0..count).map(&mut set).collect()
}

fn sporadic(load: &Load) -> Sporadic {
    let Arrivals::Sporadic { period, jitter } = load.arrivals else { panic!("it is sporadic") };
    Sporadic::new(Duration::from(period), Duration::from(jitter))
}

fn rbf(load: &Load) -> RBF<Sporadic, Scalar> {
    RBF::new(sporadic(load), Scalar::new(Service::from(load.cost)))
}

#[test]
fn a_set_of_the_text_books_has_its_responses() {
    // A. Burns and A. Wellings, Real-Time Systems and Programming Languages: 3, 6 and 20.
    let loads = [load(3, 3, 7), load(2, 3, 12), load(1, 5, 20)];
    assert_eq!([0, 1, 2].map(|of| cycles(&loads, of, 0)), [Some(3), Some(6), Some(20)]);
    let blocked = response(&loads, 1, 2);
    assert_eq!(blocked, Response::Bounded { cycles: 11, interference: 6 });
}

#[test]
fn a_job_waits_for_those_of_its_task_before_it() {
    // J. Lehoczky: 114, 102, 116, 104, 118, 106, 94 for the jobs of the second task.
    let loads = [load(2, 26, 70), load(1, 62, 100)];
    assert_eq!(cycles(&loads, 1, 0), Some(118));
}

#[test]
fn too_much_is_told() {
    let loads = [load(2, 5, 10), load(1, 6, 10)];
    assert_eq!(response(&loads, 0, 0), Response::Bounded { cycles: 5, interference: 0 });
    assert_eq!(response(&loads, 1, 0), Response::Overload);
    let full = [load(2, 5, 10), load(1, 5, 10)];
    assert_eq!(cycles(&full, 1, 0), Some(10));
    assert_eq!(response(&full, 1, 1), Response::TooLong, "it never catches up");
}

#[test]
fn preemption_gives_what_the_crate_gives() {
    let mut bounded = 0;
    for (loads, blocking) in random_sets(0x5eed, 400, 1 << 20) {
        for of in 0..loads.len() {
            let task = rbf(&loads[of]);
            let above = loads.iter().filter(|one| one.urgency > loads[of].urgency);
            let above: Vec<_> = above.map(rbf).collect();
            let blocking_bound = Service::from(blocking);
            let of_crate = floating_nonpreemptive::dedicated_uniproc_rta(
                &floating_nonpreemptive::TaskUnderAnalysis { rbf: &task, blocking_bound },
                &above,
                Duration::from(1_000_000),
            );
            let expected = of_crate.ok().map(u64::from);
            assert_eq!(cycles(&loads, of, blocking), expected, "{of} of {loads:?}, {blocking}");
            bounded += usize::from(expected.is_some());
        }
    }
    assert!(bounded > 500, "{bounded}");
}

#[test]
fn jobs_that_run_to_their_end_have_what_the_crate_gives() {
    let mut bounded = 0;
    for (loads, blocking) in random_sets(0xf1f0, 400, 1) {
        for of in 0..loads.len() {
            let others = (0..loads.len()).filter(|other| *other != of);
            let others: Vec<_> = others.map(|other| rbf(&loads[other])).collect();
            let of_crate = fully_nonpreemptive::dedicated_uniproc_rta(
                &fully_nonpreemptive::TaskUnderAnalysis {
                    wcet: Scalar::new(Service::from(loads[of].cost)),
                    arrivals: &sporadic(&loads[of]),
                    blocking_bound: Service::from(blocking),
                },
                &others,
                Duration::from(1_000_000),
            );
            let expected = of_crate.ok().map(u64::from);
            assert_eq!(cycles(&loads, of, blocking), expected, "{of} of {loads:?}, {blocking}");
            bounded += usize::from(expected.is_some());
        }
    }
    assert!(bounded > 500, "{bounded}");
}

#[test]
fn arrivals_of_a_run_give_what_the_crate_gives_for_their_curve() {
    let mut random = Random(0xc0de);
    for _ in 0..200 {
        let times = (0..20).scan(0, |time, _| {
            *time += random.below(40);
            Some(*time)
        });
        let times: Vec<u64> = times.collect();
        let seen = Arrivals::observed(&times, times[19] + 100);
        let Arrivals::Observed(spans) = &seen else { panic!("they were observed") };
        let curve = Curve::new(spans[1..].iter().map(|span| Duration::from(*span)).collect());
        let interfering = Load { urgency: 2, shares: false, cost: 3, arrivals: seen };
        let loads = [interfering, load(1, 10, 200)];
        let task = rbf(&loads[1]);
        let of_crate = floating_nonpreemptive::dedicated_uniproc_rta(
            &floating_nonpreemptive::TaskUnderAnalysis {
                rbf: &task,
                blocking_bound: Service::from(4),
            },
            &[RBF::new(curve, Scalar::new(Service::from(3)))],
            Duration::from(100),
        );
        if let Ok(expected) = of_crate {
            assert_eq!(cycles(&loads, 1, 4), Some(u64::from(expected)), "{loads:?}");
        }
    }
}

/// The longest responses of a schedule in which all arrive at once, and then each period: among
/// jobs of one urgency, which run to their end, `chosen` says which is next.
fn schedule(loads: &[Load], ticks: u64, chosen: impl Fn(u64) -> u64) -> Vec<u64> {
    struct Job {
        task: usize,
        arrival: u64,
        left: u64,
        has_begun: bool,
    }
    let mut jobs: Vec<Job> = Vec::new();
    let mut longest = vec![0; loads.len()];
    for now in 0..ticks {
        for (task, load) in loads.iter().enumerate() {
            let Arrivals::Sporadic { period, .. } = load.arrivals else { continue };
            if now % period == 0 {
                jobs.push(Job { task, arrival: now, left: load.cost, has_begun: false });
            }
        }
        let rank = |job: &Job| (loads[job.task].urgency, job.has_begun);
        let Some(first) = jobs.iter().map(rank).max() else { continue };
        let ties: Vec<usize> = (0..jobs.len()).filter(|job| rank(&jobs[*job]) == first).collect();
        let place = ties[(chosen(now) % ties.len() as u64) as usize];
        // Of one task, the oldest.
        let task = jobs[place].task;
        let oldest = ties.iter().copied().find(|job| jobs[*job].task == task).unwrap_or(place);
        let job = &mut jobs[oldest];
        (job.left, job.has_begun) = (job.left - 1, true);
        if job.left == 0 {
            longest[task] = longest[task].max(now + 1 - job.arrival);
            jobs.remove(oldest);
        }
    }
    longest
}

#[test]
fn no_schedule_of_levels_takes_longer() {
    let mut tight = 0;
    for (index, (mut loads, _)) in random_sets(0x1e7e1, 200, 3).into_iter().enumerate() {
        for load in &mut loads {
            let Arrivals::Sporadic { jitter, .. } = &mut load.arrivals else { continue };
            *jitter = 0;
        }
        for choice in 0..3 {
            let chosen = |now: u64| now.wrapping_mul(choice * 7 + index as u64);
            for (of, seen) in schedule(&loads, 2000, chosen).into_iter().enumerate() {
                if let Some(bound) = cycles(&loads, of, 0) {
                    assert!(seen <= bound, "{seen} for {of} of {loads:?}");
                    tight += usize::from(seen == bound);
                }
            }
        }
    }
    assert!(tight > 200, "the bounds are no better than needed: {tight}");
}

#[test]
fn the_largest_value_that_holds_is_found() {
    assert_eq!(largest(3, 100, |value| value <= 41), Some(41));
    assert_eq!(largest(3, 100, |_| true), Some(100));
    assert_eq!(largest(3, 100, |value| value < 3), None);
}
