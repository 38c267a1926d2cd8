//! STM32 random number generator (RM0090, 24): a word every 40 cycles, while the generator is on.
//!
//! The words are the same in every run, since a simulation can be repeated. There are no errors.

use super::Device;
use crate::processor::bus::BusError;

/// CR: on; interrupt.
const ENABLE: u32 = 1 << 2;
const INTERRUPT: u32 = 1 << 3;

/// The cycles that a word takes.
const PERIOD: u64 = 40;

/// The generator. Interrupt output: a word is ready.
#[derive(Clone, Debug)]
pub struct Stm32Rng {
    control: u32,
    /// The cycle of the next word, while the generator is on and the last word was taken.
    due: Option<u64>,
    ready: bool,
    drawn: u32,
}

impl Stm32Rng {
    /// After power-on: off.
    pub fn new(_clock_hz: u64) -> Self {
        Self { control: 0, due: None, ready: false, drawn: 0 }
    }

    /// The last word: its number, mixed (the finaliser of MurmurHash3).
    const fn value(&self) -> u32 {
        let mut mixed = self.drawn.wrapping_add(1);
        mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        mixed ^ mixed >> 16
    }
}

impl Device for Stm32Rng {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            0x00 => self.control,
            0x04 => u32::from(self.ready),
            0x08 if self.ready => {
                let value = self.value();
                self.drawn = self.drawn.wrapping_add(1);
                self.ready = false;
                self.due = Some(cycle.saturating_add(PERIOD));
                value
            }
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        if offset == 0 {
            self.control = value & (ENABLE | INTERRUPT);
            let waits = self.control & ENABLE != 0 && !self.ready;
            let due = self.due.unwrap_or(cycle.saturating_add(PERIOD));
            self.due = waits.then_some(due);
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        // Noise doesn't begin anew.
        *self = Self { drawn: self.drawn, ..Self::new(0) };
    }

    fn advance(&mut self, cycle: u64) {
        if self.due.is_some_and(|due| due <= cycle) {
            self.due = None;
            self.ready = true;
        }
    }

    fn next_event(&self) -> u64 {
        self.due.filter(|_| self.control & INTERRUPT != 0).unwrap_or(u64::MAX)
    }

    fn outputs(&self) -> u32 {
        u32::from(self.ready && self.control & INTERRUPT != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_one_after_the_other_and_differ() {
        let mut rng = Stm32Rng::new(1);
        rng.advance(1_000);
        assert_eq!(rng.read(4, 1_000), Ok(0), "it is off");
        assert_eq!(rng.write(0, ENABLE, 1_000), Ok(()));
        let mut words = Vec::new();
        for cycle in 1_000..1_200 {
            rng.advance(cycle);
            if rng.read(4, cycle) == Ok(1) {
                words.push(rng.read(8, cycle).expect("a word"));
            }
        }
        assert_eq!(words.len(), 4);
        assert!(words[0] != words[1] && words[1] != words[2] && words[0] != 0);
    }

    #[test]
    fn a_word_interrupts_until_it_is_read() {
        let mut rng = Stm32Rng::new(1);
        assert_eq!(rng.write(0, ENABLE | INTERRUPT, 0), Ok(()));
        assert_eq!(rng.next_event(), PERIOD);
        rng.advance(PERIOD);
        assert_eq!(rng.outputs(), 1);
        assert_ne!(rng.read(8, PERIOD), Ok(0));
        assert_eq!((rng.outputs(), rng.next_event()), (0, 2 * PERIOD));
    }
}
