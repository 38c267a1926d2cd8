//! Each call with an interrupt before every instruction, from the call before it on.
//!
//! The process is one of two that are as urgent as each other. A more urgent thread acts as soon as
//! an interrupt notifies it. Idle ends the remaining waits.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};

use super::super::Amount;
use super::call::{Act, Call, Spot, Upcall};
use super::interpreter::Interpreter;
use super::layout::Kind;
use super::schedule::{IDLE, INTERRUPTS, Injection, LINES, Schedule, THREAD};

/// The process that calls, and one that is as urgent.
const CALLER: usize = 1;
const EQUAL: usize = 2;
/// The more urgent thread.
const HIGH: usize = THREAD + 1;
/// The line at the kernel's ceiling.
const LINE: usize = LINES - 1;

const DESK: Upcall = Upcall::Desk(0);

/// The calls of the process before.
const BEFORE: [Call; 6] = [
    Call::Subscribe(DESK, Spot::Function(0), 1),
    Call::Subscribe(Upcall::Desk(1), Spot::Function(1), 2),
    Call::Grow(64),
    Call::Store(Spot::Heap(60), 7),
    Call::Allow(Kind::ReadWrite, DESK, Spot::Heap(0), 32),
    Call::Allow(Kind::ReadOnly, DESK, Spot::Code(0), 32),
];

/// The upcalls that are due then: none; one that has no function, and one that has; as many as
/// there is room for.
const DUE: [&[Call]; 3] = [
    &[],
    &[Call::Do(ring(2, 3)), Call::Do(ring(0, 4))],
    &[Call::Do(ring(1, 3)), Call::Do(ring(2, 4)), Call::Do(ring(0, 5))],
];

/// The interrupted calls.
const CALLS: [Call; 17] = [
    Call::YieldNoWait(Spot::Flag),
    Call::YieldWait,
    Call::YieldWaitFor(DESK),
    Call::YieldWaitFor(Upcall::Desk(2)),
    Call::Subscribe(DESK, Spot::Function(1), 9),
    Call::Subscribe(DESK, Spot::Null, 9),
    Call::Allow(Kind::ReadWrite, DESK, Spot::Heap(16), 24),
    Call::Command(7, 1, 2),
    Call::Grow(32),
    Call::Break(Spot::Heap(16)),
    Call::Do(ring(0, 5)),
    Call::Do(Act::Stop(CALLER as u8)),
    Call::Do(Act::Restart(CALLER as u8)),
    Call::Exit(3),
    Call::ExitRestart,
    Call::Load(Spot::Kernel),
    Call::Odd,
];

/// The calls of the process behind it: due upcalls come, and memory that the process gave up is
/// zero when it gets this memory again.
const BEHIND: [Call; 5] = [
    Call::YieldNoWait(Spot::Flag),
    Call::YieldNoWait(Spot::Flag),
    Call::Break(Spot::Heap(32)),
    Call::Grow(32),
    Call::Load(Spot::Heap(60)),
];

/// The name of the schedules in which a thread lets an upcall become due, among those of calls.
const RUNG: &str = "Rung";

/// The acts of interrupts, or of the thread that they notify.
const ACTS: [&[Act]; 9] = [
    &[ring(0, 6)],
    &[ring(1, 6)],
    &[ring(2, 6)],
    &[Act::Stop(CALLER as u8)],
    &[Act::Terminate(CALLER as u8)],
    &[Act::Restart(CALLER as u8)],
    &[Act::Unpark(1), ring(0, 7), Act::Look(CALLER as u8)],
    &[Act::Unpark(1), Act::Stop(CALLER as u8), ring(0, 7), Act::Start(CALLER as u8)],
    &[Act::Unpark(1), Act::Restart(CALLER as u8), ring(0, 7), Act::Park],
];

const fn ring(upcall: u8, byte: u8) -> Act {
    Act::Ring { process: CALLER as u8, upcall, byte }
}

/// Runs the schedules of calls whose names begin with `only`, with interrupts before every
/// `stride`-th instruction, on all processors.
pub fn run(interpreter: &Interpreter, only: &str, stride: usize) -> Result<Amount> {
    let all = schedules(only);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut interpreter = interpreter.clone();
        let mut amount = Amount::default();
        while let Some(schedule) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            interrupt(&mut interpreter, &mut amount, schedule.clone(), stride)?;
        }
        Ok(amount)
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<Amount>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Result<Amount>>| {
            worker.join().unwrap_or_else(|_| Err(anyhow!("a schedule has panicked")))
        };
        workers.into_iter().map(join).collect()
    });
    let mut amount = Amount::default();
    for result in results {
        amount += result?;
    }
    Ok(amount)
}

/// Those of calls whose names begin with `only`, with how many entries the process has logged
/// before.
fn schedules(only: &str) -> Vec<(Schedule, usize)> {
    let mut all = Vec::new();
    for acts in ACTS {
        for call in CALLS.iter().filter(|call| format!("{call:?}").starts_with(only)) {
            for due in DUE {
                all.push((schedule(*call, due, acts), BEFORE.len() + due.len()));
            }
        }
        if RUNG.starts_with(only) {
            all.push((rung_by_thread(acts), 1));
        }
    }
    all
}

/// The process calls, beside one that yields.
fn schedule(call: Call, due: &[Call], acts: &[Act]) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.calls[CALLER] = [&BEFORE[..], due, &[call], &BEHIND].concat();
    schedule.calls[EQUAL] = vec![Call::Subscribe(DESK, Spot::Function(0), 0), Call::YieldWait];
    schedule.restarts[CALLER] = matches!(call, Call::Odd);
    disturb(&mut schedule, acts);
    schedule
}

/// The process waits, and the less urgent thread lets its upcall become due.
fn rung_by_thread(acts: &[Act]) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.calls[CALLER] = [&BEFORE[..1], &[Call::YieldWait, Call::YieldWaitFor(DESK)]].concat();
    schedule.acts[THREAD] = vec![ring(0, 1), ring(0, 2), Act::Look(CALLER as u8)];
    disturb(&mut schedule, acts);
    schedule
}

/// An interrupt acts, or notifies the thread that does. Idle ends the remaining waits.
fn disturb(schedule: &mut Schedule, acts: &[Act]) {
    let (first, rest) = acts.split_at(1);
    schedule.acts[INTERRUPTS + LINE] = first.to_vec();
    schedule.acts[HIGH] = [&[Act::Park], rest].concat();
    let caller = CALLER as u8;
    let rings = [ring(0, 8), ring(2, 9)];
    schedule.acts[IDLE] = [&[Act::Start(caller)], &rings[..], &[Act::Look(caller)]].concat();
}

/// Interrupts a schedule before every `stride`-th instruction, from where so many entries of the
/// process are logged on, until two more are.
fn interrupt(
    interpreter: &mut Interpreter,
    amount: &mut Amount,
    (mut schedule, behind): (Schedule, usize),
    stride: usize,
) -> Result<()> {
    let mut seen = HashSet::new();
    for at in interpreter.open_to(&schedule, (CALLER, behind))?.into_iter().step_by(stride) {
        schedule.injections = vec![Injection { at, line: LINE }];
        amount.add_new(interpreter, &schedule, &mut seen)?;
    }
    Ok(())
}
