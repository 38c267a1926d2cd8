//! Judges an application: finds errors in applications that the grammar allows.
//!
//! | file | rules |
//! |---|---|
//! | [`names`] | which items may have one name |
//! | [`levels`] | enough dispatchers; which tasks can run beside idle |
//! | `roles` | the demands of each role on its own tasks and on others |
//! | [`shared`] | lists of shared resources: declared, one form of access, lock-free ones |
//! | [`local`] | lists of local resources: declared, one owner |
//! | [`lists`] | resources that a function uses are in its lists |
//! | [`waits`] | which functions may wait |
//! | [`awaits`] | which functions may await |
//! | [`forever`] | which bodies in other modules get a context that ends |
//!
//! Each rule runs by itself, so that one run finds all errors. A rule that misses a part asks
//! whether all parts could be read (`App::is_read`): an unreadable part was refused already, and
//! is missing therefore. If two functions have one name, only the name is refused, because messages
//! tell functions apart by their names.

mod awaits;
mod forever;
mod levels;
mod lists;
mod local;
mod names;
mod shared;
mod waits;

use syn::Ident;

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::model::{Access, SharedAccess};
use crate::roles;

/// Finds all errors of an application.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    names::check(analysis, errors);
    levels::check(analysis, errors);
    roles::check(analysis, errors);
    shared::check(analysis, errors);
    local::check(analysis, errors);
    lists::check(analysis, errors);
    waits::check(analysis.app, errors);
    awaits::check(analysis.app, errors);
    forever::check(analysis, errors);
}

/// Names for a sentence: `a`, `b` and `c`.
fn enumerate<'a>(names: impl IntoIterator<Item = &'a Ident>) -> String {
    let mut quoted = names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} and {last}", quoted.join(", ")) }
}

/// Lists, for a message, the names that the user may have meant by a wrong name.
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
