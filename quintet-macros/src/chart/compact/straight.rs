//! Straight code for the transitions of a small machine in the compact form.
//!
//! The loops that look ways up are some hundred bytes themselves. If all transitions are fewer
//! bytes than that, each one is written out, once: it takes fewer bytes then, and fewer cycles.

use proc_macro2::TokenStream;
use quintet_charts::lower::{self, Step};
use quintet_charts::model::{Kind, Outcome, What};
use quote::quote;

use super::Compact;
use crate::chart::emit::Output;

/// What the loops take, in bytes of Thumb code, less than what they leave over of transitions.
const LOOPS_BYTES: usize = 360;
/// What a call of an action takes, or its code in place of the call.
const CALL_BYTES: usize = 8;
/// What a transition takes beside its steps: the store of the new leaf, and a branch.
const TRANSITION_BYTES: usize = 10;

/// Returns `true` if straight transitions take fewer bytes than the loops.
pub fn is_better(output: &Output<'_>) -> bool {
    let mut bytes = 0;
    for (source, state) in output.machine.states.iter().enumerate() {
        for outcome in &state.handler.outcomes {
            let What::To(kind, target) = outcome.what else { continue };
            let Ways { exits, tail } = ways(output, source, kind, target);
            let steps = exits.iter().flat_map(|(_, steps)| steps).chain(tail.iter().flatten());
            let calls = steps.map(|step| calls(output, step)).sum::<usize>();
            bytes += TRANSITION_BYTES + CALL_BYTES * calls;
            if bytes > LOOPS_BYTES {
                return false;
            }
        }
    }
    true
}

/// The number of calls that a step makes.
fn calls(output: &Output<'_>, step: &Step) -> usize {
    let states = &output.machine.states;
    let of =
        |state: usize, call: bool| usize::from(call) + usize::from(states[state].after.is_some());
    match step {
        Step::Exit(state) => of(*state, states[*state].exit.is_some()),
        Step::Entry(state) => of(*state, states[*state].entry.is_some()),
        Step::InitialAction(of) => usize::from(output.initial(*of).action.is_some()),
        Step::Record { .. } | Step::Resume(_) => 1,
        Step::Action | Step::Values(_) | Step::InitialValues(_) | Step::Arrive(..) => 0,
    }
}

/// The ways of a transition.
struct Ways {
    /// What differs between the leaves that may be active.
    exits: Vec<(usize, Vec<Step>)>,
    /// What follows for all of them, if anything is the same.
    tail: Option<Vec<Step>>,
}

/// Returns the ways of a transition from each leaf inside of its source.
fn ways(output: &Output<'_>, source: usize, kind: Kind, target: usize) -> Ways {
    let leaves = output.tree.leaves(source);
    let all = leaves.iter().map(|leaf| {
        let mut steps = lower::transition(&output.tree, *leaf, source, kind, target);
        if leaves.len() > 1 {
            // One end for all leaves: it stores the leaf, even if that was active already.
            steps.iter_mut().for_each(|step| {
                if let Step::Arrive(_, is_stored) = step {
                    *is_stored = true;
                }
            });
        }
        (*leaf, steps)
    });
    let mut exits: Vec<_> = all.collect();
    let mut tails = exits.iter_mut().map(|(_, steps)| {
        let action = steps.iter().position(|step| *step == Step::Action);
        steps.split_off(action.unwrap_or(steps.len()))
    });
    let first = tails.next().unwrap_or_default();
    let others: Vec<_> = tails.collect();
    if others.iter().all(|tail| *tail == first) {
        return Ways { exits, tail: Some(first) };
    }
    for ((_, steps), tail) in exits.iter_mut().zip(std::iter::once(first).chain(others)) {
        steps.extend(tail);
    }
    Ways { exits, tail: None }
}

impl Compact<'_> {
    /// A transition as straight code. The variables of a leaf that is the source are in scope.
    pub fn straight(&self, source: usize, outcome: &Outcome) -> Option<TokenStream> {
        let What::To(kind, target) = outcome.what else { return None };
        let output = self.output;
        let Ways { exits, tail } = ways(output, source, kind, target);
        let steps = |steps: &[Step]| output.steps(steps, outcome.has_action, false);
        let tail = tail.map(|tail| steps(&tail));
        let exits = match exits.as_slice() {
            [(leaf, exits)] if *leaf == source => steps(exits),
            many => {
                let arms = many.iter().map(|(leaf, exits)| {
                    let (pattern, exits) = (output.pattern(*leaf), steps(exits));
                    quote!(#pattern => { #exits })
                });
                quote!(match &mut __machine.__state { #(#arms)* _ => {} })
            }
        };
        let (within, to) = (output.within(), output.variant(target));
        let note = output.note_transition(source, target);
        let [before, after] = output.around_way(&quote!(__from), &quote!(#within::#to));
        let from = (!before.is_empty() || !after.is_empty())
            .then(|| quote!(let __from = Self::__within(Self::__number(&__machine.__state));));
        Some(quote!(#note #from #before #exits #tail #after))
    }
}
