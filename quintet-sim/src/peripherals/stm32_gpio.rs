//! STM32 GPIO as all families but the STM32F1 have it (RM0090, 8): 16 pins with two mode bits each.
//!
//! An output driven by another device (an alternate function) has no level of its own here.

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

const MODE: u32 = 0x00;
const TYPE: u32 = 0x04;
const PULL: u32 = 0x0c;
const INPUT: u32 = 0x10;
const OUTPUT: u32 = 0x14;
const SET_RESET: u32 = 0x18;
const LOCK: u32 = 0x1c;
const RESET: u32 = 0x28;

/// The port. All registers but those below only hold written values.
#[derive(Clone, Debug)]
pub struct Stm32Gpio {
    driven: Driven,
    /// MODER to AFRH.
    words: [u32; 10],
}

impl Stm32Gpio {
    /// A port after power-on: inputs.
    pub fn new(_clock_hz: u64) -> Self {
        Self { driven: Driven::default(), words: [0; 10] }
    }

    const fn word(&self, offset: u32) -> u32 {
        self.words[(offset / 4) as usize]
    }

    fn levels(&self) -> u32 {
        let mut levels = 0;
        for pin in 0..16 {
            let two = |offset: u32| self.word(offset) >> (2 * pin) & 3;
            let output = self.word(OUTPUT) >> pin & 1;
            let open_drain = self.word(TYPE) >> pin & 1 != 0;
            let outside = |pulled: u32| self.driven.over(pulled << pin) >> pin & 1;
            let pulled_up = u32::from(two(PULL) == 1);
            let level = match two(MODE) {
                1 if !open_drain || output == 0 => output,
                1 => outside(1),
                3 => 0, // analog: the input is off
                _ => outside(pulled_up),
            };
            levels |= level << pin;
        }
        levels
    }
}

impl Device for Stm32Gpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            INPUT => self.levels(),
            SET_RESET => 0,
            _ => self.words.get((offset / 4) as usize).copied().unwrap_or(0),
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let output = &mut self.words[(OUTPUT / 4) as usize];
        match offset {
            INPUT => {}
            OUTPUT => *output = value & 0xffff,
            // Setting wins over resetting the same pin.
            SET_RESET => *output = (*output & !(value >> 16)) | (value & 0xffff),
            RESET => *output &= !value,
            // The key's last read finds the lock done; pins are not held to it.
            LOCK => self.words[(LOCK / 4) as usize] = value & 0x1_ffff,
            _ => {
                if let Some(word) = self.words.get_mut((offset / 4) as usize) {
                    *word = value;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { driven: self.driven, ..Self::new(0) };
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.driven.drive(pin, level);
    }

    fn pin_levels(&self) -> u32 {
        self.levels()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_set_and_reset() {
        let mut port = Stm32Gpio::new(1);
        assert_eq!(port.write(MODE, 0b0101, 0), Ok(()));
        assert_eq!(port.write(SET_RESET, 0b111, 0), Ok(()));
        assert_eq!((port.pin_levels(), port.read(OUTPUT, 0)), (0b011, Ok(0b111)));
        assert_eq!(port.write(SET_RESET, 1 << 17 | 1 << 16 | 1, 0), Ok(()));
        assert_eq!(port.read(INPUT, 0), Ok(0b001));
        assert_eq!(port.write(RESET, 1, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0);
    }

    #[test]
    fn inputs_follow_their_driver_or_their_pull() {
        let mut port = Stm32Gpio::new(1);
        assert_eq!(port.write(PULL, 0b01_01, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0b11);
        port.drive_pin(0, false);
        port.drive_pin(2, true);
        assert_eq!(port.pin_levels(), 0b110);
        assert_eq!(port.write(MODE, 0b11 << 4, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0b010, "an analog pin reads as 0");
    }

    #[test]
    fn an_open_drain_output_can_only_pull_down() {
        let mut port = Stm32Gpio::new(1);
        for (offset, value) in [(MODE, 1), (TYPE, 1), (OUTPUT, 1)] {
            assert_eq!(port.write(offset, value, 0), Ok(()));
        }
        port.drive_pin(0, true);
        assert_eq!(port.pin_levels(), 1);
        assert_eq!(port.write(OUTPUT, 0, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0);
    }
}
