//! The specification of mutexes of threads, with inheritance and with ceilings.

use super::super::schedule::{CEILINGS, DEPTHS};
use super::stage::After;
use super::wait::{MUTEX, Purpose, TIMED_OUT, Timer, Waiter, Wants};
use super::{Stage, State, Walk};

/// A mutex that a thread is about to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lock {
    pub(super) mutex: usize,
    /// `true` if the lock has a time limit.
    pub(super) timed: bool,
    /// The result of the operation once the thread has the mutex.
    pub(super) result: u16,
    /// `true` if the thread was woken while it waits, or before.
    was_woken: bool,
    /// The owner to whom the thread has lent a priority, and that priority.
    lent: Option<(usize, u8)>,
}

/// The next step after a thread has left a mutex, perhaps to another thread, before another thread
/// runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Leave {
    /// The new owner gets the priority that is due to it.
    Raise(Waiter),
    /// The old owner gets the priority that is due to it.
    Lower(Option<Waiter>),
    /// The new owner is woken.
    Wake(Waiter),
}

impl Lock {
    /// A lock whose wait has not begun.
    pub(super) const fn new(mutex: usize, timed: bool, result: u16) -> Self {
        Self { mutex, timed, result, was_woken: false, lent: None }
    }

    /// The stage once the thread has the mutex.
    const fn end(self) -> Stage {
        Stage::Result(self.result)
    }
}

impl State {
    /// Takes a mutex, if no thread has it. Otherwise returns the reason: it is the thread's own,
    /// another's, or not for its priority.
    pub(super) fn try_lock(&mut self, thread: usize, mutex: usize) -> u16 {
        if self.owners[mutex] == Some(thread) {
            return self.lock_again(mutex);
        }
        if CEILINGS[mutex] != 0 && self.threads[thread].base > CEILINGS[mutex] {
            return 3;
        }
        if self.owners[mutex].is_some() {
            return 2;
        }
        self.own(thread, mutex);
        0
    }

    /// A thread takes a mutex that it has, if this is possible.
    fn lock_again(&mut self, mutex: usize) -> u16 {
        if DEPTHS[mutex] == 1 {
            return 1;
        }
        if self.again[mutex] + 1 == DEPTHS[mutex] {
            return 4;
        }
        self.again[mutex] += 1;
        0
    }

    /// Takes a mutex, or lets the thread wait for it.
    pub(super) fn lock(&mut self, thread: usize, mutex: usize, timed: bool) -> Stage {
        let lock = Lock::new(mutex, timed, 0);
        match self.try_lock(thread, mutex) {
            2 if timed => Stage::Linking(lock),
            2 => self.contend(thread, lock),
            result => Stage::Result(result),
        }
    }

    /// Takes a mutex that isn't the thread's own, or lets the thread wait. An owner that is less
    /// urgent is lent the thread's priority first. It leaves the mutex with the priority that is
    /// due then.
    pub(super) fn contend(&mut self, thread: usize, lock: Lock) -> Stage {
        let Some(owner) = self.owners[lock.mutex] else {
            self.own(thread, lock.mutex);
            return lock.end();
        };
        let rank = self.threads[thread].priority;
        let is_other = lock.lent.is_some_and(|lent| lent != (owner, rank));
        if self.threads[owner].priority < rank || is_other {
            self.lent[lock.mutex] = true;
            let lock = Lock { lent: Some((owner, rank)), ..lock };
            return Stage::Walking(Walk::lent(owner, rank), After::Lending(lock));
        }
        self.enlist(MUTEX + lock.mutex, thread, true, Wants::One);
        self.unready(thread);
        lock.end()
    }

    /// Puts a thread that waits by its waker among the waiters, before it waits.
    pub(super) fn link(&mut self, thread: usize, lock: Lock) -> Stage {
        let Some(owner) = self.owners[lock.mutex] else {
            self.own(thread, lock.mutex);
            return lock.end();
        };
        self.enlist(MUTEX + lock.mutex, thread, false, Wants::One);
        Stage::Walking(Walk::to(owner), After::Parking(lock))
    }

    /// Arms the thread's timer, if it has one.
    pub(super) fn arm_lock(&mut self, thread: usize, lock: Lock) -> Stage {
        if lock.timed {
            let (at, purpose) = (self.threads[thread].until, Purpose::Lock(lock.mutex));
            self.threads[thread].timer = Some(Timer { at, purpose });
        }
        Stage::Parking(Lock { was_woken: self.take_wake(thread), ..lock })
    }

    /// Checks whether the thread has the mutex, or its time was up. Otherwise the thread waits on.
    pub(super) fn park_for(&mut self, thread: usize, lock: Lock) -> Stage {
        if self.owners[lock.mutex] == Some(thread) {
            self.threads[thread].timer = None;
            self.end_waits(thread, lock.was_woken);
            return lock.end();
        }
        if self.index(MUTEX + lock.mutex, thread).is_none() {
            self.end_waits(thread, lock.was_woken);
            return Stage::Result(TIMED_OUT);
        }
        self.await_wake(thread);
        Stage::Parking(Lock { was_woken: true, ..lock })
    }

    /// The timer's interrupt takes a waiter out, and lets the owner's priority go back.
    pub(super) fn expire_lock(&mut self, thread: usize, mutex: usize) {
        if !self.delist(MUTEX + mutex, thread) {
            return;
        }
        let mut step = self.owners[mutex].map(Walk::to);
        while let Some(walk) = step {
            step = self.settle(walk);
        }
        self.wake_here(thread);
    }

    /// Gives a thread a mutex, with its ceiling.
    fn own(&mut self, thread: usize, mutex: usize) {
        self.owners[mutex] = Some(thread);
        if self.threads[thread].priority < CEILINGS[mutex] {
            self.change(thread, CEILINGS[mutex]);
        }
    }

    /// Hands the mutex to the first waiter in the same step, unless the owner has locked it again.
    pub(super) fn unlock(&mut self, thread: usize, mutex: usize) -> Stage {
        if self.owners[mutex] != Some(thread) {
            return Stage::Result(1);
        }
        if self.again[mutex] > 0 {
            self.again[mutex] -= 1;
            return Stage::Result(0);
        }
        self.leave_mutex(mutex, After::Over(0))
    }

    /// The same, for a thread that has the mutex once. The consequences come in steps.
    pub(super) fn leave_mutex(&mut self, mutex: usize, after: After) -> Stage {
        let list = &mut self.lists[MUTEX + mutex];
        let next = (!list.is_empty()).then(|| list.remove(0));
        self.owners[mutex] = next.map(|next| next.thread);
        let lent = std::mem::take(&mut self.lent[mutex]);
        match next {
            Some(next) => Stage::HandsOn(Leave::Raise(next), after),
            None if lent || CEILINGS[mutex] != 0 => Stage::HandsOn(Leave::Lower(None), after),
            None => after.stage(),
        }
    }

    /// The next owner and the old one have the priorities that are due to them, and the next runs.
    pub(super) fn leave_on(&mut self, thread: usize, leave: Leave, after: After) -> Stage {
        match leave {
            Leave::Raise(next) => {
                self.change(next.thread, self.due(next.thread));
                return Stage::HandsOn(Leave::Lower(Some(next)), after);
            }
            Leave::Lower(next) => {
                self.change(thread, self.due(thread));
                if let Some(next) = next {
                    return Stage::HandsOn(Leave::Wake(next), after);
                }
            }
            Leave::Wake(next) if next.own => self.ready(next.thread),
            Leave::Wake(next) => self.wake_here(next.thread),
        }
        after.stage()
    }
}
