//! The specification of waits until a time for a thread's own events: a notification, and the end
//! of another thread. They check the time first, so that an event in time is found.

use super::super::operation::Operation as Op;
use super::wait::{Purpose, TIMED_OUT, Timer};
use super::{Stage, State};

impl State {
    /// A thread waits until a time, for the event of `operation`.
    pub(super) fn wait_until(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        let until = self.threads[thread].until;
        match stage {
            Stage::Until => Stage::Timely(until <= self.now),
            Stage::Timely(is_over) => match self.find(thread, operation) {
                Some(found) => Stage::Result(found),
                None if is_over => Stage::Result(TIMED_OUT),
                None => Stage::Looked,
            },
            Stage::Looked => {
                self.threads[thread].timer = Some(Timer { at: until, purpose: Purpose::Own });
                Stage::Armed
            }
            _ => self.find_or_wait(thread, operation),
        }
    }

    /// The thread looks for the last time, and waits if it finds nothing.
    fn find_or_wait(&mut self, thread: usize, operation: Op) -> Stage {
        if let Some(found) = self.find(thread, operation) {
            self.threads[thread].timer = None;
            return Stage::Result(found);
        }
        if self.threads[thread].timer.is_none() {
            return Stage::Result(TIMED_OUT);
        }
        match operation {
            Op::JoinUntil { thread: other, .. } => {
                self.threads[usize::from(other)].joiner = Some(thread);
            }
            _ => self.threads[thread].parked = true,
        }
        self.unready(thread);
        Stage::Result(0)
    }

    /// Returns the result without a wait.
    fn find(&mut self, thread: usize, operation: Op) -> Option<u16> {
        match operation {
            Op::JoinUntil { thread: other, .. } => self.may_join(thread, other.into()),
            _ => std::mem::take(&mut self.threads[thread].notified).then_some(0),
        }
    }

    /// The time is up before the event, if the thread waits already.
    pub(super) fn expire_own(&mut self, thread: usize) {
        let is_parked = std::mem::take(&mut self.threads[thread].parked);
        let joined = self.threads.iter_mut().find(|other| other.joiner == Some(thread));
        let joins = joined.map(|other| other.joiner = None).is_some();
        if is_parked || joins {
            self.threads[thread].stage = Stage::Result(TIMED_OUT);
            self.ready(thread);
        }
    }
}
