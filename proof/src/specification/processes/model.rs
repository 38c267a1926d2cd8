//! The specification of processes: the answer of each call, the upcalls, and the running process.
//!
//! The model is sequential: a [`State`] tells which context does the next step. This is the
//! innermost interrupt that is under way. Without one, it is the call that is being served, then
//! the switch, if the change of a process's life must begin, then the first of the most urgent
//! ready contexts. A process that changes is one of these: it does nothing but the work of its
//! change. An interrupt may come between any two steps, so the kernel has several possible ways:
//! see `check`.
//!
//! Sources: TRD 104 of Tock, and the book's page on processes.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::call::{Act, Words};
use super::layout::{BUFFERS, Layout, PROCESSES, Place, UPCALLS};
use super::schedule::{IDLE, INTERRUPTS, LINES, PRIORITIES, Schedule, THREAD, THREADS, name};
use acts::Acting;
use life::Change;
use serve::Stage;

mod acts;
mod answer;
mod life;
mod serve;
mod upcalls;

/// The model's knowledge of the images.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The places of the processes.
    pub layout: Layout,
    /// The content of each process's flash.
    pub flash: [Vec<u8>; PROCESSES],
}

/// An entry of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The context.
    pub context: usize,
    /// The kind of the entry: the numbers below.
    pub what: u32,
    /// More about that.
    pub words: [u32; 5],
}

/// A process has begun a life.
const BEGUN: u32 = 1;
/// A call is over: r0 to r3, and the flag of a yield.
const OVER: u32 = 2;
/// A function is called for an upcall: r0 to r3, and the number of the function.
const HEARD: u32 = 3;
/// A driver forgets a process: the lent bytes of each of its buffers.
const FORGOT: u32 = 4;
/// The process did a forbidden thing: the cause, and the address.
const FAULT: u32 = 5;
/// A context has done an act: the act, and its result.
const ACT: u32 = 6;

/// The flag before each call.
const UNTOUCHED: u32 = 0xee;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Status {
    Alive,
    Exited(u32),
    Faulted,
    Terminated,
    Restarting,
}

/// The object of a process's wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Waiting {
    Nothing,
    Any,
    /// One upcall; `None` if it doesn't exist.
    One(Option<usize>),
    /// No object any more, but the process isn't ready yet.
    Delivered,
}

/// An upcall that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Due {
    upcall: usize,
    words: [u32; 3],
}

/// The next step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The process begins, and logs this.
    Begins,
    Calls(Words),
    /// The process waits in this call.
    Waits(Words),
    /// The process logs the result of a call.
    Over([u32; 4]),
    /// The process logs the call of a function, by its number.
    Heard(u32, [u32; 4]),
}

/// The place of a process, which is the same in all states, so that no comparison needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fixed(Place);

impl Hash for Fixed {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Deref for Fixed {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.0
    }
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Process {
    place: Fixed,
    status: Status,
    restarts: u32,
    step: Step,
    position: usize,
    /// The upcalls in which the process makes calls, the innermost last: their registers.
    within: Vec<[u32; 4]>,
    /// `true` if drivers know the process.
    known: bool,
    /// `true` if the process's calls are served.
    open: bool,
    change: Change,
    /// `true` if the switch has to begin the change.
    noted: bool,
    /// The number of things that the change has taken away.
    taken: usize,
    stopped: bool,
    suspended: bool,
    /// `true` if the process would be ready, but is suspended.
    held_ready: bool,
    waiting: Waiting,
    /// Functions, each with the word of its subscription.
    subscribed: [(u32, u32); UPCALLS],
    /// Addresses and sizes.
    lent: [(u32, u32); BUFFERS],
    due: Vec<Due>,
    dropped: u32,
    break_: u32,
    /// The highest end of all lent buffers.
    lent_to: u32,
    /// The bytes of the process's memory, without the zeros.
    memory: BTreeMap<u32, u8>,
    flag: u32,
}

/// A thread, or idle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    position: usize,
    acting: Acting,
    ended: bool,
    parked: bool,
    notified: bool,
}

/// An interrupt that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Handler {
    line: usize,
    act: Act,
    acting: Acting,
}

/// Everything, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: [Process; PROCESSES],
    /// Behind the threads comes idle.
    threads: [Thread; THREADS + 1],
    /// The ready contexts by priority, in their order.
    rings: [VecDeque<usize>; 4],
    handlers: Vec<Handler>,
    /// By line: how many have come.
    came: [usize; LINES],
    /// The call that is being served.
    serving: Option<(usize, Stage)>,
    /// The process whose change the switch begins.
    changing: Option<usize>,
}

/// The context that does the next step.
enum Next {
    Handler,
    Serving(usize, Stage),
    Switch,
    Process(usize),
    Thread(usize),
}

impl State {
    /// All are ready to begin.
    pub fn new(world: &World) -> Self {
        let thread = Thread {
            position: 0,
            acting: Acting::Before,
            ended: false,
            parked: false,
            notified: false,
        };
        let mut rings: [VecDeque<usize>; 4] = Default::default();
        // The threads were started first.
        for who in (THREAD..IDLE).chain(0..PROCESSES) {
            rings[PRIORITIES[who]].push_back(who);
        }
        Self {
            processes: std::array::from_fn(|process| Process::new(Fixed(world.layout[process]))),
            threads: std::array::from_fn(|_| thread.clone()),
            rings,
            handlers: Vec::new(),
            came: [0; LINES],
            serving: None,
            changing: None,
        }
    }

    /// Returns how many interrupts of a line have come.
    pub const fn came(&self, line: usize) -> usize {
        self.came[line]
    }

    fn next(&self) -> Next {
        if !self.handlers.is_empty() {
            return Next::Handler;
        }
        if let Some((process, stage)) = self.serving {
            return Next::Serving(process, stage);
        }
        if self.has_noted() {
            return Next::Switch;
        }
        match self.rings.iter().rev().find_map(VecDeque::front) {
            Some(process) if *process < PROCESSES => Next::Process(*process),
            Some(thread) => Next::Thread(*thread),
            None => Next::Thread(IDLE),
        }
    }

    /// Returns the state after the next step, if no entry shows the step.
    pub fn step(&self, schedule: &Schedule, world: &World) -> Option<Self> {
        let mut next = self.clone();
        let steps = match self.next() {
            Next::Handler => next.step_handler(world),
            Next::Serving(process, stage) => next.serve(process, stage, schedule, world),
            Next::Switch => {
                next.change();
                true
            }
            Next::Process(process) => next.go_on(process),
            Next::Thread(thread) => next.step_thread(thread, schedule, world),
        };
        steps.then_some(next)
    }

    /// Returns the entry of the next step, if it makes one.
    pub fn logs(&self, schedule: &Schedule) -> Option<Entry> {
        match self.next() {
            Next::Handler => {
                let Handler { line, act, acting } = self.handlers.last()?;
                Some(Entry::act(INTERRUPTS + line, *act, acting.result()?))
            }
            Next::Serving(process, stage) => self.tells(process, stage),
            Next::Switch | Next::Process(_) => None,
            Next::Thread(thread) => {
                let Thread { position, acting, .. } = &self.threads[thread - THREAD];
                let act = schedule.acts[thread].get(*position)?;
                Some(Entry::act(thread, *act, acting.result()?))
            }
        }
    }

    /// The state behind that.
    pub fn logged(&self, schedule: &Schedule) -> Self {
        let mut next = self.clone();
        match self.next() {
            Next::Handler => drop(next.handlers.pop()),
            Next::Serving(process, stage) => next.told(process, stage, schedule),
            Next::Switch | Next::Process(_) => {}
            Next::Thread(thread) => {
                let thread = &mut next.threads[thread - THREAD];
                thread.position += 1;
                thread.acting = Acting::Before;
            }
        }
        next
    }

    /// Returns the state after an interrupt, if it can come.
    pub fn interrupted(&self, schedule: &Schedule, line: usize) -> Option<Self> {
        if self.handlers.last().is_some_and(|handler| handler.line >= line) {
            return None;
        }
        let act = *schedule.acts[INTERRUPTS + line].get(self.came[line])?;
        let mut next = self.clone();
        next.came[line] += 1;
        next.handlers.push(Handler { line, act, acting: Acting::Before });
        Some(next)
    }

    /// Returns `true` if no context does anything any more.
    pub fn is_quiet(&self, schedule: &Schedule) -> bool {
        let idle = &self.threads[IDLE - THREAD];
        matches!(self.next(), Next::Thread(IDLE))
            && idle.position == schedule.acts[IDLE].len()
            && idle.acting == Acting::Before
    }

    /// Puts a context behind the others of its priority, unless it is suspended.
    fn ready(&mut self, who: usize) {
        if let Some(process) = self.processes.get_mut(who)
            && process.suspended
        {
            process.held_ready = true;
        } else {
            self.rings[PRIORITIES[who]].push_back(who);
        }
    }

    /// Makes a context not ready. Returns `true` if it was ready.
    fn unready(&mut self, who: usize) -> bool {
        let ring = &mut self.rings[PRIORITIES[who]];
        let count = ring.len();
        ring.retain(|other| *other != who);
        ring.len() != count
    }
}

impl Entry {
    /// Somebody has acted.
    pub const fn act(context: usize, act: Act, [first, second, third]: [u32; 3]) -> Self {
        Self { context, what: ACT, words: [act.word(), first, second, third, 0] }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third, fourth, last] = self.words;
        let registers = format!("{first:#x} {second:#x} {third:#x} {fourth:#x}");
        let what = match self.what {
            BEGUN => "begins".to_owned(),
            OVER => format!("its call answers {registers}, the flag is {last:#x}"),
            HEARD => format!("its function {last} is called with {registers}"),
            FORGOT => format!("is forgotten, and has lent {:?}", self.words),
            FAULT => format!("does what it must not, cause {first} at {second:#x}"),
            _ => match Act::of(first) {
                Some(act) => format!("{act:?} comes to {second:#x} {third:#x} {fourth:#x}"),
                None => format!("something, {:x?}", self.words),
            },
        };
        write!(formatter, "{}: {what}", name(self.context))
    }
}
