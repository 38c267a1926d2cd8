//! Machines that the grammar allows, but that can't work.

use crate::errors::Errors;
use crate::model::Machine;

mod arms;
mod names;
mod paths;
mod tree;
mod variables;

/// Refuses machines that can't work.
pub fn check(machine: &Machine, errors: &mut Errors) {
    tree::check(machine, errors);
    arms::check(machine, errors);
    names::check(machine, errors);
    if errors.is_empty() {
        paths::check(machine, errors);
        variables::check(machine, errors);
    }
}
