//! The bounds of functions that call each other.

use std::collections::BTreeSet;

use super::bound::Cause;
use super::verdict::Analysis;

impl Analysis<'_> {
    /// The stacks of functions that call each other: where all their depths are said, as many
    /// frames of each as that.
    pub(super) fn bound_recursion(&mut self, functions: &[u32]) {
        let depths: Option<Vec<u32>> = functions
            .iter()
            .map(|entry| self.conditions.annotations.depth(self.firmware, *entry))
            .collect();
        let own = functions.iter().map(|entry| self.bounds.get(entry).and_then(|one| one.stack));
        let own: Option<Vec<u32>> = own.collect();
        let all = depths.zip(own).map(|(depths, own)| {
            depths
                .iter()
                .zip(own)
                .fold(0_u32, |sum, (depth, one)| sum.saturating_add(depth.saturating_mul(one)))
        });
        let mut open_stack = BTreeSet::new();
        let mut open_cycles = BTreeSet::new();
        let (mut observed, mut waits) = (BTreeSet::new(), BTreeSet::new());
        for entry in functions {
            let Some(bound) = self.bounds.get(entry) else { continue };
            open_stack.extend(bound.open_stack.iter().copied());
            open_cycles.extend(bound.open_cycles.iter().copied());
            observed.extend(bound.observed.iter().copied());
            waits.extend(bound.waits.iter().copied());
        }
        if all.is_none() && open_stack.is_empty() {
            let calls = open_cycles.iter().filter(|open| open.cause == Cause::Recursion);
            open_stack.extend(calls.copied());
        }
        for entry in functions {
            let Some(bound) = self.bounds.get_mut(entry) else { continue };
            bound.cycles = None;
            bound.stack = all.filter(|_| open_stack.is_empty());
            bound.open_stack.clone_from(&open_stack);
            bound.open_cycles.clone_from(&open_cycles);
            bound.observed.clone_from(&observed);
            bound.waits.clone_from(&waits);
        }
    }
}
