//! The marks of a thread that are bits of one byte, `besides`.
//!
//! INVARIANT(moves): while a ready thread moves to another ring, the thread is in no ring and has
//! no bit, like a suspended thread that is held ready. The context that moves the thread puts it
//! into its new ring in the next section, before which no other thread runs. A context in between
//! that suspends the thread clears the mark, and then the thread is suspended.

use super::ThreadBlock;
use crate::core::lock::KernelLock;

/// In `besides`: the thread would be ready if it were not suspended.
pub(super) const HELD_READY: u8 = 1;
/// In `besides`: the thread has a place among waiters, although the thread may be ready.
const HAS_PLACE: u8 = 2;
/// In `besides`: the thread's turn ended while the thread was under a ceiling.
#[cfg(feature = "time")]
const TURN_IS_OVER: u8 = 4;
/// In `besides`: the thread is between two rings of ready threads: INVARIANT(moves).
const MOVES: u8 = 8;

impl ThreadBlock {
    /// Returns `true` if the thread would be ready if it were not suspended.
    pub(in crate::core) const fn is_held_ready(&self) -> bool {
        self.besides.get() & HELD_READY != 0
    }

    /// Notes whether the thread would be ready if it were not suspended.
    pub(in crate::core) fn set_held_ready(&self, held_ready: bool) {
        self.note_besides(HELD_READY, held_ready);
    }

    /// Returns `true` if the thread has a place among waiters, although the thread may be ready.
    pub(crate) const fn has_place(&self) -> bool {
        self.besides.get() & HAS_PLACE != 0
    }

    /// Notes whether the place counts even if the thread is ready.
    pub(crate) fn set_has_place(&self, has_place: bool, _lock: &KernelLock<'_>) {
        self.note_besides(HAS_PLACE, has_place);
    }

    /// Returns `true` if the thread's turn ended while the thread was under a ceiling.
    #[cfg(feature = "time")]
    pub(in crate::core) const fn turn_is_over(&self) -> bool {
        self.besides.get() & TURN_IS_OVER != 0
    }

    /// Notes whether the thread's turn has ended under a ceiling.
    #[cfg(feature = "time")]
    pub(in crate::core) fn set_turn_is_over(&self, is_over: bool) {
        self.note_besides(TURN_IS_OVER, is_over);
    }

    /// Returns `true` if the thread is between two rings: INVARIANT(moves).
    pub(in crate::core) const fn moves(&self) -> bool {
        self.besides.get() & MOVES != 0
    }

    /// Takes the thread, which is in no ring now, for one that moves to another ring.
    pub(in crate::core) fn begin_to_move(&self) {
        self.besides.set(self.besides.get() | HELD_READY | MOVES);
        self.bit.set(0);
    }

    /// Ends the move of a thread. Returns `false` if the thread doesn't move, or no longer.
    pub(in crate::core) fn end_to_move(&self) -> bool {
        let moves = self.moves();
        if moves {
            self.besides.set(self.besides.get() & !(HELD_READY | MOVES));
        }
        moves
    }

    /// Lets a thread that moves be suspended instead. Returns `false` if the thread doesn't move.
    pub(in crate::core) fn suspend_in_move(&self) -> bool {
        let moves = self.moves();
        self.note_besides(MOVES, false);
        moves
    }

    fn note_besides(&self, bit: u8, on: bool) {
        let others = self.besides.get() & !bit;
        self.besides.set(if on { others | bit } else { others });
    }
}
