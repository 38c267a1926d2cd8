//! EFM32 GPIO of series 1 (EFM32 Pearl Gecko Reference Manual, 31): a port of 16 pins with four
//! mode bits each, and the external interrupts.

use super::Device;
use super::pins::Driven;
use crate::processor::bus::BusError;

const CONTROL: u32 = 0x00;
const MODES: u32 = 0x04;
const OUT: u32 = 0x0c;
const TOGGLE: u32 = 0x18;
const IN: u32 = 0x1c;
const LOCK: u32 = 0x20;

/// A port.
#[derive(Clone, Debug)]
pub struct Efm32Gpio {
    driven: Driven,
    control: u32,
    modes: [u32; 2],
    out: u32,
    lock: u32,
}

impl Efm32Gpio {
    /// A port after power-on: disabled.
    pub fn new(_clock_hz: u64) -> Self {
        let driven = Driven::default();
        Self { driven, control: 0x50_0050, modes: [0; 2], out: 0, lock: 0xffff }
    }

    fn levels(&self) -> u32 {
        let mut levels = 0;
        for pin in 0..16 {
            let mode = self.modes[pin / 8] >> (pin % 8 * 4) & 0xf;
            let out = self.out >> pin & 1;
            let outside = |pulled: u32| self.driven.over(pulled << pin) >> pin & 1;
            let level = match mode {
                0 => 0,                          // disabled
                1 => outside(0),                 // input
                2 | 3 => outside(out),           // pulled to DOUT
                6 | 7 if out == 0 => outside(0), // wired or
                8.. if out != 0 => outside(1),   // wired and, with or without a pull-up
                _ => out,
            };
            levels |= level << pin;
        }
        levels
    }
}

impl Device for Efm32Gpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            CONTROL => self.control,
            MODES | 0x08 => self.modes[((offset - MODES) / 4) as usize],
            OUT => self.out,
            IN => self.levels(),
            LOCK => self.lock,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            CONTROL => self.control = value,
            MODES | 0x08 => self.modes[((offset - MODES) / 4) as usize] = value,
            OUT => self.out = value & 0xffff,
            TOGGLE => self.out ^= value & 0xffff,
            LOCK => self.lock &= value,
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

/// Ports A to F.
const PORTS: usize = 6;

/// The external interrupts: registers from 0x400 of the page on. Outputs: lines of even numbers,
/// and of odd ones.
#[derive(Clone, Debug)]
pub struct Efm32Exti {
    /// Port of lines 0 to 7, of 8 to 15; pin in the line's group of four, the same.
    select: [u32; 4],
    rising: u32,
    falling: u32,
    flags: u32,
    enabled: u32,
    levels: [u32; PORTS],
    /// The others, up to 0x54.
    held: [u32; 24],
}

impl Efm32Exti {
    /// After power-on: each line watches the pin of its number.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            select: [0, 0, 0x3210_3210, 0x3210_3210],
            rising: 0,
            falling: 0,
            flags: 0,
            enabled: 0,
            levels: [0; PORTS],
            held: [0; 24],
        }
    }

    /// The port and the pin that a line watches.
    fn source(&self, line: u32) -> (u32, u32) {
        let (word, shift) = ((line / 8) as usize, line % 8 * 4);
        let port = self.select[word] >> shift & 0xf;
        (port, line / 4 * 4 + (self.select[2 + word] >> shift & 3))
    }
}

impl Device for Efm32Exti {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            0x00..0x10 => self.select[(offset / 4) as usize],
            0x10 => self.rising,
            0x14 => self.falling,
            0x1c => self.flags,
            0x28 => self.enabled,
            _ => self.held.get((offset / 4) as usize).copied().unwrap_or(0),
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00..0x10 => self.select[(offset / 4) as usize] = value,
            0x10 => self.rising = value & 0xffff,
            0x14 => self.falling = value & 0xffff,
            0x1c => {}
            0x20 => self.flags |= value & 0xffff,
            0x24 => self.flags &= !value,
            0x28 => self.enabled = value & 0xffff,
            _ => {
                if let Some(word) = self.held.get_mut((offset / 4) as usize) {
                    *word = value;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { levels: self.levels, ..Self::new(0) };
    }

    fn outputs(&self) -> u32 {
        let active = self.flags & self.enabled;
        u32::from(active & 0x5555 != 0) | u32::from(active & 0xaaaa != 0) << 1
    }

    fn watch_port(&mut self, port: u8, levels: u32) {
        let Some(known) = self.levels.get_mut(usize::from(port)) else { return };
        let changed = std::mem::replace(known, levels) ^ levels;
        for line in 0..16 {
            let (from, pin) = self.source(line);
            if from != u32::from(port) || changed >> pin & 1 == 0 {
                continue;
            }
            let edges = if levels >> pin & 1 != 0 { self.rising } else { self.falling };
            self.flags |= edges & 1 << line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_driven_and_flipped() {
        let mut port = Efm32Gpio::new(1);
        for (offset, value) in [(MODES, 0x44), (OUT, 1), (TOGGLE, 3)] {
            assert_eq!(port.write(offset, value, 0), Ok(()));
        }
        assert_eq!((port.pin_levels(), port.read(OUT, 0)), (2, Ok(2)));
    }

    #[test]
    fn inputs_follow_their_driver_or_their_pull() {
        let mut port = Efm32Gpio::new(1);
        for (offset, value) in [(MODES, 0x8_1222), (OUT, 0b1_0001)] {
            assert_eq!(port.write(offset, value, 0), Ok(()));
        }
        assert_eq!(port.read(IN, 0), Ok(0b1_0001));
        port.drive_pin(0, false);
        port.drive_pin(3, true);
        port.drive_pin(4, false);
        assert_eq!(port.pin_levels(), 0b0_1000);
    }

    #[test]
    fn a_line_watches_the_chosen_pin() {
        let mut exti = Efm32Exti::new(1);
        // Line 5: port B, pin 6 (the second of its four), rising.
        for (offset, value) in [(0x00, 1 << 20), (0x08, 2 << 20), (0x10, 1 << 5), (0x28, 1 << 5)] {
            assert_eq!(exti.write(offset, value, 0), Ok(()));
        }
        exti.watch_port(0, 1 << 6);
        assert_eq!(exti.outputs(), 0);
        exti.watch_port(1, 1 << 6);
        assert_eq!((exti.outputs(), exti.read(0x1c, 0)), (2, Ok(1 << 5)));
        assert_eq!(exti.write(0x24, 1 << 5, 0), Ok(()));
        exti.watch_port(1, 0);
        assert_eq!(exti.outputs(), 0);
    }
}
