//! The specification of sections of resources that threads share.
//!
//! A thread in a section is before all threads up to the ceiling, even after a more urgent one has
//! preempted it. It doesn't wait there, and isn't suspended.

use super::super::operation::Operation as Op;
use super::super::schedule::SECTIONS;
use super::{Stage, State};

/// The result of an operation that isn't done.
pub(super) const REFUSED: u16 = 0x200;

impl State {
    /// Returns `true` if an operation isn't done at the thread's place, because it might wait
    /// there.
    pub(super) fn is_refused(&self, thread: usize, operation: Op) -> bool {
        let fits = matches!(operation, Op::TryLock(_) | Op::Unlock(_) | Op::Enter(_) | Op::Exit);
        !fits && !self.threads[thread].sections.is_empty()
    }

    /// Begins a section, unless the thread is in one of the resource. The result is the number of
    /// open sections.
    pub(super) fn enter_section(&mut self, thread: usize, resource: u8, stage: Stage) -> Stage {
        let inside = &mut self.inside[usize::from(resource)];
        if let Stage::Entered(_) = stage {
            *inside += 1;
            return Stage::Result(u16::from(*inside) - 1);
        }
        if self.threads[thread].sections.contains(&resource) {
            return Stage::Result(REFUSED);
        }
        self.threads[thread].sections.push(resource);
        self.set_ceiling(thread);
        Stage::Entered(resource)
    }

    /// Ends the innermost section. A thread that is interrupted between the two steps has lost the
    /// ceiling and still can't be suspended; or it has both until it loses both.
    pub(super) fn exit_section(&mut self, thread: usize, stage: Stage) -> Stage {
        let Some(innermost) = self.threads[thread].sections.last().copied() else {
            return Stage::Result(1);
        };
        match stage {
            Stage::Exiting => {
                let kept = self.threads[thread].sections.pop();
                self.set_ceiling(thread);
                self.threads[thread].sections.extend(kept);
                Stage::Lowered
            }
            Stage::Lowered | Stage::Leaving => {
                self.threads[thread].sections.pop();
                self.set_ceiling(thread);
                self.demote(thread);
                Stage::Result(0)
            }
            _ => {
                self.inside[usize::from(innermost)] -= 1;
                Stage::Exiting
            }
        }
    }

    /// Gives a thread the ceiling of its sections.
    fn set_ceiling(&mut self, thread: usize) {
        let sections = self.threads[thread].sections.iter();
        let ceiling = sections.map(|resource| SECTIONS[usize::from(*resource)]).max();
        self.rerank(thread, true, |own| own.ceiling = ceiling.unwrap_or(0));
    }
}
