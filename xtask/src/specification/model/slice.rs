//! The specification of time slices, for threads of one priority.

use super::super::schedule::{IDLE, SLICE_TICKS, SLICED};
use super::State;

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
}

impl State {
    /// Threads take turns from now on. The switch looks whether there are any.
    pub(super) fn take_turns(&mut self) {
        if !self.slice.sliced && !self.cooperative {
            (self.slice.sliced, self.slice.turning) = (true, true);
            self.wake(IDLE);
        }
    }

    /// A thread has become ready beside another one.
    pub(super) fn note_second(&mut self, rank: usize) {
        if rank == usize::from(SLICED) && self.slice.sliced && !self.slice.turning {
            self.slice.turning = true;
            self.wake(IDLE);
        }
    }

    fn are_several(&self) -> bool {
        self.rings[usize::from(SLICED)].len() > 1
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

    /// The slice is over: the next one's turn has come, unless somebody else runs.
    pub(super) fn expire_slice(&mut self) {
        self.slice.armed = None;
        self.slice.turning = self.are_several();
        if !self.slice.turning {
            return;
        }
        let ring = &mut self.rings[usize::from(SLICED)];
        if ring.front() == Some(&self.current) {
            ring.rotate_left(1);
        }
        self.slice.armed = Some(self.now + SLICE_TICKS);
    }
}
