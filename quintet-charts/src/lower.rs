//! What each transition does, in a straight sequence.

use crate::model::{Kind, Machine};

/// One step of a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The exit action of a state runs.
    Exit(usize),
    /// A composite remembers the active leaf.
    Record {
        /// The composite.
        of: usize,
        /// The leaf.
        leaf: usize,
    },
    /// The transition's own action runs.
    Action,
    /// The values of a leaf's storage come from the transition.
    Values(usize),
    /// They come from the initial transition of a composite, or of the machine.
    InitialValues(Option<usize>),
    /// The action of that initial transition runs.
    InitialAction(Option<usize>),
    /// The entry action of a state runs.
    Entry(usize),
    /// A leaf is the state now, from another one, or from the same without storage (`false`).
    Arrive(usize, bool),
    /// What goes on depends on what a composite remembers.
    Remembered {
        /// The composite.
        of: usize,
        /// By the leaf that was active.
        by_leaf: Vec<(usize, Vec<Self>)>,
        /// If it was never entered.
        never: Vec<Self>,
    },
}

/// The first transition of a machine.
pub fn start(machine: &Machine) -> Vec<Step> {
    let mut steps = vec![Step::InitialAction(None)];
    let target = machine.initial.target;
    if !machine.states[target].is_composite {
        steps.insert(0, Step::InitialValues(None));
    }
    steps.extend(entries(machine, target, None));
    initials(machine, target, None, &mut steps);
    steps
}

/// The end of a machine, while `leaf` is active.
pub fn stop(machine: &Machine, leaf: usize) -> Vec<Step> {
    machine.chain(leaf).into_iter().map(Step::Exit).collect()
}

/// A transition that the handler of `source` takes while `leaf` is active.
pub fn transition(
    machine: &Machine,
    leaf: usize,
    source: usize,
    kind: Kind,
    target: usize,
) -> Vec<Step> {
    let stays = stays(machine, source, kind, target);
    let remembered = machine.remembered();
    let mut steps = Vec::new();
    let exited: Vec<_> =
        machine.chain(leaf).into_iter().take_while(|state| Some(*state) != stays).collect();
    for state in &exited {
        steps.push(Step::Exit(*state));
        if remembered.contains(state) {
            steps.push(Step::Record { of: *state, leaf });
        }
    }
    steps.push(Step::Action);
    if !machine.states[target].is_composite {
        steps.push(Step::Values(target));
    }
    steps.extend(entries(machine, target, stays));
    if matches!(kind, Kind::External | Kind::Local) {
        initials(machine, target, Some(leaf), &mut steps);
        return steps;
    }
    if exited.contains(&target) {
        // It is the leaf that was left just now.
        steps.extend(resume(machine, kind, target, leaf, leaf));
        return steps;
    }
    let below = machine.leaves().filter(|below| machine.is_in(*below, target));
    let by_leaf = below.map(|last| (last, resume(machine, kind, target, last, leaf))).collect();
    let mut never = Vec::new();
    initials(machine, target, Some(leaf), &mut never);
    steps.push(Step::Remembered { of: target, by_leaf, never });
    steps
}

/// The innermost state that is neither left nor entered.
fn stays(machine: &Machine, source: usize, kind: Kind, target: usize) -> Option<usize> {
    if kind == Kind::Local {
        if machine.is_in(target, source) && machine.states[source].is_composite {
            return Some(source);
        }
        if machine.is_in(source, target) && machine.states[target].is_composite {
            return Some(target);
        }
    }
    let around = |state| machine.chain(state).into_iter().skip(1);
    around(source).find(|state| around(target).any(|other| other == *state))
}

/// Into a state, from outside in, but not into `stays`.
fn entries(machine: &Machine, target: usize, stays: Option<usize>) -> Vec<Step> {
    let inside = machine.chain(target).into_iter().take_while(|state| Some(*state) != stays);
    let mut steps: Vec<_> = inside.map(Step::Entry).collect();
    steps.reverse();
    steps
}

/// The initial transitions from a state on, down to a leaf.
fn initials(machine: &Machine, mut state: usize, from: Option<usize>, steps: &mut Vec<Step>) {
    // Each one leads further inside, which has been checked.
    while let Some(initial) = &machine.states[state].initial {
        if !machine.states[initial.target].is_composite {
            steps.push(Step::InitialValues(Some(state)));
        }
        steps.push(Step::InitialAction(Some(state)));
        steps.extend(entries(machine, initial.target, Some(state)));
        state = initial.target;
    }
    let is_same = from == Some(state) && machine.states[state].storage.is_empty();
    steps.push(Step::Arrive(state, !is_same));
}

/// Back into a composite that was left when `last` was active.
fn resume(machine: &Machine, kind: Kind, of: usize, last: usize, from: usize) -> Vec<Step> {
    let chain = machine.chain(last);
    let child = chain.iter().find(|state| machine.states[**state].parent == Some(of));
    let state = if kind == Kind::History { child.copied().unwrap_or(last) } else { last };
    let mut steps = entries(machine, state, Some(of));
    initials(machine, state, Some(from), &mut steps);
    steps
}
