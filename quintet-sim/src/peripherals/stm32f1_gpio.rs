//! STM32F1 GPIO (RM0041, 7): 16 pins with four configuration bits each.
//!
//! An output driven by another device (an alternate function) has no level of its own here.

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

/// CRL and CRH after reset: floating inputs.
const CONFIGURATION_RESET: u32 = 0x4444_4444;

/// LCKR's key bit.
const LOCK_KEY: u32 = 1 << 16;

/// The port.
#[derive(Clone, Debug)]
pub struct Stm32f1Gpio {
    driven: Driven,
    configuration: [u32; 2],
    output: u32,
    lock: u32,
    /// The number of steps of the locking sequence that were done.
    lock_step: u8,
}

impl Stm32f1Gpio {
    /// A port after power-on: floating inputs.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            driven: Driven::default(),
            configuration: [CONFIGURATION_RESET; 2],
            output: 0,
            lock: 0,
            lock_step: 0,
        }
    }

    fn levels(&self) -> u32 {
        let mut levels = 0;
        for pin in 0..16 {
            let bits = self.configuration[pin / 8] >> (pin % 8 * 4) & 0xf;
            let (mode, kind) = (bits & 3, bits >> 2);
            let output = self.output >> pin & 1;
            let outside = |pulled: u32| self.driven.over(pulled << pin) >> pin & 1;
            let level = match (mode, kind) {
                (0, 2) => outside(output), // pulled up or down by ODR
                (0, _) => outside(0),
                (_, 0) => output,           // push-pull
                (_, 1) if output == 0 => 0, // open drain
                (_, 1) => outside(1),
                _ => outside(0), // alternate function
            };
            levels |= level << pin;
        }
        levels
    }

    /// The locking sequence: key with 1, 0, 1, the pins the same in all three.
    fn write_lock(&mut self, value: u32) {
        let expected = [LOCK_KEY, 0, LOCK_KEY];
        if self.lock & LOCK_KEY != 0 {
            return;
        }
        let pins_same = self.lock_step == 0 || (value ^ self.lock) & 0xffff == 0;
        let key = expected.get(usize::from(self.lock_step)).copied();
        self.lock_step = match key {
            Some(key) if value & LOCK_KEY == key && pins_same => self.lock_step + 1,
            _ => 0,
        };
        self.lock = value & 0xffff;
        if self.lock_step == 3 {
            self.lock |= LOCK_KEY;
        }
    }

    fn write_configuration(&mut self, half: usize, value: u32) {
        let mut mask = u32::MAX;
        if self.lock & LOCK_KEY != 0 {
            for pin in 0..8 {
                if self.lock >> (8 * half + pin) & 1 != 0 {
                    mask &= !(0xf << (4 * pin));
                }
            }
        }
        self.configuration[half] = (self.configuration[half] & !mask) | (value & mask);
    }
}

impl Device for Stm32f1Gpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 | 0x04 => self.configuration[(offset / 4) as usize],
            0x08 => self.levels(),
            0x0c => self.output,
            0x18 => self.lock,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 | 0x04 => self.write_configuration((offset / 4) as usize, value),
            0x0c => self.output = value & 0xffff,
            // Setting wins over resetting the same pin.
            0x10 => self.output = (self.output & !(value >> 16)) | (value & 0xffff),
            0x14 => self.output &= !value,
            0x18 => self.write_lock(value),
            _ => {}
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
        let mut port = Stm32f1Gpio::new(1);
        assert_eq!(port.write(0x04, 0x4444_4422, 0), Ok(()));
        assert_eq!(port.write(0x10, 0x300, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0x300);
        assert_eq!(port.write(0x14, 0x100, 0), Ok(()));
        assert_eq!(port.write(0x10, 0x0100_0100, 0), Ok(()));
        assert_eq!((port.read(0x08, 0), port.read(0x0c, 0)), (Ok(0x300), Ok(0x300)));
    }

    #[test]
    fn inputs_follow_their_driver_or_their_pull() {
        let mut port = Stm32f1Gpio::new(1);
        assert_eq!(port.write(0x00, 0x4444_4448, 0), Ok(()));
        assert_eq!(port.write(0x0c, 1, 0), Ok(()));
        assert_eq!(port.pin_levels(), 1);
        port.drive_pin(0, false);
        port.drive_pin(1, true);
        assert_eq!(port.pin_levels(), 2);
    }

    #[test]
    fn an_open_drain_output_can_only_pull_down() {
        let mut port = Stm32f1Gpio::new(1);
        assert_eq!(port.write(0x00, 0x4444_4446, 0), Ok(()));
        port.drive_pin(0, true);
        assert_eq!(port.pin_levels(), 0);
        assert_eq!(port.write(0x10, 1, 0), Ok(()));
        assert_eq!(port.pin_levels(), 1);
    }

    #[test]
    fn locked_pins_keep_their_configuration() {
        let mut port = Stm32f1Gpio::new(1);
        for value in [0x1_0002, 0x0002, 0x1_0002] {
            assert_eq!(port.write(0x18, value, 0), Ok(()));
        }
        assert_eq!(port.read(0x18, 0), Ok(0x1_0002));
        assert_eq!(port.write(0x00, 0, 0), Ok(()));
        assert_eq!(port.read(0x00, 0), Ok(0x40));
    }
}
