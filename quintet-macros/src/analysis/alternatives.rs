//! Which users never exist together.
//!
//! The macro runs before `cfg` is decided, so an item that is configured away still counts. Two
//! tasks exclude each other by `cfg` in two cases. First: each task carries a condition, and the
//! tasks have the same name or the same vector. If both conditions hold all the same, the compiler
//! refuses the second definition of the name, or of the handler's symbol. Second: the two
//! conditions can't hold together.

use super::{User, conditions};
use crate::model::{Task, TaskKind};

/// Returns `true` if two tasks are alternatives under `cfg`. Each has a condition, and both have
/// one name or one vector, or their conditions exclude each other.
pub fn are_alternatives(one: &Task, other: &Task) -> bool {
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

/// Returns `true` if two users are alternatives under `cfg`. Idle has no alternatives.
pub fn are_alternative_users(one: User<'_>, other: User<'_>) -> bool {
    match (one.task, other.task) {
        (Some(one), Some(other)) => are_alternatives(one, other),
        _ => false,
    }
}

/// Returns `true` if no message should name one user beside the other. The two users are the same,
/// or have the same name, which was refused, or never exist together.
pub fn never_meet(one: User<'_>, other: User<'_>) -> bool {
    one.name() == other.name() || are_alternative_users(one, other)
}
