//! The specification of the barrier.

use super::super::schedule::PARTIES;
use super::visit::{Visit, What};
use super::wait::{BARRIER, Wants};
use super::{Stage, State};

impl State {
    /// One more thread arrives. The last one lets the others go on.
    pub(super) fn arrive(&mut self) -> Stage {
        let round = self.round;
        self.missing -= 1;
        if self.missing > 0 {
            return Stage::Result(0);
        }
        self.missing = PARTIES;
        self.round += 1;
        Stage::Visiting(Visit::new(What::Met(round), 1))
    }

    /// A thread arrives, and waits for the others in a step of its own.
    pub(super) fn meet(&mut self, thread: usize, stage: Stage) -> Stage {
        if let Stage::Arrived(round) = stage {
            return self.block(thread, BARRIER, Wants::Round(round), Stage::Result(0));
        }
        let round = self.round;
        match self.arrive() {
            Stage::Result(_) => Stage::Arrived(round),
            last => last,
        }
    }
}
