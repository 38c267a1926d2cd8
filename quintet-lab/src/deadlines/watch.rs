//! Measures the jobs of a run: when each arrives, begins and ends, and what it takes; and the
//! sections that hold others off.
//!
//! A *job* is a run of a handler, a call of a software task, a poll of an async task, an event of
//! an actor, the time from when a thread is made ready until it waits, or a call of a function. It
//! *arrives* when its interrupt is pended, its bit is set, or its thread is made ready; where none
//! of these is seen, when it begins.
//!
//! Every cycle is somebody's cost. The entry and the return of a handler are the handler's. Where a
//! level or a host runs jobs, all cycles since the job before are the job's, so that the dispatcher
//! is paid for. The switch of threads is a handler, PendSV, and what a thread does until another
//! one runs is its own.

pub use super::opening::Opening;
use super::section::{Section, Sections};
use super::urgency;
use crate::firmware::Firmware;
use crate::masks::Masks;
use crate::simulated::Simulated;
use crate::simulation::Follow;
use crate::trace::follow::{Follower, Happening};
use crate::trace::kernel::Who;
use crate::trace::units::{Application, Kind};
use crate::window::Edge;
use quintet_sim::machine::Machine;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many arrivals of one source may wait, if that isn't known.
const WAITING_MAX: usize = 32;

/// A job that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    /// When it arrived.
    pub arrival: u64,
    /// The cycle behind its last.
    pub end: u64,
    /// What it took.
    pub cost: u64,
    /// For how long less urgent code ran meanwhile.
    pub held_off: u64,
}

/// What has jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// How urgent it is: larger preempts.
    pub urgency: u32,
    /// The jobs that are over, in order of their ends.
    pub jobs: Vec<Job>,
    /// Those that have arrived and not begun.
    waiting: VecDeque<Arrived>,
    /// Those that have begun.
    begun: Vec<Begun>,
    /// What one has taken up to the end of the run.
    pub taken: u64,
}

impl Source {
    /// When the oldest job has arrived that is not over.
    pub fn unfinished(&self) -> Option<u64> {
        let waiting = self.waiting.iter().map(|one| one.cycle);
        waiting.chain(self.begun.iter().map(|one| one.arrived.cycle)).min()
    }

    /// When jobs arrived, in order.
    pub fn arrivals(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.jobs.iter().map(|job| job.arrival).collect();
        all.extend(self.waiting.iter().map(|one| one.cycle));
        all.extend(self.begun.iter().map(|one| one.arrived.cycle));
        all.sort_unstable();
        all
    }
}

/// An arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Arrived {
    cycle: u64,
    /// The cycles that less urgent code had had then; none if it was not seen before the beginning.
    below: Option<u64>,
}

/// A job that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Begun {
    arrived: Arrived,
    /// The cycles of its context then.
    cycles: u64,
}

/// A handler that runs.
#[derive(Clone, Copy, Debug)]
struct Handler {
    exception: u16,
    arrived: Arrived,
    /// Up to which of its cycles jobs have paid.
    paid: u64,
    /// Whose job ended last in it.
    last: Option<u16>,
}

/// What a run must tell besides what it does.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The priorities of functions that thread mode calls, by their units.
    pub priorities: BTreeMap<u16, u8>,
    /// The functions that are sections, by their units.
    pub sections: BTreeSet<u16>,
    /// The point from which on jobs count; the end of `init` if there is none.
    pub from: Option<Edge>,
}

/// Follows a run.
pub struct Watch<'a> {
    application: &'a Application,
    wanted: Wanted,
    /// Who runs.
    pub follower: Follower<'a>,
    masks: Masks,
    /// Sections that hold others off.
    pub sections: Sections,
    /// What has jobs.
    pub sources: BTreeMap<Who, Source>,
    /// The jobs that have begun in the last step, and when.
    pub begun: Vec<(Who, u64)>,
    /// The jobs that have ended in the last step.
    pub ended: Vec<(Who, Job)>,
    /// The first cycle that counts; none before it.
    pub begin: Option<u64>,
    /// Where that is.
    pub opening: Opening,
    cycle: u64,
    pc: u32,
    instructions: u64,
    /// How urgent it is what runs, and the cycles that each urgency has had.
    urgency: u32,
    spent: BTreeMap<u32, u64>,
    handlers: Vec<Handler>,
    /// Up to which of its cycles jobs have paid, of threads that run those of levels.
    paid: BTreeMap<u32, u64>,
    hosts: BTreeSet<u32>,
}

impl<'a> Watch<'a> {
    /// One that has seen nothing of a machine in reset.
    pub fn new(
        firmware: &Firmware,
        application: &'a Application,
        wanted: Wanted,
        machine: &mut impl Simulated,
    ) -> Self {
        let begin = wanted.from.is_none().then_some(0);
        Self {
            application,
            wanted,
            follower: Follower::new(firmware, application, machine),
            masks: Masks::default(),
            sections: Sections::default(),
            sources: BTreeMap::new(),
            begun: Vec::new(),
            ended: Vec::new(),
            begin,
            opening: Opening::of(machine, machine.pc()),
            cycle: machine.cycle(),
            pc: machine.pc(),
            instructions: machine.instructions(),
            urgency: 0,
            spent: BTreeMap::new(),
            handlers: Vec::new(),
            paid: BTreeMap::new(),
            hosts: BTreeSet::new(),
        }
    }

    /// The sources with jobs, without the threads that run the jobs of others.
    pub fn finish(&mut self) {
        for host in &self.hosts {
            self.sources.remove(&Who::Thread(*host));
        }
        for (who, source) in &mut self.sources {
            let Who::Thread(control) = who else { continue };
            let cycles = self.follower.thread_cycles(*control);
            let taken = source.begun.iter().map(|begun| cycles.saturating_sub(begun.cycles));
            source.taken = taken.max().unwrap_or(0);
        }
    }

    /// The priority of a thread, without what it inherits.
    fn thread_priority(&mut self, machine: &impl Simulated, control: u32) -> Option<u32> {
        match self.follower.kernel.layout() {
            Some(layout) => layout.priorities(machine, control).map(|(base, _)| u32::from(base)),
            None => Some(self.follower.kernel.thread(machine, control).priority),
        }
    }

    /// How urgent it is what runs.
    fn now(&mut self, machine: &impl Simulated) -> u32 {
        if let Some(exception) = self.follower.handler() {
            return urgency::of_exception(machine, exception);
        }
        match self.follower.thread() {
            0 => 0,
            control => self.thread_priority(machine, control).map_or(0, urgency::of_thread),
        }
    }

    /// How urgent the jobs of something are; none where that shows when one begins.
    pub fn urgency_of(&mut self, machine: &impl Simulated, who: Who) -> Option<u32> {
        match who {
            Who::Exception(exception) => Some(urgency::of_exception(machine, exception)),
            Who::Thread(control) => self.thread_priority(machine, control).map(urgency::of_thread),
            Who::Unit(unit) => {
                if let Some(priority) = self.wanted.priorities.get(&unit) {
                    return Some(urgency::of_thread(u32::from(*priority)));
                }
                let levels = &self.application.levels;
                let level = levels.iter().find(|level| level.slots.contains(&unit))?;
                Some(match (level.exception, level.priority) {
                    (0, 0) => 0,
                    (0, priority) => urgency::of_thread(u32::from(priority)),
                    (exception, _) => urgency::of_exception(machine, exception),
                })
            }
        }
    }

    /// The cycles that less urgent code has had.
    fn below(&self, urgency: u32) -> u64 {
        self.spent.range(..urgency).map(|(_, cycles)| cycles).sum()
    }

    fn arrive(&mut self, machine: &impl Simulated, who: Who, cycle: u64) {
        let urgency = self.urgency_of(machine, who);
        let below = urgency.map(|urgency| self.below(urgency));
        let most = match who {
            Who::Unit(unit) => {
                let slots = self.application.levels.iter().flat_map(|level| &level.slots);
                slots.filter(|slot| **slot == unit).count().clamp(1, WAITING_MAX)
            }
            _ => 1,
        };
        let source = self.sources.entry(who).or_default();
        source.urgency = urgency.unwrap_or(source.urgency);
        if source.waiting.len() < most {
            source.waiting.push_back(Arrived { cycle, below });
        }
    }

    /// A job begins in a context that has had so many cycles. When it has arrived.
    fn begin(&mut self, machine: &impl Simulated, who: Who, cycle: u64) -> Arrived {
        self.begun.push((who, cycle));
        let known = self.urgency_of(machine, who);
        let urgency = known.unwrap_or(self.urgency);
        let source = self.sources.entry(who).or_default();
        source.urgency = urgency;
        let seen = source.waiting.pop_front();
        seen.map_or(Arrived { cycle, below: None }, |arrived| Arrived {
            cycle: arrived.cycle.min(cycle),
            ..arrived
        })
    }

    /// A job is over.
    fn end(&mut self, who: Who, arrived: Arrived, end: u64, cost: u64) {
        let Some(source) = self.sources.get(&who) else { return };
        let below = self.below(source.urgency);
        let held_off = arrived.below.map_or(0, |before| below.saturating_sub(before));
        let job = Job { arrival: arrived.cycle, end, cost, held_off };
        self.ended.push((who, job));
        if self.begin.is_some() {
            self.sources.entry(who).or_default().jobs.push(job);
        }
    }

    /// What was before doesn't count. What has arrived does so now.
    fn open(&mut self, cycle: u64) {
        self.begin = Some(cycle);
        self.sections.clear();
        for source in self.sources.values_mut() {
            source.jobs.clear();
            for arrived in &mut source.waiting {
                arrived.cycle = arrived.cycle.max(cycle);
            }
            for begun in &mut source.begun {
                begun.arrived.cycle = begun.arrived.cycle.max(cycle);
            }
        }
        for handler in &mut self.handlers {
            handler.arrived.cycle = handler.arrived.cycle.max(cycle);
        }
    }

    fn note(&mut self, machine: &impl Simulated, happening: &Happening) {
        match *happening {
            Happening::Woken { who: who @ Who::Thread(control), cycle, .. } => {
                if self.thread_priority(machine, control) == Some(0) {
                    return;
                }
                // It has waited for no time in which another one ran.
                self.end_thread(control, cycle);
                self.arrive(machine, who, cycle);
                if self.follower.thread() == control {
                    self.begin_thread(machine, control, cycle);
                }
            }
            Happening::Woken { who, cycle, .. } => self.arrive(machine, who, cycle),
            Happening::Entered { exception, began, entry } => {
                self.enter(machine, exception, (began, entry));
            }
            Happening::Left { exception, times, own, .. } => {
                self.leave(machine, exception, times.1, own);
            }
            Happening::Began { unit, cycle } => self.begin_unit(machine, unit, cycle),
            Happening::Ended { unit, times, own, context } => {
                self.end_unit(unit, times.1, own, context);
            }
            Happening::Switched { from, to, times, .. } => {
                if self.follower.kernel.is_ready(from) == Some(false) {
                    self.end_thread(from, times.1);
                    self.sections.end_of_thread(from, self.follower.thread_cycles(from));
                }
                self.urgency = self.now(machine);
                self.begin_thread(machine, to, times.1);
            }
            Happening::Slept { .. } => {
                let thread = self.follower.thread();
                self.paid.insert(thread, self.follower.thread_cycles(thread));
            }
            Happening::Reset => {
                self.sources.clear();
                self.handlers.clear();
                self.paid.clear();
                self.open(machine.cycle());
            }
            Happening::Ready { .. } | Happening::Masked { .. } => {}
        }
    }

    fn enter(&mut self, machine: &impl Simulated, exception: u16, (began, entry): (u64, u64)) {
        // The entry is the handler's time, not that of the code below it.
        let under = self.spent.entry(self.urgency).or_default();
        *under = under.saturating_sub(entry);
        self.urgency = urgency::of_exception(machine, exception);
        *self.spent.entry(self.urgency).or_default() += entry;
        let arrived = self.begin(machine, Who::Exception(exception), began);
        self.handlers.push(Handler { exception, arrived, paid: 0, last: None });
    }

    fn leave(&mut self, machine: &impl Simulated, exception: u16, end: u64, own: u64) {
        let Some(handler) = self.handlers.pop_if(|one| one.exception == exception) else { return };
        self.urgency = self.now(machine);
        let rest = own.saturating_sub(handler.paid);
        match handler.last {
            None => self.end(Who::Exception(exception), handler.arrived, end, own),
            Some(unit) => {
                let source = self.sources.get_mut(&Who::Unit(unit));
                if let Some(job) = source.and_then(|source| source.jobs.last_mut()) {
                    job.cost += rest;
                }
            }
        }
    }

    /// Returns `true` if an executor runs the unit.
    fn is_run_by_executor(&self, unit: u16) -> bool {
        let kind = self.application.units.get(usize::from(unit)).map(|unit| unit.kind);
        matches!(kind, Some(Kind::Software | Kind::Async | Kind::Actor))
    }

    fn begin_unit(&mut self, machine: &impl Simulated, unit: u16, cycle: u64) {
        let kind = self.application.units.get(usize::from(unit)).map(|unit| unit.kind);
        if !self.is_run_by_executor(unit) && kind != Some(Kind::Function) {
            return;
        }
        let who = Who::Unit(unit);
        let arrived = self.begin(machine, who, cycle);
        let begun = Begun { arrived, cycles: 0 };
        self.sources.entry(who).or_default().begun.push(begun);
    }

    fn end_unit(&mut self, unit: u16, end: u64, own: u64, context: u64) {
        let about = self.application.units.get(usize::from(unit));
        if about.is_some_and(|one| one.kind == Kind::Whole && one.name == "init")
            && self.wanted.from.is_none()
        {
            self.open(self.cycle);
        }
        let who = Who::Unit(unit);
        let begun = self.sources.get_mut(&who).and_then(|source| source.begun.pop());
        let Some(Begun { arrived, .. }) = begun else { return };
        if self.wanted.sections.contains(&unit) {
            self.sections.note_call(unit, self.urgency, (end.saturating_sub(own), own));
        }
        if !self.is_run_by_executor(unit) {
            return self.end(who, arrived, end, own);
        }
        let paid = match self.handlers.last_mut() {
            Some(handler) => {
                handler.last = Some(unit);
                &mut handler.paid
            }
            None => {
                let thread = self.follower.thread();
                self.hosts.insert(thread);
                self.paid.entry(thread).or_default()
            }
        };
        let cost = context.saturating_sub(std::mem::replace(paid, context));
        self.end(who, arrived, end, cost.max(own));
    }

    fn begin_thread(&mut self, machine: &impl Simulated, control: u32, cycle: u64) {
        let who = Who::Thread(control);
        let is_new = |source: &Source| !source.waiting.is_empty() && source.begun.is_empty();
        if !self.sources.get(&who).is_some_and(is_new) {
            return;
        }
        let arrived = self.begin(machine, who, cycle);
        let cycles = self.follower.thread_cycles(control);
        self.sources.entry(who).or_default().begun.push(Begun { arrived, cycles });
    }

    fn end_thread(&mut self, control: u32, end: u64) {
        let who = Who::Thread(control);
        let begun = self.sources.get_mut(&who).and_then(|source| source.begun.pop());
        let Some(Begun { arrived, cycles }) = begun else { return };
        let cost = self.follower.thread_cycles(control).saturating_sub(cycles);
        self.end(who, arrived, end, cost);
    }

    /// Sections of the step that began at `pc`.
    fn look_at_sections(&mut self, machine: &impl Simulated, pc: u32) {
        let counts = |start: u64| self.begin.is_some_and(|begin| start >= begin);
        if let Some(mask) = machine.mask(&mut self.masks, pc).filter(|mask| counts(mask.start)) {
            let owner = match mask.exception {
                0 => match self.follower.thread() {
                    0 => 0,
                    control => self.thread_priority(machine, control).map_or(0, urgency::of_thread),
                },
                exception => urgency::of_exception(machine, exception),
            };
            self.sections.note_mask(mask, owner);
        }
        let control = self.follower.thread();
        if self.follower.handler().is_some() || control == 0 {
            return;
        }
        let Some(layout) = self.follower.kernel.layout() else { return };
        let reach = layout.reach(machine, control).map(u32::from);
        let base = layout.priorities(machine, control).map(|(base, _)| u32::from(base));
        if let (Some(reach), Some(base)) = (reach, base) {
            let cycles = self.follower.thread_cycles(control);
            let (owner, reach) = (urgency::of_thread(base), urgency::of_thread(reach));
            self.sections.look_at_thread(control, (owner, reach), (self.cycle, cycles), pc);
        }
    }

    /// The sections as they are known now.
    pub fn found(&self, firmware: &Firmware, machine: &Machine) -> Vec<Section> {
        self.sections.all(firmware, |value| urgency::of_basepri(machine, value))
    }
}

impl<M: Simulated> Follow<M> for Watch<'_> {
    fn step(&mut self, machine: &mut M, is_hit: bool) -> bool {
        self.begun.clear();
        self.ended.clear();
        let cycle = machine.cycle();
        let taken = cycle.saturating_sub(std::mem::replace(&mut self.cycle, cycle));
        *self.spent.entry(self.urgency).or_default() += taken;
        let pc = std::mem::replace(&mut self.pc, machine.pc());
        let executed = std::mem::replace(&mut self.instructions, machine.instructions());
        self.follower.step(machine, is_hit);
        let begin = self.begin;
        for happening in std::mem::take(&mut self.follower.happenings) {
            self.note(machine, &happening);
        }
        if self.begin != begin {
            self.opening = Opening::of(machine, machine.pc());
        }
        self.look_at_sections(machine, pc);
        let is_there = match self.wanted.from {
            Some(Edge::Place(place)) => place == pc && executed != machine.instructions(),
            Some(Edge::Time(time)) => cycle - taken >= time,
            None => false,
        };
        if self.begin.is_none() && is_there {
            self.open(cycle - taken);
            self.opening = Opening::of(machine, pc);
        }
        true
    }

    fn printed(&mut self, _: u64, _: &str, _: &[u8]) {}
}
