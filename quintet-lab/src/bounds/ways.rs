//! The ways through a function with their cycles, those of callees among them.

use super::graph::{Exit, Function};
use super::interruption::Interruption;
use super::path::Ways;
use super::states::RETURN;
use super::verdict::Analysis;
use super::whole::is_unknown;

impl Analysis<'_> {
    /// The ways through a function, with its callees' cycles as far as these are known.
    pub(super) fn ways(&self, function: &Function) -> Ways {
        let mut ways = Ways::default();
        let entry = function.entry;
        let callee =
            |callee: &u32| self.bounds.get(callee).and_then(|bound| bound.cycles).unwrap_or(0);
        let returns = |callee: &&u32| self.returning.contains(callee);
        for (&start, block) in &function.blocks {
            let cost = self.costs.blocks.get(&(entry, start)).cloned().unwrap_or_default();
            let on = cost.on.unwrap_or(0);
            let away = |target: u32| cost.away.get(&target).copied().unwrap_or(0);
            match &block.exit {
                Exit::Falls(next) => ways.add(start, *next, on),
                Exit::Jumps { to, falls } => {
                    if to.is_empty() {
                        ways.add_return(start, 0);
                    }
                    to.iter().for_each(|target| ways.add(start, *target, away(*target)));
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::Calls { callees, then, falls } => {
                    for one in callees.iter().filter(returns) {
                        ways.add(start, *then, away(*one) + callee(one));
                    }
                    if callees.is_empty() {
                        ways.add(start, *then, away(RETURN));
                    }
                    if *falls {
                        ways.add(start, *then, on);
                    }
                }
                Exit::Leaves { callees, falls } => {
                    for one in callees.iter().filter(returns) {
                        ways.add_return(start, away(*one) + callee(one));
                    }
                    if callees.is_empty() {
                        ways.add_return(start, away(RETURN));
                    }
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::Traps { handler, then } => {
                    if handler.as_ref().is_none_or(|one| self.returning.contains(one)) {
                        let Interruption { entry, exit, .. } = self.costs.interruption;
                        let handled = handler.as_ref().map_or(0, callee);
                        ways.add(start, *then, on + entry + handled + exit);
                    }
                }
                Exit::FallsInto(next) => {
                    if returns(&next) {
                        ways.add_return(start, on + callee(next));
                    }
                }
                Exit::Returns { falls } => {
                    ways.add_return(start, away(RETURN));
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::Stops if is_unknown(function, block) => ways.add_return(start, 0),
                Exit::Stops => {}
            }
        }
        ways
    }
}
