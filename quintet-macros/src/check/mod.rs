//! Judges an application: everything here is the grammar, but can't be an application.
//!
//! | file | rules |
//! |---|---|
//! | [`names`] | what may have one name |
//! | [`vectors`] | who owns which interrupt; are there enough dispatchers; which priorities |
//! | [`threads`] | what threads demand of themselves and of others |
//! | [`shared`] | lists of shared resources: declared, one form of access, lock-free ones |
//! | [`local`] | lists of local resources: declared, one owner |
//! | [`waits`] | who may wait |
//! | [`awaits`] | who may await |
//! | [`handing`] | whose context can't live forever, as its proxies could be handed on |
//! | [`masks`] | what only some cores can't do, for `emit` to assert |
//! | [`conditions`] | which `cfg`s can't hold together |
//!
//! The macro runs before `cfg` is decided, so something configured away still counts. Two tasks may
//! exclude each other by `cfg`: each carries a condition, and they have the same name or the same
//! vector. That stays sound if both conditions hold: the compiler refuses what is defined twice
//! then, the name or the symbol of the handler. Or their conditions can't hold together.
//!
//! Each rule looks for itself, so that all that is wrong is found in one go. A rule that misses
//! something asks whether all could be read ([`App::is_read`]): what can't be was refused, and its
//! lack follows. Of two functions of one name only the name is refused, as messages tell them apart
//! by it.

mod awaits;
mod conditions;
pub mod handing;
mod local;
pub mod masks;
mod names;
mod shared;
mod threads;
mod vectors;
mod waits;

use syn::Ident;

use crate::errors::Errors;
use crate::model::{Access, App, SharedAccess, Task, TaskKind, User};

/// Finds all that is wrong with an application.
pub fn check(app: &App, errors: &mut Errors) {
    names::check(app, errors);
    vectors::check(app, errors);
    threads::check(app, errors);
    shared::check(app, errors);
    local::check(app, errors);
    waits::check(app, errors);
    awaits::check(app, errors);
    handing::check(app, errors);
}

/// Whether two tasks are alternatives under `cfg`: of one name or vector, each with a condition; or
/// their conditions exclude each other.
fn are_alternatives(one: &Task, other: &Task) -> bool {
    let have_one_vector = match (&one.kind, &other.kind) {
        (TaskKind::Hardware(one), TaskKind::Hardware(other)) => one.binds == other.binds,
        _ => false,
    };
    let have_conditions = !one.cfgs().is_empty() && !other.cfgs().is_empty();
    have_conditions
        && (one.name() == other.name()
            || have_one_vector
            || conditions::exclude(one.cfgs(), other.cfgs()))
}

/// The same of users; idle has no alternatives.
fn are_alternative_users(one: User<'_>, other: User<'_>) -> bool {
    match (one.task, other.task) {
        (Some(one), Some(other)) => are_alternatives(one, other),
        _ => false,
    }
}

/// Whether one of two users is there for the other in no sentence: it is the same, or has the same
/// name, which was refused, or it isn't there when the other is.
fn never_meet(one: User<'_>, other: User<'_>) -> bool {
    one.name() == other.name() || are_alternative_users(one, other)
}

/// Names for a sentence: `a`, `b` and `c`.
fn enumerate<'a>(names: impl IntoIterator<Item = &'a Ident>) -> String {
    let mut quoted = names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} and {last}", quoted.join(", ")) }
}

/// What can be meant by a name that isn't there: what there is, for a message.
fn what_there_is<'a>(names: impl IntoIterator<Item = &'a Ident>) -> String {
    let list = enumerate(names);
    if list.is_empty() { "it has none".to_owned() } else { format!("it has {list}") }
}

/// An entry as the user wrote it.
fn written(access: &SharedAccess) -> String {
    match access.form {
        Access::Exclusive => access.name.to_string(),
        Access::Shared => format!("&{}", access.name),
    }
}
