//! STM32F1 flash interface (RM0041 and PM0075): access control, unlocking, programming of halfwords
//! and erasing of pages of 1 KiB. Option bytes are not programmed.
//!
//! Nothing takes time: an operation has ended as soon as it begins.

use super::Device;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];

/// CR: programs; erases a page, all; starts an erasure; locked; interrupts.
const PROGRAM: u32 = 1;
const ERASE_PAGE: u32 = 1 << 1;
const ERASE_ALL: u32 = 1 << 2;
const START: u32 = 1 << 6;
const LOCK: u32 = 1 << 7;
const INTERRUPT_ERROR: u32 = 1 << 10;
const INTERRUPT_END: u32 = 1 << 12;
/// SR: a place was not erased; an operation has ended. A written 1 clears them.
const NOT_ERASED: u32 = 1 << 2;
const ENDED: u32 = 1 << 5;

/// Where the flash is, and the most that it can be.
const FLASH: u32 = 0x0800_0000;
const FLASH_MAX: u32 = 0x10_0000;
const PAGE: u32 = 0x400;

/// The registers. Interrupt output: an operation has ended, or failed, and that interrupt is on.
#[derive(Clone, Debug)]
pub struct Stm32Flash {
    access: u32,
    control: u32,
    status: u32,
    address: u32,
    first_key: bool,
    erased: Option<(u32, u32)>,
}

impl Stm32Flash {
    /// After power-on: locked.
    pub fn new(_clock_hz: u64) -> Self {
        Self { access: 0x30, control: LOCK, status: 0, address: 0, first_key: false, erased: None }
    }

    fn set_control(&mut self, value: u32) {
        self.control = value & (0x1fb7 & !START);
        if value & START == 0 {
            return;
        }
        self.erased = match value & (ERASE_PAGE | ERASE_ALL) {
            ERASE_PAGE => Some((self.address - self.address % PAGE, PAGE)),
            ERASE_ALL => Some((FLASH, FLASH_MAX)),
            _ => None,
        };
        self.status |= ENDED;
    }
}

impl Device for Stm32Flash {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => self.access,
            0x0c => self.status,
            0x10 => self.control,
            0x14 => self.address,
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
            0x0c => self.status &= !value,
            0x10 if self.control & LOCK == 0 => self.set_control(value),
            0x14 if self.control & LOCK == 0 => self.address = value,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        let ended = self.status & ENDED != 0 && self.control & INTERRUPT_END != 0;
        let failed = self.status & NOT_ERASED != 0 && self.control & INTERRUPT_ERROR != 0;
        u32::from(ended || failed)
    }

    fn program(&mut self, address: u32, size: Size, old: u32, value: u32) -> Option<u32> {
        let inside = address.wrapping_sub(FLASH) < FLASH_MAX;
        if !inside || size != Size::Half || self.control & (PROGRAM | LOCK) != PROGRAM {
            return None;
        }
        let value = value & 0xffff;
        // Only zeros may be written to what is not erased.
        let written = if old == 0xffff || value == 0 { value } else { old };
        self.status |= if written == value { ENDED } else { NOT_ERASED };
        Some(written)
    }

    fn take_erased(&mut self) -> Option<(u32, u32)> {
        self.erased.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unlocked() -> Stm32Flash {
        let mut flash = Stm32Flash::new(1);
        for key in KEYS {
            assert_eq!(flash.write(0x04, key, 0), Ok(()));
        }
        flash
    }

    #[test]
    fn both_keys_unlock() {
        let mut flash = Stm32Flash::new(1);
        assert_eq!(flash.write(0x10, 1, 0), Ok(()));
        assert_eq!(flash.read(0x10, 0), Ok(LOCK));
        assert_eq!(unlocked().read(0x10, 0), Ok(0));
    }

    #[test]
    fn wait_states_read_back() {
        let mut flash = Stm32Flash::new(1);
        assert_eq!(flash.write(0, 0x12, 0), Ok(()));
        assert_eq!(flash.read(0, 0), Ok(0x32));
    }

    #[test]
    fn halfwords_are_programmed_where_they_are_erased() {
        let mut flash = unlocked();
        assert_eq!(flash.program(FLASH, Size::Half, 0xffff, 5), None, "not yet");
        assert_eq!(flash.write(0x10, PROGRAM | INTERRUPT_END, 0), Ok(()));
        assert_eq!(flash.program(FLASH, Size::Word, u32::MAX, 5), None, "not a word");
        assert_eq!(flash.program(0x1fff_f7e0, Size::Half, 0xffff, 5), None, "not elsewhere");
        assert_eq!(flash.program(FLASH, Size::Half, 0xffff, 0x1_0005), Some(5));
        assert_eq!((flash.read(0x0c, 0), flash.outputs()), (Ok(ENDED), 1));
        assert_eq!(flash.write(0x0c, ENDED, 0), Ok(()));
        assert_eq!(flash.program(FLASH, Size::Half, 5, 7), Some(5));
        assert_eq!((flash.read(0x0c, 0), flash.outputs()), (Ok(NOT_ERASED), 0));
        assert_eq!(flash.program(FLASH, Size::Half, 5, 0), Some(0));
    }

    #[test]
    fn a_page_is_erased_by_its_address() {
        let mut flash = unlocked();
        for (offset, value) in [(0x10, ERASE_PAGE), (0x14, 0x0800_fc02)] {
            assert_eq!(flash.write(offset, value, 0), Ok(()));
        }
        assert_eq!(flash.take_erased(), None);
        assert_eq!(flash.write(0x10, ERASE_PAGE | START, 0), Ok(()));
        assert_eq!(flash.take_erased(), Some((0x0800_fc00, PAGE)));
        assert_eq!((flash.read(0x10, 0), flash.read(0x0c, 0)), (Ok(ERASE_PAGE), Ok(ENDED)));
        assert_eq!(flash.write(0x10, ERASE_ALL | START, 0), Ok(()));
        assert_eq!(flash.take_erased(), Some((FLASH, FLASH_MAX)));
    }
}
