//! CMSDK APB dual timer (DDI 0479, 4.2), register-compatible with the SP804: two down-counters with
//! prescalers.
//!
//! | mode of CONTROL | follows zero |
//! |---|---|
//! | one-shot | the counter stops |
//! | periodic | LOAD |
//! | free-running | the largest value of 16 or 32 bits |

use super::down_counter::DownCounter;
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 12] =
    [0x04, 0x00, 0x00, 0x00, 0x23, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

mod control {
    pub const ONE_SHOT: u32 = 1;
    pub const WIDE: u32 = 2;
    pub const INTERRUPT: u32 = 0x20;
    pub const PERIODIC: u32 = 0x40;
    pub const ENABLE: u32 = 0x80;
}

/// The pair. Interrupt outputs: either, the first, the second.
#[derive(Clone, Debug)]
pub struct CmsdkDualTimer {
    halves: [Half; 2],
}

#[derive(Clone, Debug)]
struct Half {
    counter: DownCounter,
    control: u32,
    load: u32,
    pending: bool,
}

impl Half {
    fn new() -> Self {
        Self { counter: DownCounter::new(0xffff_ffff), control: 0x20, load: 0, pending: false }
    }

    fn largest(&self) -> u32 {
        if self.control & control::WIDE != 0 { u32::MAX } else { 0xffff }
    }

    fn reload(&self) -> Option<u64> {
        if self.control & control::ONE_SHOT != 0 {
            None
        } else if self.control & control::PERIODIC != 0 {
            Some(u64::from(self.load & self.largest()))
        } else {
            Some(u64::from(self.largest()))
        }
    }

    fn read(&self, offset: u32, cycle: u64) -> u32 {
        match offset {
            0x00 | 0x18 => self.load,
            0x04 => self.counter.value(cycle) as u32 & self.largest(),
            0x08 => self.control,
            0x10 => u32::from(self.pending),
            0x14 => u32::from(self.output()),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) {
        match offset {
            0x00 => {
                self.load = value;
                self.counter.set_value(u64::from(value & self.largest()), cycle);
                self.counter.set_reload(self.reload(), cycle);
                self.counter.run(self.control & control::ENABLE != 0, cycle);
            }
            0x08 => {
                self.control = value & 0xff;
                // The upper half of the load value is there all the time, and only hidden while
                // narrow.
                let count = self.counter.value(cycle);
                let untouched = count == u64::from(self.load & 0xffff);
                let count = if untouched { u64::from(self.load) } else { count };
                self.counter.set_value(count & u64::from(self.largest()), cycle);
                let divider = [1, 16, 256, 256][(value >> 2 & 3) as usize];
                self.counter.set_divider(divider, cycle);
                self.counter.set_reload(self.reload(), cycle);
                self.counter.run(self.control & control::ENABLE != 0, cycle);
            }
            0x0c => self.pending = false,
            0x18 => {
                self.load = value;
                self.counter.set_reload(self.reload(), cycle);
            }
            _ => {}
        }
    }

    fn output(&self) -> bool {
        self.pending && self.control & control::INTERRUPT != 0
    }

    fn next_event(&self) -> u64 {
        if self.control & control::INTERRUPT != 0 { self.counter.next_zero() } else { u64::MAX }
    }
}

impl CmsdkDualTimer {
    /// A pair after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { halves: [Half::new(), Half::new()] }
    }
}

impl Device for CmsdkDualTimer {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match self.halves.get((offset / 0x20) as usize) {
            Some(half) => half.read(offset % 0x20, cycle),
            None => identification(&IDENTIFICATION, 0xfd0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        if let Some(half) = self.halves.get_mut((offset / 0x20) as usize) {
            half.write(offset % 0x20, value, cycle);
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        for half in &mut self.halves {
            half.pending |= half.counter.advance(cycle);
        }
    }

    fn next_event(&self) -> u64 {
        self.halves[0].next_event().min(self.halves[1].next_event())
    }

    fn outputs(&self) -> u32 {
        let [first, second] = [0, 1].map(|index: usize| u32::from(self.halves[index].output()));
        (first | second) | first << 1 | second << 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(half: u32, load: u32, control: u32) -> CmsdkDualTimer {
        let mut timer = CmsdkDualTimer::new(1);
        assert_eq!(timer.write(half * 0x20, load, 0), Ok(()));
        assert_eq!(timer.write(half * 0x20 + 8, control | control::ENABLE, 0), Ok(()));
        timer
    }

    #[test]
    fn a_periodic_half_expires_again_and_again() {
        let mode = control::WIDE | control::PERIODIC | control::INTERRUPT;
        let mut timer = started(1, 99_999, mode);
        assert_eq!(timer.next_event(), 99_999);
        timer.advance(99_999);
        assert_eq!(timer.outputs(), 0b101);
        assert_eq!(timer.write(0x2c, 1, 99_999), Ok(()));
        assert_eq!(timer.outputs(), 0);
        assert_eq!(timer.next_event(), 199_999);
    }

    #[test]
    fn a_one_shot_half_expires_once() {
        let mut timer = started(0, 10, control::ONE_SHOT | control::INTERRUPT);
        timer.advance(50);
        assert_eq!((timer.outputs(), timer.next_event()), (0b11, u64::MAX));
        assert_eq!(timer.read(4, 60), Ok(0));
    }

    #[test]
    fn a_free_running_narrow_half_wraps_at_16_bits_and_divides() {
        let mut timer = started(0, 1, 0x4);
        timer.advance(16 * 3);
        assert_eq!(timer.read(4, 16 * 3), Ok(0xfffe));
        assert_eq!(timer.outputs(), 0, "its interrupt is off");
        assert_eq!(timer.read(0x10, 16 * 3), Ok(1), "but it is pending");
    }
}
