//! The specification of what is newer than semaphores: mutexes and priorities, the channel, time.

use super::{After, Stage, State, Walk};

impl State {
    /// The ring of a thread that is ready.
    pub(super) fn rank(&self, thread: usize) -> usize {
        self.threads[thread].priority.into()
    }

    /// Where a thread belongs among waiters: behind all that are as urgent. It looks at the last
    /// one first, then at the first.
    pub(super) fn place(&self, waiters: &[usize], thread: usize) -> usize {
        let goes_before = |other: &usize| self.rank(*other) < self.rank(thread);
        if waiters.first().is_some_and(goes_before) && waiters.last().is_some_and(goes_before) {
            return 0;
        }
        waiters.iter().rposition(|other| !goes_before(other)).map_or(0, |last| last + 1)
    }

    /// What a thread has to have: its own priority, and those of who waits for what it has.
    fn due(&self, thread: usize) -> u8 {
        let owned = self.owners.iter().zip(&self.lockers);
        let owned = owned.filter(|(owner, _)| **owner == Some(thread));
        let firsts = owned.filter_map(|(_, lockers)| lockers.first());
        let inherited = firsts.map(|first| self.threads[*first].priority);
        inherited.fold(self.threads[thread].base, u8::max)
    }

    /// Gives a thread another priority. Who runs stays the first, others go behind their equals.
    fn change(&mut self, thread: usize, priority: u8) {
        let ready = self.is_ready(thread);
        self.unready(thread);
        self.threads[thread].priority = priority;
        let rank = self.rank(thread);
        if ready && self.current == thread {
            self.rings[rank].push_front(thread);
        } else if ready {
            self.rings[rank].push_back(thread);
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
        let ranks: Vec<usize> = (0..self.threads.len()).map(|thread| self.rank(thread)).collect();
        let by = |waiters: &mut Vec<usize>| {
            let index = waiters.iter().position(|other| *other == thread)?;
            Some(step(waiters, index, |other| ranks[*other]))
        };
        for (mutex, lockers) in self.lockers.iter_mut().enumerate() {
            match by(lockers) {
                None => {}
                Some(true) => return Some(Walk::Follow(thread)),
                Some(false) => return self.owners[mutex].map(Walk::Owner),
            }
        }
        let flags = &mut self.flag_waiters;
        let in_flags = flags.iter().position(|waits| waits.thread == thread);
        let in_flags = in_flags.map(|index| step(flags, index, |waits| ranks[waits.thread]));
        let lists = self.takers.iter_mut().chain([&mut self.receivers, &mut self.senders]);
        let moved = lists.filter_map(by).chain(in_flags).any(|moved| moved);
        moved.then_some(Walk::Follow(thread))
    }

    /// A step along a chain.
    pub(super) fn walk(&mut self, walk: Walk) -> Option<Walk> {
        match walk {
            Walk::Follow(thread) => self.follow(thread),
            Walk::Owner(thread) => self.advance(thread),
        }
    }

    pub(super) fn lock(&mut self, thread: usize, mutex: usize, stage: Stage) -> Stage {
        if stage == Stage::Parking {
            return self.park_for(thread, mutex);
        }
        let Some(owner) = self.owners[mutex] else {
            self.owners[mutex] = Some(thread);
            return Stage::Result(0);
        };
        if owner == thread {
            return Stage::Result(1);
        }
        let place = self.place(&self.lockers[mutex], thread);
        let is_at_end = place == 0 || place == self.lockers[mutex].len();
        self.lockers[mutex].insert(place, thread);
        let raises = self.threads[owner].priority < self.threads[thread].priority;
        if !is_at_end || raises && !self.is_ready(owner) {
            return Stage::Walking(Walk::Follow(thread), After::Parking);
        }
        if raises {
            self.change(owner, self.threads[thread].priority);
        }
        self.unready(thread);
        Stage::Result(0)
    }

    /// A thread that waits by its waker looks whether it has the mutex, and waits on if not.
    fn park_for(&mut self, thread: usize, mutex: usize) -> Stage {
        if self.owners[mutex] == Some(thread) {
            return Stage::Result(0);
        }
        if !std::mem::take(&mut self.threads[thread].notified) {
            self.unready(thread);
            self.threads[thread].parked = true;
        }
        Stage::Parking
    }

    /// The first who waits has the mutex then and there.
    pub(super) fn unlock(&mut self, thread: usize, mutex: usize) -> Stage {
        if self.owners[mutex] != Some(thread) {
            return Stage::Result(1);
        }
        let next = (!self.lockers[mutex].is_empty()).then(|| self.lockers[mutex].remove(0));
        self.owners[mutex] = next;
        for changed in [next, Some(thread)].into_iter().flatten() {
            let due = self.due(changed);
            if due != self.threads[changed].priority {
                self.change(changed, due);
            }
        }
        if let Some(next) = next {
            let waits_by_waker =
                matches!(self.threads[next].stage, Stage::Parking | Stage::Walking(..));
            if waits_by_waker && !std::mem::take(&mut self.threads[next].parked) {
                self.threads[next].notified = true;
            } else {
                self.ready(next);
            }
        }
        Stage::Result(0)
    }

    pub(super) fn send(&mut self, thread: usize, message: u8, stage: Stage) -> Stage {
        if stage == Stage::Granted {
            return self.append(message);
        }
        if self.room > 0 {
            self.room -= 1;
            return self.append(message);
        }
        self.unready(thread);
        let place = self.place(&self.senders, thread);
        self.senders.insert(place, thread);
        Stage::Granted
    }

    pub(super) fn receive(&mut self, thread: usize, stage: Stage) -> Stage {
        if stage == Stage::Granted {
            return self.remove();
        }
        if self.queued > 0 {
            self.queued -= 1;
            return self.remove();
        }
        self.unready(thread);
        let place = self.place(&self.receivers, thread);
        self.receivers.insert(place, thread);
        Stage::Granted
    }

    /// A message comes behind the others. Who waits for one is served a step later.
    pub(super) fn append(&mut self, message: u8) -> Stage {
        self.messages.push_back(message);
        if self.receivers.is_empty() {
            self.queued += 1;
            return Stage::Result(0);
        }
        Stage::HandingOver(0)
    }

    /// The first message goes. Who waits for room is served a step later.
    pub(super) fn remove(&mut self) -> Stage {
        let message = self.messages.pop_front().map_or(0, u16::from);
        if self.senders.is_empty() {
            self.room += 1;
            return Stage::Result(message);
        }
        Stage::HandingOver(message)
    }

    /// What was sent is for the first receiver, or counts; or room for the first sender.
    pub(super) fn hand_over(&mut self, sent: bool) {
        let (waiters, count) = if sent {
            (&mut self.receivers, &mut self.queued)
        } else {
            (&mut self.senders, &mut self.room)
        };
        if waiters.is_empty() {
            *count += 1;
        } else {
            let first = waiters.remove(0);
            self.ready(first);
        }
    }

    pub(super) fn delay(&mut self, thread: usize, stage: Stage) -> Stage {
        match stage {
            Stage::Until(deadline) if deadline > self.now => {
                self.unready(thread);
                self.threads[thread].deadline = Some(deadline);
                Stage::Result(0)
            }
            _ => Stage::Result(0),
        }
    }

    /// It looks twice for a permit, and between for the time.
    pub(super) fn take_until(&mut self, thread: usize, semaphore: usize, stage: Stage) -> Stage {
        let (Stage::Until(deadline) | Stage::Armed(deadline)) = stage else { return stage };
        if self.try_take(semaphore) {
            return Stage::Result(0);
        }
        if matches!(stage, Stage::Until(_)) {
            return Stage::Armed(deadline);
        }
        if deadline <= self.now {
            return Stage::Result(1);
        }
        self.unready(thread);
        self.threads[thread].deadline = Some(deadline);
        let place = self.place(&self.takers[semaphore], thread);
        self.takers[semaphore].insert(place, thread);
        Stage::Result(0)
    }

    /// The state behind the end of a thread's time.
    pub(super) fn expired(&self, thread: usize) -> Self {
        let mut next = self.clone();
        next.threads[thread].deadline = None;
        for takers in &mut next.takers {
            if let Some(index) = takers.iter().position(|other| *other == thread) {
                takers.remove(index);
                next.threads[thread].stage = Stage::Result(1);
            }
        }
        next.ready(thread);
        next
    }
}

/// Lets a waiter change places with a neighbour that is less urgent and before it, or more urgent
/// and behind it. Whether it did.
fn step<T>(waiters: &mut [T], index: usize, rank: impl Fn(&T) -> usize) -> bool {
    let own = rank(&waiters[index]);
    if index > 0 && rank(&waiters[index - 1]) < own {
        waiters.swap(index - 1, index);
        return true;
    }
    if waiters.get(index + 1).is_some_and(|behind| rank(behind) > own) {
        waiters.swap(index, index + 1);
        return true;
    }
    false
}
