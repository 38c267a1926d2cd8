//! STM32F1 flash interface registers (RM0041 and PM0063): access control and unlocking. Programming
//! is not modelled.

use super::Device;
use crate::processor::bus::BusError;

const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];

/// CR: locked.
const LOCK: u32 = 0x80;

/// The registers.
#[derive(Clone, Debug)]
pub struct Stm32Flash {
    access: u32,
    control: u32,
    first_key: bool,
}

impl Stm32Flash {
    /// After power-on: locked.
    pub fn new(_clock_hz: u64) -> Self {
        Self { access: 0x30, control: LOCK, first_key: false }
    }
}

impl Device for Stm32Flash {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => self.access,
            0x10 => self.control,
            0x1c => 0x03ff_fffc,
            0x20 => u32::MAX,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            // The prefetch buffer's status follows its enable bit.
            0x00 => self.access = (value & 0x1f) | (value & 0x10) << 1,
            0x04 => {
                if self.first_key && value == KEYS[1] {
                    self.control &= !LOCK;
                }
                self.first_key = value == KEYS[0];
            }
            0x10 if self.control & LOCK == 0 => self.control = value & 0x1ff7,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_keys_unlock() {
        let mut flash = Stm32Flash::new(1);
        assert_eq!(flash.write(0x10, 1, 0), Ok(()));
        assert_eq!(flash.read(0x10, 0), Ok(LOCK));
        for key in KEYS {
            assert_eq!(flash.write(0x04, key, 0), Ok(()));
        }
        assert_eq!(flash.read(0x10, 0), Ok(0));
    }

    #[test]
    fn wait_states_read_back() {
        let mut flash = Stm32Flash::new(1);
        assert_eq!(flash.write(0, 0x12, 0), Ok(()));
        assert_eq!(flash.read(0, 0), Ok(0x32));
    }
}
