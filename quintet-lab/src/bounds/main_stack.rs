//! The most bytes of the main stack: a reset's code, and all handlers that interrupt each other.

use std::collections::BTreeMap;

use super::verdict::Analysis;

impl Analysis<'_> {
    /// The most bytes of the main stack: of the code that a reset begins, and of handlers that
    /// interrupt each other, each with a frame. A handler does not interrupt itself, so each
    /// handler comes once at most. If a run has shown the priorities of handlers, one handler of
    /// each priority comes. Of handlers that never return, one comes at most. `None` if one of
    /// these stacks has no bound.
    pub fn main_stack(&self) -> Option<u32> {
        const RESET: u16 = 1;
        if !self.open_vectors().is_empty() {
            return None;
        }
        let frame = self.frame_bytes();
        let (mut reset, mut endless) = (0_u32, 0_u32);
        let mut levels: BTreeMap<(bool, u32), u32> = BTreeMap::new();
        for handler in self.handlers() {
            let bound = self.bounds().get(&handler.entry)?;
            let stack = bound.stack?;
            if handler.exception == RESET {
                reset = stack;
            } else if !bound.returns {
                endless = endless.max(stack + frame);
            } else {
                let seen = self.conditions().observed.map(|seen| &seen.priorities);
                let priority = seen.and_then(|seen| seen.get(&handler.exception));
                let level = priority.map_or((false, handler.entry), |&one| (true, one.into()));
                let known = levels.entry(level).or_default();
                *known = (*known).max(stack + frame);
            }
        }
        let handlers = levels.values().fold(endless, |sum, stack| sum.saturating_add(*stack));
        Some(reset.saturating_add(handlers))
    }
}
