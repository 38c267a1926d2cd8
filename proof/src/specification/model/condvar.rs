//! The specification of the condition variable.
//!
//! A thread is among the waiters before it leaves the mutex, at its place without the mutex. It is
//! no longer among them when it waits for the mutex again.

use super::mutex::Lock;
use super::stage::After;
use super::visit::{Visit, What};
use super::wait::{CONDVAR, Purpose, TIMED_OUT, Timer, Waiter, Wants};
use super::{Behind, Stage, State, Walk};

/// The progress of a wait for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// The thread knows the round, and the priority that is due to it without the mutex.
    Numbered(u8, u8),
    /// The thread is among the waiters, and has the mutex.
    Listed,
    /// The thread has left the mutex, and is not moved among the waiters yet.
    Left,
    /// The thread is at the place of its priority. A timer is armed, if there is one.
    Arming,
    /// The thread waits by its waker. `true` if it was woken.
    Waiting(bool),
    /// The wait is over.
    Over,
}

impl State {
    pub(super) fn wait_change(
        &mut self,
        thread: usize,
        mutex: usize,
        timed: bool,
        stage: Stage,
    ) -> Stage {
        let Stage::Change(change) = stage else {
            let has = self.owners[mutex] == Some(thread);
            return if has {
                let rank = self.due_without(thread, mutex);
                Stage::Change(Change::Numbered(self.changes, rank))
            } else {
                Stage::Result(2)
            };
        };
        let next = match change {
            Change::Numbered(round, rank) => {
                let waiter = Waiter { thread, rank, own: false, wants: Wants::Round(round) };
                let place = self.place(CONDVAR, rank);
                self.lists[CONDVAR].insert(place, waiter);
                Change::Listed
            }
            Change::Listed => {
                return self.leave_mutex(mutex, After::Left);
            }
            Change::Left => return Stage::Walking(Walk::to(thread), After::Change),
            Change::Arming => {
                if timed {
                    let at = self.threads[thread].until;
                    self.threads[thread].timer = Some(Timer { at, purpose: Purpose::Wake });
                }
                Change::Waiting(self.take_wake(thread))
            }
            Change::Waiting(was_woken) => {
                let granted = self.index(CONDVAR, thread).is_none();
                if granted || timed && self.threads[thread].until <= self.now {
                    self.end_waits(thread, was_woken);
                    Change::Over
                } else {
                    self.await_wake(thread);
                    Change::Waiting(true)
                }
            }
            Change::Over => {
                self.threads[thread].timer = None;
                let result = if self.delist(CONDVAR, thread) { TIMED_OUT } else { 0 };
                return Stage::Locking(Lock::new(mutex, false, result));
            }
        };
        Stage::Change(next)
    }

    /// The first waiter is out, and is woken a step later.
    pub(super) fn notify_one(&mut self) -> Stage {
        if self.lists[CONDVAR].is_empty() {
            return Stage::Result(0);
        }
        Stage::Waking(self.lists[CONDVAR].remove(0).thread, Behind::Over(0))
    }

    /// Visits all present waiters.
    pub(super) fn notify_all(&mut self) -> Stage {
        let round = self.changes;
        self.changes += 1;
        Stage::Visiting(Visit::new(What::Change(round), 0))
    }
}
