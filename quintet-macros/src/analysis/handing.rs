//! The proxies of resources that one task can hand to another task of its priority.
//!
//! A proxy isn't `Send`, and lives no longer than the context that contains the proxy. But the
//! context of an `async` task that never ends lives forever. Tasks of one priority can hand on
//! values that aren't `Send`: by the arguments of a `local_task`, and at priority 0 by resources.
//! So such a task can hand on a proxy. A task with a second proxy of a resource could lock the
//! resource within its own lock.

use syn::Ident;

use super::alternatives::are_alternatives;
use super::{Analysis, User, exclusive};
use crate::line::Place;
use crate::model::{LocalAccess, Task, TaskKind};

/// A resource whose proxy a task that never ends could hand to another task with a proxy of the
/// same resource.
pub struct SecondProxy<'a> {
    /// The task that never ends.
    pub task: &'a Task,
    /// The resource.
    pub resource: &'a Ident,
    /// The other task.
    pub other: &'a Task,
}

/// Returns, for each task that never ends, a resource whose proxy the task could hand on.
pub fn second_proxies<'a>(analysis: &Analysis<'a>) -> Vec<SecondProxy<'a>> {
    let app = analysis.app;
    app.jobs().filter(|task| task.never_ends).filter_map(|task| second(analysis, task)).collect()
}

/// Returns a resource whose proxy a task could hand on.
fn second<'a>(analysis: &Analysis<'a>, task: &'a Task) -> Option<SecondProxy<'a>> {
    exclusive(&task.shared).find_map(|resource| {
        let mut others = analysis.app.jobs().filter(|other| {
            let is_another = !std::ptr::eq(*other, task) && !are_alternatives(other, task);
            (is_another || std::ptr::eq(*other, task) && is_several(task))
                && analysis.place(other) == analysis.place(task)
                && exclusive(&other.shared).any(|name| name == resource)
        });
        let other = others.find(|other| takes(analysis, other))?;
        Some(SecondProxy { task, resource, other })
    })
}

impl Analysis<'_> {
    /// Returns `true` if another task could have handed a proxy to a task of this place.
    pub fn may_be_handed(&self, place: Place) -> bool {
        let (mut givers, mut takers) = (self.app.jobs(), self.app.jobs());
        givers.any(|task| {
            self.place(task) == place
                && self.lives_forever(task)
                && exclusive(&task.shared).next().is_some()
        }) && takers.any(|task| self.place(task) == place && takes(self, task))
    }
}

/// Returns `true` if others can hand a task a value that isn't `Send`.
fn takes(analysis: &Analysis<'_>, task: &Task) -> bool {
    let by_argument = matches!(
        &task.kind,
        TaskKind::Software(software)
            if software.local_task.is_some() && !task.function.arguments.is_empty()
    );
    by_argument || (analysis.place(task) == Place::Idle && meet_in_resources(analysis))
}

/// Returns `true` if the task has several instances.
fn is_several(task: &Task) -> bool {
    task.instances.is_some_and(|count| count > 1)
}

/// Returns `true` if users of priority 0 can hand on a value by resources. A resource that only
/// they use needn't be `Send`, and the values of two such resources, which `init` returns, may
/// refer to one place.
fn meet_in_resources(analysis: &Analysis<'_>) -> bool {
    let has_shared = |user: &User<'_>| {
        let is_own = |name| analysis.users_of_shared(name).iter().all(|(one, _)| one.priority == 0);
        user.shared.iter().any(|access| is_own(&access.name))
    };
    let has_local =
        |user: &User<'_>| user.local.iter().any(|local| matches!(local, LocalAccess::Field(_)));
    let idle = analysis.users.iter().filter(|user| user.priority == 0);
    let meeting = idle.filter(|user| has_shared(user) || has_local(user));
    let count = |user: &User<'_>| user.task.and_then(|task| task.instances).unwrap_or(1);
    meeting.map(count).sum::<usize>() > 1
}
