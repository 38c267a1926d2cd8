//! Stellaris system control: the registers by which start-up code sets its clock and switches
//! devices on.
//!
//! Clocks are not modelled: cycles are cycles. The PLL locks at once when it is powered; start-up
//! code waits for nothing else.

use super::Device;
use crate::processor::bus::BusError;

/// Device identification and capabilities of the LM3S6965, by offset.
const CAPABILITIES: [(u32, u32); 7] = [
    (0x000, 0x1001_0002),
    (0x004, 0x1073_402e),
    (0x008, 0x00ff_007f),
    (0x010, 0x0011_33ff),
    (0x014, 0x030f_5317),
    (0x018, 0x0f0f_87ff),
    (0x01c, 0x5000_007f),
];

const RAW_INTERRUPTS: u32 = 0x050;
const INTERRUPT_MASK: u32 = 0x054;
const MASKED_INTERRUPTS: u32 = 0x058;
const CLOCK: u32 = 0x060;
const CLOCK_2: u32 = 0x070;

/// Interrupt bit: the PLL has locked.
const PLL_LOCKED: u32 = 1 << 6;
/// RCC and RCC2 bit: the PLL is without power.
const POWER_DOWN: u32 = 1 << 13;

/// Words of plain registers, up to 0x144.
const WORDS: usize = 0x148 / 4;

/// The registers. Interrupt output: PLL lock.
#[derive(Clone, Debug)]
pub struct Lm3sSystem {
    words: [u32; WORDS],
    raw: u32,
}

impl Lm3sSystem {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        let mut words = [0; WORDS];
        let resets = [
            (0x030, 0x7ffd),      // brown-out reset control
            (0x05c, 0x2),         // reset cause: power-on
            (CLOCK, 0x078e_3ac0), // internal oscillator, PLL off and bypassed
            (0x064, 0x11fb),      // PLL dividers
            (CLOCK_2, 0x0780_2810),
            (0x100, 0x40),
            (0x110, 0x40),
            (0x120, 0x40),
            (0x144, 0x0780_0000),
        ];
        for (offset, value) in CAPABILITIES.into_iter().chain(resets) {
            words[(offset / 4) as usize] = value;
        }
        Self { words, raw: 0 }
    }
}

impl Device for Lm3sSystem {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            RAW_INTERRUPTS => self.raw,
            MASKED_INTERRUPTS => self.raw & self.words[(INTERRUPT_MASK / 4) as usize],
            _ => self.words.get((offset / 4) as usize).copied().unwrap_or(0),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        if CAPABILITIES.iter().any(|(read_only, _)| *read_only == offset) {
            return Ok(());
        }
        let Some(word) = self.words.get_mut((offset / 4) as usize) else { return Ok(()) };
        match offset {
            MASKED_INTERRUPTS => self.raw &= !value,
            CLOCK | CLOCK_2 => {
                if *word & POWER_DOWN != 0 && value & POWER_DOWN == 0 {
                    self.raw |= PLL_LOCKED;
                }
                *word = value;
            }
            _ => *word = value,
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        u32::from(self.raw & self.words[(INTERRUPT_MASK / 4) as usize] != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pll_locks_when_it_is_powered() {
        let mut system = Lm3sSystem::new(1);
        assert_eq!(system.read(RAW_INTERRUPTS, 0), Ok(0));
        let clock = system.read(CLOCK, 0).expect("a register");
        assert_eq!(system.write(CLOCK, clock & !POWER_DOWN, 0), Ok(()));
        assert_eq!(system.read(RAW_INTERRUPTS, 0), Ok(PLL_LOCKED));
        assert_eq!(system.write(INTERRUPT_MASK, PLL_LOCKED, 0), Ok(()));
        assert_eq!(system.outputs(), 1);
        assert_eq!(system.write(MASKED_INTERRUPTS, PLL_LOCKED, 0), Ok(()));
        assert_eq!(system.outputs(), 0);
    }

    #[test]
    fn capabilities_are_read_only_and_gates_are_not() {
        let mut system = Lm3sSystem::new(1);
        assert_eq!(system.write(8, 0, 0), Ok(()));
        assert_eq!(system.read(8, 0), Ok(0x00ff_007f));
        assert_eq!(system.write(0x108, 0x7f, 0), Ok(()));
        assert_eq!(system.read(0x108, 0), Ok(0x7f));
        assert_eq!(system.write(0xffc, 1, 0), Ok(()));
        assert_eq!(system.read(0xffc, 0), Ok(0));
    }
}
