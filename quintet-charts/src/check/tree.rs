//! States within states, and their initial transitions.

use std::collections::BTreeSet;

use crate::errors::Errors;
use crate::model::{Kind, Machine, What};

/// Refuses superstates in a circle, and composites without a beginning.
pub fn check(machine: &Machine, errors: &mut Errors) {
    superstates(machine, errors);
    if errors.is_empty() {
        initials(machine, errors);
        entered(machine, errors);
        completed(machine, errors);
        storage(machine, errors);
    }
}

fn superstates(machine: &Machine, errors: &mut Errors) {
    for (index, state) in machine.states.iter().enumerate() {
        let (Some(parent), Some(word)) = (state.parent, &state.parent_name) else { continue };
        if !machine.states[parent].is_composite {
            let message = format!(
                "`{word}` is a state without states inside: mark it `#[superstate]`, or remove \
                 this argument"
            );
            errors.at(word.span(), message);
        }
        let mut seen = BTreeSet::from([index]);
        let mut next = Some(parent);
        while let Some(outer) = next {
            if outer == index {
                let name = &state.name;
                let message = format!(
                    "`{name}` is inside of itself: one of the superstates from `{word}` on has \
                     to be outside"
                );
                errors.at(word.span(), message);
                break;
            }
            if !seen.insert(outer) {
                break;
            }
            next = machine.states[outer].parent;
        }
    }
}

fn initials(machine: &Machine, errors: &mut Errors) {
    for (index, state) in machine.states.iter().enumerate() {
        let Some(initial) = &state.initial else { continue };
        if initial.target == index || !machine.is_in(initial.target, index) {
            let (word, name) = (&initial.word, &state.name);
            let message = format!(
                "`{word}` is not inside of `{name}`: the initial transition of a superstate \
                 leads to a state inside of it"
            );
            errors.at(word.span(), message);
        }
    }
}

/// Refuses completions of superstates that nothing leads to, or that nothing follows.
fn completed(machine: &Machine, errors: &mut Errors) {
    for (index, state) in machine.states.iter().enumerate() {
        if let (Some(word), Some(parent)) = (&state.completes, state.parent)
            && machine.states[parent].completion.is_none()
        {
            let name = &state.name;
            let message = format!(
                "`{name}` completes `{word}`, which says nothing of what follows: write \
                 `#[superstate(on_completion = name)]` there, or `superstate = {word}` here"
            );
            errors.at(word.span(), message);
        }
        let mut inside = machine.states.iter().filter(|one| one.parent == Some(index));
        if let Some(completion) = state.completion.as_ref().filter(|_| state.is_composite)
            && inside.all(|one| one.completes.is_none())
        {
            let (name, function) = (&state.name, &completion.call.name);
            let message = format!(
                "no state completes `{name}`, so `{function}` is never asked: write \
                 `#[state(completes = {name})]` at a state directly inside"
            );
            errors.at(name.span(), message);
        }
    }
}

/// Refuses transitions whose target doesn't lead to a leaf.
fn entered(machine: &Machine, errors: &mut Errors) {
    let named = machine.handlers().flat_map(|(_, handler)| &handler.outcomes);
    let mut targets: Vec<_> = named
        .filter_map(|outcome| match outcome.what {
            What::To(kind, target) => Some((kind, target, &outcome.word)),
            _ => None,
        })
        .collect();
    let start = &machine.initial;
    targets.push((Kind::External, start.target, &start.word));
    let inner = machine.states.iter().filter_map(|state| state.initial.as_ref());
    targets.extend(inner.map(|initial| (Kind::External, initial.target, &initial.word)));
    for (kind, target, word) in targets {
        let state = &machine.states[target];
        if matches!(kind, Kind::History | Kind::DeepHistory) && !state.is_composite {
            let message = format!(
                "`{word}` has no states inside, so it has no history: use \
                 `Transition(State::{word}(..))`, or name a superstate"
            );
            errors.at(word.span(), message);
        } else if state.is_composite && state.initial.is_none() {
            let message = format!(
                "`{word}` is entered here, but has no initial transition: write \
                 `#[superstate(initial = State::name())]` with a state inside of `{word}`, or \
                 name that state here"
            );
            errors.at(word.span(), message);
        }
    }
}

/// Values of storage: a transition gives as many as the leaf has, and history never has to invent
/// values.
fn storage(machine: &Machine, errors: &mut Errors) {
    for composite in machine.remembered() {
        for leaf in machine.leaves().filter(|leaf| machine.is_in(*leaf, composite)) {
            let state = &machine.states[leaf];
            if let Some((variable, _)) = state.storage.first() {
                let (name, outer) = (&state.name, &machine.states[composite].name);
                let message = format!(
                    "`{name}` is inside of `{outer}`, whose history is asked for, but its own \
                     variable `{variable}` is gone when it is left: keep it in the machine's \
                     struct"
                );
                errors.at(variable.span(), message);
            }
        }
    }
}
