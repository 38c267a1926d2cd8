//! Bounds beside what the crate `response-time-analysis` computes of them, gaps, broken bounds.

use super::*;
use crate::deadlines::analysis::Load;
use crate::deadlines::plan::{Seen, Times, declared_section};
use response_time_analysis::arrival::Sporadic;
use response_time_analysis::demand::RBF;
use response_time_analysis::fixed_priority::floating_nonpreemptive;
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::wcet::Scalar;

fn task(urgency: u32, cost: u64, period: u64) -> Task {
    let arrivals = Arrivals::Sporadic { period, jitter: 0 };
    Task {
        name: format!("t{urgency}"),
        who: Who::Exception(16 + urgency as u16),
        priority: urgency.to_string(),
        declared: Some(Times { period, deadline: period }),
        cost: Cost { cycles: cost, origin: Origin::Bounded },
        seen: Seen { cost: Some(cost), ..Seen::default() },
        load: Load { urgency, shares: false, cost, arrivals },
    }
}

fn closing(tasks: Vec<Task>, sections: Vec<Section>) -> Closing {
    let of_tasks = tasks.iter().map(|_| BTreeSet::new()).collect();
    Closing { plan: Plan { tasks, sections }, of_tasks, elsewhere: Vec::new() }
}

#[test]
fn bounds_give_the_responses_that_the_crate_gives() {
    let mut compared = 0;
    for step in 1..40_u64 {
        let tasks = vec![
            task(3, 2 + step % 5, 20 + step),
            task(2, 5 + step % 7, 45 + 2 * step),
            task(1, 9 + step % 11, 80 + step),
        ];
        let blocking = step % 6;
        let section = declared_section("bus", blocking, &[0, 3]);
        let closing = closing(tasks.clone(), vec![section]);
        let rbf = |task: &Task| {
            let Arrivals::Sporadic { period, .. } = task.load.arrivals else { panic!() };
            let arrivals = Sporadic::new(Duration::from(period), Duration::from(0));
            RBF::new(arrivals, Scalar::new(Service::from(task.load.cost)))
        };
        for (place, bounds) in closing.bounds().iter().enumerate() {
            let task = rbf(&tasks[place]);
            let above: Vec<_> = tasks[..place].iter().map(rbf).collect();
            let blocking_bound = Service::from(blocking);
            let of_crate = floating_nonpreemptive::dedicated_uniproc_rta(
                &floating_nonpreemptive::TaskUnderAnalysis { rbf: &task, blocking_bound },
                &above,
                Duration::from(1_000_000),
            );
            assert_eq!(bounds.response, of_crate.ok().map(u64::from), "{place} of {step}");
            assert_eq!(bounds.blocking, Some(blocking));
            compared += 1;
        }
    }
    assert_eq!(compared, 39 * 3);
}

#[test]
fn what_is_open_delays_those_that_are_no_more_urgent() {
    let gap = |what: &str| Gap { what: what.into(), close: String::new() };
    let mut closing = closing(vec![task(3, 2, 20), task(2, 5, 50), task(1, 9, 90)], Vec::new());
    closing.of_tasks[1].insert(gap("a loop"));
    closing.elsewhere.push(((3, 9), gap("a lock of main")));
    let bounds = closing.bounds();
    let open: Vec<Vec<&str>> =
        bounds.iter().map(|one| one.open.iter().map(|gap| gap.what.as_str()).collect()).collect();
    assert_eq!(open, [vec!["a lock of main"], vec!["a loop"], vec!["a loop"]]);
    let costs: Vec<Option<u64>> = bounds.iter().map(|one| one.cost).collect();
    assert_eq!(costs, [Some(2), None, Some(9)]);
    assert!(bounds.iter().all(|one| one.response.is_none() && one.blocking.is_none()));
}

#[test]
fn a_response_above_its_deadline_and_a_broken_bound_are_told() {
    let mut late = task(2, 9, 40);
    late.declared = Some(Times { period: 40, deadline: 8 });
    let mut wrong = task(1, 5, 90);
    wrong.seen.cost = Some(6);
    wrong.seen.response = Some((30, 0));
    let bounds = closing(vec![late, wrong], Vec::new()).bounds();
    assert_eq!((bounds[0].response, bounds[0].slack), (Some(9), Some(-1)));
    assert!(bounds[0].open[0].what.contains("9 cycles, is above its deadline of 8"));
    let broken = [
        "the cost of t1 was 6 cycles, and its bound is 5",
        "the response of t1 was 30 cycles, and its bound is 14",
    ];
    assert_eq!(bounds[1].broken, broken);
}
