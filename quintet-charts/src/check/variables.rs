//! Variables of states that functions take: each must exist when the function runs.

use std::collections::BTreeSet;

use proc_macro2::Ident;

use crate::errors::Errors;
use crate::lower::{self, Step};
use crate::model::{Argument, Call, Initial, Machine, What};
use crate::tree::Tree;

/// Refuses functions that take variables which don't exist.
pub fn check(machine: &Machine, errors: &mut Errors) {
    for index in 0..machine.states.len() {
        handler(machine, index, errors);
        actions(machine, index, errors);
    }
    let inner = machine.states.iter().filter_map(|state| state.initial.as_ref());
    for one in inner.chain([&machine.initial]) {
        initial(machine, one, errors);
    }
    if errors.is_empty() {
        too_early(machine, errors);
    }
}

/// A superstate may take the variables that each leaf inside has.
fn handler(machine: &Machine, index: usize, errors: &mut Errors) {
    let state = &machine.states[index];
    for name in taken(&state.handler.call).filter(|_| state.is_composite) {
        if let Some(leaf) = lacking(machine, index, name) {
            let (outer, leaf) = (&state.name, &machine.states[leaf].name);
            let message = format!(
                "`{name}` is no variable of `{leaf}`, which is inside of `{outer}`: a \
                 superstate's handler takes what all states inside of it have. Add it to \
                 `{leaf}`, or keep it in the machine's struct"
            );
            errors.at(name.span(), message);
        }
    }
}

/// The variables that entry, exit and completion take.
fn actions(machine: &Machine, index: usize, errors: &mut Errors) {
    let state = &machine.states[index];
    let completion = state.completion.as_ref().map(|handler| &handler.call);
    let calls = [state.entry.as_ref(), state.exit.as_ref(), completion].into_iter().flatten();
    for (call, name) in calls.flat_map(|call| taken(call).map(move |name| (call, name))) {
        if let Some(leaf) = lacking(machine, index, name) {
            let (of, leaf, function) = (&state.name, &machine.states[leaf].name, &call.name);
            let why = match state.is_composite {
                true => format!("which is inside of `{of}`"),
                false => "whose handler has no such parameter".to_owned(),
            };
            let message = format!(
                "`{name}` is no variable of `{leaf}`, {why}, but `{function}`, which `{of}` \
                 names, takes it: add it to `{leaf}`, or keep it in the machine's struct"
            );
            errors.at(name.span(), message);
        }
    }
}

/// The action of an initial transition may take the variables of its target.
fn initial(machine: &Machine, one: &Initial, errors: &mut Errors) {
    let (target, Some(call)) = (&machine.states[one.target], &one.action) else { return };
    for name in taken(call) {
        if target.is_composite || lacking(machine, one.target, name).is_some() {
            let (function, target) = (&call.name, &target.name);
            let message = format!(
                "`{function}` runs on the way to `{target}`, which has no variable `{name}` of \
                 its own: the action of an initial transition takes what the state that it \
                 names has. Name that state, or keep the variable in the machine's struct"
            );
            errors.at(name.span(), message);
        }
    }
}

/// The entry of a superstate may take variables of a state inside, unless the entry runs before
/// these variables are made.
fn too_early(machine: &Machine, errors: &mut Errors) {
    let takes = |state: usize| machine.states[state].entry.iter().flat_map(taken).next();
    let composites = (0..machine.states.len()).filter(|state| machine.states[*state].is_composite);
    if !composites.clone().any(|state| takes(state).is_some()) {
        return;
    }
    let tree = Tree::of(machine);
    let mut early = BTreeSet::new();
    let mut look = |steps: &[Step]| {
        let is_made = |step: &Step| matches!(step, Step::Values(_) | Step::InitialValues(_));
        early.extend(steps.iter().take_while(|step| !is_made(step)).filter_map(
            |step| match step {
                Step::Entry(state) => Some(*state),
                _ => None,
            },
        ));
    };
    look(&lower::start(&tree));
    for leaf in machine.leaves() {
        for source in tree.chain(leaf) {
            let state = &machine.states[*source];
            let completion = state.completion.iter().flat_map(|handler| &handler.outcomes);
            for outcome in state.handler.outcomes.iter().chain(completion) {
                if let What::To(kind, target) = outcome.what {
                    look(&lower::transition(&tree, leaf, *source, kind, target));
                }
            }
        }
    }
    for state in composites.filter(|state| early.contains(state)) {
        if let Some(name) = takes(state) {
            let state = &machine.states[state];
            let (of, entry) = (&state.name, state.entry.as_ref().map(|call| &call.name));
            let entry = entry.map_or_else(String::new, |entry| format!("`{entry}`"));
            let message = format!(
                "`{name}` is not there yet where {entry} runs: a transition enters `{of}` and goes \
                 on by an initial transition, which makes the variables of its target behind \
                 that. Take it in the entry of the state inside, or keep it in the machine's struct"
            );
            errors.at(name.span(), message);
        }
    }
}

/// The variables that a function takes.
fn taken(call: &Call) -> impl Iterator<Item = &Ident> {
    call.arguments.iter().filter_map(|argument| match argument {
        Argument::Storage(name) => Some(name),
        _ => None,
    })
}

/// The first leaf of a state, or the state as a leaf, that lacks a variable.
fn lacking(machine: &Machine, state: usize, name: &Ident) -> Option<usize> {
    let has = |leaf: usize| machine.states[leaf].storage.iter().any(|(own, _)| own == name);
    machine.leaves().find(|leaf| machine.is_in(*leaf, state) && !has(*leaf))
}
