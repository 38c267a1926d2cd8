//! Which users are never there together.
//!
//! The macro runs before `cfg` is decided, so something configured away still counts. Two tasks may
//! exclude each other by `cfg`: each carries a condition, and they have the same name or the same
//! vector. That stays sound if both conditions hold: the compiler refuses what is defined twice
//! then, the name or the symbol of the handler. Or their conditions can't hold together.

use super::{User, conditions};
use crate::model::{Task, TaskKind};

/// Whether two tasks are alternatives under `cfg`: of one name or vector, each with a condition; or
/// their conditions exclude each other.
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

/// The same of users; idle has no alternatives.
pub fn are_alternative_users(one: User<'_>, other: User<'_>) -> bool {
    match (one.task, other.task) {
        (Some(one), Some(other)) => are_alternatives(one, other),
        _ => false,
    }
}

/// Whether one of two users is there for the other in no sentence: it is the same, or has the same
/// name, which was refused, or it isn't there when the other is.
pub fn never_meet(one: User<'_>, other: User<'_>) -> bool {
    one.name() == other.name() || are_alternative_users(one, other)
}
