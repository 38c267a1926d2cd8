//! The specification of priorities: the priority that is due to a thread, and the chain of waiters.

use super::super::schedule::CEILINGS;
use super::wait::{MUTEX, Waiter};
use super::{State, Thread, Walk};

impl State {
    /// Returns the priority that is due to a thread: its own, the ceilings of its mutexes, and the
    /// priorities of their waiters.
    pub(super) fn due(&self, thread: usize) -> u8 {
        self.due_without(thread, self.owners.len())
    }

    /// The same, but for one mutex.
    pub(super) fn due_without(&self, thread: usize, mutex: usize) -> u8 {
        let owned = (0..self.owners.len())
            .filter(|other| *other != mutex && self.owners[*other] == Some(thread));
        let worth = owned.map(|mutex| {
            let first = self.lists[MUTEX + mutex].first();
            first.map_or(0, |first| first.rank).max(CEILINGS[mutex])
        });
        worth.fold(self.threads[thread].base, u8::max)
    }

    /// Gives a thread another priority. The running thread stays the first. Others go behind their
    /// equals.
    pub(super) fn change(&mut self, thread: usize, priority: u8) {
        if self.threads[thread].priority == priority {
            return;
        }
        let own = |waiter: &&mut Waiter| waiter.own && waiter.thread == thread;
        self.lists.iter_mut().flatten().filter(own).for_each(|waiter| waiter.rank = priority);
        let first = self.current == thread;
        self.rerank(thread, first, |own| own.priority = priority);
        if self.is_ready(thread) {
            self.change_kept(thread);
        }
    }

    /// Returns the ring of a thread: that of its priority, or of its ceiling.
    pub(super) fn rank(&self, thread: usize) -> usize {
        let Thread { priority, ceiling, .. } = self.threads[thread];
        usize::from(priority.max(ceiling))
    }

    /// Changes data on which a thread's ring depends. If the ring is then another one, the thread
    /// becomes its first or its last.
    pub(super) fn rerank(&mut self, thread: usize, first: bool, change: impl FnOnce(&mut Thread)) {
        let (before, ready) = (self.rank(thread), self.is_ready(thread));
        change(&mut self.threads[thread]);
        if ready && self.rank(thread) != before {
            self.unready(thread);
            self.enter_ring(thread, first);
        }
    }

    /// Brings a thread closer to the priority that is due: by one place, if it waits. Returns the
    /// next walk.
    pub(super) fn settle(&mut self, walk: Walk) -> Option<Walk> {
        let Walk { thread, moved, lent } = walk;
        let due = self.due(thread).max(lent);
        let is_unmoved = self.threads[thread].stage.is_unmoved();
        let place = (0..self.lists.len())
            .find_map(|list| self.index(list, thread).map(|index| (list, index)));
        let Some((list, index)) = place.filter(|_| !is_unmoved) else {
            self.change(thread, due);
            return None;
        };
        let Waiter { own, rank, .. } = self.lists[list][index];
        let passed = step(&mut self.lists[list], index, due);
        let priority = if own { passed.unwrap_or(due) } else { due };
        self.change(thread, priority);
        if passed.is_some() {
            return Some(Walk { moved: true, ..walk });
        }
        let owner = list.checked_sub(MUTEX).and_then(|mutex| self.owners[mutex]);
        owner.filter(|_| moved || rank != due).map(Walk::to)
    }
}

/// Lets a waiter change places with a neighbour: one that is less urgent than `due` and before it,
/// or more urgent and behind it. It then has this neighbour's rank, which is returned. Without such
/// a neighbour, it has `due`.
fn step(waiters: &mut [Waiter], index: usize, due: u8) -> Option<u8> {
    let before = index.checked_sub(1).filter(|before| waiters[*before].rank < due);
    let behind = Some(index + 1).filter(|i| waiters.get(*i).is_some_and(|it| it.rank > due));
    let passed = before.or(behind);
    let rank = passed.map(|passed| waiters[passed].rank);
    waiters[index].rank = rank.unwrap_or(due);
    if let Some(passed) = passed {
        waiters.swap(index, passed);
    }
    rank
}
