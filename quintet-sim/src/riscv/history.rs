//! The traps that are being handled, for tools. A program sees nothing of it.

use super::trap::handler_number;
use crate::cores::Passage;

/// Open traps beyond so many are forgotten, the outermost first: a handler that faults again and
/// again opens one after the other.
const OPEN_MAX: usize = 64;

/// A trap that has been entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap {
    /// `mcause`.
    pub cause: u32,
    /// `mtval`.
    pub value: u32,
    /// The instruction that raised it, or that an interrupt came before.
    pub from: u32,
    /// The registers of the code that it interrupted.
    pub registers: [u32; 32],
    /// The cycle of the entry.
    pub cycle: u64,
    /// Whether user mode was interrupted.
    pub from_user: bool,
}

/// The open traps, and the passages since a tool has taken them.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    open: Vec<Trap>,
    last: Option<Trap>,
    is_recording: bool,
    passages: Vec<Passage>,
}

impl History {
    /// The traps that have not been left by MRET, the innermost last.
    pub(super) fn open(&self) -> &[Trap] {
        &self.open
    }

    /// The trap that was entered last.
    pub(super) fn last(&self) -> Option<&Trap> {
        self.last.as_ref()
    }

    /// The number of the handler that runs; 0 for none.
    #[inline]
    pub(super) fn handler(&self) -> u16 {
        self.open.last().map_or(0, |trap| handler_number(trap.cause))
    }

    pub(super) fn record(&mut self, on: bool) {
        if on {
            self.passages.clear();
        }
        self.is_recording = on;
    }

    pub(super) fn take_passages(&mut self) -> Vec<Passage> {
        std::mem::take(&mut self.passages)
    }

    pub(super) fn enter(&mut self, trap: Trap) {
        if self.open.len() == OPEN_MAX {
            self.open.remove(0);
        }
        self.open.push(trap);
        self.last = Some(trap);
        self.note(trap.cycle, handler_number(trap.cause), true);
    }

    /// MRET. A program may start its first user code by it, when no trap is open.
    pub(super) fn leave(&mut self, cycle: u64) {
        if let Some(trap) = self.open.pop() {
            self.note(cycle, handler_number(trap.cause), false);
        }
    }

    /// Nothing is open any more.
    pub(super) fn leave_all(&mut self, cycle: u64) {
        while !self.open.is_empty() {
            self.leave(cycle);
        }
    }

    /// A reset: nothing is open.
    pub(super) fn reset(&mut self, cycle: u64) {
        self.leave_all(cycle);
        self.last = None;
    }

    fn note(&mut self, cycle: u64, handler: u16, is_entry: bool) {
        if self.is_recording {
            self.passages.push(Passage { cycle, handler, is_entry, is_chained: false });
        }
    }
}
