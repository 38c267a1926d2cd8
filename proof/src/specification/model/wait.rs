//! Waits: lists of waiters, their wishes, and their time limits.
//!
//! The supply of every wait is taken if it is there. Otherwise the context that brings it hands it
//! over.

use super::super::schedule::{MUTEXES, SEMAPHORES, THREADS};
use super::tasks::is_task;
use super::{Stage, State};

/// The list of waiters for a message, and of waiters for room. Before these, each semaphore has one
/// too.
pub(super) const QUEUED: usize = SEMAPHORES;
pub(super) const ROOM: usize = SEMAPHORES + 1;
/// For a signal; for the place of the mailbox, and its message.
pub(super) const SIGNAL: usize = SEMAPHORES + 2;
pub(super) const PLACE: usize = SEMAPHORES + 3;
pub(super) const MAIL: usize = SEMAPHORES + 4;
/// The lists of counts: those before this one.
pub(super) const TOKENS: usize = SEMAPHORES + 5;
pub(super) const FLAGS: usize = TOKENS;
pub(super) const RWLOCK: usize = TOKENS + 1;
pub(super) const BARRIER: usize = TOKENS + 2;
pub(super) const CONDVAR: usize = TOKENS + 3;
pub(super) const POOL: usize = TOKENS + 4;
/// The first of the lists of threads' own flags.
pub(super) const OWN: usize = TOKENS + 5;
/// The first of the mutexes'.
pub(super) const MUTEX: usize = OWN + THREADS;
/// All of them.
pub(super) const LISTS: usize = MUTEX + MUTEXES;

/// The result of a wait whose time was up.
pub(super) const TIMED_OUT: u16 = 0x100;

/// The wish of a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wants {
    /// One token of a count, or a mutex.
    One,
    Flags {
        mask: u8,
        all: bool,
        take: bool,
    },
    Read,
    Write,
    /// The end of this round.
    Round(u8),
    Block,
}

/// A waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Waiter {
    pub(super) thread: usize,
    /// The waiter's priority, as the list knows it.
    pub(super) rank: u8,
    /// `true` if the waiter is the thread's own, and has its priority at any time.
    pub(super) own: bool,
    pub(super) wants: Wants,
}

/// A thread's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Timer {
    pub(super) at: u32,
    pub(super) purpose: Purpose,
}

/// The effect of a thread's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// Ends a delay.
    Delay,
    /// Ends a wait, if nothing was granted.
    Wait,
    /// Ends a wait for the thread's own event.
    Own,
    /// Wakes by the waker.
    Wake,
    /// Wakes a task.
    Task,
    /// Ends the wait for this mutex, if it was not handed over.
    Lock(usize),
}

impl State {
    /// Returns a thread's place among waiters: behind all that are as urgent. The search looks at
    /// the last one first, then at the first.
    pub(super) fn place(&self, list: usize, rank: u8) -> usize {
        let waiters = &self.lists[list];
        let goes_before = |other: &Waiter| other.rank < rank;
        if waiters.first().is_some_and(goes_before) && waiters.last().is_some_and(goes_before) {
            return 0;
        }
        waiters.iter().rposition(|other| !goes_before(other)).map_or(0, |last| last + 1)
    }

    /// Puts a thread into a list.
    pub(super) fn enlist(&mut self, list: usize, thread: usize, own: bool, wants: Wants) {
        let rank = self.threads[thread].priority;
        let place = self.place(list, rank);
        self.lists[list].insert(place, Waiter { thread, rank, own, wants });
    }

    /// Returns a thread's index in a list.
    pub(super) fn index(&self, list: usize, thread: usize) -> Option<usize> {
        self.lists[list].iter().position(|waiter| waiter.thread == thread)
    }

    /// Takes a thread out of a list. Returns `true` if it was there.
    pub(super) fn delist(&mut self, list: usize, thread: usize) -> bool {
        let index = self.index(list, thread);
        index.map(|index| self.lists[list].remove(index)).is_some()
    }

    /// Takes the wished supply, if it is there and belongs to no waiter. Returns the supply.
    pub(super) fn take(&mut self, list: usize, wants: Wants) -> Option<u16> {
        match wants {
            Wants::One => self.take_one(list).then_some(0),
            Wants::Flags { mask, all, take } => self.take_flags(list, mask, all, take),
            Wants::Read | Wants::Write => {
                (self.lists[RWLOCK].is_empty() && self.enter(wants)).then_some(0)
            }
            Wants::Round(round) => (self.round != round).then_some(0),
            Wants::Block => self.pool.pop().map(u16::from),
        }
    }

    /// Lets a thread wait for its wish. The thread is at `granted` when it has the supply.
    pub(super) fn block(
        &mut self,
        thread: usize,
        list: usize,
        wants: Wants,
        granted: Stage,
    ) -> Stage {
        if let Some(found) = self.take(list, wants) {
            self.note_entered(thread, wants);
            return granted.with(found);
        }
        let own = list == FLAGS || !(TOKENS..OWN).contains(&list);
        self.enlist(list, thread, own, wants);
        self.unready(thread);
        granted
    }

    /// The same until a time. The thread looks twice, and checks the time between.
    pub(super) fn block_until(
        &mut self,
        thread: usize,
        list: usize,
        wants: Wants,
        (stage, granted): (Stage, Stage),
    ) -> Stage {
        let until = self.threads[thread].until;
        if stage == Stage::Looked {
            if until <= self.now {
                return Stage::Result(TIMED_OUT);
            }
            self.threads[thread].timer = Some(Timer { at: until, purpose: Purpose::Wait });
            return Stage::Armed;
        }
        if let Some(found) = self.take(list, wants) {
            self.threads[thread].timer = None;
            self.note_entered(thread, wants);
            return granted.with(found);
        }
        if stage != Stage::Armed {
            return Stage::Looked;
        }
        if self.threads[thread].timer.is_none() {
            return Stage::Result(TIMED_OUT);
        }
        self.enlist(list, thread, false, wants);
        self.unready(thread);
        granted
    }

    /// Hands a waiter its supply. If the waiter is a task, returns it, because it must be woken.
    pub(super) fn grant(&mut self, list: usize, index: usize, found: u16) -> Option<usize> {
        let Waiter { thread, wants, .. } = self.lists[list].remove(index);
        self.note_entered(thread, wants);
        self.threads[thread].stage = self.threads[thread].stage.with(found);
        if is_task(thread) {
            return Some(thread);
        }
        self.threads[thread].timer = None;
        self.ready(thread);
        None
    }

    /// Does the timer's work for a thread.
    pub(super) fn expire(&mut self, thread: usize) {
        let Some(Timer { purpose, .. }) = self.threads[thread].timer.take() else { return };
        match purpose {
            Purpose::Delay => self.ready(thread),
            Purpose::Own => self.expire_own(thread),
            Purpose::Wake => self.wake(thread),
            Purpose::Task => self.expire_task(thread),
            Purpose::Lock(mutex) => self.expire_lock(thread, mutex),
            Purpose::Wait => {
                let Some(list) = (0..MUTEX).find(|list| self.index(*list, thread).is_some()) else {
                    return;
                };
                let Some(index) = self.index(list, thread) else { return };
                let waiter = self.lists[list].remove(index);
                self.threads[thread].stage = Stage::Result(TIMED_OUT);
                self.ready(thread);
                if waiter.wants == Wants::Write {
                    self.let_in();
                }
            }
        }
    }

    pub(super) fn delay(&mut self, thread: usize) -> Stage {
        let until = self.threads[thread].until;
        if until > self.now {
            self.unready(thread);
            self.threads[thread].timer = Some(Timer { at: until, purpose: Purpose::Delay });
        }
        Stage::Result(0)
    }
}
