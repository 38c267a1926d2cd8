//! The properties of an application as a whole: where each function runs, which users share a
//! resource, and which users never meet. `Analysis` finds each property once; `check` judges them,
//! `lower` decides from them, `emit` writes them.
//!
//! | file | question |
//! |---|---|
//! | [`alternatives`] | which users never exist together |
//! | [`conditions`] | which `cfg`s can't hold together |
//! | [`masks`] | which locks some cores can't mask |
//!
//! An application that is going to be refused has an analysis too. So no code here expects that a
//! name exists, or exists only once.

pub mod alternatives;
pub mod conditions;
mod masks;

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Ident};

pub use self::masks::UnmaskableLock;
use crate::line::{Line, Place};
use crate::model::{Access, App, Function, LocalAccess, SharedAccess, SharedResource, Task};

/// The properties of an application.
pub struct Analysis<'a> {
    /// What the user wrote.
    pub app: &'a App,
    /// Where each function runs.
    pub line: Line,
    /// Idle, if there is one, and all tasks.
    pub users: Vec<User<'a>>,
    /// The shared resources that some user lists, by name.
    shared: BTreeMap<&'a Ident, Usage<'a>>,
    /// The locks that a core which masks by source can't take.
    pub unmaskable_locks: Vec<UnmaskableLock<'a>>,
}

/// A user of resources: idle, a task or a thread.
#[derive(Clone, Copy)]
pub struct User<'a> {
    /// The function.
    pub function: &'a Function,
    /// The task; `None` for idle.
    pub task: Option<&'a Task>,
    /// The user's priority; 0 for idle.
    pub priority: u8,
    /// Where the user runs.
    pub place: Place,
    /// `shared = [..]`.
    pub shared: &'a [SharedAccess],
    /// `local = [..]`.
    pub local: &'a [LocalAccess],
}

/// The users of a shared resource.
#[derive(Default)]
pub struct Usage<'a> {
    /// The resource's users, each with the entry in the user's list.
    pub users: Vec<(User<'a>, &'a SharedAccess)>,
    /// The contexts in which the resource is used. Users that can't preempt each other share a
    /// context.
    pub contexts: BTreeSet<Context<'a>>,
}

/// A context: users of one place that run to the end before another begins. Each instance of a
/// thread is a context of its own.
type Context<'a> = (Place, Option<(&'a Ident, usize)>);

impl<'a> Analysis<'a> {
    /// Finds the properties of an application.
    pub fn of(app: &'a App) -> Self {
        let line = Line::of(app);
        let users = users(app, line);
        let mut shared = BTreeMap::<&Ident, Usage<'_>>::new();
        for user in &users {
            for access in user.shared {
                let usage = shared.entry(&access.name).or_default();
                usage.users.push((*user, access));
                usage.contexts.extend(user.contexts());
            }
        }
        let mut analysis = Self { app, line, users, shared, unmaskable_locks: Vec::new() };
        analysis.unmaskable_locks = masks::unmaskable_locks(&analysis);
        analysis
    }

    /// Where a task runs.
    pub fn place(&self, task: &Task) -> Place {
        self.line.place(task)
    }

    /// The users of a shared resource, each with its entry.
    pub fn users_of_shared(&self, name: &Ident) -> &[(User<'a>, &'a SharedAccess)] {
        self.shared.get(name).map_or(&[], |usage| &usage.users)
    }

    /// Where the most urgent of a resource's users runs.
    pub fn ceiling(&self, name: &Ident) -> Place {
        self.contexts(name).next_back().map_or(Place::Idle, |(place, _)| *place)
    }

    /// The contexts in which a resource is used.
    pub fn contexts(&self, name: &Ident) -> impl DoubleEndedIterator<Item = &Context<'a>> {
        self.shared.get(name).into_iter().flat_map(|usage| &usage.contexts)
    }

    /// Returns `true` if a context can live forever: its function never ends, and the context has
    /// no proxy. A proxy never outlives its run, which is why no run can get the proxy of another
    /// run (decision record 0044).
    pub fn lives_forever(&self, never_ends: bool, shared: &[SharedAccess]) -> bool {
        never_ends && self.proxies(shared).next().is_none()
    }

    /// Returns the resources of a list that are locked by proxies.
    pub fn proxies<'b>(&self, shared: &'b [SharedAccess]) -> impl Iterator<Item = &'b Ident> {
        exclusive(shared).filter(|name| !self.is_lock_free(name))
    }

    /// Returns `true` if a resource is lock-free, in all its alternatives.
    pub fn is_lock_free(&self, name: &Ident) -> bool {
        let mut fields =
            self.app.shared_resources().iter().filter(|one| one.resource.name == *name);
        let is_free = |shared: &SharedResource| shared.lock_free.is_some();
        fields.clone().next().is_some() && fields.all(is_free)
    }
}

/// Idle, if there is one, and all tasks.
fn users(app: &App, line: Line) -> Vec<User<'_>> {
    let idle = app.idle.iter().map(|idle| User {
        function: &idle.function,
        task: None,
        priority: 0,
        place: Place::Idle,
        shared: &idle.shared,
        local: &idle.local,
    });
    let tasks = app.tasks.iter().map(|task| User {
        function: &task.function,
        task: Some(task),
        priority: task.priority.value,
        place: line.place(task),
        shared: &task.shared,
        local: &task.local,
    });
    idle.chain(tasks).collect()
}

impl<'a> User<'a> {
    /// The user's name.
    pub const fn name(&self) -> &'a Ident {
        &self.function.name
    }

    /// The conditions under which the user exists; idle has none.
    pub fn cfgs(&self) -> &'a [Attribute] {
        self.task.map_or(&[], Task::cfgs)
    }

    /// Returns `true` if the user's priority could be read.
    pub fn has_known_priority(&self) -> bool {
        self.task.is_none_or(|task| task.priority.known)
    }

    /// Returns `true` if the user never ends, and nothing aborts it.
    pub fn never_ends(&self) -> bool {
        self.task.is_none_or(|task| task.never_ends)
    }

    /// Returns the contexts in which the user runs.
    fn contexts(&self) -> Vec<Context<'a>> {
        let Some(thread) = self.task.filter(|task| task.is_thread()) else {
            return vec![(self.place, None)];
        };
        let instances = 0..thread.instances.unwrap_or(1);
        instances.map(|instance| (self.place, Some((thread.name(), instance)))).collect()
    }

    /// Returns the resources that the user locks.
    pub fn exclusive(&self) -> impl Iterator<Item = &'a Ident> + use<'a> {
        exclusive(self.shared)
    }
}

/// Returns the resources of a list that are locked.
fn exclusive(shared: &[SharedAccess]) -> impl Iterator<Item = &Ident> {
    shared.iter().filter(|access| access.form == Access::Exclusive).map(|access| &access.name)
}
