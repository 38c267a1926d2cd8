//! Exceptions and interrupts on their way to a handler.
//!
//! An exception goes with its instruction to the last stage, and a cycle behind that the handler is
//! entered. An interrupt holds the decoder until three cycles have emptied the stages.

use super::World;
use crate::riscv::bus::line;

/// What is on its way.
#[derive(Clone, Debug, Default)]
pub struct Traps {
    /// Exceptions in the stages from the decoder on.
    exceptions: [bool; 4],
    /// The handler of an exception is entered in this cycle.
    pub had_exception: bool,
    /// The interrupt that is to be taken.
    interrupt: Option<u32>,
    /// How far the stages are known to be empty.
    empty: [bool; 3],
    next_interrupt: Option<u32>,
    /// The lines of devices, a cycle late.
    external: u32,
    /// `mip`.
    pending: u32,
    /// WFI ends.
    pub wakes: bool,
    next_wakes: bool,
    next_exception: bool,
    next_empty: [bool; 3],
    next_exceptions: [bool; 4],
    /// The hart has trapped where the pipeline has not: the pipeline follows it.
    pub is_lost: bool,
    pub is_lost_later: bool,
}

impl Traps {
    /// Learns of the lines, at the beginning of a cycle.
    pub fn sample(&mut self, world: &mut impl World, cycle: u64) {
        world.set_pending(self.pending);
        let (enabled, is_open) = world.enabled();
        let wanted = self.pending & enabled;
        let order = [line::EXTERNAL, line::SOFTWARE, line::TIMER];
        let first = order.into_iter().find(|line| wanted & line != 0).map(u32::trailing_zeros);
        self.next_interrupt = first.filter(|_| is_open);
        self.next_wakes = wanted != 0;
        self.pending = world.lines(cycle, &mut self.external);
        self.is_lost = std::mem::take(&mut self.is_lost_later);
    }

    /// Returns the interrupt whose handler is entered in this cycle.
    pub fn interrupt(&self) -> Option<u32> {
        let is_held = self.exceptions[1..].contains(&true) || self.had_exception;
        self.interrupt.filter(|_| self.empty[2] && !is_held)
    }

    /// Returns `true` if an interrupt holds the decoder.
    pub fn liberates(&self, has_instruction: bool) -> bool {
        self.interrupt.is_some() && has_instruction
    }

    /// Moves exceptions on. Returns `true` if there is one.
    pub fn advance(
        &mut self,
        raised: [bool; 4],
        flushed: [bool; 4],
        stuck: [bool; 4],
        has_instruction: bool,
        is_removed: bool,
    ) -> bool {
        let mut valid = [false; 4];
        for (stage, valid) in valid.iter_mut().enumerate() {
            *valid = (self.exceptions[stage] || raised[stage]) && !flushed[stage];
        }
        let [decode, execute, memory, write_back] = valid;
        self.next_exceptions = [
            stuck[0] && decode,
            if stuck[1] { execute } else { decode && !stuck[0] },
            if stuck[2] { memory } else { execute && !stuck[1] },
            !stuck[3] && memory && !stuck[2],
        ];
        self.next_exception = write_back;
        let mut empty = self.empty;
        let is_active = self.liberates(has_instruction);
        if is_active {
            if !stuck[3] {
                empty[2] = self.empty[1];
            }
            if !stuck[2] {
                empty[1] = self.empty[0];
            }
            if !stuck[1] {
                empty[0] = true;
            }
        }
        if !is_active || is_removed {
            empty = [false; 3];
        }
        self.next_empty = empty;
        valid.contains(&true)
    }

    /// Ends the cycle.
    pub fn settle(&mut self, is_taken: bool) {
        self.exceptions = self.next_exceptions;
        self.had_exception = self.next_exception;
        self.empty = self.next_empty;
        self.interrupt = self.next_interrupt.filter(|_| !is_taken);
        self.wakes = self.next_wakes;
    }
}
