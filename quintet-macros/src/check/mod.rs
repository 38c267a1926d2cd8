//! Judges an application: everything here is the grammar, but can't be an application.
//!
//! | file | rules |
//! |---|---|
//! | [`names`] | what may have one name |
//! | [`levels`] | are there enough dispatchers; what runs beside idle |
//! | `roles` | what each role demands of its own tasks and of others |
//! | [`shared`] | lists of shared resources: declared, one form of access, lock-free ones |
//! | [`local`] | lists of local resources: declared, one owner |
//! | [`waits`] | who may wait |
//! | [`awaits`] | who may await |
//! | [`handing`] | whose context can't live forever, as its proxies could be handed on |
//!
//! Each rule looks for itself, so that all that is wrong is found in one go. A rule that misses
//! something asks whether all could be read ([`App::is_read`]): what can't be was refused, and its
//! lack follows. Of two functions of one name only the name is refused, as messages tell them apart
//! by it.

mod awaits;
mod handing;
mod levels;
mod local;
mod names;
mod shared;
mod waits;

use syn::Ident;

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::model::{Access, SharedAccess};
use crate::roles;

/// Finds all that is wrong with an application.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    names::check(analysis, errors);
    levels::check(analysis, errors);
    roles::check(analysis, errors);
    shared::check(analysis, errors);
    local::check(analysis, errors);
    waits::check(analysis.app, errors);
    awaits::check(analysis.app, errors);
    handing::check(analysis, errors);
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
