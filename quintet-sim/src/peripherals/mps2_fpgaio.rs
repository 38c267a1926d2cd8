//! MPS2's FPGA I/O (DAI 0385, 4.2): two LEDs, two buttons, counters.
//!
//! As a port, the device has the LEDs as pins 0 and 1, and the buttons as pins 2 and 3 (1 when
//! pressed).

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

const LEDS: u32 = 0b11;

/// A counter that counts every so many cycles and can be set.
#[derive(Clone, Copy, Debug)]
struct Counter {
    value: u32,
    since: u64,
    period: u64,
}

impl Counter {
    fn new(period: u64) -> Self {
        Self { value: 0, since: 0, period: period.max(1) }
    }

    fn read(&self, cycle: u64) -> u32 {
        let counts = cycle.saturating_sub(self.since) / self.period;
        self.value.wrapping_add(counts as u32)
    }

    fn set(&mut self, value: u32, cycle: u64) {
        self.value = value;
        self.since = cycle;
    }
}

/// The registers.
#[derive(Clone, Debug)]
pub struct Mps2Fpgaio {
    clock_hz: u64,
    driven: Driven,
    leds: u32,
    one_hertz: Counter,
    hundred_hertz: Counter,
    cycles: Counter,
    prescale: u32,
    miscellaneous: u32,
}

impl Mps2Fpgaio {
    /// After power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            driven: Driven::default(),
            leds: 0,
            one_hertz: Counter::new(clock_hz),
            hundred_hertz: Counter::new(clock_hz / 100),
            cycles: Counter::new(1),
            prescale: 0,
            miscellaneous: 0,
        }
    }
}

impl Device for Mps2Fpgaio {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => self.leds,
            0x08 => self.pin_levels() >> 2,
            0x10 => self.one_hertz.read(cycle),
            0x14 => self.hundred_hertz.read(cycle),
            0x18 => self.cycles.read(cycle),
            0x1c => self.prescale,
            // The prescaler counts down from its value between two counts.
            0x20 => {
                let phase = cycle.saturating_sub(self.cycles.since) % self.cycles.period;
                self.prescale - phase as u32
            }
            0x4c => self.miscellaneous,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 => self.leds = value & LEDS,
            0x10 => self.one_hertz.set(value, cycle),
            0x14 => self.hundred_hertz.set(value, cycle),
            0x18 => self.cycles.set(value, cycle),
            0x1c => {
                self.cycles.set(self.cycles.read(cycle), cycle);
                self.cycles.period = u64::from(value) + 1;
                self.prescale = value;
            }
            0x4c => self.miscellaneous = value & 0x3ff,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { driven: self.driven, ..Self::new(self.clock_hz) };
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.driven.drive(pin, level);
    }

    fn pin_levels(&self) -> u32 {
        self.leds | (self.driven.over(0) & 0b1100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leds_and_buttons_are_pins() {
        let mut io = Mps2Fpgaio::new(25_000_000);
        assert_eq!(io.write(0, 0xf, 0), Ok(()));
        io.drive_pin(3, true);
        io.drive_pin(0, false);
        assert_eq!((io.pin_levels(), io.read(8, 0)), (0b1011, Ok(0b10)));
    }

    #[test]
    fn counters_follow_the_cycle() {
        let mut io = Mps2Fpgaio::new(1_000);
        assert_eq!(io.read(0x10, 2_500), Ok(2));
        assert_eq!(io.read(0x14, 2_500), Ok(250));
        assert_eq!(io.write(0x1c, 9, 100), Ok(()));
        assert_eq!((io.read(0x18, 125), io.read(0x20, 125)), (Ok(102), Ok(4)));
        assert_eq!(io.write(0x18, 0, 200), Ok(()));
        assert_eq!(io.read(0x18, 210), Ok(1));
    }
}
