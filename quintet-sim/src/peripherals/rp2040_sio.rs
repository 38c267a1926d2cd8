//! RP2040 single-cycle I/O (RP2040 Datasheet, 2.3.1) as core 0 sees it: pins, divider, spinlocks.
//!
//! The second core is not modelled: its end of the FIFO takes everything and says nothing. The
//! register that is only written says how many words it took, so that tools can tell. A pin's pull
//! resistors are the pads' and have no effect. The interpolators only remember.

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

/// GPIO 0 to 29.
const PINS: u32 = 0x3fff_ffff;

const IN: u32 = 0x004;
const HIGH_IN: u32 = 0x008;
const OUT: u32 = 0x010;
const ENABLE: u32 = 0x020;
const HIGH_OUT: u32 = 0x030;
const HIGH_ENABLE: u32 = 0x040;
const FIFO_STATUS: u32 = 0x050;
/// FIFO_WR: words to the second core.
const FIFO_WRITE: u32 = 0x054;
const SPINLOCKS: u32 = 0x05c;
const UNSIGNED_DIVIDEND: u32 = 0x060;
const UNSIGNED_DIVISOR: u32 = 0x064;
const SIGNED_DIVIDEND: u32 = 0x068;
const SIGNED_DIVISOR: u32 = 0x06c;
const QUOTIENT: u32 = 0x070;
const REMAINDER: u32 = 0x074;
const DIVIDER_STATUS: u32 = 0x078;
const INTERPOLATORS: u32 = 0x080;
const SPINLOCK: u32 = 0x100;

/// FIFO_ST: there is always room.
const FIFO_READY: u32 = 2;
/// DIV_CSR: a result is there; the registers were written since the quotient was read.
const DIVIDER_READY: u32 = 1;
const DIVIDER_DIRTY: u32 = 2;

/// The device.
#[derive(Clone, Debug)]
pub struct Rp2040Sio {
    driven: Driven,
    out: u32,
    enable: u32,
    high_out: u32,
    high_enable: u32,
    dividend: u32,
    divisor: u32,
    quotient: u32,
    remainder: u32,
    dirty: bool,
    locks: u32,
    sent: u32,
    interpolators: [u32; 32],
}

/// Writes one of four registers in a row: the value itself, or the set, clear and flip of its bits.
fn change(word: &mut u32, operation: u32, value: u32) {
    *word = match operation / 4 {
        0 => value,
        1 => *word | value,
        2 => *word & !value,
        _ => *word ^ value,
    };
}

impl Rp2040Sio {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            driven: Driven::default(),
            out: 0,
            enable: 0,
            high_out: 0,
            high_enable: 0,
            dividend: 0,
            divisor: 0,
            quotient: 0,
            remainder: 0,
            dirty: false,
            locks: 0,
            sent: 0,
            interpolators: [0; 32],
        }
    }

    fn levels(&self) -> u32 {
        (self.out & self.enable | self.driven.over(0) & !self.enable) & PINS
    }

    /// Divides; by zero as the hardware does (2.3.1.5).
    fn divide(&mut self, signed: bool) {
        let (dividend, divisor) = (self.dividend, self.divisor);
        (self.quotient, self.remainder) = match (signed, divisor) {
            (false, 0) => (u32::MAX, dividend),
            (false, _) => (dividend / divisor, dividend % divisor),
            (true, 0) => (if (dividend as i32) < 0 { 1 } else { u32::MAX }, dividend),
            (true, _) => {
                let (over, under) = (dividend as i32, divisor as i32);
                (over.wrapping_div(under) as u32, over.wrapping_rem(under) as u32)
            }
        };
        self.dirty = true;
    }
}

impl Device for Rp2040Sio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            IN => self.levels(),
            // The pins of the flash: its select is high.
            HIGH_IN => 2,
            OUT => self.out,
            ENABLE => self.enable,
            HIGH_OUT => self.high_out,
            HIGH_ENABLE => self.high_enable,
            FIFO_STATUS => FIFO_READY,
            FIFO_WRITE => self.sent,
            SPINLOCKS => self.locks,
            UNSIGNED_DIVIDEND | SIGNED_DIVIDEND => self.dividend,
            UNSIGNED_DIVISOR | SIGNED_DIVISOR => self.divisor,
            QUOTIENT => {
                self.dirty = false;
                self.quotient
            }
            REMAINDER => self.remainder,
            DIVIDER_STATUS => DIVIDER_READY | if self.dirty { DIVIDER_DIRTY } else { 0 },
            INTERPOLATORS..SPINLOCK => self.interpolators[((offset - INTERPOLATORS) / 4) as usize],
            SPINLOCK..0x180 => {
                let lock = 1 << ((offset - SPINLOCK) / 4);
                let free = self.locks & lock == 0;
                self.locks |= lock;
                if free { lock } else { 0 }
            }
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            OUT..ENABLE => change(&mut self.out, offset - OUT, value & PINS),
            ENABLE..HIGH_OUT => change(&mut self.enable, offset - ENABLE, value & PINS),
            HIGH_OUT..HIGH_ENABLE => change(&mut self.high_out, offset - HIGH_OUT, value & 0x3f),
            HIGH_ENABLE..FIFO_STATUS => {
                change(&mut self.high_enable, offset - HIGH_ENABLE, value & 0x3f);
            }
            FIFO_WRITE => self.sent = self.sent.saturating_add(1),
            UNSIGNED_DIVIDEND | SIGNED_DIVIDEND => {
                self.dividend = value;
                self.divide(offset == SIGNED_DIVIDEND);
            }
            UNSIGNED_DIVISOR | SIGNED_DIVISOR => {
                self.divisor = value;
                self.divide(offset == SIGNED_DIVISOR);
            }
            QUOTIENT => (self.quotient, self.dirty) = (value, true),
            REMAINDER => (self.remainder, self.dirty) = (value, true),
            INTERPOLATORS..SPINLOCK => {
                self.interpolators[((offset - INTERPOLATORS) / 4) as usize] = value;
            }
            SPINLOCK..0x180 => self.locks &= !(1 << ((offset - SPINLOCK) / 4)),
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

    fn sio(writes: &[(u32, u32)]) -> Rp2040Sio {
        let mut sio = Rp2040Sio::new(1);
        for (offset, value) in writes {
            assert_eq!(sio.write(*offset, *value, 0), Ok(()));
        }
        sio
    }

    #[test]
    fn pins_are_set_cleared_and_flipped() {
        let mut sio = sio(&[(ENABLE + 4, 1 << 25 | 1), (OUT + 4, 1 << 25 | 2), (OUT + 12, 1)]);
        assert_eq!((sio.pin_levels(), sio.read(OUT, 0)), (1 << 25 | 1, Ok(1 << 25 | 3)));
        assert_eq!(sio.write(OUT + 8, 1 << 25, 0), Ok(()));
        sio.drive_pin(1, true);
        assert_eq!(sio.read(IN, 0), Ok(3));
    }

    #[test]
    fn divides_with_and_without_sign_and_by_zero() {
        let cases = [
            (UNSIGNED_DIVIDEND, 100, 7, 14, 2),
            (SIGNED_DIVIDEND, -100_i32 as u32, 7, -14_i32 as u32, -2_i32 as u32),
            (UNSIGNED_DIVIDEND, 5, 0, u32::MAX, 5),
            (SIGNED_DIVIDEND, -5_i32 as u32, 0, 1, -5_i32 as u32),
            (SIGNED_DIVIDEND, 0x8000_0000, u32::MAX, 0x8000_0000, 0),
        ];
        for (offset, dividend, divisor, quotient, remainder) in cases {
            let mut sio = sio(&[(offset, dividend), (offset + 4, divisor)]);
            assert_eq!(sio.read(DIVIDER_STATUS, 0), Ok(3));
            assert_eq!(
                (sio.read(REMAINDER, 0), sio.read(QUOTIENT, 0)),
                (Ok(remainder), Ok(quotient))
            );
            assert_eq!(sio.read(DIVIDER_STATUS, 0), Ok(1));
        }
    }

    #[test]
    fn the_second_core_takes_words_and_says_nothing() {
        let mut sio = sio(&[(FIFO_WRITE, 0), (FIFO_WRITE, 1)]);
        assert_eq!((sio.read(FIFO_STATUS, 0), sio.read(FIFO_WRITE, 0)), (Ok(FIFO_READY), Ok(2)));
    }

    #[test]
    fn a_spinlock_is_taken_once() {
        let mut sio = sio(&[]);
        let lock = SPINLOCK + 4 * 31;
        assert_eq!((sio.read(lock, 0), sio.read(lock, 0)), (Ok(1 << 31), Ok(0)));
        assert_eq!(sio.read(SPINLOCKS, 0), Ok(1 << 31));
        assert_eq!(sio.write(lock, 1, 0), Ok(()));
        assert_eq!(sio.read(lock, 0), Ok(1 << 31));
    }
}
