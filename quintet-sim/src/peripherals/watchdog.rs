//! The watchdog of the Stellaris parts and of CMSDK (both an SP805): the first expiry interrupts,
//! the second resets.

use super::down_counter::DownCounter;
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 8] = [0x05, 0x18, 0x18, 0x01, 0x0d, 0xf0, 0x05, 0xb1];

/// The value in LOCK that makes the other registers writable.
const UNLOCK: u32 = 0x1acc_e551;

mod control {
    pub const INTERRUPT: u32 = 1;
    pub const RESET: u32 = 2;
}

/// The watchdog. Interrupt output: first expiry.
#[derive(Clone, Debug)]
pub struct Watchdog {
    counter: DownCounter,
    load: u32,
    control: u32,
    pending: bool,
    locked: bool,
    expired: bool,
}

impl Watchdog {
    /// A watchdog after power-on: not running.
    pub fn new(_clock_hz: u64) -> Self {
        let mut counter = DownCounter::new(u64::from(u32::MAX));
        counter.set_reload(Some(u64::from(u32::MAX)), 0);
        Self { counter, load: u32::MAX, control: 0, pending: false, locked: false, expired: false }
    }
}

impl Device for Watchdog {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x000 => self.load,
            0x004 => self.counter.value(cycle) as u32,
            0x008 => self.control,
            0x010 => u32::from(self.pending),
            0x014 => self.outputs(),
            0xc00 => u32::from(self.locked),
            _ => identification(&IDENTIFICATION, 0xfe0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            0xc00 => self.locked = value != UNLOCK,
            _ if self.locked => {}
            0x000 => {
                self.load = value;
                self.counter.set_reload(Some(u64::from(value)), cycle);
                self.counter.set_value(u64::from(value), cycle);
            }
            0x008 => {
                self.control = value & 3;
                self.counter.run(self.control & control::INTERRUPT != 0, cycle);
            }
            0x00c => {
                self.pending = false;
                self.counter.set_value(u64::from(self.load), cycle);
            }
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        // Two expiries within one step count as two, so time goes from one to the next.
        while self.counter.next_zero() <= cycle {
            self.counter.advance(self.counter.next_zero());
            if self.pending {
                self.expired |= self.control & control::RESET != 0;
                self.counter.advance(cycle);
            }
            self.pending = true;
        }
    }

    fn next_event(&self) -> u64 {
        let awaited = !self.pending || self.control & control::RESET != 0;
        if awaited { self.counter.next_zero() } else { u64::MAX }
    }

    fn outputs(&self) -> u32 {
        u32::from(self.pending && self.control & control::INTERRUPT != 0)
    }

    fn requests_reset(&self) -> bool {
        self.expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(control: u32) -> Watchdog {
        let mut watchdog = Watchdog::new(1);
        assert_eq!(watchdog.write(0, 100, 0), Ok(()));
        assert_eq!(watchdog.write(8, control, 0), Ok(()));
        watchdog
    }

    #[test]
    fn interrupts_then_resets() {
        let mut watchdog = started(control::INTERRUPT | control::RESET);
        watchdog.advance(100);
        assert_eq!((watchdog.outputs(), watchdog.requests_reset()), (1, false));
        watchdog.advance(201);
        assert!(watchdog.requests_reset());
    }

    #[test]
    fn a_long_step_counts_both_expiries() {
        let mut watchdog = started(control::INTERRUPT | control::RESET);
        watchdog.advance(1000);
        assert!(watchdog.requests_reset());
    }

    #[test]
    fn feeding_it_starts_it_again() {
        let mut watchdog = started(control::INTERRUPT | control::RESET);
        for cycle in (90..2000).step_by(90) {
            watchdog.advance(cycle);
            assert_eq!(watchdog.write(0xc, 1, cycle), Ok(()));
        }
        assert_eq!((watchdog.outputs(), watchdog.requests_reset()), (0, false));
    }

    #[test]
    fn locked_registers_keep_their_values() {
        let mut watchdog = started(control::INTERRUPT);
        assert_eq!(watchdog.write(0xc00, 1, 0), Ok(()));
        assert_eq!(watchdog.write(0, 5, 0), Ok(()));
        assert_eq!((watchdog.read(0, 0), watchdog.read(0xc00, 0)), (Ok(100), Ok(1)));
        assert_eq!(watchdog.write(0xc00, UNLOCK, 0), Ok(()));
        assert_eq!(watchdog.write(0, 5, 0), Ok(()));
        assert_eq!(watchdog.read(0, 0), Ok(5));
    }
}
