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

use super::operation::{HANDLES, Operation as Op};
use super::schedule::{
    HOST, HOSTED, IDLE, INTERRUPTS, LEVEL_PRIORITY, LINES, MUTEXES, PARTIES, PRIORITIES,
    PRIORITY_MAX, QUEUES, ROOM_FOR, SECTIONS, Schedule, TASK, THREADS,
};
use actors::Queue;
use dispatch::LEVEL;
use flags::Flags;
use pool::Pool;
use slice::Slice;
use stage::{Behind, Stage, Walk};
use tasks::Level;
use timer::SoftwareTimer;
use wait::{LISTS, PLACE, ROOM, TOKENS, Timer, Waiter, Wants};

mod actors;
mod alarms;
mod barrier;
mod condvar;
mod dispatch;
mod effects;
mod flags;
mod messages;
mod mutex;
mod pool;
mod priority;
mod rwlock;
mod sections;
mod slice;
mod stage;
mod tasks;
mod threads;
mod timed;
mod timer;
mod tokens;
mod until;
mod visit;
mod wait;

/// The rings: a thread may be above all priorities by a ceiling.
const RANKS: usize = PRIORITY_MAX as usize + 2;

/// A thread, idle, or a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    position: usize,
    stage: Stage,
    base: u8,
    /// With what it inherits.
    priority: u8,
    /// That of the sections that it is in; 0 without one.
    ceiling: u8,
    /// The ring that the kernel keeps it in: that of its priority, unless it is promoted.
    kept: u8,
    /// Whether it was preempted in a section, and is in its ceiling's ring, or its turn was over.
    promoted: bool,
    /// The resources of these, the innermost last.
    sections: Vec<u8>,
    /// Until when it waits, if it waits until a time.
    until: u32,
    timer: Option<Timer>,
    /// At its end: what it leaves first.
    leaving: Option<Op>,
    /// What it is in the lock for readers and writers for.
    entered: Option<Wants>,
    alive: bool,
    /// Whether it waits to be notified, and whether it was.
    parked: bool,
    notified: bool,
    /// Whether it awaits a wake, and whether one is noted.
    awaits: bool,
    noted: bool,
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
    rings: [VecDeque<usize>; RANKS],
    /// Who runs, or was interrupted last: a switch that is due may not have happened.
    current: usize,
    now: u32,
    /// Those who wait, by what for.
    lists: [Vec<Waiter>; LISTS],
    /// How many there are that nobody was handed.
    tokens: [u16; TOKENS],
    owners: [Option<usize>; MUTEXES],
    /// How often a mutex was locked again.
    again: [u8; MUTEXES],
    /// Whether a mutex's owner was lent a priority for it.
    lent: [bool; MUTEXES],
    /// By resource of threads: how many are in a section of it.
    inside: [u8; SECTIONS.len()],
    pool: Pool,
    level: Level,
    actors: [Queue; QUEUES.len()],
    cooperative: bool,
    flags: Flags,
    messages: VecDeque<u8>,
    mail: Option<u8>,
    /// Whether it was put there while somebody else had the place.
    mail_is_ahead: bool,
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
    /// Whether a thread may finish what it does first: what it can't hold off interrupted it.
    lags: bool,
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
    /// Nothing has happened. There are tasks only where the schedule has some.
    pub fn new(schedule: &Schedule) -> Self {
        let thread = Thread {
            position: 0,
            stage: Stage::Before,
            base: 0,
            priority: 0,
            ceiling: 0,
            kept: 0,
            promoted: false,
            sections: Vec::new(),
            until: 0,
            timer: None,
            leaving: None,
            entered: None,
            alive: false,
            parked: false,
            awaits: false,
            noted: false,
            notified: false,
            suspended: false,
            held_ready: false,
            joiner: None,
        };
        let tasks = schedule.tasks();
        let mut threads = vec![thread; THREADS + 1 + tasks];
        let of_tasks =
            (0..tasks).map(|task| if task < HOSTED { PRIORITIES[HOST] } else { LEVEL_PRIORITY });
        let priorities = PRIORITIES.into_iter().chain([0]).chain(of_tasks);
        for (thread, priority) in threads.iter_mut().zip(priorities) {
            (thread.base, thread.priority) = (priority, priority);
        }
        threads[IDLE].alive = true;
        let mut rings: [VecDeque<usize>; RANKS] = Default::default();
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
            again: [0; MUTEXES],
            lent: [false; MUTEXES],
            inside: [0; SECTIONS.len()],
            pool: Pool::default(),
            level: Level::new(tasks),
            actors: Default::default(),
            cooperative: schedule.cooperative,
            flags: Flags::default(),
            messages: VecDeque::new(),
            mail: None,
            mail_is_ahead: false,
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

    /// The first of the most urgent that are ready.
    fn first(&self) -> usize {
        self.rings.iter().rev().find_map(|ring| ring.front().copied()).unwrap_or(IDLE)
    }

    /// Whether a thread, or the task that it polls, holds switches off until it is through.
    fn is_undivided(&self, thread: usize) -> bool {
        match self.threads[thread].stage {
            Stage::Polling(task, _) => self.is_undivided(task),
            stage => stage.holds_switches_off(),
        }
    }

    /// The thread that runs, or is interrupted. Where the scheduler is cooperative nobody takes its
    /// place while it is ready, but one of its own priority whose turn has come.
    fn running(&self) -> usize {
        let (first, current) = (self.first(), self.current);
        if self.is_undivided(current) {
            return current;
        }
        let stays = self.cooperative
            && current != IDLE
            && self.rank(first) != self.rank(current)
            && self.is_ready(current);
        if stays { current } else { first }
    }

    fn operation(&self, schedule: &Schedule, thread: usize) -> Op {
        let Thread { position, leaving, .. } = self.threads[thread];
        let script = &schedule.scripts[context_of(thread)];
        leaving.or_else(|| script.get(position).copied()).unwrap_or(Op::End)
    }

    /// What a thread leaves first at its end, if it has anything: sections, then mutexes in their
    /// order.
    fn leaves(&self, thread: usize) -> Option<Op> {
        if !self.threads[thread].sections.is_empty() {
            return Some(Op::Exit);
        }
        let owned = self.owners.iter().position(|owner| *owner == Some(thread));
        let entered = self.threads[thread].entered.map(|_| Op::LeaveRw);
        owned.map(|mutex| Op::Unlock(mutex as u8)).or(entered)
    }

    /// Threads' priorities, as they are logged.
    pub fn priorities(&self) -> u32 {
        let threads = self.threads[..THREADS].iter().rev();
        threads.fold(0, |all, thread| all << 4 | u32::from(thread.priority))
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
            && !self.level.pended
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
        let held_off = |handler: &Handler| handler.hardware() <= LINES[line];
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
            switched.switch_to(self.running());
        }
        if switched == next { vec![next] } else { vec![next, switched] }
    }

    /// The states behind each step that nobody sees, except the coming of an interrupt.
    pub fn steps(&self, schedule: &Schedule) -> Vec<Self> {
        if self.is_time() {
            return self.expiring().into_iter().map(|alarm| self.expired(alarm)).collect();
        }
        if let Some(handler) = self.handlers.last() {
            if handler.line == LEVEL {
                return self.step_level(schedule, handler.stage);
            }
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
        if self.level.pended {
            all.extend(self.dispatched());
            if !self.lags {
                return all;
            }
        } else if self.is_switching() && !self.is_undivided(self.current) {
            all.push(self.switching());
            if !self.lags || self.has_taken() {
                return all;
            }
        }
        let running = self.running();
        let acting = self.acting(running);
        for stage in self.ways_on(schedule, acting) {
            let mut next = self.clone();
            next.switch_to(running);
            let does = if acting == running {
                next.step_thread(schedule, running, stage)
            } else {
                next.step_task(schedule, acting, stage)
            };
            if does {
                next.lags = false;
                next.note_switch(running);
                all.push(next);
            }
        }
        all
    }

    /// Where the scheduler is cooperative, a thread that waits has switched to another one, which
    /// goes on whoever becomes ready.
    fn note_switch(&mut self, running: usize) {
        let waits = running != IDLE && !self.threads[running].suspended && !self.is_ready(running);
        if self.cooperative && waits {
            self.switch_to(self.running());
        }
    }

    /// What can be logged now.
    pub fn logs(&self, schedule: &Schedule) -> Option<Entry> {
        if self.is_time() {
            return None;
        }
        let priorities = self.priorities();
        let acting = match self.handlers.last() {
            Some(level) if level.line == LEVEL => level.polls()?,
            Some(Handler { line, operation, stage }) => {
                let Stage::Result(result) = stage else { return None };
                let priorities = if LINES[*line] == 0 { 0 } else { priorities };
                return Some(entry(INTERRUPTS + line, *operation, *result, priorities));
            }
            None if self.level.pended || self.is_switching() => return None,
            None => self.acting(self.running()),
        };
        if let Stage::Handling(event) = self.threads[acting].stage {
            let (context, result) = (context_of(acting), event.into());
            return Some(Entry { context, operation: HANDLES, result, priorities });
        }
        let operation = self.operation(schedule, acting);
        let result = match self.threads[acting].stage {
            _ if self.is_pending(acting) => None,
            Stage::Result(result) => Some(result),
            Stage::Before if operation == Op::End && acting != IDLE => {
                self.leaves(acting).is_none().then_some(0)
            }
            _ => None,
        };
        Some(entry(context_of(acting), operation, result?, priorities))
    }

    /// The state behind what can be logged now.
    pub fn logged(&self, schedule: &Schedule) -> Self {
        let mut next = self.clone();
        let acting = match self.handlers.last() {
            Some(level) if level.line == LEVEL => level.polls().unwrap_or(IDLE),
            Some(Handler { line, .. }) => {
                next.leave_handler(LINES[*line] == 0);
                return next;
            }
            None => {
                let running = self.running();
                next.switch_to(running);
                self.acting(running)
            }
        };
        if actors::is_actor(acting) {
            next.log_of_actor(acting);
            return next;
        }
        let ends = self.operation(schedule, acting) == Op::End;
        let thread = &mut next.threads[acting];
        if ends && acting != IDLE {
            thread.stage = Stage::Ending;
        } else {
            thread.stage = Stage::Before;
            if thread.leaving.take().is_none() {
                thread.position += 1;
            }
        }
        next
    }

    /// An interrupt is over, which was above the kernel or not.
    fn leave_handler(&mut self, above: bool) {
        self.handlers.pop();
        let left = !self.woken.is_empty() || self.level.pended;
        self.lags = left && self.handlers.is_empty() && (self.lags || above);
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
            stage if operation == Op::Host && !self.is_refused(running, operation) => {
                self.host(running, stage);
            }
            stage => {
                let stage = self.act(operation, stage, Some(running));
                self.threads[running].stage = stage;
            }
        }
        true
    }
}

/// The context of a thread, idle or a task.
fn context_of(thread: usize) -> usize {
    if thread > IDLE { TASK + thread - IDLE - 1 } else { thread }
}

fn entry(context: usize, operation: Op, result: u16, priorities: u32) -> Entry {
    Entry { context, operation: operation.number(), result, priorities }
}
