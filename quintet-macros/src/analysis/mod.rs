//! What follows from an application as a whole: where each function runs, who uses what, and who
//! can't meet whom. It is found once; `check` judges it, `lower` decides from it, `emit` writes it.
//!
//! | file | question |
//! |---|---|
//! | [`alternatives`] | which users are never there together |
//! | [`conditions`] | which `cfg`s can't hold together |
//! | [`handing`] | whose contexts could be handed on, so that they can't live for ever |
//! | [`masks`] | what only some cores can't mask |
//!
//! An application that is going to be refused has an analysis too, so none of this takes for
//! granted that names are there, or there once.

pub mod alternatives;
pub mod conditions;
mod handing;
mod masks;

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Ident};

pub use self::handing::SecondProxy;
pub use self::masks::UnmaskableLock;
use crate::line::{Line, Place};
use crate::model::{Access, App, Function, LocalAccess, SharedAccess, Task};

/// What is known of an application.
pub struct Analysis<'a> {
    /// What the user wrote.
    pub app: &'a App,
    /// Where each function runs.
    pub line: Line,
    /// Idle, if there is one, and all tasks.
    pub users: Vec<User<'a>>,
    /// The shared resources that somebody lists, by name.
    shared: BTreeMap<&'a Ident, Usage<'a>>,
    /// Whose contexts could be handed on.
    pub second_proxies: Vec<SecondProxy<'a>>,
    /// What a core that masks by source can't lock.
    pub unmaskable_locks: Vec<UnmaskableLock<'a>>,
}

/// Somebody who uses resources: idle, a task or a thread.
#[derive(Clone, Copy)]
pub struct User<'a> {
    /// The function.
    pub function: &'a Function,
    /// The task; nothing for idle.
    pub task: Option<&'a Task>,
    /// Its priority; 0 for idle.
    pub priority: u8,
    /// Where it runs.
    pub place: Place,
    /// `shared = [..]`.
    pub shared: &'a [SharedAccess],
    /// `local = [..]`.
    pub local: &'a [LocalAccess],
}

/// Who uses a shared resource.
#[derive(Default)]
pub struct Usage<'a> {
    /// Its users, each with its entry.
    pub users: Vec<(User<'a>, &'a SharedAccess)>,
    /// The contexts in which it is used: users that can't run one in the middle of another are in
    /// one.
    pub contexts: BTreeSet<Context<'a>>,
}

/// Who runs to the end before another of the same begins, but for threads, of which each instance
/// is one.
type Context<'a> = (Place, Option<(&'a Ident, usize)>);

impl<'a> Analysis<'a> {
    /// What is known of an application.
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
        let mut analysis = Self {
            app,
            line,
            users,
            shared,
            second_proxies: Vec::new(),
            unmaskable_locks: Vec::new(),
        };
        analysis.second_proxies = handing::second_proxies(&analysis);
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

    /// Whether the context of a function lives for ever: it never ends, and its proxies can't be
    /// handed to others that have them too.
    pub fn lives_forever(&self, task: &Task) -> bool {
        let is_it = |proxy: &SecondProxy<'_>| std::ptr::eq(proxy.task, task);
        task.never_ends && !self.second_proxies.iter().any(is_it)
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

    /// Whether its priority could be read.
    pub fn has_known_priority(&self) -> bool {
        self.task.is_none_or(|task| task.priority.known)
    }

    /// What it runs in.
    fn contexts(&self) -> Vec<Context<'a>> {
        let Some(thread) = self.task.filter(|task| task.is_thread()) else {
            return vec![(self.place, None)];
        };
        let instances = 0..thread.instances.unwrap_or(1);
        instances.map(|instance| (self.place, Some((thread.name(), instance)))).collect()
    }

    /// The resources that it locks.
    pub fn exclusive(&self) -> impl Iterator<Item = &'a Ident> + use<'a> {
        exclusive(self.shared)
    }
}

/// The resources that are locked, of a list.
fn exclusive(shared: &[SharedAccess]) -> impl Iterator<Item = &Ident> {
    shared.iter().filter(|access| access.form == Access::Exclusive).map(|access| &access.name)
}
