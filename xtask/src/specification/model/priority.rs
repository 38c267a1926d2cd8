//! The specification of priorities: what is due to a thread, and the chain of those who wait.

use super::super::schedule::CEILINGS;
use super::wait::{MUTEX, Waiter};
use super::{State, Thread, Walk};

impl State {
    /// What a thread has to have: its own priority, the ceilings of what it has, and the priorities
    /// of who waits for that.
    pub(super) fn due(&self, thread: usize) -> u8 {
        let owned = (0..self.owners.len()).filter(|mutex| self.owners[*mutex] == Some(thread));
        let worth = owned.map(|mutex| {
            let first = self.lists[MUTEX + mutex].first();
            first.map_or(0, |first| first.rank).max(CEILINGS[mutex])
        });
        worth.fold(self.threads[thread].base, u8::max)
    }

    /// Gives a thread another priority. Who runs stays the first, others go behind their equals.
    pub(super) fn change(&mut self, thread: usize, priority: u8) {
        let own = |waiter: &&mut Waiter| waiter.own && waiter.thread == thread;
        self.lists.iter_mut().flatten().filter(own).for_each(|waiter| waiter.rank = priority);
        let first = self.current == thread;
        self.rerank(thread, first, |own| own.priority = priority);
        if self.is_ready(thread) {
            self.enter_kept(thread, false);
        }
    }

    /// The ring of a thread: that of its priority, or of the ceiling that it is under.
    pub(super) fn rank(&self, thread: usize) -> usize {
        let Thread { priority, ceiling, .. } = self.threads[thread];
        usize::from(priority.max(ceiling))
    }

    /// Changes what a thread's ring depends on. If that is another then, the thread is its first or
    /// its last.
    pub(super) fn rerank(&mut self, thread: usize, first: bool, change: impl FnOnce(&mut Thread)) {
        let (before, ready) = (self.rank(thread), self.is_ready(thread));
        change(&mut self.threads[thread]);
        if ready && self.rank(thread) != before {
            self.unready(thread);
            self.enter_ring(thread, first);
        }
    }

    /// Gives a thread what is due to it. What is next then, if anything is.
    pub(super) fn advance(&mut self, thread: usize) -> Option<Walk> {
        let due = self.due(thread);
        if due == self.threads[thread].priority {
            return None;
        }
        self.change(thread, due);
        Some(Walk::Follow(thread))
    }

    /// Moves a thread among those it waits with by one place, if it has to be. What is next.
    fn follow(&mut self, thread: usize) -> Option<Walk> {
        let list = (0..self.lists.len()).find(|list| self.index(*list, thread).is_some())?;
        let index = self.index(list, thread)?;
        let waiters = &mut self.lists[list];
        waiters[index].rank = self.threads[thread].priority;
        if step(waiters, index) {
            return Some(Walk::Follow(thread));
        }
        let owner = list.checked_sub(MUTEX).and_then(|mutex| self.owners[mutex]);
        owner.map(Walk::Owner)
    }

    /// A step along a chain.
    pub(super) fn walk(&mut self, walk: Walk) -> Option<Walk> {
        match walk {
            Walk::Follow(thread) => self.follow(thread),
            Walk::Owner(thread) => self.advance(thread),
        }
    }
}

/// Lets a waiter change places with a neighbour that is less urgent and before it, or more urgent
/// and behind it. Whether it did.
fn step(waiters: &mut [Waiter], index: usize) -> bool {
    let own = waiters[index].rank;
    if index > 0 && waiters[index - 1].rank < own {
        waiters.swap(index - 1, index);
        return true;
    }
    if waiters.get(index + 1).is_some_and(|behind| behind.rank > own) {
        waiters.swap(index, index + 1);
        return true;
    }
    false
}
