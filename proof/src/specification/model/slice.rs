//! The specification of time slices, for threads of one priority.

use super::super::schedule::{IDLE, SLICE_TICKS, SLICED};
use super::{State, Thread};

/// The slices of the priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Slice {
    /// `true` if the ring's threads take turns.
    sliced: bool,
    /// `true` if a slice is timed, or about to be.
    turning: bool,
    /// When the slice is over.
    pub(super) armed: Option<u32>,
    /// The switch was asked to time one.
    pub(super) asked: bool,
    /// The switch cancels the timed slice, because another turn begins.
    cancels: bool,
    /// Another turn has begun, and the switch times it.
    times: bool,
    /// The time of the slice's end, which the switch knows.
    due: Option<u32>,
    /// The threads whose turn was over in a section. The turn ends with the section.
    over: u32,
    /// The thread that was above its equals by a mutex when their slice was over, and has not come
    /// back.
    above: Option<usize>,
    /// Decides whether the turn of a preempted thread ends: the largest bit tells, each time.
    number: u32,
}

/// The first of these numbers, and the number that is added to a multiple of one for the next.
const STEP: u32 = 1_013_904_223;

impl Slice {
    /// Returns `true` if the switch must handle the ring.
    pub(super) const fn is_looked_at(&self) -> bool {
        self.asked || self.cancels || self.times || self.due.is_some()
    }
}

impl State {
    /// Threads take turns from now on. The switch looks whether there are any.
    pub(super) fn take_turns(&mut self) {
        if !self.slice.sliced && !self.cooperative {
            (self.slice.sliced, self.slice.turning) = (true, true);
            self.slice.number = STEP;
            self.wake_from_above(IDLE);
        }
    }

    /// Puts a thread that is ready, or becomes ready, into the ring in which the kernel keeps it.
    /// The ring may have others.
    pub(super) fn enter_kept(&mut self, thread: usize, becomes_ready: bool) {
        let Thread { priority, ceiling, promoted, kept, .. } = self.threads[thread];
        let ring = if promoted { priority.max(ceiling) } else { priority };
        self.threads[thread].kept = ring;
        let enters = becomes_ready || ring != kept;
        let Slice { sliced, turning, above, .. } = self.slice;
        let looks = sliced && (!turning || above.is_some());
        if ring == SLICED && enters && looks && self.are_several() {
            self.slice.turning = true;
            self.wake_from_above(IDLE);
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

    /// Moves a thread that has left a section in which it was promoted to its place. If its turn
    /// was over there, the place is behind its equals, and the next slice begins.
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
            self.wake_from_above(IDLE);
        }
    }

    /// Gives a thread another priority. If it leaves its ring with its turn over, the others of the
    /// ring may run before it has left its section: their slice is timed.
    pub(super) fn change_kept(&mut self, thread: usize) {
        let before = self.threads[thread].kept;
        self.enter_kept(thread, false);
        if self.threads[thread].kept != before && self.slice.over & 1 << thread != 0 {
            self.wake_from_above(IDLE);
        }
    }

    /// Lets the next thread of the ring go on, in the place of a thread that is the first.
    fn rotate_sliced(&mut self, thread: usize) {
        let ring = &mut self.rings[usize::from(SLICED)];
        if ring.front() == Some(&thread) {
            ring.rotate_left(1);
        }
    }

    fn in_section(&self, thread: usize) -> bool {
        !self.threads[thread].sections.is_empty()
    }

    /// Returns `true` if the kernel keeps two in the ring that is sliced.
    fn are_several(&self) -> bool {
        let kept = |thread: &&usize| self.threads[**thread].kept == SLICED;
        self.rings.iter().flatten().filter(kept).count() > 1
    }

    /// Returns `true` if the ring keeps other threads than this one.
    fn are_others(&self, thread: usize) -> bool {
        let other = |other: &&usize| **other != thread && self.threads[**other].kept == SLICED;
        self.rings.iter().flatten().any(|ready| other(&ready))
    }

    /// Does the switch's work when it was asked to time a slice.
    pub(super) fn time_slice(&mut self) {
        if let Some(due) = self.slice.due.take() {
            self.slice.armed = Some(due);
            return;
        }
        if std::mem::take(&mut self.slice.cancels) {
            (self.slice.armed, self.slice.times) = (None, true);
            return;
        }
        if std::mem::take(&mut self.slice.times) {
            self.slice.due = Some(self.now + SLICE_TICKS);
            return;
        }
        self.slice.asked = false;
        let anew = self.end_turn_above();
        let armed = self.slice.armed.is_some();
        if armed && !anew || !self.slice.turning {
            return;
        }
        self.slice.turning = self.are_several();
        if self.slice.turning && armed {
            self.slice.cancels = true;
        } else if self.slice.turning {
            self.slice.due = Some(self.now + SLICE_TICKS);
        }
    }

    /// Ends the turn of a thread that was above its equals when their slice was over, and is among
    /// them again. Returns `true` if another turn begins.
    fn end_turn_above(&mut self) -> bool {
        let current = self.current;
        self.is_kept(current)
            && self.slice.above == Some(current)
            && self.rings[usize::from(SLICED)].front() == Some(&current)
            && self.end_slice()
            && !self.in_section(current)
    }

    /// Returns `true` if a thread is ready in the ring that is sliced.
    fn is_kept(&self, thread: usize) -> bool {
        self.threads[thread].kept == SLICED && self.is_ready(thread)
    }

    /// The slice is over.
    pub(super) fn expire_slice(&mut self) {
        self.slice.armed = None;
        if self.end_slice() {
            self.slice.armed = Some(self.now + SLICE_TICKS);
        }
    }

    /// Begins the next thread's turn, perhaps while another thread runs. Its equals don't interrupt
    /// a thread in a section: its turn ends with the section. The turn of a thread that is above
    /// them by a mutex ends when it comes back. Returns `true` if another turn begins, or one goes
    /// on.
    fn end_slice(&mut self) -> bool {
        let current = self.current;
        let Thread { base, priority, .. } = self.threads[current];
        let is_above = base == SLICED && priority > base;
        if is_above {
            self.slice.above = Some(current);
        } else if self.is_kept(current) {
            self.slice.above = None;
        }
        if priority == SLICED && self.in_section(current) && self.are_others(current) {
            self.threads[current].promoted = true;
            self.slice.over |= 1 << current;
            return false;
        }
        self.slice.turning = self.are_several();
        if self.slice.turning && (is_above || self.is_kept(current)) {
            self.rotate_sliced(current);
        } else if self.slice.turning {
            self.end_turn_or_not();
        }
        self.slice.turning
    }

    /// The turn of the ring's first thread, which was preempted, ends or not. A thread in a section
    /// stays the first.
    fn end_turn_or_not(&mut self) {
        self.slice.number = self.slice.number.wrapping_mul(1_664_525).wrapping_add(STEP);
        let first = self.rings[usize::from(SLICED)].front().copied();
        if let Some(first) = first
            && self.slice.number >> 31 == 1
            && !self.in_section(first)
        {
            self.rotate_sliced(first);
        }
    }
}
