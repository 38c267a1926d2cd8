//! STM32F1 alternate function I/O and external interrupts (RM0041, 7.4 and 8.3).
//!
//! AFIO's EXTICR registers choose the port that each of the 16 lines watches, so both are one
//! device here: AFIO at the base, EXTI 0x400 above it. Lines 16 and up (PVD, RTC) have only their
//! software trigger. SYSCFG and EXTI of STM32F4 have the same places.

use super::Device;
use crate::processor::bus::BusError;

/// Lines 0 to 22, of which STM32F1 has the lower.
const LINES: u32 = 0x7f_ffff;

/// Ports A to K.
const PORTS: usize = 11;

/// The registers. Interrupt outputs: lines 0, 1, 2, 3, 4, then 5 to 9, then 10 to 15.
#[derive(Clone, Debug)]
pub struct Stm32f1Exti {
    /// EVCR, MAPR, EXTICR1 to 4, reserved, MAPR2.
    alternate: [u32; 8],
    interrupt_mask: u32,
    event_mask: u32,
    rising: u32,
    falling: u32,
    software: u32,
    pending: u32,
    levels: [u32; PORTS],
}

impl Stm32f1Exti {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            alternate: [0; 8],
            interrupt_mask: 0,
            event_mask: 0,
            rising: 0,
            falling: 0,
            software: 0,
            pending: 0,
            levels: [0; PORTS],
        }
    }

    /// The port that a line watches.
    fn port_of(&self, line: usize) -> usize {
        (self.alternate[2 + line / 4] >> (line % 4 * 4) & 0xf) as usize
    }

    /// A software trigger pends a line that is not masked.
    fn trigger(&mut self) {
        self.pending |= self.software & self.interrupt_mask;
    }
}

impl Device for Stm32f1Exti {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x000..0x020 => self.alternate[(offset / 4) as usize],
            0x400 => self.interrupt_mask,
            0x404 => self.event_mask,
            0x408 => self.rising,
            0x40c => self.falling,
            0x410 => self.software,
            0x414 => self.pending,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x000..0x020 => self.alternate[(offset / 4) as usize] = value,
            0x400 => self.interrupt_mask = value & LINES,
            0x404 => self.event_mask = value & LINES,
            0x408 => self.rising = value & LINES,
            0x40c => self.falling = value & LINES,
            0x410 => {
                self.software |= value & LINES;
                self.trigger();
            }
            0x414 => {
                self.pending &= !value;
                self.software &= !value;
            }
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { levels: self.levels, ..Self::new(0) };
    }

    fn outputs(&self) -> u32 {
        let lines = self.pending & self.interrupt_mask;
        let first = lines & 0x1f;
        let middle = u32::from(lines & 0x3e0 != 0) << 5;
        let last = u32::from(lines & 0xfc00 != 0) << 6;
        first | middle | last
    }

    fn watch_port(&mut self, port: u8, levels: u32) {
        let port = usize::from(port);
        let Some(known) = self.levels.get_mut(port) else { return };
        let changed = std::mem::replace(known, levels) ^ levels;
        for line in 0..16 {
            let bit = 1 << line;
            let edges = if levels & bit != 0 { self.rising } else { self.falling };
            if changed & edges & bit != 0 && self.port_of(line) == port {
                self.pending |= bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_port_s_edge_pends_its_line() {
        let mut exti = Stm32f1Exti::new(1);
        // Line 0 watches port B, both edges matter, the interrupt is open.
        for (offset, value) in [(0x008, 1), (0x400, 1), (0x408, 1)] {
            assert_eq!(exti.write(offset, value, 0), Ok(()));
        }
        exti.watch_port(0, 1);
        assert_eq!(exti.outputs(), 0, "that was port A");
        exti.watch_port(1, 1);
        assert_eq!(exti.outputs(), 1);
        assert_eq!(exti.write(0x414, 1, 0), Ok(()));
        exti.watch_port(1, 0);
        assert_eq!(exti.outputs(), 0, "a falling edge");
        exti.watch_port(200, 1);
    }

    #[test]
    fn lines_share_outputs_and_software_triggers_them() {
        let mut exti = Stm32f1Exti::new(1);
        assert_eq!(exti.write(0x400, LINES, 0), Ok(()));
        assert_eq!(exti.write(0x410, 1 << 7 | 1 << 15 | 1 << 4, 0), Ok(()));
        assert_eq!(exti.outputs(), 0b111_0000);
        assert_eq!(exti.write(0x414, 1 << 7, 0), Ok(()));
        assert_eq!((exti.outputs(), exti.read(0x410, 0)), (0b101_0000, Ok(1 << 15 | 1 << 4)));
    }
}
