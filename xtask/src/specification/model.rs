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

use super::operation::Operation as Op;
use super::schedule::{
    CLOCK, IDLE, INTERRUPTS, LINES, MUTEXES, PARTIES, PRIORITIES, PRIORITY_MAX, ROOM_FOR, Schedule,
    THREADS,
};
use slice::Slice;
use stage::{After, Stage, Walk};
use timer::SoftwareTimer;
use wait::{LISTS, PLACE, ROOM, TOKENS, Timer, Waiter, Wants};

mod barrier;
mod condvar;
mod effects;
mod flags;
mod messages;
mod mutex;
mod priority;
mod rwlock;
mod slice;
mod stage;
mod threads;
mod timer;
mod tokens;
mod visit;
mod wait;

/// A thread, or idle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    position: usize,
    stage: Stage,
    base: u8,
    /// With what it inherits.
    priority: u8,
    /// Until when it waits, if it waits until a time.
    until: u32,
    timer: Option<Timer>,
    /// At its end: what it leaves first.
    leaving: Option<Op>,
    /// What it is in the lock for readers and writers for.
    entered: Option<Wants>,
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

/// Everything, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<Thread>,
    /// By priority, the ready threads in their order. The first one runs or was preempted.
    rings: [VecDeque<usize>; PRIORITY_MAX as usize + 1],
    /// Who runs, or was interrupted last: a switch that is due may not have happened.
    current: usize,
    now: u32,
    /// Those who wait, by what for.
    lists: [Vec<Waiter>; LISTS],
    /// How many there are that nobody was handed.
    tokens: [u16; TOKENS],
    owners: [Option<usize>; MUTEXES],
    flags: u8,
    messages: VecDeque<u8>,
    mail: Option<u8>,
    signalled: Option<u8>,
    /// The barrier's round, and how many are missing in it.
    round: u8,
    missing: u8,
    /// How often all who wait for a change were told.
    changes: u8,
    readers: u8,
    writes: bool,
    timer: SoftwareTimer,
    slice: Slice,
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

/// What waits for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    Thread(usize),
    Timer,
    Slice,
}

/// What a context logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
            until: 0,
            timer: None,
            leaving: None,
            entered: None,
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
        let mut tokens = [0; TOKENS];
        (tokens[ROOM], tokens[PLACE]) = (ROOM_FOR, 1);
        Self {
            threads,
            rings,
            current: IDLE,
            now: 0,
            lists: Default::default(),
            tokens,
            owners: [None; MUTEXES],
            flags: 0,
            messages: VecDeque::new(),
            mail: None,
            signalled: None,
            round: 0,
            missing: PARTIES,
            changes: 0,
            readers: 0,
            writes: false,
            timer: SoftwareTimer::default(),
            slice: Slice::default(),
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
        let Thread { position, leaving, .. } = self.threads[thread];
        let script = &schedule.scripts[thread];
        leaving.or_else(|| script.get(position).copied()).unwrap_or(Op::End)
    }

    /// What a thread leaves first at its end, if it has anything: mutexes in their order.
    fn leaves(&self, thread: usize) -> Option<Op> {
        let owned = self.owners.iter().position(|owner| *owner == Some(thread));
        let entered = self.threads[thread].entered.map(|_| Op::LeaveRw);
        owned.map(|mutex| Op::Unlock(mutex as u8)).or(entered)
    }

    /// Threads' priorities, as they are logged.
    pub fn priorities(&self) -> u32 {
        let threads = self.threads[..THREADS].iter().rev();
        threads.fold(0, |all, thread| all << 4 | u32::from(thread.priority))
    }

    /// Whether the timer's interrupt comes before anything else that it may preempt.
    fn is_time(&self) -> bool {
        let held_off = |handler: &Handler| LINES[handler.line] <= LINES[CLOCK];
        !self.handlers.last().is_some_and(held_off) && !self.expiring().is_empty()
    }

    /// What is armed, and when it expires.
    fn alarms(&self) -> impl Iterator<Item = (u32, Alarm)> {
        let threads = self.threads.iter().enumerate();
        let threads =
            threads.filter_map(|(index, thread)| Some((thread.timer?.at, Alarm::Thread(index))));
        let timer = self.timer.armed.map(|at| (at, Alarm::Timer));
        let slice = self.slice.armed.map(|at| (at, Alarm::Slice));
        threads.chain(timer).chain(slice)
    }

    /// What expires: in any order, where the clock shows several times at once.
    fn expiring(&self) -> Vec<Alarm> {
        self.alarms().filter_map(|(at, alarm)| (at <= self.now).then_some(alarm)).collect()
    }

    /// The state behind what happens at a time.
    fn expired(&self, alarm: Alarm) -> Self {
        let mut next = self.clone();
        match alarm {
            Alarm::Thread(thread) => next.expire(thread),
            Alarm::Timer => next.expire_timer(),
            Alarm::Slice => next.expire_slice(),
        }
        next
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

    /// Whether the switch has more to do than to switch.
    fn is_switching(&self) -> bool {
        !self.woken.is_empty() || self.has_taken()
    }

    /// Whether it has begun with that.
    fn has_taken(&self) -> bool {
        !self.looked_at.is_empty() || self.slice.asked || self.slice.due.is_some()
    }

    /// Whether nothing can happen any more, unless an interrupt comes.
    pub fn is_quiet(&self, schedule: &Schedule) -> bool {
        self.handlers.is_empty()
            && !self.is_time()
            && !self.is_switching()
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
            return self.expiring().into_iter().map(|alarm| self.expired(alarm)).collect();
        }
        if let Some(handler) = self.handlers.last() {
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
        let mut all = Vec::new();
        if self.is_switching() {
            all.push(self.switching());
            if !self.lags || self.has_taken() {
                return all;
            }
        }
        let running = self.running();
        for stage in self.threads[running].stage.ways_on() {
            let mut next = self.clone();
            next.current = running;
            if next.step_thread(schedule, running, stage) {
                next.lags = false;
                all.push(next);
            }
        }
        all
    }

    /// The state behind a step of the switch.
    fn switching(&self) -> Self {
        let mut next = self.clone();
        // What was asked of it comes last.
        if self.looked_at.is_empty() && self.has_taken() {
            next.time_slice();
        } else {
            next.look_at_woken();
        }
        next
    }

    /// What can be logged now.
    pub fn logs(&self, schedule: &Schedule) -> Option<Entry> {
        if self.is_time() {
            return None;
        }
        let priorities = self.priorities();
        if let Some(Handler { line, operation, stage }) = self.handlers.last() {
            let Stage::Result(result) = stage else { return None };
            let priorities = if LINES[*line] == 0 { 0 } else { priorities };
            return Some(entry(INTERRUPTS + line, *operation, *result, priorities));
        }
        if self.is_switching() {
            return None;
        }
        let running = self.running();
        let operation = self.operation(schedule, running);
        match self.threads[running].stage {
            Stage::Result(result) => Some(entry(running, operation, result, priorities)),
            Stage::Before
                if operation == Op::End && running != IDLE && self.leaves(running).is_none() =>
            {
                Some(entry(running, operation, 0, priorities))
            }
            _ => None,
        }
    }

    /// The state behind what can be logged now.
    pub fn logged(&self, schedule: &Schedule) -> Self {
        let mut next = self.clone();
        if let Some(Handler { line, .. }) = next.handlers.pop() {
            let left = !next.woken.is_empty() && next.handlers.is_empty();
            next.lags = left && (self.lags || LINES[line] == 0);
            return next;
        }
        let running = self.running();
        next.current = running;
        let ends = self.operation(schedule, running) == Op::End;
        let thread = &mut next.threads[running];
        if ends && running != IDLE {
            thread.stage = Stage::Ending;
        } else {
            thread.stage = Stage::Before;
            if thread.leaving.take().is_none() {
                thread.position += 1;
            }
        }
        next
    }

    /// A step of a thread that nobody sees. Whether there is one.
    fn step_thread(&mut self, schedule: &Schedule, running: usize, stage: Stage) -> bool {
        let operation = self.operation(schedule, running);
        match stage {
            Stage::Result(_) => return false,
            Stage::Before if operation == Op::End => {
                self.threads[running].leaving = self.leaves(running);
                return running != IDLE && self.threads[running].leaving.is_some();
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
    Entry { context, operation: operation.number(), result, priorities }
}
