//! nRF GPIO (nRF52840 Product Specification, 6.9; nRF51 Reference Manual, 14): 32 pins, each with a
//! configuration word.
//!
//! The base is that of the block's first register, 0x500 into the page: so both ports of a chip
//! with two have the same registers. GPIOTE may take a pin over, whatever the port's registers say.

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

const OUT: u32 = 0x004;
const OUT_SET: u32 = 0x008;
const OUT_CLEAR: u32 = 0x00c;
const IN: u32 = 0x010;
const DIRECTION: u32 = 0x014;
const DIRECTION_SET: u32 = 0x018;
const DIRECTION_CLEAR: u32 = 0x01c;
const LATCH: u32 = 0x020;
const DETECT_MODE: u32 = 0x024;
const PINS: u32 = 0x200;

/// PIN_CNF after reset: an input that is not connected.
const PIN_RESET: u32 = 2;
const OUTPUT: u32 = 1;
const DISCONNECTED: u32 = 2;

/// The port.
#[derive(Clone, Debug)]
pub struct NrfGpio {
    driven: Driven,
    out: u32,
    latch: u32,
    detect_mode: u32,
    pins: [u32; 32],
    /// The pins that another device drives, and their levels.
    taken: (u32, u32),
}

impl NrfGpio {
    /// A port after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            driven: Driven::default(),
            out: 0,
            latch: 0,
            detect_mode: 0,
            pins: [PIN_RESET; 32],
            taken: (0, 0),
        }
    }

    /// Returns a bit for each pin for which `is` returns `true`.
    fn each(&self, is: impl Fn(u32) -> bool) -> u32 {
        let bits = self.pins.iter().enumerate();
        bits.fold(0, |all, (pin, word)| all | u32::from(is(*word)) << pin)
    }

    fn outputs_enabled(&self) -> u32 {
        self.each(|word| word & OUTPUT != 0)
    }

    fn levels(&self) -> u32 {
        let outputs = self.outputs_enabled();
        let pulled_up = self.each(|word| word >> 2 & 3 == 3);
        // An open drain (S0D1 and the like: the drives 6 and 7) leaves a 1 to others.
        let weak = self.each(|word| matches!(word >> 8 & 7, 6 | 7)) & self.out;
        let outside = self.driven.over(pulled_up | weak);
        let strong = outputs & !weak;
        let (taken, levels) = self.taken;
        ((self.out & strong) | (outside & !strong)) & !taken | levels & taken
    }

    fn set_direction(&mut self, outputs: u32) {
        for (pin, word) in self.pins.iter_mut().enumerate() {
            *word = (*word & !OUTPUT) | (outputs >> pin & 1);
        }
    }

    /// Returns the pins that have the level in their SENSE field.
    fn sensed(&self) -> u32 {
        let levels = self.levels();
        let high = self.each(|word| word >> 16 & 3 == 2);
        let low = self.each(|word| word >> 16 & 3 == 3);
        (high & levels) | (low & !levels)
    }

    /// Latches the pins that are sensed. While a pin is sensed, a clear has no lasting effect.
    fn sense(&mut self) {
        self.latch |= self.sensed();
    }
}

impl Device for NrfGpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            OUT | OUT_SET | OUT_CLEAR => self.out,
            IN => self.levels() & !self.each(|word| word & (DISCONNECTED | OUTPUT) == DISCONNECTED),
            DIRECTION | DIRECTION_SET | DIRECTION_CLEAR => self.outputs_enabled(),
            LATCH => self.latch,
            DETECT_MODE => self.detect_mode,
            PINS..0x280 => self.pins[((offset - PINS) / 4) as usize],
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            OUT => self.out = value,
            OUT_SET => self.out |= value,
            OUT_CLEAR => self.out &= !value,
            DIRECTION => self.set_direction(value),
            DIRECTION_SET => self.set_direction(self.outputs_enabled() | value),
            DIRECTION_CLEAR => self.set_direction(self.outputs_enabled() & !value),
            LATCH => self.latch &= !value,
            DETECT_MODE => self.detect_mode = value & 1,
            PINS..0x280 => self.pins[((offset - PINS) / 4) as usize] = value & 0x3_070f,
            _ => {}
        }
        self.sense();
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { driven: self.driven, taken: self.taken, ..Self::new(0) };
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.driven.drive(pin, level);
        self.sense();
    }

    fn take_over(&mut self, pins: u32, levels: u32) {
        self.taken = (pins, levels);
        self.sense();
    }

    fn pin_levels(&self) -> u32 {
        self.levels()
    }

    fn detects(&self) -> bool {
        if self.detect_mode == 0 { self.sensed() != 0 } else { self.latch != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(writes: &[(u32, u32)]) -> NrfGpio {
        let mut port = NrfGpio::new(1);
        for (offset, value) in writes {
            assert_eq!(port.write(*offset, *value, 0), Ok(()));
        }
        port
    }

    #[test]
    fn outputs_are_set_and_cleared() {
        let mut port = port(&[(PINS + 4 * 13, 3), (DIRECTION_SET, 1), (OUT_SET, 1 << 13 | 3)]);
        assert_eq!(port.pin_levels(), 1 << 13 | 1);
        assert_eq!(port.write(OUT_CLEAR, 1 << 13, 0), Ok(()));
        assert_eq!((port.pin_levels(), port.read(OUT, 0)), (1, Ok(3)));
        assert_eq!(port.read(DIRECTION, 0), Ok(1 << 13 | 1));
        assert_eq!(port.write(DIRECTION_CLEAR, 1, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0);
    }

    #[test]
    fn a_connected_input_is_read() {
        let mut port = port(&[(PINS, 3 << 2)]);
        assert_eq!((port.read(IN, 0), port.pin_levels()), (Ok(1), 1));
        port.drive_pin(0, false);
        port.drive_pin(1, true);
        assert_eq!((port.read(IN, 0), port.pin_levels()), (Ok(0), 2), "pin 1 is not connected");
    }

    #[test]
    fn a_sensed_level_is_detected_and_latched() {
        let mut port = port(&[(PINS, 3 << 16 | 3 << 2)]);
        assert!(!port.detects());
        port.drive_pin(0, false);
        assert!(port.detects());
        port.drive_pin(0, true);
        assert_eq!((port.detects(), port.read(LATCH, 0)), (false, Ok(1)));
        assert_eq!(port.write(LATCH, 1, 0), Ok(()));
        assert_eq!(port.read(LATCH, 0), Ok(0));
    }

    #[test]
    fn a_pin_that_another_device_drives_ignores_the_port() {
        let mut port = port(&[(DIRECTION_SET, 3), (OUT_SET, 2)]);
        port.take_over(0b11, 0b01);
        assert_eq!(port.pin_levels(), 0b01);
        assert_eq!(port.write(OUT, 0, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0b01);
        port.take_over(0, 0);
        assert_eq!(port.pin_levels(), 0);
    }

    #[test]
    fn an_open_drain_output_can_only_pull_down() {
        let mut port = port(&[(PINS, 6 << 8 | 3 << 2 | 1), (OUT_SET, 1)]);
        assert_eq!(port.pin_levels(), 1);
        port.drive_pin(0, false);
        assert_eq!(port.pin_levels(), 0);
    }
}
