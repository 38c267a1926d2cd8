//! Decides what is generated for an application: levels and slots, ceilings, how each resource is
//! reached. No Rust is written here, so every decision can be tested as a value.

use std::collections::{BTreeMap, BTreeSet};

use syn::Ident;

use crate::model::{
    Access, App, Dispatcher, Form, LocalAccess, Resource, SharedResource, Software, Task, TaskKind,
    User,
};

/// What is decided about an application.
pub struct Plan<'a> {
    /// The levels that have software tasks, the least urgent first.
    pub levels: Vec<Level<'a>>,
    /// The shared resources, in the order of the struct.
    pub shared: Vec<Shared<'a>>,
    /// The local resources, in the order of the struct.
    pub local: Vec<Local<'a>>,
    /// The highest priority of a task, at least 1: what may touch the kernel's data runs there or
    /// below.
    pub kernel_ceiling: u8,
    /// Where other libraries that wake tasks may run at most; nothing if there is no bound.
    pub library_priority: Option<u8>,
}

/// The software tasks of one priority.
pub struct Level<'a> {
    /// The priority; 0 is thread mode.
    pub priority: u8,
    /// The interrupt that runs them; thread mode needs none.
    pub dispatcher: Option<&'a Dispatcher>,
    /// Its tasks in the order of their slots: by name, byte by byte.
    pub slots: Vec<Slot<'a>>,
    /// The number of its first slot among those of all levels.
    pub first: u16,
    /// How its ready slots are stored.
    pub size: Size,
}

/// The sizes of levels: each has the cheapest mechanism that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One slot: a flag.
    One,
    /// Up to 32 slots: a word of bits.
    Many,
    /// More: a word for each 32, and one that says where to look.
    Wide,
}

/// A software task in its level.
pub struct Slot<'a> {
    /// The task.
    pub task: &'a Task,
    /// What it has as a software task.
    pub software: &'a Software,
    /// What a waker of it carries: the slot's bit, or its number in a wide level.
    pub word: u32,
    /// What a spawn does, and what the level runs.
    pub mechanism: Mechanism,
}

/// How a software task is spawned and run: each has the cheapest one that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// A spawn builds the future, the level polls it.
    Future,
    /// The same, with a handle.
    Joinable,
    /// A spawn puts its arguments into a queue of so many, the level builds and polls one future
    /// after the other.
    Backlog(usize),
    /// A spawn puts its arguments down, the level calls the function.
    Single,
    /// A spawn puts its arguments into a queue of so many, the level calls the function.
    Queue(usize),
}

impl Mechanism {
    /// The cheapest one for a task.
    fn of(software: &Software) -> Self {
        match (software.form, usize::from(software.capacity)) {
            (Form::Plain, 0 | 1) => Self::Single,
            (Form::Plain, capacity) => Self::Queue(capacity),
            (Form::Async, _) if software.joinable.is_some() => Self::Joinable,
            (Form::Async, 0 | 1) => Self::Future,
            (Form::Async, capacity) => Self::Backlog(capacity),
        }
    }

    /// Whether a job looks for itself what there is to run, so that its slot always counts as
    /// alive.
    pub const fn looks(self) -> bool {
        matches!(self, Self::Backlog(_) | Self::Single | Self::Queue(_))
    }

    /// Whether the task is an `async fn`, so that it has wakers.
    pub const fn is_async(self) -> bool {
        matches!(self, Self::Future | Self::Joinable | Self::Backlog(_))
    }
}

/// A shared resource.
pub struct Shared<'a> {
    /// The field.
    pub field: &'a SharedResource,
    /// Whether anybody lists it.
    pub used: bool,
    /// The highest priority of its users.
    pub ceiling: u8,
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

/// How many slots one word of ready bits has.
const WORD: usize = 32;

/// Decides.
pub fn lower(app: &App) -> Plan<'_> {
    let levels = levels(app);
    let highest = app.tasks.iter().map(|task| task.priority.value).max();
    Plan {
        shared: app.shared_resources().iter().map(|field| shared(app, field)).collect(),
        local: app.local_resources().iter().map(|field| local(app, field)).collect(),
        kernel_ceiling: highest.unwrap_or(0).max(1),
        library_priority: library_priority(app),
        levels,
    }
}

/// The levels, with slots and dispatchers.
fn levels(app: &App) -> Vec<Level<'_>> {
    let mut tasks = BTreeMap::<u8, Vec<(&Task, &Software)>>::new();
    for (task, software) in app.software_tasks() {
        tasks.entry(task.priority.value).or_default().push((task, software));
    }
    let interrupts = tasks.keys().filter(|priority| **priority > 0).count();
    // The most urgent level takes the last dispatcher. Of too few, `check` has said so.
    let unused = app.arguments.dispatchers.len().saturating_sub(interrupts);
    let mut dispatchers = app.arguments.dispatchers[unused..].iter();
    let mut first = 0;
    tasks
        .into_iter()
        .map(|(priority, mut tasks)| {
            tasks.sort_by_key(|(task, _)| task.name().to_string());
            let count = tasks.len();
            let size = match count {
                1 => Size::One,
                2..=WORD => Size::Many,
                _ => Size::Wide,
            };
            let slots = (0_u32..).zip(tasks).map(|(slot, (task, software))| {
                let word = if size == Size::Wide { slot } else { 0x8000_0000 >> slot };
                Slot { task, software, word, mechanism: Mechanism::of(software) }
            });
            let dispatcher = if priority > 0 { dispatchers.next() } else { None };
            let level = Level { priority, dispatcher, slots: slots.collect(), first, size };
            first += u16::try_from(count).unwrap_or(u16::MAX);
            level
        })
        .collect()
}

/// What is decided about a field of the struct `#[shared]`.
fn shared<'a>(app: &'a App, field: &'a SharedResource) -> Shared<'a> {
    let name = &field.resource.name;
    let users: Vec<_> = app.users_of_shared(name).collect();
    let priorities: BTreeSet<u8> = users.iter().map(|(user, _)| user.priority).collect();
    let ceiling = priorities.last().copied().unwrap_or(0);
    let resource = name.to_string();
    let mut masking = users.iter().filter(|(user, _)| masks(app, *user, &resource));
    Shared {
        field,
        used: !users.is_empty(),
        ceiling,
        alone: masking.all(|(user, _)| nothing_is_held(app, *user)),
        send: ceiling > 0,
        sync: priorities.len() > 1 && users.iter().any(|(_, a)| a.form == Access::Shared),
    }
}

/// Whether the user locks the resource, and its lock masks anything.
fn masks(app: &App, user: User<'_>, resource: &str) -> bool {
    let mut listed = user.shared.iter();
    listed.any(|access| access.name == resource && access.form == Access::Exclusive)
        && !lock_free(app, resource)
        && ceiling(app, resource) > user.priority
}

/// Whether the resource is lock-free.
fn lock_free(app: &App, resource: &str) -> bool {
    app.shared_resources()
        .iter()
        .any(|shared| shared.resource.name == resource && shared.lock_free.is_some())
}

/// The highest priority of a resource's users.
fn ceiling(app: &App, resource: &str) -> u8 {
    app.users()
        .filter(|user| user.shared.iter().any(|access| access.name == resource))
        .map(|user| user.priority)
        .max()
        .unwrap_or(0)
}

/// The resources for which a user masks something.
fn masked<'a>(app: &'a App, user: User<'a>) -> impl Iterator<Item = String> + 'a {
    user.shared
        .iter()
        .map(|access| access.name.to_string())
        .filter(move |resource| masks(app, user, resource))
}

/// Whether no section can be open where one of `user`'s begins, given that it isn't nested in one
/// of the same resource.
fn nothing_is_held(app: &App, user: User<'_>) -> bool {
    // A section of a less urgent user is open if that user was interrupted in it.
    let interrupted = app
        .users()
        .filter(|other| other.priority < user.priority)
        .flat_map(|other| masked(app, other))
        .any(|resource| ceiling(app, &resource) < user.priority);
    // A proxy can be handed to another task of its level only where `local_task` takes arguments
    // that aren't `Send`.
    let handed = app.software_tasks().any(|(task, software)| {
        task.priority.value == user.priority && software.local_task.is_some()
    });
    let own: BTreeSet<String> = app
        .users()
        .filter(|other| other.priority == user.priority && (handed || other.name() == user.name()))
        .flat_map(|other| masked(app, other))
        .collect();
    !interrupted && own.len() <= 1
}

/// What is decided about a field of the struct `#[local]`.
fn local<'a>(app: &'a App, field: &'a Resource) -> Local<'a> {
    let owners = || {
        app.users().filter(|user| {
            user.local
                .iter()
                .any(|local| matches!(local, LocalAccess::Field(name) if *name == field.name))
        })
    };
    Local { field, used: owners().next().is_some(), send: owners().any(|user| user.priority > 0) }
}

/// RTIC's rule for the symbol that libraries over its wakers read.
fn library_priority(app: &App) -> Option<u8> {
    let hardware = app.hardware_tasks().map(|(task, _)| task.priority.value).min()?;
    let software = app.software_tasks().map(|(task, _)| task.priority.value).max().unwrap_or(0);
    Some((hardware - 1).max(software.saturating_add(1)))
}

impl<'a> Plan<'a> {
    /// The shared resources of a name: one, or alternatives under `cfg`.
    pub fn shared_alternatives(&self, name: &Ident) -> impl Iterator<Item = &Shared<'a>> {
        self.shared.iter().filter(move |shared| shared.field.resource.name == *name)
    }

    /// The local resources of a name: one, or alternatives under `cfg`.
    pub fn local_alternatives(&self, name: &Ident) -> impl Iterator<Item = &Local<'a>> {
        self.local.iter().filter(move |local| local.field.name == *name)
    }
}

/// Whether the task is a software task.
pub const fn is_software(task: &Task) -> bool {
    matches!(task.kind, TaskKind::Software(_))
}
