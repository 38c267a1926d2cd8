//! Where jobs begin to count, and the state of the processor there.

use crate::simulated::Simulated;

/// Where jobs begin to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// The next instruction.
    pub pc: u32,
    /// Whether interrupts are held off there.
    pub masked: bool,
    /// The interrupts that are enabled there, a bit each.
    pub enabled: [u32; 8],
}

impl Opening {
    /// The place of a machine where `pc` is the next instruction.
    pub fn of(machine: &impl Simulated, pc: u32) -> Self {
        let exceptions = machine.cortex_m().map(|machine| &machine.processor.system.exceptions);
        let enabled = |word| exceptions.map_or(0, |exceptions| exceptions.enabled_word(word));
        Self { pc, masked: machine.is_masked(), enabled: std::array::from_fn(enabled) }
    }

    /// Whether the interrupt of an exception is enabled.
    pub fn is_enabled(&self, exception: u16) -> bool {
        let number = usize::from(exception.saturating_sub(16));
        self.enabled.get(number / 32).is_some_and(|word| word >> (number % 32) & 1 != 0)
    }
}
