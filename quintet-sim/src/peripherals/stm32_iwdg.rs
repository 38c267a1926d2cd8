//! STM32 independent watchdog (RM0041, 20): once started, the watchdog resets the machine unless
//! the program feeds it in time.

use super::Device;
use super::down_counter::DownCounter;
use crate::processor::bus::BusError;

/// The low-speed internal oscillator, which is the watchdog's clock.
const OSCILLATOR_HZ: u64 = 40_000;

mod key {
    pub const UNLOCK: u32 = 0x5555;
    pub const RELOAD: u32 = 0xaaaa;
    pub const START: u32 = 0xcccc;
}

/// The watchdog.
#[derive(Clone, Debug)]
pub struct Stm32Iwdg {
    counter: DownCounter,
    oscillator_cycles: u64,
    prescaler: u32,
    reload: u32,
    unlocked: bool,
    expired: bool,
}

impl Stm32Iwdg {
    /// After power-on: stopped.
    pub fn new(clock_hz: u64) -> Self {
        let oscillator_cycles = (clock_hz / OSCILLATOR_HZ).max(1);
        let mut counter = DownCounter::new(0xfff);
        counter.set_divider(oscillator_cycles << 2, 0);
        Self {
            counter,
            oscillator_cycles,
            prescaler: 0,
            reload: 0xfff,
            unlocked: false,
            expired: false,
        }
    }

    fn feed(&mut self, cycle: u64) {
        // The counter must go below zero: one tick more than its value.
        self.counter.set_value(u64::from(self.reload) + 1, cycle);
    }
}

impl Device for Stm32Iwdg {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x04 => self.prescaler,
            0x08 => self.reload,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match (offset, value & 0xffff) {
            (0x00, written) => {
                self.unlocked = written == key::UNLOCK;
                if written == key::START {
                    self.feed(cycle);
                    self.counter.run(true, cycle);
                } else if written == key::RELOAD {
                    self.feed(cycle);
                }
            }
            (0x04, written) if self.unlocked => {
                self.prescaler = written & 7;
                let divider = self.oscillator_cycles << (self.prescaler.min(6) + 2);
                self.counter.set_divider(divider, cycle);
            }
            (0x08, written) if self.unlocked => self.reload = written & 0xfff,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(self.oscillator_cycles * OSCILLATOR_HZ);
    }

    fn advance(&mut self, cycle: u64) {
        self.expired |= self.counter.advance(cycle);
    }

    fn next_event(&self) -> u64 {
        self.counter.next_zero()
    }

    fn requests_reset(&self) -> bool {
        self.expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Stm32Iwdg {
        let mut watchdog = Stm32Iwdg::new(4_000_000);
        for (offset, value) in [(0, key::UNLOCK), (4, 1), (8, 9), (0, key::START)] {
            assert_eq!(watchdog.write(offset, value, 0), Ok(()));
        }
        watchdog
    }

    #[test]
    fn an_unfed_watchdog_resets() {
        let mut watchdog = started();
        // 100 cycles a period of the oscillator, divided by 8, ten ticks.
        assert_eq!(watchdog.next_event(), 8_000);
        watchdog.advance(7_999);
        assert!(!watchdog.requests_reset());
        watchdog.advance(8_000);
        assert!(watchdog.requests_reset());
    }

    #[test]
    fn a_fed_one_does_not() {
        let mut watchdog = started();
        for cycle in (0..50_000).step_by(7_000) {
            watchdog.advance(cycle);
            assert_eq!(watchdog.write(0, key::RELOAD, cycle), Ok(()));
        }
        assert!(!watchdog.requests_reset());
    }
}
