//! The specification of time slices, for threads of one priority.

use super::super::schedule::{IDLE, SLICE_TICKS, SLICED};
use super::{State, Thread};

/// The slices of the priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Slice {
    /// Whether its threads take turns.
    sliced: bool,
    /// Whether a slice is timed, or about to be.
    turning: bool,
    /// When the slice is over.
    pub(super) armed: Option<u32>,
    /// The switch was asked to time one.
    pub(super) asked: bool,
    /// The switch knows when it will be over.
    pub(super) due: Option<u32>,
    /// The threads whose turn was over in a section: it ends with that.
    over: u32,
}

impl State {
    /// Threads take turns from now on. The switch looks whether there are any.
    pub(super) fn take_turns(&mut self) {
        if !self.slice.sliced && !self.cooperative {
            (self.slice.sliced, self.slice.turning) = (true, true);
            self.wake(IDLE);
        }
    }

    /// A thread that is ready, or becomes so, goes into the ring in which the kernel keeps it,
    /// where others may be.
    pub(super) fn enter_kept(&mut self, thread: usize, becomes_ready: bool) {
        let Thread { priority, ceiling, promoted, kept, .. } = self.threads[thread];
        let ring = if promoted { priority.max(ceiling) } else { priority };
        self.threads[thread].kept = ring;
        let enters = becomes_ready || ring != kept;
        let Slice { sliced, turning, .. } = self.slice;
        if ring == SLICED && enters && sliced && !turning && self.are_several() {
            self.slice.turning = true;
            self.wake(IDLE);
        }
    }

    /// Another thread runs. If that preempts one in a section, that one is promoted.
    pub(super) fn switch_to(&mut self, running: usize) {
        let before = std::mem::replace(&mut self.current, running);
        if before != running && self.in_section(before) && self.is_ready(before) {
            self.threads[before].promoted = true;
            self.enter_kept(before, false);
        }
    }

    /// A thread that has left a section in which it was promoted goes where it belongs now. If its
    /// turn was over there, that is behind its equals, and the next one's slice begins.
    pub(super) fn demote(&mut self, thread: usize) {
        if !self.threads[thread].promoted {
            return;
        }
        let leaves_all = self.threads[thread].ceiling == 0;
        self.threads[thread].promoted = !leaves_all;
        self.enter_kept(thread, false);
        if leaves_all && self.slice.over & 1 << thread != 0 {
            self.slice.over &= !(1 << thread);
            self.rotate_sliced(thread);
            self.wake(IDLE);
        }
    }

    /// A thread has another priority. If it leaves its ring with its turn over, those who are left
    /// there may run before it has left its section: their slice is timed.
    pub(super) fn change_kept(&mut self, thread: usize) {
        let before = self.threads[thread].kept;
        self.enter_kept(thread, false);
        if self.threads[thread].kept != before && self.slice.over & 1 << thread != 0 {
            self.wake(IDLE);
        }
    }

    /// Lets the next one of the ring go on in the place of a thread that is its first.
    fn rotate_sliced(&mut self, thread: usize) {
        let ring = &mut self.rings[usize::from(SLICED)];
        if ring.front() == Some(&thread) {
            ring.rotate_left(1);
        }
    }

    fn in_section(&self, thread: usize) -> bool {
        !self.threads[thread].sections.is_empty()
    }

    /// Whether the kernel keeps two in the ring that is sliced.
    fn are_several(&self) -> bool {
        let kept = |thread: &&usize| self.threads[**thread].kept == SLICED;
        self.rings.iter().flatten().filter(kept).count() > 1
    }

    /// Whether it keeps others there than a thread.
    fn are_others(&self, thread: usize) -> bool {
        let other = |other: &&usize| **other != thread && self.threads[**other].kept == SLICED;
        self.rings.iter().flatten().any(|ready| other(&ready))
    }

    /// What the switch does when it was asked to time a slice.
    pub(super) fn time_slice(&mut self) {
        if let Some(due) = self.slice.due.take() {
            self.slice.armed = Some(due);
            return;
        }
        self.slice.asked = false;
        if self.slice.armed.is_some() || !self.slice.turning {
            return;
        }
        self.slice.turning = self.are_several();
        if self.slice.turning {
            self.slice.due = Some(self.now + SLICE_TICKS);
        }
    }

    /// The slice is over: the next one's turn has come, unless somebody else runs. Who is in a
    /// section isn't interrupted by its equals: its turn ends with that.
    pub(super) fn expire_slice(&mut self) {
        self.slice.armed = None;
        let current = self.current;
        let of_priority = self.threads[current].priority == SLICED;
        if of_priority && self.in_section(current) && self.are_others(current) {
            self.threads[current].promoted = true;
            self.slice.over |= 1 << current;
            return;
        }
        self.slice.turning = self.are_several();
        if self.slice.turning {
            self.rotate_sliced(current);
            self.slice.armed = Some(self.now + SLICE_TICKS);
        }
    }
}
