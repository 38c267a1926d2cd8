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
    CLOCK, IDLE, INTERRUPTS, LINES, MUTEXES, Operation as Op, PRIORITIES, PRIORITY_MAX, ROOM,
    SEMAPHORES, Schedule, THREADS,
};

mod effects;
mod waits;

/// Where a context is in its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Before the effect of its next operation.
    Before,
    /// It has set flags, and visits those who waited, one in each step. It has passed this one.
    Serving(Option<usize>),
    /// It knows until when it waits, and looks for the first time.
    Until(u32),
    /// Its timer is armed, and it looks for the last time before it waits.
    Armed(u32),
    /// It goes along a chain of those who wait for each other, and is then at the stage behind.
    Walking(Walk, After),
    /// It waits for a mutex by its waker, and looks whether it has it.
    Parking,
    /// It was granted what it needs to send or to receive.
    Granted,
    /// It has moved a message, and lets a waiter go on: with what it came to.
    HandingOver(u16),
    /// Behind the effect: this is to be logged.
    Result(u16),
    /// A thread that is about to end has left a mutex: this is to be logged.
    Left,
    /// A thread that has logged its end.
    Ending,
}

/// What is next along a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Walk {
    /// This thread is moved by a place among waiters, if it has to be.
    Follow(usize),
    /// This one is given what is due to it.
    Owner(usize),
}

/// What is behind a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum After {
    /// The operation is over.
    Over,
    /// The thread waits for a mutex.
    Parking,
}

impl After {
    const fn stage(self) -> Stage {
        match self {
            Self::Over => Stage::Result(0),
            Self::Parking => Stage::Parking,
        }
    }
}

impl Stage {
    /// How a step may begin. A visit of those who wait begins anew when somebody has left a list
    /// meanwhile.
    fn ways_on(self) -> Vec<Self> {
        match self {
            Self::Result(_) | Self::Left => Vec::new(),
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
    base: u8,
    /// With what it inherits.
    priority: u8,
    /// Until when it waits, if it waits until a time.
    deadline: Option<u32>,
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
    rings: [VecDeque<usize>; PRIORITY_MAX as usize + 1],
    /// Who runs, or was interrupted last: a switch that is due may not have happened.
    current: usize,
    now: u32,
    owners: [Option<usize>; MUTEXES],
    lockers: [Vec<usize>; MUTEXES],
    messages: VecDeque<u8>,
    /// Messages that nobody was handed, and room.
    queued: usize,
    room: usize,
    receivers: Vec<usize>,
    senders: Vec<usize>,
    permits: [u16; SEMAPHORES],
    takers: [Vec<usize>; SEMAPHORES],
    flags: u8,
    flag_waiters: Vec<WaitsForFlags>,
    handlers: Vec<Handler>,
    /// By line: how many have come.
    came: [usize; LINES.len()],
    /// Woken by wakers, in this order, and not looked at.
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
    /// The threads' priorities, four bits each, the first thread's lowest. Above the kernel nobody
    /// looks.
    pub priorities: u32,
}

impl State {
    /// Nothing has happened.
    pub fn new() -> Self {
        let thread = Thread {
            position: 0,
            stage: Stage::Before,
            base: 0,
            priority: 0,
            deadline: None,
            alive: false,
            parked: false,
            notified: false,
            suspended: false,
            held_ready: false,
            joiner: None,
        };
        let mut threads = vec![thread; THREADS + 1];
        for (thread, priority) in threads.iter_mut().zip(PRIORITIES) {
            (thread.base, thread.priority) = (priority, priority);
        }
        threads[IDLE].alive = true;
        let mut rings: [VecDeque<usize>; PRIORITY_MAX as usize + 1] = Default::default();
        rings[0].push_back(IDLE);
        Self {
            threads,
            rings,
            current: IDLE,
            now: 0,
            owners: [None; MUTEXES],
            lockers: Default::default(),
            messages: VecDeque::new(),
            queued: 0,
            room: ROOM,
            receivers: Vec::new(),
            senders: Vec::new(),
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

    /// A mutex that a thread has: at its end it leaves the first one first.
    fn owned(&self, thread: usize) -> Option<usize> {
        self.owners.iter().position(|owner| *owner == Some(thread))
    }

    /// Threads' priorities, as they are logged.
    pub fn priorities(&self) -> u32 {
        let threads = self.threads[..THREADS].iter().rev();
        threads.fold(0, |all, thread| all << 4 | u32::from(thread.priority))
    }

    /// Whether the timer's interrupt comes before anything else that it may preempt.
    fn is_time(&self) -> bool {
        let held_off = |handler: &Handler| LINES[handler.line] <= LINES[CLOCK];
        !self.handlers.last().is_some_and(held_off) && self.expiring().next().is_some()
    }

    /// Those whose time is up, and who are due first.
    fn expiring(&self) -> impl Iterator<Item = usize> {
        let deadlines = self.threads.iter().filter_map(|thread| thread.deadline);
        let first = deadlines.min().filter(|first| *first <= self.now);
        let due = move |thread: &Thread| first.is_some() && thread.deadline == first;
        self.threads
            .iter()
            .enumerate()
            .filter(move |(_, thread)| due(thread))
            .map(|(index, _)| index)
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
            && !self.is_time()
            && self.woken.is_empty()
            && self.looked_at.is_empty()
            && self.running() == IDLE
            && self.threads[IDLE].stage == Stage::Before
            && self.operation(schedule, IDLE) == Op::End
    }

    /// The state behind the coming of the next interrupt of a line, if it is above what runs and
    /// there is one. One behind the end of its script does nothing.
    pub fn interrupted(&self, schedule: &Schedule, line: usize) -> Vec<Self> {
        let script = &schedule.scripts[INTERRUPTS + line];
        let held_off = |handler: &Handler| LINES[handler.line] <= LINES[line];
        let Some(operation) = script.get(self.came[line]) else { return Vec::new() };
        if self.handlers.last().is_some_and(held_off) {
            return Vec::new();
        }
        let mut next = self.clone();
        next.came[line] += 1;
        next.handlers.push(Handler { line, operation: *operation, stage: Stage::Before });
        // A switch that is due may have happened before, or not.
        let mut switched = next.clone();
        if self.handlers.is_empty() {
            switched.current = self.running();
        }
        if switched == next { vec![next] } else { vec![next, switched] }
    }

    /// The states behind each step that nobody sees, except the coming of an interrupt.
    pub fn steps(&self, schedule: &Schedule) -> Vec<Self> {
        if self.is_time() {
            return self.expiring().map(|thread| self.expired(thread)).collect();
        }
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
            next.current = running;
            if next.step_thread(schedule, running, stage) {
                next.lags = false;
                all.push(next);
            }
        }
        if let Stage::Armed(deadline) = self.threads[running].stage
            && deadline <= self.now
        {
            // It has looked at the time first.
            let mut next = self.clone();
            next.threads[running].stage = Stage::Result(1);
            all.push(next);
        }
        all
    }

    /// What can be logged now, and the state behind that.
    pub fn logs(&self, schedule: &Schedule) -> Option<(Entry, Self)> {
        if self.is_time() {
            return None;
        }
        let mut next = self.clone();
        let priorities = self.priorities();
        if let Some(Handler { line, operation, stage: Stage::Result(result) }) =
            self.handlers.last()
        {
            let priorities = if LINES[*line] == 0 { 0 } else { priorities };
            let entry = entry(INTERRUPTS + line, *operation, *result, priorities);
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
        next.current = running;
        let thread = &mut next.threads[running];
        match thread.stage {
            Stage::Result(result) => {
                thread.stage = Stage::Before;
                thread.position += 1;
                Some((entry(running, operation, result, priorities), next))
            }
            Stage::Left => {
                thread.stage = Stage::Before;
                Some((entry(running, Op::Unlock(0), 0, priorities), next))
            }
            Stage::Before
                if operation == Op::End && running != IDLE && self.owned(running).is_none() =>
            {
                thread.stage = Stage::Ending;
                Some((entry(running, operation, 0, priorities), next))
            }
            _ => None,
        }
    }

    /// A step of a thread that nobody sees. Whether there is one.
    fn step_thread(&mut self, schedule: &Schedule, running: usize, stage: Stage) -> bool {
        let operation = self.operation(schedule, running);
        match stage {
            Stage::Result(_) | Stage::Left => return false,
            Stage::Before if operation == Op::End => {
                let Some(mutex) = self.owned(running) else { return false };
                let _left = self.unlock(running, mutex);
                self.threads[running].stage = Stage::Left;
            }
            Stage::Ending => self.end(running),
            stage => {
                let stage = self.act(operation, stage, Some(running));
                self.threads[running].stage = stage;
            }
        }
        true
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

fn entry(context: usize, operation: Op, result: u16, priorities: u32) -> Entry {
    Entry { context, operation: operation.word() as u8, result, priorities }
}
