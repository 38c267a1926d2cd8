//! RP2040 I2C, a DW_apb_i2c (RP2040 Datasheet, 4.3), with nothing on the bus: what is sent goes as
//! far as the address, which no device acknowledges.
//!
//! So each transfer ends with an abort, as on a board without the sensor. As nobody calls, being
//! called by others has no effect.

use super::Device;
use crate::processor::bus::BusError;

const COMMAND: u32 = 0x10;
const FAST_HIGH: u32 = 0x1c;
const FAST_LOW: u32 = 0x20;
const PENDING: u32 = 0x2c;
const MASK: u32 = 0x30;
const RAW: u32 = 0x34;
const CLEAR_ALL: u32 = 0x40;
const CLEAR_ABORT: u32 = 0x54;
const CLEAR_ACTIVITY: u32 = 0x5c;
const CLEAR_STOP: u32 = 0x60;
const CLEAR_START: u32 = 0x64;
const ENABLE: u32 = 0x6c;
const STATUS: u32 = 0x70;
const ABORT_SOURCE: u32 = 0x80;
const ENABLE_STATUS: u32 = 0x9c;
const WORDS: usize = 0x40;

/// Interrupts: there is room to send; an abort; the device has been at work; a stop, a start.
const EMPTY: u32 = 1 << 4;
const ABORT: u32 = 1 << 6;
const ACTIVITY: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const START: u32 = 1 << 10;
/// IC_STATUS: the queue of what is sent is empty, and not full; at work.
const QUEUE: u32 = 6;
const BUSY: u32 = 0x21;
/// IC_TX_ABRT_SOURCE: the address was not acknowledged.
const NO_ACKNOWLEDGE: u32 = 1;

/// The registers after a reset that are not 0.
const RESET: [(u32, u32); 8] = [
    (0x00, 0x65),
    (0x04, 0x55),
    (0x08, 0x55),
    (0x14, 0x28),
    (0x18, 0x2f),
    (FAST_HIGH, 6),
    (FAST_LOW, 0xd),
    (MASK, 0x8ff),
];

/// The device. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Rp2040I2c {
    words: [u32; WORDS],
    raw: u32,
    source: u32,
    /// When the ninth bit of the address is over.
    answer: Option<u64>,
}

impl Rp2040I2c {
    /// After power-on: off.
    pub fn new(_clock_hz: u64) -> Self {
        let mut words = [0; WORDS];
        for (offset, value) in RESET {
            words[(offset / 4) as usize] = value;
        }
        Self { words, raw: 0, source: 0, answer: None }
    }

    fn word(&self, offset: u32) -> u32 {
        self.words.get((offset / 4) as usize).copied().unwrap_or(0)
    }

    fn is_on(&self) -> bool {
        self.word(ENABLE) & 1 != 0
    }

    fn raw(&self) -> u32 {
        self.raw | if self.is_on() && self.answer.is_none() { EMPTY } else { 0 }
    }

    /// The cycles of a byte and its acknowledgement.
    fn byte_cycles(&self) -> u64 {
        9 * (u64::from(self.word(FAST_HIGH)) + u64::from(self.word(FAST_LOW))).max(12)
    }

    /// Reading one of the registers that clear.
    fn clear(&mut self, offset: u32) {
        self.raw &= match offset {
            CLEAR_ALL => 0,
            CLEAR_ABORT => !ABORT,
            CLEAR_ACTIVITY => !ACTIVITY,
            CLEAR_STOP => !STOP,
            CLEAR_START => !START,
            _ => return,
        };
        if self.raw & ABORT == 0 {
            self.source = 0;
        }
    }
}

impl Device for Rp2040I2c {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            PENDING => self.raw() & self.word(MASK),
            RAW => self.raw(),
            STATUS => QUEUE | if self.answer.is_some() { BUSY } else { 0 },
            ABORT_SOURCE => self.source,
            ENABLE_STATUS => self.word(ENABLE) & 1,
            CLEAR_ALL..ENABLE => {
                self.clear(offset);
                0
            }
            // Nothing is received.
            COMMAND | 0x74 | 0x78 => 0,
            _ => self.word(offset),
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            // Behind an abort, what is sent is lost until the program has seen it.
            COMMAND if self.is_on() && self.raw & ABORT == 0 => {
                self.raw |= START | ACTIVITY;
                self.answer = self.answer.or(Some(cycle.saturating_add(self.byte_cycles())));
            }
            ENABLE => {
                self.words[(ENABLE / 4) as usize] = value & 1;
                if value & 1 == 0 {
                    (self.raw, self.answer) = (0, None);
                }
            }
            COMMAND | PENDING | RAW | CLEAR_ALL..ENABLE | STATUS..=ABORT_SOURCE => {}
            _ => {
                if let Some(word) = self.words.get_mut((offset / 4) as usize) {
                    *word = value;
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
            self.raw |= ABORT | STOP;
            self.source = NO_ACKNOWLEDGE;
        }
    }

    fn next_event(&self) -> u64 {
        self.answer.unwrap_or(u64::MAX)
    }

    fn outputs(&self) -> u32 {
        u32::from(self.raw() & self.word(MASK) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_ends_with_an_abort() {
        let mut i2c = Rp2040I2c::new(1);
        assert_eq!(i2c.read(RAW, 0), Ok(0), "off");
        let writes = [(FAST_HIGH, 40), (FAST_LOW, 60), (MASK, ABORT), (ENABLE, 1)];
        for (offset, value) in writes {
            assert_eq!(i2c.write(offset, value, 0), Ok(()));
        }
        assert_eq!((i2c.read(RAW, 0), i2c.read(ENABLE_STATUS, 0)), (Ok(EMPTY), Ok(1)));
        assert_eq!(i2c.write(COMMAND, 0x55, 100), Ok(()));
        assert_eq!(i2c.write(COMMAND, 0x355, 110), Ok(()));
        assert_eq!((i2c.next_event(), i2c.read(STATUS, 110)), (1_000, Ok(QUEUE | BUSY)));
        i2c.advance(999);
        assert_eq!(i2c.outputs(), 0);
        i2c.advance(1_000);
        assert_eq!((i2c.outputs(), i2c.read(PENDING, 1_000)), (1, Ok(ABORT)));
        assert_eq!(i2c.read(ABORT_SOURCE, 1_000), Ok(NO_ACKNOWLEDGE));
        assert_eq!(i2c.write(COMMAND, 0x56, 1_010), Ok(()));
        assert_eq!(i2c.next_event(), u64::MAX, "lost");
        assert_eq!(i2c.read(CLEAR_ABORT, 1_020), Ok(0));
        assert_eq!((i2c.outputs(), i2c.read(ABORT_SOURCE, 1_020)), (0, Ok(0)));
        assert_eq!(i2c.read(RAW, 1_020), Ok(EMPTY | ACTIVITY | STOP | START));
        assert_eq!(i2c.read(CLEAR_ALL, 1_030), Ok(0));
        assert_eq!(i2c.read(RAW, 1_030), Ok(EMPTY));
    }
}
