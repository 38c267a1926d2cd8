//! The specification of threads: ready, start, end, park and suspend.

use super::super::operation::Operation as Op;
use super::super::schedule::IDLE;
use super::{Stage, State};

impl State {
    pub(super) fn is_ready(&self, thread: usize) -> bool {
        self.rings.iter().any(|ring| ring.contains(&thread))
    }

    pub(super) fn unready(&mut self, thread: usize) {
        self.rings.iter_mut().for_each(|ring| ring.retain(|other| *other != thread));
    }

    /// Puts a thread behind the others of its priority.
    pub(super) fn ready(&mut self, thread: usize) {
        if self.threads[thread].suspended {
            self.threads[thread].held_ready = true;
        } else {
            self.enter_ring(thread, false);
            self.enter_kept(thread, true);
        }
    }

    /// Puts a thread before or behind the others of its priority that are ready.
    pub(super) fn enter_ring(&mut self, thread: usize, first: bool) {
        let rank = self.rank(thread);
        if first {
            self.rings[rank].push_front(thread);
        } else {
            self.rings[rank].push_back(thread);
        }
    }

    /// Puts the thread behind the others of its priority. A more urgent thread runs then, even in a
    /// cooperative scheduler.
    pub(super) fn yield_now(&mut self, thread: usize) {
        let rank = self.rank(thread);
        let ring = &mut self.rings[rank];
        if let Some(index) = ring.iter().position(|other| *other == thread) {
            ring.rotate_left(index + 1);
        }
        self.switch_to(self.first());
    }

    /// Holds a thread, unless it is in a section.
    pub(super) fn suspend(&mut self, thread: usize) -> u16 {
        if !self.threads[thread].sections.is_empty() {
            return 1;
        }
        if !self.threads[thread].suspended {
            self.threads[thread].suspended = true;
            self.threads[thread].held_ready = self.is_ready(thread);
            self.unready(thread);
        }
        0
    }

    pub(super) fn resume(&mut self, thread: usize) {
        if std::mem::take(&mut self.threads[thread].suspended)
            && std::mem::take(&mut self.threads[thread].held_ready)
        {
            self.ready(thread);
        }
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

    /// Wakes by a waker.
    pub(super) fn wake(&mut self, thread: usize) {
        if self.handlers.last().is_some_and(|handler| handler.hardware() == 0) {
            self.wake_from_above(thread);
        } else {
            self.wake_here(thread);
        }
    }

    /// Wakes from above the kernel: a look at the thread follows as soon as no interrupt is under
    /// way.
    pub(super) fn wake_from_above(&mut self, thread: usize) {
        if !self.is_listed(thread) && !self.threads[thread].noted {
            self.woken.push(thread);
        }
    }

    /// Returns `true` if a look at the thread is due.
    fn is_listed(&self, thread: usize) -> bool {
        self.woken.contains(&thread) || self.looked_at.contains(&thread)
    }

    /// Returns `true` if the switch has more to do than to switch.
    pub(super) fn is_switching(&self) -> bool {
        !self.woken.is_empty() || self.has_taken()
    }

    /// Returns `true` if the look has begun.
    pub(super) fn has_taken(&self) -> bool {
        !self.looked_at.is_empty() || self.slice.is_looked_at()
    }

    /// The state behind a step of the switch.
    pub(super) fn switching(&self) -> Self {
        let mut next = self.clone();
        // The last request comes last.
        if self.looked_at.is_empty() && self.has_taken() {
            next.time_slice();
        } else {
            next.look_at_woken();
        }
        next
    }

    pub(super) fn look_at_woken(&mut self) {
        if self.looked_at.is_empty() {
            self.looked_at = std::mem::take(&mut self.woken);
            self.looked_at.reverse();
        }
        match self.looked_at.pop() {
            Some(IDLE) => self.slice.asked = true,
            Some(thread) => self.wake_here(thread),
            None => {}
        }
    }

    /// Ends the present or the next wait of a thread for a wake.
    pub(super) fn wake_here(&mut self, thread: usize) {
        if std::mem::take(&mut self.threads[thread].awaits) {
            self.ready(thread);
        } else if self.threads[thread].alive && !self.is_listed(thread) {
            self.threads[thread].noted = true;
        }
    }

    /// Begins to wait for wakes, and forgets a noted one. Returns `true` if there was one.
    pub(super) fn take_wake(&mut self, thread: usize) -> bool {
        std::mem::take(&mut self.threads[thread].noted)
    }

    /// Waits for a wake, but not if one is noted.
    pub(super) fn await_wake(&mut self, thread: usize) {
        if !self.take_wake(thread) {
            self.unready(thread);
            self.threads[thread].awaits = true;
        }
    }

    /// Waits by a future that ends at its second poll, and may wake itself at the first. If the
    /// thread was woken during the poll, others have their turn before.
    pub(super) fn await_twice(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        match stage {
            Stage::Awaiting => {
                if self.take_wake(thread) {
                    self.yield_now(thread);
                } else {
                    self.await_wake(thread);
                }
                Stage::Woken
            }
            Stage::Woken => {
                self.end_waits(thread, true);
                Stage::Result(0)
            }
            _ => {
                self.take_wake(thread);
                if operation == Op::AwaitItself {
                    self.wake(thread);
                }
                Stage::Awaiting
            }
        }
    }

    /// Ends a wait in which, or before which, the thread was woken. The wake may have been for
    /// another wait.
    pub(super) fn end_waits(&mut self, thread: usize, was_woken: bool) {
        self.threads[thread].noted |= was_woken;
    }

    /// Ends the present or the next wait of a thread for a notification.
    pub(super) fn unpark(&mut self, thread: usize) {
        if std::mem::take(&mut self.threads[thread].parked) {
            self.threads[thread].timer = None;
            self.ready(thread);
        } else if self.threads[thread].alive {
            self.threads[thread].notified = true;
        }
    }

    /// Waits for a notification, but not if one has come.
    pub(super) fn park(&mut self, thread: usize) {
        if !std::mem::take(&mut self.threads[thread].notified) {
            self.unready(thread);
            self.threads[thread].parked = true;
        }
    }

    /// Returns the result of a join without a wait.
    pub(super) fn may_join(&self, thread: usize, other: usize) -> Option<u16> {
        match &self.threads[other] {
            ended if !ended.alive => Some(0),
            _ if other == thread => Some(1),
            other => other.joiner.map(|_| 2),
        }
    }

    pub(super) fn join(&mut self, thread: usize, other: usize) -> u16 {
        if let Some(result) = self.may_join(thread, other) {
            return result;
        }
        self.threads[other].joiner = Some(thread);
        self.unready(thread);
        0
    }

    pub(super) fn end(&mut self, thread: usize) {
        let ended = &mut self.threads[thread];
        ended.alive = false;
        ended.stage = Stage::Before;
        ended.position += 1;
        if let Some(joiner) = ended.joiner.take() {
            self.threads[joiner].timer = None;
            self.ready(joiner);
        }
        self.unready(thread);
    }
}
