//! Decides what is generated for an application: levels and slots, ceilings, the access to each
//! resource. No Rust is written here, so tests can check every decision as a value.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use syn::Ident;

use crate::analysis::{Analysis, User};
use crate::line::{PRIORITY_MAX, Place};
use crate::model::{Access, Dispatcher, LocalAccess, Resource, RunBy, SharedResource, Task};

/// The decisions about an application.
pub struct Plan<'a> {
    /// The levels that have software tasks, the least urgent first.
    pub levels: Vec<Level<'a>>,
    /// The descriptors that wakers refer to, in the order of the levels.
    pub descriptors: Vec<Descriptor>,
    /// The threads: the user's in the order of the text, then those that host levels.
    pub threads: Vec<Running<'a>>,
    /// The shared resources, in the order of the struct.
    pub shared: Vec<Shared<'a>>,
    /// The local resources, in the order of the struct.
    pub local: Vec<Local<'a>>,
    /// The highest priority of the hardware that the application uses, at least 1. Code that
    /// touches the kernel's data runs at this priority or below.
    pub kernel_ceiling: u8,
    /// The highest priority of the hardware at which other libraries that wake tasks may run.
    /// `None` if there is no bound.
    pub library_priority: Option<u8>,
}

/// A thread.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// The thread's priority.
    pub priority: u8,
    /// The code that the thread runs.
    pub runs: Runs<'a>,
}

/// The code that a thread runs.
#[derive(Clone, Copy)]
pub enum Runs<'a> {
    /// A function of the user, and the number of the instance: 0 for the only one.
    Function(&'a Task, usize),
    /// The software tasks of the level with this number.
    Level(usize),
}

/// The software tasks of one priority. With a cooperative scheduler and without threads: all
/// software tasks.
pub struct Level<'a> {
    /// The priority; 0 is thread mode.
    pub priority: u8,
    /// The runner of the tasks.
    pub runner: Runner<'a>,
    /// The level's tasks in the order of their slots: the more urgent first, then by name, byte by
    /// byte.
    pub slots: Vec<Slot<'a>>,
    /// The number of the level's first slot among the slots of all levels.
    pub first: u16,
    /// How the level's ready slots are stored.
    pub size: Size,
}

/// The tasks of one priority in a level. Waiters are served in the order of these priorities,
/// whatever runs the tasks.
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// The number of the tasks' level.
    pub level: usize,
    /// The tasks' priority.
    pub priority: u8,
}

/// The runner of a level's jobs.
#[derive(Clone, Copy)]
pub enum Runner<'a> {
    /// `main`, in thread mode.
    Main,
    /// A thread of the level's own.
    Host,
    /// An interrupt.
    Interrupt(&'a Dispatcher),
}

/// The sizes of levels. Each level has the cheapest mechanism that suffices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One slot: a flag.
    One,
    /// A few slots: a flag for each.
    Few,
    /// Up to 32 slots: a word of bits.
    Many,
    /// More slots: a word for each 32, and one word that says which of these to look at.
    Wide,
}

/// A task in its level.
pub struct Slot<'a> {
    /// The task.
    pub task: &'a Task,
    /// The number of the task's slot; 0 for the only one.
    pub instance: usize,
    /// The slot's name in its level: a bit if slots have bits, a number otherwise.
    pub word: u32,
}

/// A shared resource.
pub struct Shared<'a> {
    /// The field.
    pub field: &'a SharedResource,
    /// `true` if some user lists the resource.
    pub used: bool,
    /// Where the most urgent user of the resource runs.
    pub ceiling: Place,
    /// `true` if the users have static priorities, so that the most urgent user needs no lock. Then
    /// no user is a thread, or all other users are above the threads.
    pub fixed: bool,
    /// The number of contexts that use the resource. Users that can't preempt each other count as
    /// one.
    pub contexts: usize,
    /// `true` if no other section can be open where a section of this resource begins.
    pub alone: bool,
    /// `true` if the resource crosses from `init` to another priority.
    pub send: bool,
    /// `true` if priorities share references to the resource.
    pub sync: bool,
}

/// A local resource that is a field of the struct.
pub struct Local<'a> {
    /// The field.
    pub field: &'a Resource,
    /// `true` if some user lists the resource.
    pub used: bool,
    /// `true` if the resource crosses from `init` to another priority.
    pub send: bool,
}

/// The most slots that have flags. After a wake, a round looks at each flag: up to this number,
/// that takes no longer than a word of bits.
const FEW_MAX: usize = 6;

/// The number of slots of one word of ready bits.
const WORD: usize = 32;

impl Size {
    /// The size of a level with these tasks, the most urgent first.
    fn of(tasks: &[(&Task, usize)]) -> Self {
        let priority = |task: Option<&(&Task, usize)>| task.map(|(task, _)| task.priority.value);
        match tasks.len() {
            1 => Self::One,
            // A round of flags has no order but the order of the slots.
            2..=FEW_MAX if priority(tasks.first()) == priority(tasks.last()) => Self::Few,
            2..=WORD => Self::Many,
            _ => Self::Wide,
        }
    }
}

/// Decides.
pub fn lower<'a>(analysis: &Analysis<'a>) -> Plan<'a> {
    let app = analysis.app;
    let levels = levels(analysis);
    Plan {
        descriptors: descriptors(&levels),
        threads: threads(analysis, &levels),
        shared: app.shared_resources().iter().map(|field| shared(analysis, field)).collect(),
        local: app.local_resources().iter().map(|field| local(analysis, field)).collect(),
        kernel_ceiling: kernel_ceiling(analysis),
        library_priority: library_priority(analysis),
        levels,
    }
}

/// The highest priority of the hardware at which code may touch the kernel's data. With threads,
/// this priority is above PendSV's, because clocks run there.
fn kernel_ceiling(analysis: &Analysis<'_>) -> u8 {
    let line = analysis.line;
    let levels = analysis.users.iter().filter_map(|user| match user.place {
        Place::Level(priority) => Some(line.hardware(priority)),
        Place::Idle | Place::Thread(_) => None,
    });
    let lowest = if line.has_threads() { 2 } else { 1 };
    levels.max().map_or(lowest, |highest| highest.max(lowest))
}

/// The levels, with slots and dispatchers.
fn levels<'a>(analysis: &Analysis<'a>) -> Vec<Level<'a>> {
    let app = analysis.app;
    let mut tasks = BTreeMap::<Place, Vec<(&Task, usize)>>::new();
    for task in &app.tasks {
        let RunBy::Slots(count) = task.run_by else { continue };
        let slots = tasks.entry(analysis.place(task)).or_default();
        slots.extend((0..count).map(|instance| (task, instance)));
    }
    let interrupts = tasks.keys().filter(|place| matches!(place, Place::Level(_))).count();
    // The most urgent level takes the last dispatcher. `check` has refused too few dispatchers.
    let unused = app.arguments.dispatchers.len().saturating_sub(interrupts);
    let mut dispatchers = app.arguments.dispatchers[unused..].iter();
    let mut first = 0;
    tasks
        .into_iter()
        .map(|(place, mut tasks)| {
            // Slots of one task stay in the order of their instances.
            tasks.sort_by_key(|(task, _)| (Reverse(task.priority.value), task.name().to_string()));
            let count = tasks.len();
            let size = Size::of(&tasks);
            let slots = (0_u32..).zip(tasks).map(|(slot, (task, instance))| {
                let word = if size == Size::Many { 0x8000_0000 >> slot } else { slot };
                Slot { task, instance, word }
            });
            let runner = match place {
                Place::Idle => Runner::Main,
                Place::Thread(_) => Runner::Host,
                // A level without a dispatcher has been refused.
                Place::Level(_) => dispatchers.next().map_or(Runner::Main, Runner::Interrupt),
            };
            let (priority, slots) = (place.priority(), slots.collect());
            let level = Level { priority, runner, slots, first, size };
            first += u16::try_from(count).unwrap_or(u16::MAX);
            level
        })
        .collect()
}

/// One for each priority of each level. A level has several priorities if the scheduler is
/// cooperative.
fn descriptors(levels: &[Level<'_>]) -> Vec<Descriptor> {
    let of_level = |(level, tasks): (usize, &Level<'_>)| {
        let priorities: BTreeSet<u8> =
            tasks.slots.iter().map(|slot| slot.task.priority.value).collect();
        priorities.into_iter().map(move |priority| Descriptor { level, priority })
    };
    levels.iter().enumerate().flat_map(of_level).collect()
}

/// The threads.
fn threads<'a>(analysis: &Analysis<'a>, levels: &[Level<'a>]) -> Vec<Running<'a>> {
    let own = analysis.app.threads().flat_map(|(task, _)| {
        let priority = task.priority.value;
        let instances = 0..task.instances.unwrap_or(1);
        instances.map(move |instance| Running { priority, runs: Runs::Function(task, instance) })
    });
    let hosts = levels.iter().enumerate().filter(|(_, level)| level.is_hosted());
    let hosts =
        hosts.map(|(index, level)| Running { priority: level.priority, runs: Runs::Level(index) });
    own.chain(hosts).collect()
}

/// Decides about a field of the struct `#[shared]`.
fn shared<'a>(analysis: &Analysis<'a>, field: &'a SharedResource) -> Shared<'a> {
    let name = &field.resource.name;
    let users = analysis.users_of_shared(name);
    // By the priorities as written: both schedulers accept the same types.
    let priorities: BTreeSet<u8> = users.iter().map(|(user, _)| user.priority).collect();
    let (contexts, ceiling) = (analysis.contexts(name).count(), analysis.ceiling(name));
    let mut masking = users.iter().filter(|(user, _)| masks(analysis, *user, name));
    Shared {
        field,
        used: !users.is_empty(),
        ceiling,
        fixed: users.iter().all(|(user, _)| !user.task.is_some_and(Task::is_thread)),
        contexts,
        alone: masking.all(|(user, _)| nothing_is_held(analysis, *user))
            && !(analysis.contexts(name).any(|(place, _)| matches!(place, Place::Thread(_)))
                && is_outranked(analysis, ceiling)),
        send: priorities.last().is_some_and(|highest| *highest > 0),
        sync: (priorities.len() > 1 || contexts > 1)
            && users.iter().any(|(_, a)| a.form == Access::Shared),
    }
}

/// Returns `true` if the user locks the resource, and its lock masks interrupts.
fn masks(analysis: &Analysis<'_>, user: User<'_>, resource: &Ident) -> bool {
    let ceiling = analysis.ceiling(resource);
    user.exclusive().any(|name| name == resource)
        && !analysis.is_lock_free(resource)
        && matches!(ceiling, Place::Level(_))
        && ceiling > user.place
}

/// Returns the resources for which a user masks interrupts.
fn masked<'a>(analysis: &Analysis<'a>, user: User<'a>) -> impl Iterator<Item = &'a Ident> {
    let names = user.shared.iter().map(|access| &access.name);
    names.filter(move |resource| masks(analysis, user, resource))
}

/// Returns `true` if a level may interrupt a section with this ceiling and switch threads. The end
/// of the section then has to look for a pending switch.
fn is_outranked(analysis: &Analysis<'_>, ceiling: Place) -> bool {
    let hardware = |level| analysis.line.hardware(level);
    matches!(ceiling, Place::Level(level) if hardware(level) < kernel_ceiling(analysis))
}

/// Returns `true` if no section of a resource that masks interrupts can be open where a section of
/// `user` begins, not counting sections of the same resource. (The features of libraries tell
/// whether the libraries have sections; the crate checks the features.)
fn nothing_is_held(analysis: &Analysis<'_>, user: User<'_>) -> bool {
    let place = user.place;
    // An actor holds others off by its threshold for as long as it handles an event.
    if analysis.app.actors().any(|(_, actor)| actor.threshold.is_some()) {
        return false;
    }
    // A level may have interrupted a switch of threads, which is a section too.
    if analysis.line.has_threads() && matches!(place, Place::Level(_)) {
        return false;
    }
    // A section of a less urgent user is open if that user was interrupted inside the section. Only
    // levels interrupt it, because no switch of threads happens while interrupts are masked.
    let users = || analysis.users.iter().copied();
    let interrupted = matches!(place, Place::Level(_))
        && users()
            .filter(|other| other.place < place)
            .flat_map(|other| masked(analysis, other))
            .any(|resource| analysis.ceiling(resource) < place);
    // The user's own sections are of the resources that the user lists: a proxy doesn't leave its
    // run (record 0044).
    let own: BTreeSet<&Ident> = users()
        .filter(|other| other.place == place && other.name() == user.name())
        .flat_map(|other| masked(analysis, other))
        .collect();
    !interrupted && own.len() <= 1
}

/// Decides about a field of the struct `#[local]`.
fn local<'a>(analysis: &Analysis<'a>, field: &'a Resource) -> Local<'a> {
    let owners = || {
        analysis.users.iter().filter(|user| {
            user.local
                .iter()
                .any(|local| matches!(local, LocalAccess::Field(name) if *name == field.name))
        })
    };
    Local { field, used: owners().next().is_some(), send: owners().any(|user| user.priority > 0) }
}

/// RTIC's rule for the symbol that libraries over RTIC's wakers read. With threads, PendSV has the
/// lowest priority of the hardware, and all code that wakes a thread is above PendSV.
fn library_priority(analysis: &Analysis<'_>) -> Option<u8> {
    let (app, line) = (analysis.app, analysis.line);
    let hardware =
        app.hardware_tasks().map(|(task, _)| line.hardware(task.priority.value)).min()?;
    let software = app.jobs().filter_map(|task| match line.place(task) {
        Place::Level(priority) => Some(line.hardware(priority)),
        Place::Idle | Place::Thread(_) => None,
    });
    let lowest = u8::from(line.has_threads());
    Some((hardware - 1).max(software.max().unwrap_or(lowest).saturating_add(1)))
}

impl<'a> Level<'a> {
    /// Returns `true` if a thread runs the level's jobs.
    pub const fn is_hosted(&self) -> bool {
        matches!(self.runner, Runner::Host)
    }

    /// For a level whose tasks have several priorities, as with a cooperative scheduler: for each
    /// slot, the bits of all slots of the same priority.
    pub fn groups(&self) -> Vec<u32> {
        let priority = |slot: &Slot<'_>| slot.task.priority.value;
        let (first, last) = (self.slots.first().map(priority), self.slots.last().map(priority));
        if first == last {
            return Vec::new();
        }
        let group = |slot| {
            let same = |(_, other): &(usize, &Slot<'_>)| priority(other) == priority(slot);
            let equals = self.slots.iter().enumerate().take(WORD).filter(same);
            equals.fold(0, |bits, (number, _)| bits | 0x8000_0000_u32 >> number)
        };
        self.slots.iter().map(group).collect()
    }

    /// The same for a wide level: for each priority, the slot behind its last slot, the most urgent
    /// priority first.
    pub fn ends(&self) -> Vec<u32> {
        let priority = |slot: usize| self.slots.get(slot).map(|slot| slot.task.priority.value);
        let ends = (1..=self.slots.len()).filter(|end| priority(*end) != priority(end - 1));
        ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect()
    }

    /// Returns the interrupt that runs the level's jobs.
    pub const fn dispatcher(&self) -> Option<&'a Dispatcher> {
        match self.runner {
            Runner::Interrupt(dispatcher) => Some(dispatcher),
            Runner::Main | Runner::Host => None,
        }
    }
}

impl Shared<'_> {
    /// Returns `true` if a user that runs at `place` has to hold others off.
    pub fn is_contended(&self, place: Place) -> bool {
        match self.ceiling {
            Place::Idle => false,
            Place::Level(_) => place.is_below(self.ceiling),
            // Priorities of threads can change, or be inherited: no thread is the highest forever.
            Place::Thread(_) if self.fixed => place.is_below(self.ceiling),
            Place::Thread(_) => self.contexts > 1,
        }
    }

    /// Returns the ceiling of a resource that no level uses.
    ///
    /// If a thread is a user, the ceiling is the highest priority of all. That thread may inherit a
    /// priority, or be given one, above the priorities in the text.
    pub const fn thread_ceiling(&self) -> u8 {
        if self.fixed { self.ceiling.priority() } else { PRIORITY_MAX }
    }
}

impl<'a> Plan<'a> {
    /// The shared resources of a name: one, or alternatives under `cfg`.
    pub fn shared_alternatives(&self, name: &Ident) -> impl Iterator<Item = &Shared<'a>> {
        self.shared.iter().filter(move |shared| shared.field.resource.name == *name)
    }

    /// The number of the descriptor of the tasks of a priority in a level.
    pub fn descriptor(&self, level: usize, priority: u8) -> usize {
        let others = |one: &&Descriptor| (one.level, one.priority) != (level, priority);
        self.descriptors.iter().take_while(others).count()
    }

    /// The local resources of a name: one, or alternatives under `cfg`.
    pub fn local_alternatives(&self, name: &Ident) -> impl Iterator<Item = &Local<'a>> {
        self.local.iter().filter(move |local| local.field.name == *name)
    }
}
