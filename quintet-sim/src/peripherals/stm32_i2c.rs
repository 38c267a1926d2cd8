//! STM32 I2C of the first generation (RM0008, 26; RM0390, 24), with nothing on the bus: a start is
//! sent, and no device acknowledges the address behind it.
//!
//! So each transfer ends with the error AF, as on a board whose sensor is not soldered. Being a
//! slave, SMBus and DMA have no effect, as nobody calls.

use super::Device;
use crate::processor::bus::BusError;

const CONTROL_1: u32 = 0x00;
const CONTROL_2: u32 = 0x04;
const DATA: u32 = 0x10;
const STATUS_1: u32 = 0x14;
const STATUS_2: u32 = 0x18;
const CLOCK: u32 = 0x1c;
const WORDS: usize = 10;

/// CR1: on; a start and a stop, which the hardware clears; everything is reset.
const ENABLE: u32 = 1;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const RESET: u32 = 1 << 15;
/// CR2: interrupts.
const ERROR_INTERRUPT: u32 = 1 << 8;
const EVENT_INTERRUPT: u32 = 1 << 9;
/// SR1: a start was sent; nobody has acknowledged; errors, which a written 0 clears.
const STARTED: u32 = 1;
const NOT_ACKNOWLEDGED: u32 = 1 << 10;
const ERRORS: u32 = 0xdf00;
/// SR2: master, and the bus is taken; sends.
const MASTER: u32 = 3;
const SENDS: u32 = 4;

/// The device. Interrupt outputs: events, errors.
#[derive(Clone, Debug)]
pub struct Stm32I2c {
    words: [u32; WORDS],
    status: u32,
    master: u32,
    /// When the ninth bit of an address is over, which nobody acknowledges.
    answer: Option<u64>,
}

impl Stm32I2c {
    /// After power-on: off.
    pub fn new(_clock_hz: u64) -> Self {
        let mut words = [0; WORDS];
        // TRISE.
        words[8] = 2;
        Self { words, status: 0, master: 0, answer: None }
    }

    fn control(&mut self, value: u32) {
        if value & RESET != 0 {
            *self = Self::new(0);
        }
        self.words[0] = value & !(START | STOP);
        if value & ENABLE == 0 {
            (self.status, self.master, self.answer) = (0, 0, None);
            return;
        }
        if value & STOP != 0 {
            (self.master, self.answer) = (0, None);
            self.status &= ERRORS;
        }
        if value & START != 0 {
            (self.master, self.answer) = (MASTER, None);
            self.status |= STARTED;
        }
    }

    /// The cycles of a byte and its acknowledgement.
    fn byte_cycles(&self) -> u64 {
        let clock = self.words[(CLOCK / 4) as usize];
        let periods = if clock & 0x8000 == 0 { 2 } else { 3 };
        9 * periods * u64::from(clock & 0xfff).max(4)
    }
}

impl Device for Stm32I2c {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            STATUS_1 => self.status,
            STATUS_2 => self.master,
            _ => self.words.get((offset / 4) as usize).copied().unwrap_or(0),
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            CONTROL_1 => self.control(value & 0xbffb),
            STATUS_1 => self.status &= value | !ERRORS,
            // The byte behind a start is an address, with the direction in its lowest bit.
            DATA if self.status & STARTED != 0 => {
                self.status &= !STARTED;
                self.master = MASTER | if value & 1 == 0 { SENDS } else { 0 };
                self.answer = Some(cycle.saturating_add(self.byte_cycles()));
            }
            STATUS_2 | DATA => {}
            _ => {
                if let Some(word) = self.words.get_mut((offset / 4) as usize) {
                    *word = value & 0xffff;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        if self.answer.is_some_and(|answer| answer <= cycle) {
            self.answer = None;
            self.status |= NOT_ACKNOWLEDGED;
        }
    }

    fn next_event(&self) -> u64 {
        self.answer.unwrap_or(u64::MAX)
    }

    fn outputs(&self) -> u32 {
        let control = self.words[(CONTROL_2 / 4) as usize];
        let event = self.status & STARTED != 0 && control & EVENT_INTERRUPT != 0;
        let error = self.status & ERRORS != 0 && control & ERROR_INTERRUPT != 0;
        u32::from(event) | u32::from(error) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(interrupts: u32) -> Stm32I2c {
        let mut i2c = Stm32I2c::new(1);
        let writes = [(CONTROL_2, 8 | interrupts), (CLOCK, 40), (CONTROL_1, ENABLE | START)];
        for (offset, value) in writes {
            assert_eq!(i2c.write(offset, value, 0), Ok(()));
        }
        i2c
    }

    #[test]
    fn an_address_is_not_acknowledged() {
        let mut i2c = started(EVENT_INTERRUPT | ERROR_INTERRUPT);
        assert_eq!((i2c.read(STATUS_1, 0), i2c.read(STATUS_2, 0)), (Ok(STARTED), Ok(MASTER)));
        assert_eq!((i2c.read(CONTROL_1, 0), i2c.outputs()), (Ok(ENABLE), 1));
        assert_eq!(i2c.write(DATA, 0x78, 100), Ok(()));
        assert_eq!((i2c.outputs(), i2c.next_event()), (0, 100 + 9 * 80));
        i2c.advance(819);
        assert_eq!((i2c.read(STATUS_1, 819), i2c.read(STATUS_2, 819)), (Ok(0), Ok(7)));
        i2c.advance(820);
        assert_eq!((i2c.read(STATUS_1, 820), i2c.outputs()), (Ok(NOT_ACKNOWLEDGED), 2));
        assert_eq!(i2c.write(CONTROL_1, ENABLE | STOP, 830), Ok(()));
        assert_eq!(i2c.read(STATUS_2, 830), Ok(0), "the bus is free");
        assert_eq!(i2c.write(STATUS_1, !NOT_ACKNOWLEDGED, 840), Ok(()));
        assert_eq!((i2c.read(STATUS_1, 840), i2c.outputs()), (Ok(0), 0));
    }

    #[test]
    fn a_start_needs_the_device_to_be_on_and_a_reset_ends_it() {
        let mut i2c = Stm32I2c::new(1);
        assert_eq!(i2c.write(CONTROL_1, START, 0), Ok(()));
        assert_eq!(i2c.read(STATUS_1, 0), Ok(0));
        let mut i2c = started(EVENT_INTERRUPT);
        assert_eq!(i2c.write(CONTROL_1, RESET, 0), Ok(()));
        assert_eq!((i2c.read(STATUS_1, 0), i2c.read(CLOCK, 0)), (Ok(0), Ok(0)));
        assert_eq!((i2c.read(0x20, 0), i2c.outputs()), (Ok(2), 0));
    }
}
