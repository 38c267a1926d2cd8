//! What is the grammar, but can't be a machine.

use crate::errors::Errors;
use crate::model::Machine;

mod arms;
mod names;
mod paths;
mod tree;
mod variables;

/// Refuses what can't be a machine.
pub fn check(machine: &Machine, errors: &mut Errors) {
    tree::check(machine, errors);
    arms::check(machine, errors);
    names::check(machine, errors);
    if errors.is_empty() {
        paths::check(machine, errors);
        variables::check(machine, errors);
    }
}
