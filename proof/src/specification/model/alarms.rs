//! The specification of the timer's interrupt: armed timers, and their expiry.

use super::super::schedule::{CLOCK, LINES};
use super::{Handler, State};

/// A wait for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    Thread(usize),
    Timer,
    Slice,
}

impl State {
    /// Returns `true` if the timer's interrupt comes before any other step that it may preempt.
    pub(super) fn is_time(&self) -> bool {
        let held_off = |handler: &Handler| handler.hardware() <= LINES[CLOCK];
        !self.handlers.last().is_some_and(held_off) && !self.expiring().is_empty()
    }

    /// Returns the armed alarms, each with its time.
    fn alarms(&self) -> impl Iterator<Item = (u32, Alarm)> {
        let threads = self.threads.iter().enumerate();
        let threads =
            threads.filter_map(|(index, thread)| Some((thread.timer?.at, Alarm::Thread(index))));
        let timer = self.timer.armed.map(|at| (at, Alarm::Timer));
        let slice = self.slice.armed.map(|at| (at, Alarm::Slice));
        threads.chain(timer).chain(slice)
    }

    /// Returns the alarms that expire: in any order, if the clock shows several times at once.
    pub(super) fn expiring(&self) -> Vec<Alarm> {
        self.alarms().filter_map(|(at, alarm)| (at <= self.now).then_some(alarm)).collect()
    }

    /// Returns the state after an alarm.
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
