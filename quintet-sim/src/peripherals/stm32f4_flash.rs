//! STM32F4 flash interface (RM0090, 3.9; RM0390, 3.8): access control, unlocking, programming, and
//! erasing of sectors. Option bytes keep what is written, and do nothing.
//!
//! Nothing takes time: an operation has ended as soon as it begins.

use super::Device;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];
const OPTION_KEYS: [u32; 2] = [0x0819_2a3b, 0x4c5d_6e7f];

/// CR: programs; erases a sector, all; starts an erasure; interrupts; locked.
const PROGRAM: u32 = 1;
const ERASE_SECTOR: u32 = 1 << 1;
const ERASE_ALL: u32 = 1 << 2;
const START: u32 = 1 << 16;
const INTERRUPT_END: u32 = 1 << 24;
const INTERRUPT_ERROR: u32 = 1 << 25;
const LOCK: u32 = 1 << 31;
const CONTROL_BITS: u32 = 0x8301_83ff;
/// SR: an operation has ended; errors; the size of an access was not PSIZE. A written 1 clears.
const ENDED: u32 = 1;
const ERRORS: u32 = 0x1f2;
const WRONG_SIZE: u32 = 1 << 6;
/// OPTCR: locked; starts.
const OPTION_LOCK: u32 = 1;
const OPTION_START: u32 = 2;

const FLASH: u32 = 0x0800_0000;
const FLASH_MAX: u32 = 0x20_0000;
/// The bytes of a bank: four sectors of 16 KiB, one of 64, seven of 128.
const BANK: u32 = 0x10_0000;

/// The registers. Interrupt output: an operation has ended, or failed, and that interrupt is on.
#[derive(Clone, Debug)]
pub struct Stm32f4Flash {
    access: u32,
    control: u32,
    status: u32,
    option: u32,
    first_key: bool,
    first_option_key: bool,
    erased: Option<(u32, u32)>,
}

impl Stm32f4Flash {
    /// After power-on: locked.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            access: 0,
            control: LOCK,
            status: 0,
            option: 0x0fff_aaed,
            first_key: false,
            first_option_key: false,
            erased: None,
        }
    }

    fn set_control(&mut self, value: u32) {
        self.control = value & CONTROL_BITS & !START;
        if value & START == 0 {
            return;
        }
        self.erased = match value & (ERASE_SECTOR | ERASE_ALL) {
            ERASE_SECTOR => sector(value >> 3 & 0x1f),
            0 => None,
            _ => Some((FLASH, FLASH_MAX)),
        };
        self.status |= ENDED;
    }
}

/// Returns where a sector is, and its size. The highest bit of the number is the bank.
fn sector(number: u32) -> Option<(u32, u32)> {
    let bank = FLASH + BANK * (number >> 4);
    match number & 0xf {
        small @ 0..4 => Some((bank + small * 0x4000, 0x4000)),
        4 => Some((bank + 0x1_0000, 0x1_0000)),
        large @ 5..12 => Some((bank + (large - 4) * 0x2_0000, 0x2_0000)),
        _ => None,
    }
}

impl Device for Stm32f4Flash {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            0x00 => self.access,
            0x0c => self.status,
            0x10 => self.control,
            0x14 => self.option,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 => self.access = value & 0x1f0f,
            0x04 => {
                if self.first_key && value == KEYS[1] {
                    self.control &= !LOCK;
                }
                self.first_key = value == KEYS[0];
            }
            0x08 => {
                if self.first_option_key && value == OPTION_KEYS[1] {
                    self.option &= !OPTION_LOCK;
                }
                self.first_option_key = value == OPTION_KEYS[0];
            }
            0x0c => self.status &= !(value & (ENDED | ERRORS)),
            0x10 if self.control & LOCK == 0 => self.set_control(value),
            0x14 if self.option & OPTION_LOCK == 0 => {
                self.option = value & 0x0fff_ffff & !OPTION_START;
            }
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        let ended = self.status & ENDED != 0 && self.control & INTERRUPT_END != 0;
        let failed = self.status & ERRORS != 0 && self.control & INTERRUPT_ERROR != 0;
        u32::from(ended || failed)
    }

    fn program(&mut self, address: u32, size: Size, old: u32, value: u32) -> Option<u32> {
        let inside = address.wrapping_sub(FLASH) < FLASH_MAX;
        if !inside || self.control & (PROGRAM | LOCK) != PROGRAM {
            return None;
        }
        // Of 64 bits at once, the processor writes two words.
        let wanted = [Size::Byte, Size::Half, Size::Word, Size::Word];
        if wanted[(self.control >> 8 & 3) as usize] != size {
            self.status |= WRONG_SIZE;
            return Some(old);
        }
        self.status |= ENDED;
        Some(old & value)
    }

    fn take_erased(&mut self) -> Option<(u32, u32)> {
        self.erased.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unlocked() -> Stm32f4Flash {
        let mut flash = Stm32f4Flash::new(1);
        for key in KEYS {
            assert_eq!(flash.write(0x04, key, 0), Ok(()));
        }
        flash
    }

    #[test]
    fn both_keys_unlock() {
        let mut flash = Stm32f4Flash::new(1);
        assert_eq!(flash.write(0x10, PROGRAM, 0), Ok(()));
        assert_eq!(flash.read(0x10, 0), Ok(LOCK));
        assert_eq!(unlocked().read(0x10, 0), Ok(0));
        assert_eq!(flash.write(0x14, 0, 0), Ok(()));
        assert_eq!(flash.read(0x14, 0), Ok(0x0fff_aaed));
        for key in OPTION_KEYS {
            assert_eq!(flash.write(0x08, key, 0), Ok(()));
        }
        assert_eq!(flash.write(0x14, 0x0fff_aaee, 0), Ok(()));
        assert_eq!(flash.read(0x14, 0), Ok(0x0fff_aaec));
    }

    #[test]
    fn what_is_programmed_has_the_size_that_is_set() {
        let mut flash = unlocked();
        assert_eq!(flash.program(FLASH, Size::Word, u32::MAX, 5), None);
        assert_eq!(flash.write(0x10, PROGRAM | 2 << 8 | INTERRUPT_END, 0), Ok(()));
        assert_eq!(flash.program(FLASH, Size::Word, u32::MAX, 5), Some(5));
        assert_eq!((flash.read(0x0c, 0), flash.outputs()), (Ok(ENDED), 1));
        assert_eq!(flash.program(FLASH, Size::Word, 5, 6), Some(4), "bits are only cleared");
        assert_eq!(flash.write(0x0c, ENDED, 0), Ok(()));
        assert_eq!(flash.program(FLASH, Size::Byte, 0xff, 5), Some(0xff));
        assert_eq!(flash.read(0x0c, 0), Ok(WRONG_SIZE));
    }

    #[test]
    fn sectors_are_erased_by_their_numbers() {
        let mut flash = unlocked();
        for (number, erased) in [
            (0, (FLASH, 0x4000)),
            (3, (0x0800_c000, 0x4000)),
            (4, (0x0801_0000, 0x1_0000)),
            (5, (0x0802_0000, 0x2_0000)),
            (11, (0x080e_0000, 0x2_0000)),
            (16, (0x0810_0000, 0x4000)),
            (27, (0x081e_0000, 0x2_0000)),
        ] {
            assert_eq!(flash.write(0x10, ERASE_SECTOR | number << 3 | START, 0), Ok(()));
            assert_eq!(flash.take_erased(), Some(erased), "{number}");
            assert_eq!(flash.read(0x10, 0), Ok(ERASE_SECTOR | number << 3));
        }
        assert_eq!(flash.write(0x10, ERASE_SECTOR | 12 << 3 | START, 0), Ok(()));
        assert_eq!(flash.take_erased(), None, "no sector has this number");
        assert_eq!(flash.write(0x10, ERASE_ALL | START, 0), Ok(()));
        assert_eq!(flash.take_erased(), Some((FLASH, FLASH_MAX)));
    }
}
