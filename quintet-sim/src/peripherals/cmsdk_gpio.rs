//! CMSDK AHB GPIO (DDI 0479, 3.2): 16 pins, each with an edge or level interrupt.

use super::pins::Driven;
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 12] =
    [0x04, 0x00, 0x00, 0x00, 0x20, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

const PINS: u32 = 0xffff;

/// The port. Interrupt output: any pin.
#[derive(Clone, Debug)]
pub struct CmsdkGpio {
    driven: Driven,
    output: u32,
    output_enable: u32,
    alternate: u32,
    interrupt_enable: u32,
    /// 1: edge, 0: level.
    edge: u32,
    /// 1: rising or high, 0: falling or low.
    rising: u32,
    pending: u32,
    seen: u32,
}

impl CmsdkGpio {
    /// A port after power-on: all inputs.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            driven: Driven::default(),
            output: 0,
            output_enable: 0,
            alternate: 0,
            interrupt_enable: 0,
            edge: 0,
            rising: 0,
            pending: 0,
            seen: 0,
        }
    }

    fn levels(&self) -> u32 {
        (self.output & self.output_enable) | (self.driven.over(0) & !self.output_enable & PINS)
    }

    /// Notes the edges and levels since the last look.
    fn look(&mut self) {
        let levels = self.levels();
        let changed = levels ^ self.seen;
        self.seen = levels;
        let as_wanted = !(levels ^ self.rising);
        let struck = as_wanted & (changed | !self.edge);
        self.pending |= struck & self.interrupt_enable;
    }
}

impl Device for CmsdkGpio {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x000 => self.levels(),
            0x004 => self.output,
            0x010 | 0x014 => self.output_enable,
            0x018 | 0x01c => self.alternate,
            0x020 | 0x024 => self.interrupt_enable,
            0x028 | 0x02c => self.edge,
            0x030 | 0x034 => self.rising,
            0x038 => self.pending,
            0x400..0x800 => self.levels() & (offset >> 2 & 0xff),
            0x800..0xc00 => self.levels() & (offset << 6 & 0xff00),
            _ => identification(&IDENTIFICATION, 0xfd0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let value = value & PINS;
        match offset {
            0x000 | 0x004 => self.output = value,
            0x010 => self.output_enable |= value,
            0x014 => self.output_enable &= !value,
            0x018 => self.alternate |= value,
            0x01c => self.alternate &= !value,
            0x020 => self.interrupt_enable |= value,
            0x024 => self.interrupt_enable &= !value,
            0x028 => self.edge |= value,
            0x02c => self.edge &= !value,
            0x030 => self.rising |= value,
            0x034 => self.rising &= !value,
            0x038 => self.pending &= !value,
            0x400..0x800 => {
                let mask = offset >> 2 & 0xff;
                self.output = (self.output & !mask) | (value & mask);
            }
            0x800..0xc00 => {
                let mask = offset << 6 & 0xff00;
                self.output = (self.output & !mask) | (value & mask);
            }
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
        u32::from(self.pending != 0)
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.driven.drive(pin, level);
        self.look();
    }

    fn pin_levels(&self) -> u32 {
        self.levels()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_read_back_and_masked_writes_touch_their_bits() {
        let mut port = CmsdkGpio::new(1);
        assert_eq!(port.write(0x10, 0xffff, 0), Ok(()));
        assert_eq!(port.write(0x004, 0xff00, 0), Ok(()));
        assert_eq!(port.write(0x400 + (0x0f << 2), 0xffff, 0), Ok(()));
        assert_eq!(port.write(0x800 + (0xf0 << 2), 0, 0), Ok(()));
        assert_eq!(port.pin_levels(), 0x0f0f);
        assert_eq!(port.read(0x800 + (0x01 << 2), 0), Ok(0x0100));
    }

    #[test]
    fn a_rising_edge_interrupts_once() {
        let mut port = CmsdkGpio::new(1);
        for register in [0x20, 0x28, 0x30] {
            assert_eq!(port.write(register, 1 << 3, 0), Ok(()));
        }
        port.drive_pin(3, true);
        assert_eq!(port.outputs(), 1);
        assert_eq!(port.write(0x38, 1 << 3, 0), Ok(()));
        assert_eq!(port.outputs(), 0);
        port.drive_pin(3, false);
        assert_eq!(port.outputs(), 0);
    }

    #[test]
    fn a_level_interrupts_for_as_long_as_it_lasts() {
        let mut port = CmsdkGpio::new(1);
        assert_eq!(port.write(0x30, 1, 0), Ok(()));
        assert_eq!(port.write(0x20, 1, 0), Ok(()));
        port.drive_pin(0, true);
        assert_eq!(port.write(0x38, 1, 0), Ok(()));
        assert_eq!(port.outputs(), 1, "still high");
        port.drive_pin(0, false);
        assert_eq!(port.write(0x38, 1, 0), Ok(()));
        assert_eq!(port.outputs(), 0);
    }
}
