//! nRF51 and nRF52 NVMC, the flash controller (nRF51 Reference Manual, 8; nRF52840 Product
//! Specification, 4.3): CONFIG lets a program write words or erase pages of the code flash, and
//! write UICR.
//!
//! Nothing takes time, so the controller is always ready. A write clears bits and sets none, as in
//! the array. Partial erases of nRF52 count up their time in one step.

use super::Device;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const READY: u32 = 0x400;
const READY_NEXT: u32 = 0x408;
const CONFIG: u32 = 0x504;
/// Erases the page of an address; nRF51 has a second register for its region 1, and one for
/// region 0.
const ERASE_PAGE: u32 = 0x508;
const ERASE_ALL: u32 = 0x50c;
const ERASE_PAGE_0: u32 = 0x510;
const ERASE_UICR: u32 = 0x514;
const ERASE_PARTIAL: u32 = 0x518;

/// CONFIG: what a program may do.
const WRITE: u32 = 1;
const ERASE: u32 = 2;

/// Where the configuration of the user is, and its size.
const UICR: (u32, u32) = (0x1000_1000, 0x1000);
/// The first address that is no code flash.
const CODE_END: u32 = 0x1000_0000;

/// The registers. `PAGE` is the size of what is erased at once.
#[derive(Clone, Debug)]
pub struct NrfNvmc<const PAGE: u32> {
    config: u32,
    partial: u32,
    cache: u32,
    erased: Option<(u32, u32)>,
    uicr_too: bool,
}

impl<const PAGE: u32> NrfNvmc<PAGE> {
    /// After power-on: the flash can only be read.
    pub fn new(_clock_hz: u64) -> Self {
        Self { config: 0, partial: 0, cache: 0, erased: None, uicr_too: false }
    }

    fn erase(&mut self, offset: u32, value: u32) {
        if self.config != ERASE {
            return;
        }
        match offset {
            ERASE_PAGE | ERASE_PAGE_0 | ERASE_PARTIAL if value < CODE_END => {
                self.erased = Some((value - value % PAGE, PAGE));
            }
            ERASE_ALL if value == 1 => {
                self.erased = Some((0, CODE_END));
                self.uicr_too = true;
            }
            ERASE_UICR if value == 1 => self.erased = Some(UICR),
            _ => {}
        }
    }
}

impl<const PAGE: u32> Device for NrfNvmc<PAGE> {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            READY | READY_NEXT => 1,
            CONFIG => self.config,
            0x51c => self.partial,
            0x540 => self.cache,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            CONFIG => self.config = value & 3,
            0x51c => self.partial = value & 0x7f,
            0x540 => self.cache = value & 0x101,
            _ => self.erase(offset, value),
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn program(&mut self, _address: u32, size: Size, old: u32, value: u32) -> Option<u32> {
        (self.config == WRITE && size == Size::Word).then_some(old & value)
    }

    fn take_erased(&mut self) -> Option<(u32, u32)> {
        self.erased.take().or_else(|| std::mem::take(&mut self.uicr_too).then_some(UICR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_only_where_config_lets_them() {
        let mut nvmc = NrfNvmc::<0x400>::new(1);
        assert_eq!(nvmc.program(0x3f800, Size::Word, u32::MAX, 5), None);
        assert_eq!(nvmc.write(CONFIG, WRITE, 0), Ok(()));
        assert_eq!(nvmc.program(0x3f800, Size::Word, u32::MAX, 5), Some(5));
        assert_eq!(nvmc.program(0x3f800, Size::Word, 5, 6), Some(4), "bits are only cleared");
        assert_eq!(nvmc.program(0x3f800, Size::Half, u32::MAX, 5), None);
        assert_eq!(nvmc.read(READY, 0), Ok(1));
    }

    #[test]
    fn pages_are_erased_only_where_config_lets_them() {
        let mut nvmc = NrfNvmc::<0x1000>::new(1);
        assert_eq!(nvmc.write(ERASE_PAGE, 0x7f004, 0), Ok(()));
        assert_eq!(nvmc.take_erased(), None);
        assert_eq!(nvmc.write(CONFIG, ERASE, 0), Ok(()));
        assert_eq!(nvmc.write(ERASE_PAGE, 0x7f004, 0), Ok(()));
        assert_eq!(nvmc.take_erased(), Some((0x7f000, 0x1000)));
        assert_eq!(nvmc.take_erased(), None);
        assert_eq!(nvmc.write(ERASE_UICR, 1, 0), Ok(()));
        assert_eq!(nvmc.take_erased(), Some(UICR));
        assert_eq!(nvmc.write(ERASE_ALL, 1, 0), Ok(()));
        assert_eq!(nvmc.take_erased(), Some((0, CODE_END)));
        assert_eq!(nvmc.take_erased(), Some(UICR));
        assert_eq!(nvmc.take_erased(), None);
    }
}
