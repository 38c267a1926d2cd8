//! The specification: what threads, interrupts and objects do, one step at a time.
//!
//! It is sequential and has no memory layout, no masks and no registers. A [`State`] says who may
//! do a step now: the innermost interrupt that is under way; without one, the first thread of the
//! most urgent ring. A step either *acts* (the operation has its effect) or *logs* (what the
//! operation came to is seen). What happens between the two is what an interrupt may do to a
//! thread.
//!
//! Where several steps are possible, because an interrupt may come before or behind an effect, the
//! kernel may do any of them: see `check`.

use std::collections::VecDeque;

use super::schedule::{
    IDLE, INTERRUPTS, LINES, Operation as Op, PRIORITIES, SEMAPHORES, Schedule, THREADS,
};

/// Where a context is in its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Before the effect of its next operation.
    Before,
    /// It has set flags, and visits those who waited, one in each step. It has passed this one.
    Serving(Option<usize>),
    /// Behind the effect: this is to be logged.
    Result(u16),
    /// A thread that has logged its end.
    Ending,
}

impl Stage {
    /// How a step may begin. A visit of those who wait begins anew when somebody has left a list
    /// meanwhile.
    fn ways_on(self) -> Vec<Self> {
        match self {
            Self::Result(_) => Vec::new(),
            Self::Serving(Some(_)) => vec![self, Self::Serving(None)],
            _ => vec![self],
        }
    }
}

/// A thread, or idle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    position: usize,
    stage: Stage,
    alive: bool,
    parked: bool,
    notified: bool,
    suspended: bool,
    /// Whether it would be ready, were it not suspended.
    held_ready: bool,
    joiner: Option<usize>,
}

/// An interrupt that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Handler {
    line: usize,
    operation: Op,
    stage: Stage,
}

/// Who waits for flags, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct WaitsForFlags {
    thread: usize,
    mask: u8,
    all: bool,
    take: bool,
}

/// Everything, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<Thread>,
    /// By priority, the ready threads in their order. The first one runs or was preempted.
    rings: [VecDeque<usize>; 5],
    permits: [u16; SEMAPHORES],
    takers: [Vec<usize>; SEMAPHORES],
    flags: u8,
    flag_waiters: Vec<WaitsForFlags>,
    handlers: Vec<Handler>,
    /// By line: how many have come.
    came: [usize; LINES.len()],
    /// Woken by wakers, the last one first, and not looked at.
    woken: Vec<usize>,
    /// Those that are being looked at, the last one next.
    looked_at: Vec<usize>,
    /// Whether a thread may finish what it does before that: it was interrupted by what it can't
    /// hold off.
    lags: bool,
}

/// What a context logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The context.
    pub context: usize,
    /// The number of its operation.
    pub operation: u8,
    /// What it came to.
    pub result: u16,
}

impl State {
    /// Nothing has happened.
    pub fn new() -> Self {
        let thread = Thread {
            position: 0,
            stage: Stage::Before,
            alive: false,
            parked: false,
            notified: false,
            suspended: false,
            held_ready: false,
            joiner: None,
        };
        let mut threads = vec![thread; THREADS + 1];
        threads[IDLE].alive = true;
        let mut rings: [VecDeque<usize>; 5] = Default::default();
        rings[0].push_back(IDLE);
        Self {
            threads,
            rings,
            permits: [0; SEMAPHORES],
            takers: Default::default(),
            flags: 0,
            flag_waiters: Vec::new(),
            handlers: Vec::new(),
            came: [0; LINES.len()],
            woken: Vec::new(),
            looked_at: Vec::new(),
            lags: false,
        }
    }

    /// The thread that runs, or is interrupted.
    fn running(&self) -> usize {
        self.rings.iter().rev().find_map(|ring| ring.front().copied()).unwrap_or(IDLE)
    }

    fn operation(&self, schedule: &Schedule, thread: usize) -> Op {
        let script = &schedule.scripts[thread];
        script.get(self.threads[thread].position).copied().unwrap_or(Op::End)
    }

    /// How many interrupts of a line have come.
    pub fn came(&self, line: usize) -> usize {
        self.came[line]
    }

    /// What an operation that only looks comes to now.
    pub fn look(&self, operation: Op) -> u16 {
        match self.clone().act(operation, Stage::Before, None) {
            Stage::Result(result) => result,
            _ => 0,
        }
    }

    /// Whether nothing can happen any more, unless an interrupt comes.
    pub fn is_quiet(&self, schedule: &Schedule) -> bool {
        self.handlers.is_empty()
            && self.woken.is_empty()
            && self.looked_at.is_empty()
            && self.running() == IDLE
            && self.threads[IDLE].stage == Stage::Before
            && self.operation(schedule, IDLE) == Op::End
    }

    /// The state behind the coming of the next interrupt of a line, if it is above what runs and
    /// there is one. One behind the end of its script does nothing.
    pub fn interrupted(&self, schedule: &Schedule, line: usize) -> Option<Self> {
        if self.handlers.last().is_some_and(|handler| LINES[handler.line] <= LINES[line]) {
            return None;
        }
        let operation = *schedule.scripts[INTERRUPTS + line].get(self.came[line])?;
        let mut next = self.clone();
        next.came[line] += 1;
        next.handlers.push(Handler { line, operation, stage: Stage::Before });
        Some(next)
    }

    /// The states behind each step that nobody sees, except the coming of an interrupt.
    pub fn steps(&self, schedule: &Schedule) -> Vec<Self> {
        let mut next = self.clone();
        if let Some(handler) = next.handlers.last() {
            let act = |stage: Stage| {
                let mut next = self.clone();
                let stage = next.act(handler.operation, stage, None);
                if let Some(handler) = next.handlers.last_mut() {
                    handler.stage = stage;
                }
                next
            };
            return handler.stage.ways_on().into_iter().map(act).collect();
        }
        let looks = !self.woken.is_empty() || !self.looked_at.is_empty();
        let mut all = Vec::new();
        if looks {
            next.look_at_woken();
            all.push(next);
            if !self.lags || !self.looked_at.is_empty() {
                return all;
            }
        }
        let running = self.running();
        for stage in self.threads[running].stage.ways_on() {
            next = self.clone();
            if next.step_thread(schedule, running, stage) {
                next.lags = false;
                all.push(next);
            }
        }
        all
    }

    /// What can be logged now, and the state behind that.
    pub fn logs(&self, schedule: &Schedule) -> Option<(Entry, Self)> {
        let mut next = self.clone();
        if let Some(Handler { line, operation, stage: Stage::Result(result) }) =
            self.handlers.last()
        {
            let entry = entry(INTERRUPTS + line, *operation, *result);
            next.handlers.pop();
            let left = !next.woken.is_empty() && next.handlers.is_empty();
            next.lags = left && (self.lags || LINES[*line] == 0);
            return Some((entry, next));
        }
        if !self.handlers.is_empty() || !self.woken.is_empty() || !self.looked_at.is_empty() {
            return None;
        }
        let running = self.running();
        let operation = self.operation(schedule, running);
        let thread = &mut next.threads[running];
        match thread.stage {
            Stage::Result(result) => {
                thread.stage = Stage::Before;
                thread.position += 1;
                Some((entry(running, operation, result), next))
            }
            Stage::Before if operation == Op::End && running != IDLE => {
                thread.stage = Stage::Ending;
                Some((entry(running, operation, 0), next))
            }
            _ => None,
        }
    }

    /// A step of a thread that nobody sees. Whether there is one.
    fn step_thread(&mut self, schedule: &Schedule, running: usize, stage: Stage) -> bool {
        let operation = self.operation(schedule, running);
        match stage {
            Stage::Result(_) => return false,
            Stage::Before if operation == Op::End => return false,
            Stage::Ending => self.end(running),
            stage => {
                let stage = self.act(operation, stage, Some(running));
                self.threads[running].stage = stage;
            }
        }
        true
    }

    /// The effect of an operation, or of a part of it. Returns where the context is then. A thread
    /// that waits is there when its turn comes.
    fn act(&mut self, operation: Op, stage: Stage, thread: Option<usize>) -> Stage {
        let result = match operation {
            Op::Give(semaphore) => self.give(semaphore.into()),
            Op::TryTake(semaphore) => self.try_take(semaphore.into()).into(),
            Op::Suspend(thread) => self.suspend(thread.into()),
            Op::Resume(thread) => self.resume(thread.into()),
            Op::Start(thread) => self.start(thread.into()),
            Op::Wake(thread) => self.wake(thread.into()),
            Op::Available(semaphore) => self.permits[usize::from(semaphore)],
            Op::State(thread) => {
                let thread = &self.threads[usize::from(thread)];
                u16::from(thread.alive) | u16::from(thread.suspended) << 1
            }
            Op::SetFlags(flags) => {
                if stage == Stage::Before {
                    self.flags |= flags;
                }
                let Some(passed) = self.visit_flags(stage) else { return Stage::Result(0) };
                return Stage::Serving(passed);
            }
            Op::ClearFlags(flags) => {
                let before = self.flags;
                self.flags &= !flags;
                before.into()
            }
            Op::GetFlags => self.flags.into(),
            Op::End => 0,
            _ => return thread.map_or(stage, |thread| self.act_in(thread, operation, stage)),
        };
        Stage::Result(result)
    }

    /// The same for what threads alone may do.
    fn act_in(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        match operation {
            Op::Take(semaphore) => {
                if !self.try_take(semaphore.into()) {
                    self.unready(thread);
                    let takers = &mut self.takers[usize::from(semaphore)];
                    let place =
                        takers.partition_point(|other| priority(*other) >= priority(thread));
                    takers.insert(place, thread);
                }
                Stage::Result(0)
            }
            Op::Yield => {
                self.unready(thread);
                self.rings[priority(thread)].push_back(thread);
                Stage::Result(0)
            }
            Op::Join(other) => self.join(thread, other.into()),
            Op::Park => {
                if !std::mem::take(&mut self.threads[thread].notified) {
                    self.unready(thread);
                    self.threads[thread].parked = true;
                }
                Stage::Result(0)
            }
            Op::WaitFlags { mask, all, take } => {
                let waits = WaitsForFlags { thread, mask, all, take };
                if let Some(granted) = self.take_flags(waits) {
                    return Stage::Result(granted.into());
                }
                self.unready(thread);
                let place = self
                    .flag_waiters
                    .partition_point(|other| priority(other.thread) >= priority(thread));
                self.flag_waiters.insert(place, waits);
                Stage::Result(0)
            }
            _ => stage,
        }
    }

    fn give(&mut self, semaphore: usize) -> u16 {
        if self.takers[semaphore].is_empty() {
            self.permits[semaphore] += 1;
        } else {
            let taker = self.takers[semaphore].remove(0);
            self.ready(taker);
        }
        0
    }

    fn try_take(&mut self, semaphore: usize) -> bool {
        let there = self.permits[semaphore] > 0;
        self.permits[semaphore] -= u16::from(there);
        there
    }

    fn suspend(&mut self, thread: usize) -> u16 {
        if !self.threads[thread].suspended {
            self.threads[thread].suspended = true;
            self.threads[thread].held_ready = self.is_ready(thread);
            self.unready(thread);
        }
        0
    }

    fn resume(&mut self, thread: usize) -> u16 {
        if std::mem::take(&mut self.threads[thread].suspended)
            && std::mem::take(&mut self.threads[thread].held_ready)
        {
            self.ready(thread);
        }
        0
    }

    fn start(&mut self, thread: usize) -> u16 {
        if self.threads[thread].alive {
            return 1;
        }
        self.threads[thread].alive = true;
        self.threads[thread].notified = false;
        self.ready(thread);
        0
    }

    /// Wakes by a waker: somebody looks at it as soon as no interrupt is under way.
    fn wake(&mut self, thread: usize) -> u16 {
        if !self.woken.contains(&thread) && !self.looked_at.contains(&thread) {
            self.woken.push(thread);
        }
        0
    }

    fn look_at_woken(&mut self) {
        if self.looked_at.is_empty() {
            // The last one is looked at first.
            self.looked_at = std::mem::take(&mut self.woken);
        }
        let Some(thread) = self.looked_at.pop() else { return };
        if std::mem::take(&mut self.threads[thread].parked) {
            self.ready(thread);
        } else if self.threads[thread].alive {
            self.threads[thread].notified = true;
        }
    }

    fn join(&mut self, thread: usize, other: usize) -> Stage {
        if !self.threads[other].alive {
            return Stage::Result(0);
        }
        if other == thread {
            return Stage::Result(1);
        }
        if self.threads[other].joiner.is_some() {
            return Stage::Result(2);
        }
        self.threads[other].joiner = Some(thread);
        self.unready(thread);
        Stage::Result(0)
    }

    fn end(&mut self, thread: usize) {
        self.unready(thread);
        let ended = &mut self.threads[thread];
        ended.alive = false;
        ended.stage = Stage::Before;
        ended.position += 1;
        if let Some(joiner) = ended.joiner.take() {
            self.ready(joiner);
        }
    }

    /// Takes the flags that somebody waits for, if they are set.
    fn take_flags(&mut self, waits: WaitsForFlags) -> Option<u8> {
        let hits = self.flags & waits.mask;
        let set = if waits.all { hits == waits.mask } else { hits != 0 };
        if set && waits.take {
            self.flags &= !hits;
        }
        set.then_some(hits)
    }

    /// Visits the next of those who wait for flags, and serves it if they are set. Returns whom it
    /// has passed then; none if there is nobody more.
    fn visit_flags(&mut self, stage: Stage) -> Option<Option<usize>> {
        let passed = if let Stage::Serving(passed) = stage { passed } else { None };
        let place = passed
            .and_then(|passed| self.flag_waiters.iter().position(|waits| waits.thread == passed));
        let index = place.map_or(0, |place| place + 1);
        let waits = *self.flag_waiters.get(index)?;
        let Some(granted) = self.take_flags(waits) else { return Some(Some(waits.thread)) };
        self.flag_waiters.remove(index);
        self.threads[waits.thread].stage = Stage::Result(granted.into());
        self.ready(waits.thread);
        Some(place.and(passed))
    }

    fn is_ready(&self, thread: usize) -> bool {
        self.rings[priority(thread)].contains(&thread)
    }

    fn unready(&mut self, thread: usize) {
        self.rings[priority(thread)].retain(|other| *other != thread);
    }

    /// Behind the others of its priority.
    fn ready(&mut self, thread: usize) {
        if self.threads[thread].suspended {
            self.threads[thread].held_ready = true;
        } else {
            self.rings[priority(thread)].push_back(thread);
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

fn priority(thread: usize) -> usize {
    PRIORITIES.get(thread).copied().unwrap_or(0).into()
}

fn entry(context: usize, operation: Op, result: u16) -> Entry {
    Entry { context, operation: operation.word() as u8, result }
}
