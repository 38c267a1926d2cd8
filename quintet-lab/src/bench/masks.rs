//! How long interrupts are held off while firmware runs, and from where on.
//!
//! A mask is a time in which PRIMASK, FAULTMASK or BASEPRI is set, from the end of the instruction
//! that sets the first of them to the end of the one that clears the last. At which level BASEPRI
//! stands does not matter, nor whether a more urgent interrupt ran meanwhile.

use quintet_sim::machine::Machine;

/// A time in which interrupts were held off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Masked {
    /// Its first cycle.
    pub start: u64,
    /// The cycle behind its last.
    pub end: u64,
    /// The instructions in it, the one that ends it included.
    pub instructions: u64,
    /// The address of the instruction that began it.
    pub from: u32,
}

impl Masked {
    /// Its length in cycles.
    pub fn cycles(&self) -> u64 {
        self.end - self.start
    }
}

/// Notes masks. [`Masks::look`] follows each step.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// Those that have ended, in order.
    pub ended: Vec<Masked>,
    open: Option<Masked>,
}

impl Masks {
    /// Looks at the machine after the instruction at `from`.
    pub fn look(&mut self, machine: &Machine, from: u32) {
        let registers = &machine.processor.registers;
        let is_masked = registers.primask || registers.faultmask || registers.basepri != 0;
        self.note(is_masked, machine.cycle(), machine.instructions(), from);
    }

    fn note(&mut self, is_masked: bool, cycle: u64, instructions: u64, from: u32) {
        match (is_masked, self.open) {
            (true, None) => {
                self.open = Some(Masked { start: cycle, end: cycle, instructions, from });
            }
            (false, Some(begun)) => {
                let instructions = instructions - begun.instructions;
                self.ended.push(Masked { end: cycle, instructions, ..begun });
                self.open = None;
            }
            _ => {}
        }
    }

    /// The longest mask that begins between two cycles.
    pub fn longest(&self, from: u64, to: u64) -> Option<Masked> {
        let inside = self.ended.iter().filter(|mask| (from..to).contains(&mask.start));
        inside.copied().reduce(
            |longest, mask| {
                if mask.cycles() > longest.cycles() { mask } else { longest }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_lasts_from_the_first_register_to_the_last() {
        let mut masks = Masks::default();
        for (cycle, is_masked) in [(1, false), (5, true), (7, true), (9, false), (20, true)] {
            masks.note(is_masked, cycle, cycle, 0x100 + cycle as u32);
        }
        let only = Masked { start: 5, end: 9, instructions: 4, from: 0x105 };
        assert_eq!(masks.ended, [only], "one that has not ended is not counted");
        assert_eq!(only.cycles(), 4);
    }

    #[test]
    fn the_first_of_the_longest_inside_the_window_counts() {
        let mut masks = Masks::default();
        for (start, end) in [(0, 50), (60, 64), (70, 74), (80, 82), (90, 190)] {
            masks.note(true, start, 0, 0);
            masks.note(false, end, 0, 0);
        }
        assert_eq!(masks.longest(60, 90).map(|mask| mask.start), Some(60));
        assert_eq!(masks.longest(51, 60), None);
    }
}
