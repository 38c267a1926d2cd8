//! Stellaris GPIO: a PL061 (DDI 0190) of 8 pins with pad controls. The data register's address
//! selects the bits.

use super::pins::Driven;
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 8] = [0x61, 0x00, 0x18, 0x01, 0x0d, 0xf0, 0x05, 0xb1];

/// Unlocks the commit register.
const UNLOCK: u32 = 0x4c4f_434b;

/// The registers from 0x500 on that only hold what is written: pads, pulls, lock.
const PADS: usize = 10;
const PULL_UP: usize = 4;
const DIGITAL: usize = 7;
const LOCK: usize = 8;
const COMMIT: usize = 9;

/// The port. Interrupt output: any pin.
#[derive(Clone, Debug)]
pub struct Lm3sGpio {
    driven: Driven,
    data: u32,
    direction: u32,
    /// 1: level, 0: edge.
    level: u32,
    both_edges: u32,
    /// 1: rising or high, 0: falling or low.
    rising: u32,
    mask: u32,
    /// Edges that have struck and were not cleared.
    edges: u32,
    alternate: u32,
    pads: [u32; PADS],
    seen: u32,
}

impl Lm3sGpio {
    /// A port after power-on: all inputs.
    pub fn new(_clock_hz: u64) -> Self {
        let mut pads = [0; PADS];
        pads[0] = 0xff;
        pads[LOCK] = 1;
        pads[COMMIT] = 0xff;
        Self {
            driven: Driven::default(),
            data: 0,
            direction: 0,
            level: 0,
            both_edges: 0,
            rising: 0,
            mask: 0,
            edges: 0,
            alternate: 0,
            pads,
            seen: 0,
        }
    }

    fn levels(&self) -> u32 {
        let inputs = self.driven.over(self.pads[PULL_UP]) & 0xff;
        (self.data & self.direction) | (inputs & !self.direction)
    }

    fn look(&mut self) {
        let levels = self.levels();
        let changed = levels ^ self.seen;
        self.seen = levels;
        let struck = changed & (self.both_edges | !(levels ^ self.rising));
        self.edges |= struck & !self.level;
    }

    fn raw(&self) -> u32 {
        (self.edges & !self.level) | (!(self.levels() ^ self.rising) & self.level & 0xff)
    }
}

impl Device for Lm3sGpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x000..0x400 => self.levels() & (offset >> 2),
            0x400 => self.direction,
            0x404 => self.level,
            0x408 => self.both_edges,
            0x40c => self.rising,
            0x410 => self.mask,
            0x414 => self.raw(),
            0x418 => self.raw() & self.mask,
            0x420 => self.alternate,
            0x500..0x528 => self.pads[((offset - 0x500) / 4) as usize],
            _ => identification(&IDENTIFICATION, 0xfe0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let byte = value & 0xff;
        match offset {
            0x000..0x400 => {
                let mask = offset >> 2;
                self.data = (self.data & !mask) | (byte & mask);
            }
            0x400 => self.direction = byte,
            0x404 => self.level = byte,
            0x408 => self.both_edges = byte,
            0x40c => self.rising = byte,
            0x410 => self.mask = byte,
            0x41c => self.edges &= !byte,
            0x420 => self.alternate = byte,
            0x520 => self.pads[LOCK] = u32::from(value != UNLOCK),
            0x524 if self.pads[LOCK] != 0 => {}
            0x500..0x528 => self.write_pad(((offset - 0x500) / 4) as usize, byte),
            _ => {}
        }
        self.look();
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        let driven = self.driven;
        *self = Self { driven, ..Self::new(0) };
        self.seen = self.levels();
    }

    fn outputs(&self) -> u32 {
        u32::from(self.raw() & self.mask != 0)
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.driven.drive(pin, level);
        self.look();
    }

    fn pin_levels(&self) -> u32 {
        self.levels()
    }
}

impl Lm3sGpio {
    /// Writes a pad register. The pull-up and pull-down of a pin exclude each other, and so do the
    /// three drive strengths: the last write wins.
    fn write_pad(&mut self, index: usize, value: u32) {
        const PULL_DOWN: usize = PULL_UP + 1;
        let rivals: &[usize] = match index {
            0 => &[1, 2],
            1 => &[0, 2],
            2 => &[0, 1],
            PULL_UP => &[PULL_DOWN],
            PULL_DOWN => &[PULL_UP],
            3 | 6 | DIGITAL | COMMIT => &[],
            _ => return,
        };
        self.pads[index] = value;
        for rival in rivals {
            self.pads[*rival] &= !value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_masks_the_data() {
        let mut port = Lm3sGpio::new(1);
        assert_eq!(port.write(0x400, 0xff, 0), Ok(()));
        assert_eq!(port.write(0x3fc, 0xf0, 0), Ok(()));
        assert_eq!(port.write(0x01 << 2, 0xff, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0xf1);
        assert_eq!(port.read(0x30 << 2, 0), Ok(0x30));
    }

    #[test]
    fn edges_interrupt_until_cleared() {
        let mut port = Lm3sGpio::new(1);
        assert_eq!(port.write(0x410, 1 << 2, 0), Ok(()));
        port.drive_pin(2, true);
        assert_eq!(port.outputs(), 0, "only falling edges");
        port.drive_pin(2, false);
        assert_eq!((port.outputs(), port.read(0x418, 0)), (1, Ok(4)));
        assert_eq!(port.write(0x41c, 4, 0), Ok(()));
        assert_eq!(port.outputs(), 0);
    }

    #[test]
    fn both_edges_and_levels() {
        let mut port = Lm3sGpio::new(1);
        assert_eq!(port.write(0x410, 0xff, 0), Ok(()));
        assert_eq!(port.write(0x408, 1, 0), Ok(()));
        port.drive_pin(0, true);
        assert_eq!(port.read(0x414, 0), Ok(1));
        assert_eq!(port.write(0x404, 2, 0), Ok(()));
        assert_eq!(port.write(0x40c, 2, 0), Ok(()));
        port.drive_pin(1, true);
        assert_eq!(port.read(0x414, 0), Ok(3));
        port.drive_pin(1, false);
        assert_eq!(port.read(0x414, 0), Ok(1), "a level is not latched");
    }

    #[test]
    fn an_open_input_follows_its_pull_up() {
        let mut port = Lm3sGpio::new(1);
        assert_eq!(port.write(0x510, 0x10, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0x10);
        assert_eq!(port.write(0x514, 0x10, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0, "the pull-down has replaced it");
    }
}
