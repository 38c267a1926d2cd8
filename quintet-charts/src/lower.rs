//! The steps of each transition, as a straight sequence.

use std::collections::BTreeSet;

use crate::model::{Kind, What};
use crate::tree::Tree;

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
    /// The values come from the initial transition of a composite, or of the machine.
    InitialValues(Option<usize>),
    /// The action of that initial transition runs.
    InitialAction(Option<usize>),
    /// The entry action of a state runs.
    Entry(usize),
    /// A leaf becomes the active state. `false` if the same leaf was active and has no storage.
    Arrive(usize, bool),
    /// The next steps depend on the leaf that a composite remembers.
    Resume(Resumption),
}

/// A way back into a composite. The way is the same from everywhere outside, so all transitions use
/// one copy. With a copy in each transition, there would be as many arms as transitions times
/// leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Resumption {
    /// The composite.
    pub of: usize,
    /// `true` if the way goes down through all levels.
    pub is_deep: bool,
}

/// The steps of a way back.
pub struct Resumed {
    /// The steps for each leaf that may have been active.
    pub by_leaf: Vec<(usize, Vec<Step>)>,
    /// The steps if the composite was never entered.
    pub never: Vec<Step>,
}

/// The first transition of a machine.
pub fn start(tree: &Tree<'_>) -> Vec<Step> {
    let mut steps = vec![Step::InitialAction(None)];
    let target = tree.machine.initial.target;
    if !tree.machine.states[target].is_composite {
        steps.insert(0, Step::InitialValues(None));
    }
    steps.extend(entries(tree, target, None));
    initials(tree, target, None, &mut steps);
    steps
}

/// The end of a machine, while `leaf` is active.
pub fn stop(tree: &Tree<'_>, leaf: usize) -> Vec<Step> {
    tree.chain(leaf).iter().map(|state| Step::Exit(*state)).collect()
}

/// A transition that the handler of `source` takes while `leaf` is active.
pub fn transition(
    tree: &Tree<'_>,
    leaf: usize,
    source: usize,
    kind: Kind,
    target: usize,
) -> Vec<Step> {
    let stays = stays(tree, source, kind, target);
    let mut steps = Vec::new();
    let exited = tree.chain(leaf).iter().take_while(|state| Some(**state) != stays);
    for state in exited.clone() {
        steps.push(Step::Exit(*state));
        if tree.place(*state).is_some() {
            steps.push(Step::Record { of: *state, leaf });
        }
    }
    steps.push(Step::Action);
    if !tree.machine.states[target].is_composite {
        steps.push(Step::Values(target));
    }
    steps.extend(entries(tree, target, stays));
    let is_deep = match kind {
        Kind::External | Kind::Local => {
            initials(tree, target, Some(leaf), &mut steps);
            return steps;
        }
        Kind::History => false,
        Kind::DeepHistory => true,
    };
    let resumption = Resumption { of: target, is_deep };
    if exited.clone().any(|state| *state == target) {
        // The remembered leaf is the leaf that was left just now.
        steps.extend(resume(tree, resumption, leaf, Some(leaf)));
    } else {
        steps.push(Step::Resume(resumption));
    }
    steps
}

/// The ways back that transitions take.
pub fn resumptions(tree: &Tree<'_>) -> BTreeSet<Resumption> {
    let said = tree.machine.handlers().flat_map(|(_, handler)| &handler.outcomes);
    said.filter_map(|outcome| match outcome.what {
        What::To(Kind::History, of) => Some(Resumption { of, is_deep: false }),
        What::To(Kind::DeepHistory, of) => Some(Resumption { of, is_deep: true }),
        _ => None,
    })
    .collect()
}

/// Returns the steps of a way back, from a leaf outside.
pub fn resumed(tree: &Tree<'_>, resumption: Resumption) -> Resumed {
    let last = tree.leaves(resumption.of).iter();
    let by_leaf = last.map(|last| (*last, resume(tree, resumption, *last, None))).collect();
    let mut never = Vec::new();
    initials(tree, resumption.of, None, &mut never);
    Resumed { by_leaf, never }
}

/// The innermost state that is neither left nor entered by a transition.
pub fn stays(tree: &Tree<'_>, source: usize, kind: Kind, target: usize) -> Option<usize> {
    let states = &tree.machine.states;
    if kind == Kind::Local {
        if tree.is_in(target, source) && states[source].is_composite {
            return Some(source);
        }
        if tree.is_in(source, target) && states[target].is_composite {
            return Some(target);
        }
    }
    let around = |state| tree.chain(state).iter().skip(1);
    around(source).find(|state| around(target).any(|other| other == *state)).copied()
}

/// The entries into a state, from outside in, up to `stays`.
fn entries(tree: &Tree<'_>, target: usize, stays: Option<usize>) -> Vec<Step> {
    let inside = tree.chain(target).iter().take_while(|state| Some(**state) != stays);
    let mut steps: Vec<_> = inside.map(|state| Step::Entry(*state)).collect();
    steps.reverse();
    steps
}

/// The initial transitions of a state, down to a leaf.
fn initials(tree: &Tree<'_>, mut state: usize, from: Option<usize>, steps: &mut Vec<Step>) {
    let states = &tree.machine.states;
    // Each one leads further inside, which has been checked.
    while let Some(initial) = &states[state].initial {
        if !states[initial.target].is_composite {
            steps.push(Step::InitialValues(Some(state)));
        }
        steps.push(Step::InitialAction(Some(state)));
        steps.extend(entries(tree, initial.target, Some(state)));
        state = initial.target;
    }
    let is_same = from == Some(state) && states[state].storage.is_empty();
    steps.push(Step::Arrive(state, !is_same));
}

/// Back into a composite that was left when `last` was active.
fn resume(tree: &Tree<'_>, to: Resumption, last: usize, from: Option<usize>) -> Vec<Step> {
    let states = &tree.machine.states;
    let child = tree.chain(last).iter().find(|state| states[**state].parent == Some(to.of));
    let state = if to.is_deep { last } else { child.copied().unwrap_or(last) };
    let mut steps = entries(tree, state, Some(to.of));
    initials(tree, state, from, &mut steps);
    steps
}
