//! Where jobs begin to count, and the state of the processor there.

use quintet_sim::machine::Machine;

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
    pub fn of(machine: &Machine, pc: u32) -> Self {
        let registers = &machine.processor.registers;
        let exceptions = &machine.processor.system.exceptions;
        Self {
            pc,
            masked: registers.primask || registers.faultmask || registers.basepri != 0,
            enabled: std::array::from_fn(|word| exceptions.enabled_word(word)),
        }
    }

    /// Whether the interrupt of an exception is enabled.
    pub fn is_enabled(&self, exception: u16) -> bool {
        let number = usize::from(exception.saturating_sub(16));
        self.enabled.get(number / 32).is_some_and(|word| word >> (number % 32) & 1 != 0)
    }
}
