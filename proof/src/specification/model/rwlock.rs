//! The specification of the lock for readers and writers.

use super::visit::{Visit, What};
use super::wait::{RWLOCK, Wants};
use super::{Stage, State};

impl State {
    /// Lets one more in, if this is possible beside the present ones.
    pub(super) fn enter(&mut self, wants: Wants) -> bool {
        let free =
            if wants == Wants::Read { !self.writes } else { !self.writes && self.readers == 0 };
        if free && wants == Wants::Read {
            self.readers += 1;
        } else if free {
            self.writes = true;
        }
        free
    }

    /// Lets one out. The last one lets waiters in, if there are any.
    pub(super) fn leave(&mut self, wants: Wants) -> Stage {
        if wants == Wants::Write {
            self.writes = false;
        } else {
            self.readers -= 1;
        }
        if self.readers > 0 || self.lists[RWLOCK].is_empty() {
            return Stage::Result(0);
        }
        Stage::Visiting(Visit::new(What::Writers { seen: false }, 0))
    }

    /// A writer's time was up. The timer's interrupt lets in those that waited only for this
    /// writer.
    pub(super) fn let_in(&mut self) {
        let mut stage = Stage::Visiting(Visit::new(What::Writers { seen: false }, 0));
        while let Stage::Visiting(visit) = stage {
            stage = self.visit(visit);
        }
    }

    /// Notes the access that a thread has.
    pub(super) fn note_entered(&mut self, thread: usize, wants: Wants) {
        if matches!(wants, Wants::Read | Wants::Write) {
            self.threads[thread].entered = Some(wants);
        }
    }

    /// A thread leaves the lock, if it is inside.
    pub(super) fn leave_own(&mut self, thread: usize) -> Stage {
        self.threads[thread].entered.take().map_or(Stage::Result(1), |wants| self.leave(wants))
    }

    /// A thread gets in, if that is possible at once.
    pub(super) fn try_enter(&mut self, thread: usize, wants: Wants) -> Stage {
        if self.threads[thread].entered.is_some() {
            return Stage::Result(2);
        }
        let entered = self.take(RWLOCK, wants).is_some();
        if entered {
            self.note_entered(thread, wants);
        }
        Stage::Result(u16::from(!entered))
    }

    /// Gets in for a moment, if that is possible at once.
    pub(super) fn glance(&mut self, wants: Wants, stage: Stage) -> Stage {
        if stage == Stage::Granted {
            return self.leave(wants);
        }
        if self.take(RWLOCK, wants).is_some() { Stage::Granted } else { Stage::Result(1) }
    }

    /// A thread waits for the lock, unless it is inside.
    pub(super) fn enter_blocking(&mut self, thread: usize, wants: Wants, stage: Stage) -> Stage {
        if self.threads[thread].entered.is_some() {
            return Stage::Result(2);
        }
        if stage == Stage::Before {
            return self.block(thread, RWLOCK, wants, Stage::Result(0));
        }
        self.block_until(thread, RWLOCK, wants, (stage, Stage::Result(0)))
    }
}
