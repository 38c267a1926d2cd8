//! What tasks can hand to others of their priority: the proxies by which they lock resources.
//!
//! A proxy isn't `Send`, and lives no longer than the context that it is part of. But the context
//! of an `async` task that never ends lives forever. So such a task can hand on a proxy, where
//! tasks of one priority have ways for what isn't `Send`: the arguments of a `local_task`, and at
//! priority 0 resources. Who has a resource's second proxy could lock it within its own lock.

use syn::Ident;

use super::are_alternatives;
use crate::errors::Errors;
use crate::line::{Line, Place};
use crate::model::{Access, App, LocalAccess, SharedAccess, Software, Task, TaskKind, User};

/// Refuses `NAME::Context<'static>` where the context can't live forever.
pub fn check(app: &App, errors: &mut Errors) {
    for (task, software) in app.software_tasks() {
        let written = task.function.context.lifetime.as_ref();
        let lifetime = written.filter(|lifetime| lifetime.ident == "static");
        if let (Some(lifetime), true) = (lifetime, software.never_ends())
            && let Some((resource, other)) = second_proxy(app, task)
        {
            let name = task.name();
            let message = format!(
                "`{name}` could hand what it locks `{resource}` by to `{}`, which could lock \
                 `{resource}` twice at a time, so its context can't live forever: write \
                 `{name}::Context` or `{name}::Context<'_>`",
                other.name()
            );
            errors.on(lifetime, message);
        }
    }
}

/// Whether the context of a software task lives forever.
pub fn lives_forever(app: &App, task: &Task, software: &Software) -> bool {
    software.never_ends() && second_proxy(app, task).is_none()
}

/// Whether a task of a place could have been handed a proxy by another.
pub fn may_be_handed(app: &App, line: Line, place: Place) -> bool {
    let (mut givers, mut takers) = (app.software_tasks(), app.software_tasks());
    givers.any(|(task, software)| {
        line.place(task) == place
            && lives_forever(app, task, software)
            && exclusive(&task.shared).next().is_some()
    }) && takers.any(|(task, _)| line.place(task) == place && takes(app, line, task))
}

/// A resource of which a task that never ends could hand its proxy to another one that has one too.
fn second_proxy<'a>(app: &'a App, task: &'a Task) -> Option<(&'a Ident, &'a Task)> {
    let line = Line::of(app);
    exclusive(&task.shared).find_map(|resource| {
        let mut others = app.software_tasks().map(|(other, _)| other).filter(|other| {
            !std::ptr::eq(*other, task)
                && !are_alternatives(other, task)
                && line.place(other) == line.place(task)
                && exclusive(&other.shared).any(|name| name == resource)
        });
        others.find(|other| takes(app, line, other)).map(|other| (resource, other))
    })
}

/// Whether a task can be handed what isn't `Send`.
fn takes(app: &App, line: Line, task: &Task) -> bool {
    let by_argument = matches!(
        &task.kind,
        TaskKind::Software(software)
            if software.local_task.is_some() && !software.arguments.is_empty()
    );
    by_argument || (line.place(task) == Place::Idle && meet_in_resources(app))
}

/// Whether users of priority 0 can hand on something by resources, which needn't be `Send` where
/// they are theirs alone: what `init` returns in two of them may refer to one place.
fn meet_in_resources(app: &App) -> bool {
    let has_shared = |user: &User<'_>| {
        user.shared
            .iter()
            .any(|access| app.users_of_shared(&access.name).all(|(other, _)| other.priority == 0))
    };
    let has_local =
        |user: &User<'_>| user.local.iter().any(|local| matches!(local, LocalAccess::Field(_)));
    let idle = app.users().filter(|user| user.priority == 0);
    idle.filter(|user| has_shared(user) || has_local(user)).count() > 1
}

/// The resources that a task locks.
fn exclusive(shared: &[SharedAccess]) -> impl Iterator<Item = &Ident> {
    shared.iter().filter(|access| access.form == Access::Exclusive).map(|access| &access.name)
}
