//! Variants of states, and the values of their storage.

use std::collections::HashMap;

use proc_macro2::Ident;

use crate::errors::Errors;
use crate::model::{Machine, What};
use crate::text::text;

/// Refuses states with one variant, and targets that get too few or too many values.
pub fn check(machine: &Machine, errors: &mut Errors) {
    variants(machine, errors);
    for (_, handler) in machine.handlers() {
        for outcome in &handler.outcomes {
            if let What::To(_, target) = outcome.what {
                values(machine, target, &outcome.word, outcome.values, errors);
            }
        }
    }
    let inner = machine.states.iter().filter_map(|state| state.initial.as_ref());
    for initial in inner.chain([&machine.initial]) {
        values(machine, initial.target, &initial.word, initial.values.len(), errors);
    }
}

fn variants(machine: &Machine, errors: &mut Errors) {
    let mut taken = HashMap::new();
    for (index, state) in machine.states.iter().enumerate() {
        let variant = machine.variant(index).to_string();
        let other = *taken.entry(variant.clone()).or_insert(index);
        if machine.states[other].name != state.name {
            let (name, other) = (&state.name, &machine.states[other].name);
            let message = format!(
                "`{name}` and `{other}` are both `{variant}` as variants of the states: give one \
                 of them another name"
            );
            errors.at(name.span(), message);
        }
    }
}

fn values(machine: &Machine, target: usize, word: &Ident, count: usize, errors: &mut Errors) {
    let storage = &machine.states[target].storage;
    if storage.len() == count {
        return;
    }
    let given = storage.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(", ");
    let has = match storage.is_empty() {
        true => "no variables of its own".to_owned(),
        false => {
            let all = storage.iter().map(|(name, kind)| format!("`{name}: {}`", text(kind)));
            format!("the variables {}", all.collect::<Vec<_>>().join(", "))
        }
    };
    let message = format!(
        "`{word}` has {has}, so it gets {} instead of {count}: write `State::{word}({given})`",
        match storage.len() {
            0 => "no value".to_owned(),
            1 => "one value".to_owned(),
            many => format!("{many} values"),
        }
    );
    errors.at(word.span(), message);
}
