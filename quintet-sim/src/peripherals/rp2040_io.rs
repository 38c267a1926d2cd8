//! RP2040 bank 0 of I/O (RP2040 Datasheet, 2.19.6): the function of each pin, and the interrupts of
//! the pin's level and edges, for core 0.
//!
//! Overrides of inputs, outputs and interrupts are held, not enforced.

use super::Device;
use crate::processor::bus::BusError;

const PINS: u32 = 30;
/// Registers of raw, enabled, forced and active interrupts, four each: eight pins a register, and
/// for each of them: low, high, falling edge, rising edge.
const RAW: u32 = 0x0f0;
const CORE_0_ENABLE: u32 = 0x100;
const CORE_0_FORCE: u32 = 0x110;
const CORE_0_STATUS: u32 = 0x120;
const END: u32 = 0x130;
const WORDS: usize = 4;

/// CTRL: no function.
const FUNCTION_RESET: u32 = 0x1f;
/// STATUS: the pad's level, before and behind the override.
const FROM_PAD: u32 = 1 << 17 | 1 << 19;

/// The bank. Interrupt output: that of core 0.
#[derive(Clone, Debug)]
pub struct Rp2040Io {
    control: [u32; PINS as usize],
    edges: [u32; WORDS],
    enabled: [u32; WORDS],
    forced: [u32; WORDS],
    levels: u32,
}

impl Rp2040Io {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            control: [FUNCTION_RESET; PINS as usize],
            edges: [0; WORDS],
            enabled: [0; WORDS],
            forced: [0; WORDS],
            levels: 0,
        }
    }

    /// The raw interrupts of eight pins.
    fn raw(&self, word: usize) -> u32 {
        let mut raw = self.edges[word];
        for pin in 0..8 {
            let number = 8 * word as u32 + pin;
            if number < PINS {
                let level = self.levels >> number & 1;
                raw |= (1 << level) << (4 * pin);
            }
        }
        raw
    }

    fn active(&self, word: usize) -> u32 {
        self.raw(word) & self.enabled[word] | self.forced[word]
    }
}

impl Device for Rp2040Io {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let word = (offset % 0x10 / 4) as usize;
        Ok(match offset {
            0..RAW if offset & 4 == 0 => FROM_PAD * (self.levels >> (offset / 8) & 1),
            0..RAW => self.control[(offset / 8) as usize],
            RAW..CORE_0_ENABLE => self.raw(word),
            CORE_0_ENABLE..CORE_0_FORCE => self.enabled[word],
            CORE_0_FORCE..CORE_0_STATUS => self.forced[word],
            CORE_0_STATUS..END => self.active(word),
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let word = (offset % 0x10 / 4) as usize;
        match offset {
            0..RAW if offset & 4 != 0 => self.control[(offset / 8) as usize] = value & 0x3003_331f,
            RAW..CORE_0_ENABLE => self.edges[word] &= !value,
            CORE_0_ENABLE..CORE_0_FORCE => self.enabled[word] = value,
            CORE_0_FORCE..CORE_0_STATUS => self.forced[word] = value,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { levels: self.levels, ..Self::new(0) };
    }

    fn outputs(&self) -> u32 {
        u32::from((0..WORDS).any(|word| self.active(word) != 0))
    }

    fn watch_port(&mut self, port: u8, levels: u32) {
        if port != 0 {
            return;
        }
        let changed = std::mem::replace(&mut self.levels, levels) ^ levels;
        for pin in (0..PINS).filter(|pin| changed >> pin & 1 != 0) {
            let edge = 4 << (levels >> pin & 1);
            self.edges[(pin / 8) as usize] |= edge << (4 * (pin % 8));
        }
    }

    fn ones_clear(&self, offset: u32) -> bool {
        (RAW..CORE_0_ENABLE).contains(&offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_interrupts_until_it_is_cleared() {
        let mut io = Rp2040Io::new(1);
        // Pin 9: the falling edge.
        assert_eq!(io.write(CORE_0_ENABLE + 4, 4 << 4, 0), Ok(()));
        io.watch_port(0, 1 << 9);
        assert_eq!(io.outputs(), 0);
        io.watch_port(0, 0);
        assert_eq!((io.outputs(), io.read(CORE_0_STATUS + 4, 0)), (1, Ok(0x40)));
        assert_eq!(io.write(RAW + 4, 0xf0, 0), Ok(()));
        assert_eq!(io.outputs(), 0);
    }

    #[test]
    fn a_level_interrupts_as_long_as_it_lasts() {
        let mut io = Rp2040Io::new(1);
        assert_eq!(io.write(CORE_0_ENABLE, 2, 0), Ok(()));
        assert_eq!((io.outputs(), io.read(RAW, 0)), (0, Ok(0x1111_1111)));
        io.watch_port(0, 1);
        assert_eq!((io.outputs(), io.read(0, 0)), (1, Ok(FROM_PAD)));
        assert_eq!(io.write(RAW, 0xf, 0), Ok(()));
        assert_eq!(io.outputs(), 1);
        io.watch_port(0, 0);
        assert_eq!(io.outputs(), 0);
    }

    #[test]
    fn functions_are_held() {
        let mut io = Rp2040Io::new(1);
        assert_eq!(io.read(25 * 8 + 4, 0), Ok(0x1f));
        assert_eq!(io.write(25 * 8 + 4, 5, 0), Ok(()));
        assert_eq!(io.read(25 * 8 + 4, 0), Ok(5));
    }
}
