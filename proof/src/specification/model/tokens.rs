//! The specification of counts: semaphores, and the counts in other objects.

use super::wait::{PLACE, TOKENS, Wants};
use super::{Behind, Stage, State};

impl State {
    pub(super) fn take_one(&mut self, list: usize) -> bool {
        let there = list < TOKENS && self.tokens[list] > 0;
        if there {
            self.tokens[list] -= 1;
        }
        there
    }

    /// Gives one more: the first waiter has it, if there is one. Returns a task that must be woken.
    pub(super) fn give(&mut self, list: usize) -> Option<usize> {
        if self.lists[list].is_empty() {
            self.tokens[list] += 1;
            return None;
        }
        self.grant(list, 0, 0)
    }

    /// Counts one more, or serves a waiter a step later.
    pub(super) fn count(&mut self, list: usize, result: u16) -> Stage {
        if self.lists[list].is_empty() {
            self.tokens[list] += 1;
            return Stage::Result(result);
        }
        Stage::HandingOver { list, behind: Behind::Over(result) }
    }

    /// One that somebody had goes to the next. The place of the mailbox doesn't, if a message has
    /// been put there meanwhile.
    pub(super) fn hand_over(&mut self, list: usize) -> Option<usize> {
        if list == PLACE && std::mem::take(&mut self.mail_is_ahead) {
            return None;
        }
        self.give(list)
    }

    /// A thread with a token goes on with `act`: in the same step if it found the token, else in a
    /// step of its own. A task may have looked before.
    pub(super) fn block_and(
        &mut self,
        thread: usize,
        list: usize,
        stage: Stage,
        act: impl FnOnce(&mut Self) -> Stage,
    ) -> Stage {
        let looks = stage != Stage::Looked;
        if stage == Stage::Granted || looks && self.take_one(list) {
            return act(self);
        }
        self.block(thread, list, Wants::One, Stage::Granted)
    }

    /// The same until a time. `act` is always a step of its own.
    pub(super) fn block_and_until(
        &mut self,
        thread: usize,
        list: usize,
        stage: Stage,
        act: impl FnOnce(&mut Self) -> Stage,
    ) -> Stage {
        if stage == Stage::Granted {
            return act(self);
        }
        self.block_until(thread, list, Wants::One, (stage, Stage::Granted))
    }
}

/// Returns the stage of a context that has let a waiter go on: a task is woken first.
pub(super) fn then(woken: Option<usize>, behind: Behind) -> Stage {
    woken.map_or(behind.stage(), |task| Stage::Waking(task, behind))
}
