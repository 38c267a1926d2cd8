//! Lists of shared resources, and the fields that they name.
//!
//! Only the compiler knows whether a type may cross priorities (`Send`, `Sync`); `emit` asserts
//! this.

use syn::Ident;

use super::{enumerate, what_there_is, written};
use crate::analysis::alternatives::{are_alternative_users, never_meet};
use crate::analysis::{Analysis, User};
use crate::errors::Errors;
use crate::line::Place;
use crate::model::{Access, App, Part, SharedAccess, SharedResource, Task};

/// Checks shared resources.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    check_fields(app, errors);
    for user in &analysis.users {
        check_list(app, *user, errors);
    }
    let mut seen = Vec::<&Ident>::new();
    for resource in app.shared_resources() {
        let name = &resource.resource.name;
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        check_forms(analysis.users_of_shared(name), name, errors);
        check_lock_free(analysis, resource, errors);
    }
}

/// Refuses two fields of one name that don't exclude each other.
fn check_fields(app: &App, errors: &mut Errors) {
    let fields = app.shared_resources().iter().map(|shared| &shared.resource).collect::<Vec<_>>();
    super::local::check_fields(&fields, errors);
}

/// Refuses entries that name no field, and entries that repeat a name.
fn check_list(app: &App, user: User<'_>, errors: &mut Errors) {
    for (index, access) in user.shared.iter().enumerate() {
        let name = &access.name;
        let is_field = app.shared_resources().iter().any(|shared| shared.resource.name == *name);
        if !is_field && app.is_read(Part::Shared) {
            errors.at(name.span(), undeclared(app, name));
        }
        if user.shared.iter().take(index).any(|earlier| earlier.name == *name) {
            let message = format!("`{}` lists `{name}` twice; keep one of the two", user.name());
            errors.at(access.span, message);
        }
    }
}

/// The refusal of a name without a field.
fn undeclared(app: &App, name: &Ident) -> String {
    if app.local_resources().iter().any(|local| local.name == *name) {
        return format!(
            "`{name}` is a field of the struct `#[local]`: list it in `local`, or move the field \
             to the struct `#[shared]`"
        );
    }
    let Some(shared) = &app.shared else {
        return format!(
            "there is no shared resource `{name}`: the application has no struct `#[shared]`"
        );
    };
    let fields = what_there_is(shared.resources.iter().map(|shared| &shared.resource.name));
    format!(
        "there is no shared resource `{name}`: add the field to the struct `{}`; {fields}",
        shared.head.name
    )
}

/// Refuses a resource that one user lists as `x` and another as `&x`, at each `&x`.
fn check_forms(users: &[(User<'_>, &SharedAccess)], name: &Ident, errors: &mut Errors) {
    let locking = users
        .iter()
        .filter(|(_, access)| access.form == Access::Exclusive)
        .map(|(user, _)| *user)
        .collect::<Vec<_>>();
    for (user, access) in users {
        // Both forms in one list are refused as a repetition.
        let mut others = locking.iter().filter(|other| !never_meet(**other, *user));
        if let (Access::Shared, Some(locking)) = (access.form, others.next()) {
            let message = format!(
                "`{}` reads `{name}` without a lock here, but `{}` may change it: list it as \
                 `{name}` here too, or as `&{name}` everywhere",
                user.name(),
                locking.name()
            );
            errors.at(access.span, message);
        }
    }
}

/// Refuses a lock-free resource whose users could meet.
fn check_lock_free(analysis: &Analysis<'_>, resource: &SharedResource, errors: &mut Errors) {
    let Some(span) = resource.lock_free else { return };
    let name = &resource.resource.name;
    let users = analysis.users_of_shared(name);
    for (user, access) in users {
        if user.task.is_some_and(Task::is_async) {
            let message = format!(
                "`{name}` is `#[lock_free]`, but `{}` is `async`: others of its priority run while \
                 it waits, so it can't keep a reference. Leave out `#[lock_free]`, or make the \
                 task a plain `fn`",
                user.name()
            );
            errors.at(access.span, message);
        }
    }
    check_lock_free_threads(resource, users, errors);
    let differs = |user: User<'_>, other: User<'_>| {
        let are_known = user.has_known_priority() && other.has_known_priority();
        are_known && user.priority != other.priority && !never_meet(user, other)
    };
    let meets_another =
        |(user, _): &(User<'_>, _)| users.iter().any(|(other, _)| differs(*user, *other));
    let meeting = users.iter().copied().filter(meets_another).collect::<Vec<_>>();
    if meeting.is_empty() {
        return check_lock_free_interrupts(resource, users, errors);
    }
    let message = format!(
        "`{name}` is `#[lock_free]`, but its users {} have different priorities, so one could \
         preempt another: leave out `#[lock_free]`, or give them one priority",
        enumerate(distinct(&meeting)),
    );
    errors.at(span, message);
    for (user, access) in &meeting {
        errors.at(access.span, at_use(user, access));
    }
}

/// Refuses a lock-free resource that an interrupt of the same priority shares, at the interrupt's
/// entry, if software tasks run below every interrupt.
fn check_lock_free_interrupts(
    resource: &SharedResource,
    users: &[(User<'_>, &SharedAccess)],
    errors: &mut Errors,
) {
    let name = &resource.resource.name;
    for (user, access) in users {
        let place = user.place;
        let is_below = |other: User<'_>| other.place.is_below(place) && !never_meet(*user, other);
        let below = users.iter().find(|(other, _)| is_below(*other));
        if let (Place::Level(priority), Some((other, _))) = (place, below) {
            let message = format!(
                "`{name}` is `#[lock_free]`, but `{}` is an interrupt and preempts `{}`, although \
                 both have priority {priority}: software tasks run below every interrupt where the \
                 scheduler is cooperative. Leave out `#[lock_free]`",
                user.name(),
                other.name()
            );
            errors.at(access.span, message);
        }
    }
}

/// Refuses a lock-free resource that a thread shares, at each thread's entry. A thread that waits,
/// or whose time slice ends, may be in the middle of an access when other threads run.
fn check_lock_free_threads(
    resource: &SharedResource,
    users: &[(User<'_>, &SharedAccess)],
    errors: &mut Errors,
) {
    let name = &resource.resource.name;
    for (user, access) in users {
        let Some(thread) = user.task.filter(|task| task.is_thread()) else { continue };
        if let Some(count) = thread.instances.filter(|count| *count > 1) {
            let message = format!(
                "`{name}` is `#[lock_free]`, but the thread `{}` has `instances = {count}`, of \
                 which one may run while another waits: leave out `#[lock_free]`",
                user.name()
            );
            errors.at(access.span, message);
            continue;
        }
        let mut others = users.iter().filter(|(other, _)| !never_meet(*other, *user));
        if let Some((other, _)) = others.next() {
            let message = format!(
                "`{name}` is `#[lock_free]`, but the thread `{}` shares it with `{}`, which may \
                 run while the thread waits: leave out `#[lock_free]`",
                user.name(),
                other.name()
            );
            errors.at(access.span, message);
        }
    }
}

/// The names of users, alternatives once.
fn distinct<'a>(users: &[(User<'a>, &SharedAccess)]) -> Vec<&'a Ident> {
    let mut names = Vec::new();
    for (index, (user, _)) in users.iter().enumerate() {
        let is_again =
            users.iter().take(index).any(|(other, _)| are_alternative_users(*other, *user));
        if !is_again {
            names.push(&user.function.name);
        }
    }
    names
}

/// The message at each use of a lock-free resource with several priorities.
fn at_use(user: &User<'_>, access: &SharedAccess) -> String {
    format!(
        "`{}` uses the lock-free `{}` at priority {}",
        user.name(),
        written(access),
        user.priority
    )
}
