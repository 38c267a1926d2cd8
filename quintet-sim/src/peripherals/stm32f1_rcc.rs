//! STM32F1 reset and clock control (RM0041, 6): every clock is ready as soon as it is enabled.
//!
//! Clock rates are not modelled: cycles are cycles. The ready bits follow the enable bits and the
//! switch status follows the switch. Start-up code waits for these bits. Gates of devices are held,
//! not enforced.

use super::Device;
use crate::processor::bus::BusError;

const WORDS: usize = 12;

/// Enable bits of CR whose ready bits are one above.
const OSCILLATORS: u32 = 1 | 1 << 16 | 1 << 24;

/// The registers, CR to CFGR2.
#[derive(Clone, Debug)]
pub struct Stm32f1Rcc {
    words: [u32; WORDS],
}

impl Stm32f1Rcc {
    /// After power-on: the internal oscillator runs.
    pub fn new(_clock_hz: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = 0x83;
        words[5] = 0x14;
        words[9] = 0x0c00_0000;
        Self { words }
    }
}

impl Device for Stm32f1Rcc {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(self.words.get((offset / 4) as usize).copied().unwrap_or(0))
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let Some(word) = self.words.get_mut((offset / 4) as usize) else { return Ok(()) };
        *word = match offset {
            0x00 => {
                let enabled = value & OSCILLATORS;
                (value & !(OSCILLATORS << 1)) | enabled << 1
            }
            0x04 => (value & !0xc) | (value & 3) << 2,
            // The ready flags of interrupts are cleared by their upper byte, and none is ever set.
            0x08 => value & 0x1f00,
            // The low-speed oscillators: bit 0 enables, bit 1 is ready.
            0x20 => (value & !2) | (value & 1) << 1,
            0x24 => {
                let causes = if value & 1 << 24 != 0 { 0 } else { *word & 0xfe00_0000 };
                causes | (value & 1) | (value & 1) << 1
            }
            _ => value,
        };
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
        // CSR: the cause was software or the reset pin.
        self.words[9] = 0x1400_0000;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_enabled_is_ready() {
        let mut rcc = Stm32f1Rcc::new(1);
        assert_eq!(rcc.read(0, 0), Ok(0x83));
        assert_eq!(rcc.write(0, 0x0101_0081, 0), Ok(()));
        assert_eq!(rcc.read(0, 0), Ok(0x0303_0083));
        assert_eq!(rcc.write(4, 0x2, 0), Ok(()));
        assert_eq!(rcc.read(4, 0), Ok(0xa));
        assert_eq!(rcc.write(0x20, 1, 0), Ok(()));
        assert_eq!(rcc.read(0x20, 0), Ok(3));
    }

    #[test]
    fn the_reset_cause_is_told_and_cleared() {
        let mut rcc = Stm32f1Rcc::new(1);
        rcc.reset(0);
        assert_eq!(rcc.read(0x24, 0), Ok(0x1400_0000));
        assert_eq!(rcc.write(0x24, 1 << 24, 0), Ok(()));
        assert_eq!(rcc.read(0x24, 0), Ok(0));
    }
}
