//! Paths through a machine: unreachable states, endless completions, events that can't be kept.

use std::collections::BTreeSet;

use crate::errors::Errors;
use crate::model::{Kind, Machine, What};

/// Refuses states that are never reached, and transitions that never end.
pub fn check(machine: &Machine, errors: &mut Errors) {
    unreachable(machine, errors);
    completions(machine, errors);
    deferred(machine, errors);
}

/// States that no transition leads to.
fn unreachable(machine: &Machine, errors: &mut Errors) {
    let mut reached = BTreeSet::new();
    let mut next = vec![machine.initial.target];
    while let Some(state) = next.pop() {
        if !reached.insert(state) {
            continue;
        }
        // The superstates of an active state are active, and their handlers are asked.
        next.extend(machine.states[state].parent);
        next.extend(machine.states[state].initial.as_ref().map(|initial| initial.target));
        let handlers = machine.handlers().filter(|(of, _)| *of == state);
        next.extend(handlers.flat_map(|(_, handler)| &handler.outcomes).filter_map(|outcome| {
            match outcome.what {
                What::To(_, target) => Some(target),
                _ => None,
            }
        }));
    }
    for (index, state) in machine.states.iter().enumerate() {
        if !reached.contains(&index) {
            let name = &state.name;
            let message = format!(
                "the state `{name}` can't be reached: no transition from a state that can be \
                 reached leads to it. Name it as a target, or remove it"
            );
            errors.at(name.span(), message);
        }
    }
}

/// The leaves that a transition can end in.
fn ends(machine: &Machine, kind: Kind, target: usize) -> Vec<usize> {
    if matches!(kind, Kind::History | Kind::DeepHistory) {
        return machine.leaves().filter(|leaf| machine.is_in(*leaf, target)).collect();
    }
    let mut end = target;
    while let Some(initial) = &machine.states[end].initial {
        end = initial.target;
    }
    vec![end]
}

/// Transitions without an event that lead back to their beginning.
fn completions(machine: &Machine, errors: &mut Errors) {
    let mut reported = BTreeSet::new();
    for start in machine.leaves() {
        let Some((_, handler)) = machine.completion_at(start) else { continue };
        for outcome in &handler.outcomes {
            let What::To(kind, target) = outcome.what else { continue };
            let (mut seen, mut next) = (BTreeSet::new(), ends(machine, kind, target));
            while let Some(leaf) = next.pop() {
                if !seen.insert(leaf) {
                    continue;
                }
                let inner = machine.completion_at(leaf).into_iter();
                next.extend(inner.flat_map(|(_, handler)| &handler.outcomes).flat_map(|outcome| {
                    match outcome.what {
                        What::To(kind, target) => ends(machine, kind, target),
                        _ => Vec::new(),
                    }
                }));
            }
            // A circle is reported once, at its first state.
            if seen.contains(&start) && seen.is_disjoint(&reported) {
                reported.insert(start);
                let (word, name) = (&outcome.word, &machine.states[start].name);
                let message = format!(
                    "completions lead from `{name}` by `{word}` back to `{name}`, without an \
                     event in between: one of them has to wait for an event"
                );
                errors.at(word.span(), message);
            }
        }
    }
}

/// Refuses deferred events if the machine doesn't say how many it keeps.
fn deferred(machine: &Machine, errors: &mut Errors) {
    if machine.deferred.is_some() {
        return;
    }
    let message = "this machine keeps events: say how many it has room for, by \
                   `#[state_machine(deferred = 4)]`";
    let says = machine.handlers().flat_map(|(_, handler)| &handler.outcomes);
    for outcome in says.filter(|outcome| outcome.what == What::Deferred) {
        errors.at(outcome.word.span(), message);
    }
    for pattern in machine.states.iter().flat_map(|state| &state.defer) {
        errors.push(syn::Error::new_spanned(pattern, message));
    }
}
