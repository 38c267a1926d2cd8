//! Decides what is generated for an application: levels and slots, ceilings, how each resource is
//! reached. No Rust is written here, so every decision can be tested as a value.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use syn::Ident;

use crate::analysis::{Analysis, User};
use crate::line::{PRIORITY_MAX, Place};
use crate::model::{Access, Dispatcher, LocalAccess, Resource, RunBy, SharedResource, Task};

/// What is decided about an application.
pub struct Plan<'a> {
    /// The levels that have software tasks, the least urgent first.
    pub levels: Vec<Level<'a>>,
    /// What wakers refer to, in the order of the levels.
    pub descriptors: Vec<Descriptor>,
    /// The threads: the user's in the order of the text, then those that host levels.
    pub threads: Vec<Running<'a>>,
    /// The shared resources, in the order of the struct.
    pub shared: Vec<Shared<'a>>,
    /// The local resources, in the order of the struct.
    pub local: Vec<Local<'a>>,
    /// The highest priority of the hardware that the application uses, at least 1: what may touch
    /// the kernel's data runs there or below.
    pub kernel_ceiling: u8,
    /// Where other libraries that wake tasks may run at most, as a priority of the hardware;
    /// nothing if there is no bound.
    pub library_priority: Option<u8>,
}

/// A thread.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// Its priority.
    pub priority: u8,
    /// What it runs.
    pub runs: Runs<'a>,
}

/// What a thread runs.
#[derive(Clone, Copy)]
pub enum Runs<'a> {
    /// A function of the user's, and which of its instances this is: 0 of the only one.
    Function(&'a Task, usize),
    /// The software tasks of the level with this number.
    Level(usize),
}

/// The software tasks of one priority; of all, if the scheduler is cooperative and there are no
/// threads.
pub struct Level<'a> {
    /// The priority; 0 is thread mode.
    pub priority: u8,
    /// What runs them.
    pub runner: Runner<'a>,
    /// Its tasks in the order of their slots: the more urgent first, then by name, byte by byte.
    pub slots: Vec<Slot<'a>>,
    /// The number of its first slot among those of all levels.
    pub first: u16,
    /// How its ready slots are stored.
    pub size: Size,
}

/// The tasks of one priority in a level: waiters are served in the order of priorities, whatever
/// runs them.
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// The number of their level.
    pub level: usize,
    /// Their priority.
    pub priority: u8,
}

/// What runs a level's jobs.
#[derive(Clone, Copy)]
pub enum Runner<'a> {
    /// `main`, in thread mode.
    Main,
    /// A thread of its own.
    Host,
    /// An interrupt.
    Interrupt(&'a Dispatcher),
}

/// The sizes of levels: each has the cheapest mechanism that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One slot: a flag.
    One,
    /// A few slots: a flag for each.
    Few,
    /// Up to 32 slots: a word of bits.
    Many,
    /// More: a word for each 32, and one that says where to look.
    Wide,
}

/// A task in its level.
pub struct Slot<'a> {
    /// The task.
    pub task: &'a Task,
    /// Which of its slots it is; 0 for the only one.
    pub instance: usize,
    /// What names it in its level: its bit where slots have bits, its number elsewhere.
    pub word: u32,
}

/// A shared resource.
pub struct Shared<'a> {
    /// The field.
    pub field: &'a SharedResource,
    /// Whether anybody lists it.
    pub used: bool,
    /// Where the most urgent of its users runs.
    pub ceiling: Place,
    /// Whether its users have static priorities, so that the most urgent needs no lock: none of
    /// them is a thread, unless all others are above the threads.
    pub fixed: bool,
    /// How many contexts use it: users that can't run one in the middle of another are one.
    pub contexts: usize,
    /// Whether no other section can be open where one of this resource begins.
    pub alone: bool,
    /// Whether it crosses from `init` to another priority.
    pub send: bool,
    /// Whether references to it are shared between priorities.
    pub sync: bool,
}

/// A local resource that is a field of the struct.
pub struct Local<'a> {
    /// The field.
    pub field: &'a Resource,
    /// Whether anybody lists it.
    pub used: bool,
    /// Whether it crosses from `init` to another priority.
    pub send: bool,
}

/// How many slots have flags at most. Behind a wake, a round looks at each: so many take no longer
/// than a word of bits does.
const FEW_MAX: usize = 6;

/// How many slots one word of ready bits has.
const WORD: usize = 32;

impl Size {
    /// The size of a level with these tasks, the most urgent first.
    fn of(tasks: &[(&Task, usize)]) -> Self {
        let priority = |task: Option<&(&Task, usize)>| task.map(|(task, _)| task.priority.value);
        match tasks.len() {
            1 => Self::One,
            // A round of flags has no order but the slots'.
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

/// The highest priority of the hardware at which something may touch the kernel's data. With
/// threads it is above PendSV's, so that clocks, which run there, are.
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
    // The most urgent level takes the last dispatcher. Of too few, `check` has said so.
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
                // One that has none has been refused.
                Place::Level(_) => dispatchers.next().map_or(Runner::Main, Runner::Interrupt),
            };
            let (priority, slots) = (place.priority(), slots.collect());
            let level = Level { priority, runner, slots, first, size };
            first += u16::try_from(count).unwrap_or(u16::MAX);
            level
        })
        .collect()
}

/// One for each priority of each level: several where the scheduler is cooperative.
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

/// What is decided about a field of the struct `#[shared]`.
fn shared<'a>(analysis: &Analysis<'a>, field: &'a SharedResource) -> Shared<'a> {
    let name = &field.resource.name;
    let users = analysis.users_of_shared(name);
    // By the priorities that were written: the same types are accepted by either scheduler.
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

/// Whether the user locks the resource, and its lock masks interrupts.
fn masks(analysis: &Analysis<'_>, user: User<'_>, resource: &Ident) -> bool {
    let ceiling = analysis.ceiling(resource);
    user.exclusive().any(|name| name == resource)
        && !lock_free(analysis, resource)
        && matches!(ceiling, Place::Level(_))
        && ceiling > user.place
}

/// Whether the resource is lock-free.
fn lock_free(analysis: &Analysis<'_>, resource: &Ident) -> bool {
    let mut fields = analysis.app.shared_resources().iter();
    fields.any(|shared| shared.resource.name == *resource && shared.lock_free.is_some())
}

/// The resources for which a user masks something.
fn masked<'a>(analysis: &Analysis<'a>, user: User<'a>) -> impl Iterator<Item = &'a Ident> {
    let names = user.shared.iter().map(|access| &access.name);
    names.filter(move |resource| masks(analysis, user, resource))
}

/// Whether a level may suspend a thread in a section with this ceiling, which then has to be seen
/// to right behind it.
fn is_outranked(analysis: &Analysis<'_>, ceiling: Place) -> bool {
    let hardware = |level| analysis.line.hardware(level);
    matches!(ceiling, Place::Level(level) if hardware(level) < kernel_ceiling(analysis))
}

/// Whether no section of a resource that masks interrupts can be open where one of `user`'s begins,
/// given that it isn't nested in one of the same resource. (Whether libraries have sections is
/// known by their features, which the crate looks at.)
fn nothing_is_held(analysis: &Analysis<'_>, user: User<'_>) -> bool {
    let place = user.place;
    // An actor holds others off by its threshold for as long as it handles an event.
    if analysis.app.actors().any(|(_, actor)| actor.threshold.is_some()) {
        return false;
    }
    // A level may have interrupted a switch of threads, which is such a section.
    if analysis.line.has_threads() && matches!(place, Place::Level(_)) {
        return false;
    }
    // A section of a less urgent user is open if that user was interrupted in it. Only levels
    // interrupt one: no thread is switched to while interrupts are masked.
    let users = || analysis.users.iter().copied();
    let interrupted = matches!(place, Place::Level(_))
        && users()
            .filter(|other| other.place < place)
            .flat_map(|other| masked(analysis, other))
            .any(|resource| analysis.ceiling(resource) < place);
    let handed = analysis.may_be_handed(place);
    let own: BTreeSet<&Ident> = users()
        .filter(|other| other.place == place && (handed || other.name() == user.name()))
        .flat_map(|other| masked(analysis, other))
        .collect();
    !interrupted && own.len() <= 1
}

/// What is decided about a field of the struct `#[local]`.
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

/// RTIC's rule for the symbol that libraries over its wakers read. With threads, PendSV has the
/// lowest priority of the hardware, and whatever wakes a thread is above it.
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
    /// Whether a thread runs its jobs.
    pub const fn is_hosted(&self) -> bool {
        matches!(self.runner, Runner::Host)
    }

    /// If its tasks have several priorities, as in a cooperative scheduler's: for each slot the
    /// bits of those of its priority.
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

    /// The same for a wide level: the slot behind the last of each priority, the most urgent first.
    pub fn ends(&self) -> Vec<u32> {
        let priority = |slot: usize| self.slots.get(slot).map(|slot| slot.task.priority.value);
        let ends = (1..=self.slots.len()).filter(|end| priority(*end) != priority(end - 1));
        ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect()
    }

    /// The interrupt that runs its jobs.
    pub const fn dispatcher(&self) -> Option<&'a Dispatcher> {
        match self.runner {
            Runner::Interrupt(dispatcher) => Some(dispatcher),
            Runner::Main | Runner::Host => None,
        }
    }
}

impl Shared<'_> {
    /// Whether a user that runs at `place` has to hold others off.
    pub fn is_contended(&self, place: Place) -> bool {
        match self.ceiling {
            Place::Idle => false,
            Place::Level(_) => place.is_below(self.ceiling),
            // The priority of a thread may be changed, and inherited: none of them is the highest
            // for good.
            Place::Thread(_) if self.fixed => place.is_below(self.ceiling),
            Place::Thread(_) => self.contexts > 1,
        }
    }

    /// The ceiling of a resource that no level uses.
    ///
    /// It is the highest priority of all where a thread is a user: that thread may inherit a
    /// priority, or be given one, which would be above the ceiling of those that were written.
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
