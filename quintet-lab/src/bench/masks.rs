//! How long interrupts are held off while firmware runs, and from where on.
//!
//! A mask is a time in which PRIMASK, FAULTMASK or BASEPRI is set, from the end of the instruction
//! that sets the first of them to the end of the one that clears the last. At which level BASEPRI
//! stands does not matter, nor whether a more urgent interrupt ran meanwhile. But a BASEPRI that
//! holds off PendSV and no interrupt is no mask: threads are switched so.

use quintet_sim::machine::Machine;

/// The interrupts' enables and priorities, those of PendSV and SysTick, SysTick's control.
const NVIC_ISER: u32 = 0xe000_e100;
const NVIC_IPR: u32 = 0xe000_e400;
const SHPR3: u32 = 0xe000_ed20;
const SYST_CSR: u32 = 0xe000_e010;
const TICKINT: u32 = 1 << 1;

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
    /// BASEPRI as it stands, and whether it holds any interrupt off.
    basepri: (u8, bool),
}

impl Masks {
    /// Looks at the machine after the instruction at `from`.
    pub fn look(&mut self, machine: &Machine, from: u32) {
        let registers = &machine.processor.registers;
        let is_masked = registers.primask || registers.faultmask || self.is_basepri(machine);
        self.note(is_masked, machine.cycle(), machine.instructions(), from);
    }

    /// Whether BASEPRI holds any interrupt off. Looked at when it is set: an interrupt that is
    /// enabled while it stands has no part in the mask.
    fn is_basepri(&mut self, machine: &Machine) -> bool {
        let basepri = machine.processor.registers.basepri;
        if self.basepri.0 != basepri {
            let is_mask = basepri != 0 && {
                let read = |address| machine.read_word(address).unwrap_or_default();
                holds_off(basepri, machine.board().interrupts, read)
            };
            self.basepri = (basepri, is_mask);
        }
        self.basepri.1
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

/// Whether BASEPRI, which is not 0, holds off more than PendSV: everything but the priority that
/// PendSV has does, and so does that where an enabled interrupt or a running SysTick has it too.
fn holds_off(basepri: u8, interrupts: u16, read: impl Fn(u32) -> u32) -> bool {
    let [_, _, pend_sv, sys_tick] = read(SHPR3).to_le_bytes();
    if basepri != pend_sv {
        return true;
    }
    let is_enabled = |number: u32| read(NVIC_ISER + number / 32 * 4) & 1 << (number % 32) != 0;
    let priority = |number: u32| read(NVIC_IPR + number / 4 * 4).to_le_bytes()[number as usize % 4];
    let ticks = read(SYST_CSR) & TICKINT != 0 && sys_tick >= basepri;
    ticks || (0..u32::from(interrupts)).any(|one| is_enabled(one) && priority(one) >= basepri)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn holding_off_the_switch_alone_is_no_mask() {
        let registers = |changes: &[(u32, u32)]| {
            let mut registers = BTreeMap::from([(SHPR3, 0x00f0_0000), (NVIC_ISER, 0b10)]);
            registers.extend(changes.iter().copied());
            move |address: u32| registers.get(&address).copied().unwrap_or_default()
        };
        assert!(!holds_off(0xf0, 32, registers(&[])));
        assert!(holds_off(0xe0, 32, registers(&[])), "others may have a priority below it");
        assert!(holds_off(0xf0, 32, registers(&[(NVIC_IPR, 0xf000)])));
        assert!(!holds_off(0xf0, 32, registers(&[(NVIC_IPR, 0xf0)])), "it is not enabled");
        let tick = [(SHPR3, 0xf0f0_0000), (SYST_CSR, TICKINT)];
        assert!(holds_off(0xf0, 32, registers(&tick)));
        assert!(!holds_off(0xf0, 32, registers(&tick[..1])));
    }

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
