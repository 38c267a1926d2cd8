//! The specification of the timer's interrupt: what is armed, and what expires.

use super::super::schedule::{CLOCK, LINES};
use super::{Handler, State};

/// What waits for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    Thread(usize),
    Timer,
    Slice,
}

impl State {
    /// Whether the timer's interrupt comes before anything else that it may preempt.
    pub(super) fn is_time(&self) -> bool {
        let held_off = |handler: &Handler| handler.hardware() <= LINES[CLOCK];
        !self.handlers.last().is_some_and(held_off) && !self.expiring().is_empty()
    }

    /// What is armed, and when it expires.
    fn alarms(&self) -> impl Iterator<Item = (u32, Alarm)> {
        let threads = self.threads.iter().enumerate();
        let threads =
            threads.filter_map(|(index, thread)| Some((thread.timer?.at, Alarm::Thread(index))));
        let timer = self.timer.armed.map(|at| (at, Alarm::Timer));
        let slice = self.slice.armed.map(|at| (at, Alarm::Slice));
        threads.chain(timer).chain(slice)
    }

    /// What expires: in any order, where the clock shows several times at once.
    pub(super) fn expiring(&self) -> Vec<Alarm> {
        self.alarms().filter_map(|(at, alarm)| (at <= self.now).then_some(alarm)).collect()
    }

    /// The state behind what happens at a time.
    pub(super) fn expired(&self, alarm: Alarm) -> Self {
        let mut next = self.clone();
        match alarm {
            Alarm::Thread(thread) => next.expire(thread),
            Alarm::Timer => next.expire_timer(),
            Alarm::Slice => next.expire_slice(),
        }
        next
    }
}
