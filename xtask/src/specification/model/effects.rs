//! The specification of what operations do: to semaphores, flags and threads.

use super::super::schedule::Operation as Op;
use super::{After, Stage, State, WaitsForFlags};

impl State {
    /// The effect of an operation, or of a part of it. Returns where the context is then. A thread
    /// that waits is there when its turn comes.
    pub(super) fn act(&mut self, operation: Op, stage: Stage, thread: Option<usize>) -> Stage {
        if let Stage::Walking(walk, after) = stage {
            return self.walk(walk).map_or(after.stage(), |next| Stage::Walking(next, after));
        }
        if let Stage::HandingOver(result) = stage {
            self.hand_over(matches!(operation, Op::Send(_) | Op::TrySend(_)));
            return Stage::Result(result);
        }
        let result = match operation {
            Op::Give(semaphore) => self.give(semaphore.into()),
            Op::TryTake(semaphore) => self.try_take(semaphore.into()).into(),
            Op::Suspend(thread) => self.suspend(thread.into()),
            Op::Resume(thread) => self.resume(thread.into()),
            Op::Start(thread) => self.start(thread.into()),
            Op::Wake(thread) => self.wake(thread.into()),
            Op::Available(semaphore) => self.permits[usize::from(semaphore)],
            Op::State(thread) => {
                let thread = &self.threads[usize::from(thread)];
                u16::from(thread.alive) | u16::from(thread.suspended) << 1
            }
            Op::SetFlags(flags) => {
                if stage == Stage::Before {
                    self.flags |= flags;
                }
                let Some(passed) = self.visit_flags(stage) else { return Stage::Result(0) };
                return Stage::Serving(passed);
            }
            Op::ClearFlags(flags) => {
                let before = self.flags;
                self.flags &= !flags;
                before.into()
            }
            Op::GetFlags => self.flags.into(),
            Op::SetPriority { thread, priority } => {
                self.threads[usize::from(thread)].base = priority;
                let next = self.advance(thread.into());
                return next.map_or(Stage::Result(0), |next| Stage::Walking(next, After::Over));
            }
            Op::TrySend(message) if self.room > 0 => {
                self.room -= 1;
                return self.append(message);
            }
            Op::TrySend(_) => 1,
            Op::TryReceive if self.queued > 0 => {
                self.queued -= 1;
                return self.remove();
            }
            Op::TryReceive => 0,
            Op::Tick(ticks) => {
                self.now += u32::from(ticks);
                0
            }
            Op::End => 0,
            _ => return thread.map_or(stage, |thread| self.act_in(thread, operation, stage)),
        };
        Stage::Result(result)
    }

    /// The same for what threads alone may do.
    pub(super) fn act_in(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        match operation {
            Op::Take(semaphore) => {
                if !self.try_take(semaphore.into()) {
                    self.unready(thread);
                    let place = self.place(&self.takers[usize::from(semaphore)], thread);
                    self.takers[usize::from(semaphore)].insert(place, thread);
                }
                Stage::Result(0)
            }
            Op::Yield => {
                self.unready(thread);
                self.ready(thread);
                Stage::Result(0)
            }
            Op::Join(other) => self.join(thread, other.into()),
            Op::Park => {
                if !std::mem::take(&mut self.threads[thread].notified) {
                    self.unready(thread);
                    self.threads[thread].parked = true;
                }
                Stage::Result(0)
            }
            Op::WaitFlags { mask, all, take } => {
                let waits = WaitsForFlags { thread, mask, all, take };
                if let Some(granted) = self.take_flags(waits) {
                    return Stage::Result(granted.into());
                }
                self.unready(thread);
                let waiters: Vec<_> = self.flag_waiters.iter().map(|other| other.thread).collect();
                let place = self.place(&waiters, thread);
                self.flag_waiters.insert(place, waits);
                Stage::Result(0)
            }
            Op::Lock(mutex) => self.lock(thread, mutex.into(), stage),
            Op::Unlock(mutex) => self.unlock(thread, mutex.into()),
            Op::Send(message) => self.send(thread, message, stage),
            Op::Receive => self.receive(thread, stage),
            Op::Delay(ticks) | Op::TakeUntil { ticks, .. } if stage == Stage::Before => {
                Stage::Until(self.now + u32::from(ticks))
            }
            Op::Delay(_) => self.delay(thread, stage),
            Op::TakeUntil { semaphore, .. } => self.take_until(thread, semaphore.into(), stage),
            _ => stage,
        }
    }

    pub(super) fn give(&mut self, semaphore: usize) -> u16 {
        if self.takers[semaphore].is_empty() {
            self.permits[semaphore] += 1;
        } else {
            let taker = self.takers[semaphore].remove(0);
            self.threads[taker].deadline = None;
            self.ready(taker);
        }
        0
    }

    pub(super) fn try_take(&mut self, semaphore: usize) -> bool {
        let there = self.permits[semaphore] > 0;
        self.permits[semaphore] -= u16::from(there);
        there
    }

    pub(super) fn suspend(&mut self, thread: usize) -> u16 {
        if !self.threads[thread].suspended {
            self.threads[thread].suspended = true;
            self.threads[thread].held_ready = self.is_ready(thread);
            self.unready(thread);
        }
        0
    }

    pub(super) fn resume(&mut self, thread: usize) -> u16 {
        if std::mem::take(&mut self.threads[thread].suspended)
            && std::mem::take(&mut self.threads[thread].held_ready)
        {
            self.ready(thread);
        }
        0
    }

    pub(super) fn start(&mut self, thread: usize) -> u16 {
        if self.threads[thread].alive {
            return 1;
        }
        self.threads[thread].alive = true;
        self.threads[thread].notified = false;
        self.ready(thread);
        0
    }

    /// Wakes by a waker: somebody looks at it as soon as no interrupt is under way.
    pub(super) fn wake(&mut self, thread: usize) -> u16 {
        if !self.woken.contains(&thread) && !self.looked_at.contains(&thread) {
            self.woken.push(thread);
        }
        0
    }

    pub(super) fn look_at_woken(&mut self) {
        if self.looked_at.is_empty() {
            self.looked_at = std::mem::take(&mut self.woken);
            self.looked_at.reverse();
        }
        let Some(thread) = self.looked_at.pop() else { return };
        if std::mem::take(&mut self.threads[thread].parked) {
            self.ready(thread);
        } else if self.threads[thread].alive {
            self.threads[thread].notified = true;
        }
    }

    pub(super) fn join(&mut self, thread: usize, other: usize) -> Stage {
        if !self.threads[other].alive {
            return Stage::Result(0);
        }
        if other == thread {
            return Stage::Result(1);
        }
        if self.threads[other].joiner.is_some() {
            return Stage::Result(2);
        }
        self.threads[other].joiner = Some(thread);
        self.unready(thread);
        Stage::Result(0)
    }

    pub(super) fn end(&mut self, thread: usize) {
        self.unready(thread);
        let ended = &mut self.threads[thread];
        ended.alive = false;
        ended.stage = Stage::Before;
        ended.position += 1;
        if let Some(joiner) = ended.joiner.take() {
            self.ready(joiner);
        }
    }

    /// Takes the flags that somebody waits for, if they are set.
    pub(super) fn take_flags(&mut self, waits: WaitsForFlags) -> Option<u8> {
        let hits = self.flags & waits.mask;
        let set = if waits.all { hits == waits.mask } else { hits != 0 };
        if set && waits.take {
            self.flags &= !hits;
        }
        set.then_some(hits)
    }

    /// Visits the next of those who wait for flags, and serves it if they are set. Returns whom it
    /// has passed then; none if there is nobody more.
    pub(super) fn visit_flags(&mut self, stage: Stage) -> Option<Option<usize>> {
        let passed = if let Stage::Serving(passed) = stage { passed } else { None };
        let place = passed
            .and_then(|passed| self.flag_waiters.iter().position(|waits| waits.thread == passed));
        let index = place.map_or(0, |place| place + 1);
        let waits = *self.flag_waiters.get(index)?;
        let Some(granted) = self.take_flags(waits) else { return Some(Some(waits.thread)) };
        self.flag_waiters.remove(index);
        self.threads[waits.thread].stage = Stage::Result(granted.into());
        self.ready(waits.thread);
        Some(place.and(passed))
    }

    pub(super) fn is_ready(&self, thread: usize) -> bool {
        self.rings.iter().any(|ring| ring.contains(&thread))
    }

    pub(super) fn unready(&mut self, thread: usize) {
        self.rings.iter_mut().for_each(|ring| ring.retain(|other| *other != thread));
    }

    /// Behind the others of its priority.
    pub(super) fn ready(&mut self, thread: usize) {
        if self.threads[thread].suspended {
            self.threads[thread].held_ready = true;
        } else {
            self.rings[self.rank(thread)].push_back(thread);
        }
    }
}
