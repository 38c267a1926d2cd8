//! The specification: the behaviour of threads, interrupts and objects, one step at a time.
//!
//! The model is sequential and has no memory layout, no masks and no registers. A [`State`] tells
//! which context may do a step now: the innermost interrupt that is under way. Without one, it is
//! the first thread of the most urgent ring. A step either *acts* (the operation has its effect) or
//! *logs* (the operation's result is seen). Between the two, an interrupt may change a thread.
//!
//! If several steps are possible, because an interrupt may come before or behind an effect, the
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
    /// The priority with inheritance.
    priority: u8,
    /// The ceiling of the thread's sections; 0 without one.
    ceiling: u8,
    /// The ring in which the kernel keeps the thread: its priority's, unless the thread is
    /// promoted.
    kept: u8,
    /// `true` if the thread was preempted in a section and is in its ceiling's ring, or its turn
    /// was over.
    promoted: bool,
    /// The resources of these, the innermost last.
    sections: Vec<u8>,
    /// The end of the wait, if the thread waits until a time.
    until: u32,
    timer: Option<Timer>,
    /// At the thread's end: the object that it leaves first.
    leaving: Option<Op>,
    /// The access that the thread has in the lock for readers and writers.
    entered: Option<Wants>,
    alive: bool,
    /// `true` if the thread waits for a notification, and whether one came.
    parked: bool,
    notified: bool,
    /// `true` if the thread awaits a wake, and whether one is noted.
    awaits: bool,
    noted: bool,
    suspended: bool,
    /// `true` if the thread would be ready, but is suspended.
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
    /// The thread that runs, or was interrupted last. A switch may be due and not done yet.
    current: usize,
    now: u32,
    /// The waiters, by their objects.
    lists: [Vec<Waiter>; LISTS],
    /// The tokens that no waiter was handed.
    tokens: [u16; TOKENS],
    owners: [Option<usize>; MUTEXES],
    /// The number of further locks of a mutex by its owner.
    again: [u8; MUTEXES],
    /// For each mutex, `true` if its owner was lent a priority for it.
    lent: [bool; MUTEXES],
    /// For each resource of threads, the number of its open sections.
    inside: [u8; SECTIONS.len()],
    pool: Pool,
    level: Level,
    actors: [Queue; QUEUES.len()],
    cooperative: bool,
    flags: Flags,
    messages: VecDeque<u8>,
    mail: Option<u8>,
    /// `true` if the message was put there while another context had the place.
    mail_is_ahead: bool,
    signalled: Option<u8>,
    /// The barrier's round, and the number of missing threads in it.
    round: u8,
    missing: u8,
    /// The number of times that all waiters for a change were notified.
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
    /// `true` if a thread may finish its operation first: an interrupt that it can't hold off
    /// interrupted it.
    lags: bool,
}

/// An entry of a context in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The context.
    pub context: usize,
    /// The number of the context's operation.
    pub operation: u8,
    /// The operation's result.
    pub result: u16,
    /// The threads' priorities, four bits each, with the first thread's lowest. Above the kernel,
    /// no context reads them.
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

    /// Returns `true` if a thread, or the task that it polls, holds switches off until its
    /// operation is done.
    fn is_undivided(&self, thread: usize) -> bool {
        match self.threads[thread].stage {
            Stage::Polling(task, _) => self.is_undivided(task),
            stage => stage.holds_switches_off(),
        }
    }

    /// Returns the thread that runs, or is interrupted. In a cooperative scheduler, no thread takes
    /// its place while it is ready, but one of its own priority whose turn has come.
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

    /// Returns the object that a thread leaves first at its end, if it has any: sections, then
    /// mutexes in their order.
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

    /// Returns how many interrupts of a line have come.
    pub fn came(&self, line: usize) -> usize {
        self.came[line]
    }

    /// Returns the present result of an operation that only reads.
    pub fn look(&self, operation: Op) -> u16 {
        match self.clone().act(operation, Stage::Before, None) {
            Stage::Result(result) => result,
            _ => 0,
        }
    }

    /// Returns `true` if nothing can happen any more, unless an interrupt comes.
    pub fn is_quiet(&self, schedule: &Schedule) -> bool {
        self.handlers.is_empty()
            && !self.level.pended
            && !self.is_time()
            && !self.is_switching()
            && self.running() == IDLE
            && self.threads[IDLE].stage == Stage::Before
            && self.operation(schedule, IDLE) == Op::End
    }

    /// Returns the state after the next interrupt of a line, if there is one and it is above the
    /// running context. An interrupt behind the end of its script does nothing.
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

    /// Returns the states after each step that no entry shows, without the coming of an interrupt.
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

    /// In a cooperative scheduler, a thread that waits has switched to another one, which goes on
    /// whatever thread becomes ready.
    fn note_switch(&mut self, running: usize) {
        let waits = running != IDLE && !self.threads[running].suspended && !self.is_ready(running);
        if self.cooperative && waits {
            self.switch_to(self.running());
        }
    }

    /// Returns the entry that is possible now.
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

    /// Returns the state after this entry.
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

    /// An interrupt is over. `above` is `true` if it was above the kernel.
    fn leave_handler(&mut self, above: bool) {
        self.handlers.pop();
        let left = !self.woken.is_empty() || self.level.pended;
        self.lags = left && self.handlers.is_empty() && (self.lags || above);
    }

    /// Does a step of a thread that no entry shows. Returns `true` if there is one.
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
