//! The specification of the level of interrupts that has tasks: its interrupt, and its rounds.
//!
//! A wake of one of the tasks pends the interrupt. It comes when no other interrupt is under way,
//! before threads are switched, and makes one round. A wake after that has pended it once more.

use super::super::operation::Operation as Op;
use super::super::schedule::{LEVEL_HARDWARE, LINES, Schedule};
use super::tasks::ALL;
use super::{Handler, Stage, State};

/// Stands for the level, where somebody is to be woken.
pub(super) const DISPATCHER: usize = usize::MAX;
/// The level's line: one behind those of the other interrupts.
pub(super) const LEVEL: usize = LINES.len();
/// The slots of its tasks, and of its actor.
const SLOTS: u8 = !ALL;

impl Handler {
    /// The hardware's priority.
    pub(super) const fn hardware(&self) -> u8 {
        if self.line == LEVEL { LEVEL_HARDWARE } else { LINES[self.line] }
    }

    /// Returns the task that the level polls.
    pub(super) const fn polls(&self) -> Option<usize> {
        if let Stage::Polling(task, _) = self.stage { Some(task) } else { None }
    }
}

impl State {
    /// The states behind the coming of the level's interrupt: a switch that is due may have
    /// happened before, or not.
    pub(super) fn dispatched(&self) -> Vec<Self> {
        let mut next = self.clone();
        (next.level.pended, next.lags) = (false, false);
        next.handlers.push(Handler { line: LEVEL, operation: Op::End, stage: Stage::Round(SLOTS) });
        let mut switched = next.clone();
        switched.switch_to(self.running());
        if switched == next { vec![next] } else { vec![next, switched] }
    }

    /// The states behind a step of the level's interrupt.
    pub(super) fn step_level(&self, schedule: &Schedule, stage: Stage) -> Vec<Self> {
        let Stage::Polling(task, _) = stage else { return vec![self.round_of_level(stage)] };
        let ways = self.ways_on(schedule, task).into_iter();
        let step = |stage| {
            let mut next = self.clone();
            next.step_task(schedule, task, stage).then_some(next)
        };
        ways.filter_map(step).collect()
    }

    /// Polls the next task of the round. Without one, the round is over.
    fn round_of_level(&self, stage: Stage) -> Self {
        let mut next = self.clone();
        let ahead = if let Stage::Round(ahead) = stage { ahead } else { 0 };
        match (next.next_of_round(ahead), next.handlers.last_mut()) {
            (Some(polling), Some(level)) => level.stage = polling,
            _ => next.leave_handler(false),
        }
        next
    }
}
