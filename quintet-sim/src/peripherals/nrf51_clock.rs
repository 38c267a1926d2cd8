//! nRF51 CLOCK and POWER, which share a page (nRF51 Reference Manual, 12 and 13): every clock runs
//! as soon as it is started.
//!
//! Clock rates are not modelled: cycles are cycles. The events and states for which start-up code
//! waits are modelled. The rest of the page reads back the written values.

use super::Device;
use crate::processor::bus::BusError;

/// The registers of the page.
const WORDS: usize = 0x400;

/// Tasks of a clock: start, and stop a word behind.
const TASKS_HIGH: u32 = 0x000;
const TASKS_LOW: u32 = 0x008;
/// Events: the high-frequency clock started, the low-frequency one a word behind.
const EVENT_HIGH: u32 = 0x100;
const EVENT_LOW: u32 = 0x104;
const INTERRUPT_SET: u32 = 0x304;
const INTERRUPT_CLEAR: u32 = 0x308;
const RUN_HIGH: u32 = 0x408;
const STATE_HIGH: u32 = 0x40c;
const RUN_LOW: u32 = 0x414;
const STATE_LOW: u32 = 0x418;
/// The source of the low-frequency clock as it was at the last start, and as it is to be. Drivers
/// start the internal one first, and wait until the state has the crystal.
const SOURCE_COPY: u32 = 0x41c;
const SOURCE: u32 = 0x518;
const SOURCES: u32 = 3;
/// The source of the high-frequency clock: the crystal that was started, else the internal one.
const CRYSTAL: u32 = 1;
/// A clock runs.
const RUNNING: u32 = 1 << 16;

/// The registers. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct Nrf51Clock {
    words: Box<[u32; WORDS]>,
}

impl Nrf51Clock {
    /// After power-on: the internal high-frequency clock runs.
    pub fn new(_clock_hz: u64) -> Self {
        let mut clock = Self { words: Box::new([0; WORDS]) };
        *clock.word(STATE_HIGH) = RUNNING;
        clock
    }

    /// The word of a register in the page.
    fn word(&mut self, offset: u32) -> &mut u32 {
        &mut self.words[(offset / 4) as usize % WORDS]
    }

    /// Starts a clock, or stops it.
    fn switch(&mut self, offset: u32) {
        let source = *self.word(SOURCE) & SOURCES;
        let (task, event, [run, state], running, stopped) = if offset < TASKS_LOW {
            (TASKS_HIGH, EVENT_HIGH, [RUN_HIGH, STATE_HIGH], RUNNING | CRYSTAL, RUNNING)
        } else {
            (TASKS_LOW, EVENT_LOW, [RUN_LOW, STATE_LOW], RUNNING | source, 0)
        };
        let is_start = offset == task;
        *self.word(run) = u32::from(is_start);
        *self.word(state) = if is_start { running } else { stopped };
        if is_start {
            *self.word(event) = 1;
        }
        if offset == TASKS_LOW {
            *self.word(SOURCE_COPY) = source;
        }
    }
}

impl Device for Nrf51Clock {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            INTERRUPT_CLEAR => *self.word(INTERRUPT_SET),
            _ => *self.word(offset),
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x000..0x010 if value & 1 != 0 => self.switch(offset),
            // Other tasks, and the states.
            0x000..0x100 | RUN_HIGH | STATE_HIGH | RUN_LOW | STATE_LOW | SOURCE_COPY => {}
            INTERRUPT_SET => *self.word(INTERRUPT_SET) |= value,
            INTERRUPT_CLEAR => *self.word(INTERRUPT_SET) &= !value,
            _ => *self.word(offset) = value,
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        let word = |offset: u32| self.words[(offset / 4) as usize];
        let events = word(EVENT_HIGH) & 1 | (word(EVENT_LOW) & 1) << 1;
        u32::from(events & word(INTERRUPT_SET) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_runs_when_it_is_started() {
        let mut clock = Nrf51Clock::new(1);
        assert_eq!(clock.read(EVENT_LOW, 0), Ok(0));
        assert_eq!(clock.write(TASKS_LOW, 1, 0), Ok(()));
        assert_eq!(clock.read(EVENT_LOW, 0), Ok(1));
        assert_eq!(clock.read(STATE_LOW, 0), Ok(RUNNING));
        assert_eq!(clock.write(TASKS_LOW + 4, 1, 0), Ok(()));
        assert_eq!(clock.read(STATE_LOW, 0), Ok(0));
        assert_eq!(clock.read(EVENT_HIGH, 0), Ok(0));
        assert_eq!(clock.write(TASKS_HIGH, 1, 0), Ok(()));
        assert_eq!(clock.read(STATE_HIGH, 0), Ok(RUNNING | CRYSTAL));
    }

    #[test]
    fn the_low_frequency_clock_tells_its_source() {
        let mut clock = Nrf51Clock::new(1);
        for source in [0, 1] {
            assert_eq!(clock.write(SOURCE, source, 0), Ok(()));
            assert_ne!(clock.read(STATE_LOW, 0), Ok(RUNNING | 1), "not before it is started");
            assert_eq!(clock.write(EVENT_LOW, 0, 0), Ok(()));
            assert_eq!(clock.write(TASKS_LOW, 1, 0), Ok(()));
            assert_eq!(clock.read(EVENT_LOW, 0), Ok(1), "each start has its event");
            assert_eq!(clock.read(STATE_LOW, 0), Ok(RUNNING | source));
            assert_eq!(clock.read(SOURCE_COPY, 0), Ok(source));
            assert_eq!(clock.read(RUN_LOW, 0), Ok(1));
        }
        assert_eq!(clock.write(TASKS_LOW + 4, 1, 0), Ok(()));
        assert_eq!((clock.read(STATE_LOW, 0), clock.read(RUN_LOW, 0)), (Ok(0), Ok(0)));
    }

    #[test]
    fn an_enabled_event_interrupts_until_it_is_cleared() {
        let mut clock = Nrf51Clock::new(1);
        assert_eq!(clock.write(INTERRUPT_SET, 0b10, 0), Ok(()));
        assert_eq!(clock.write(TASKS_HIGH, 1, 0), Ok(()));
        assert_eq!(clock.outputs(), 0);
        assert_eq!(clock.write(TASKS_LOW, 1, 0), Ok(()));
        assert_eq!(clock.outputs(), 1);
        assert_eq!(clock.write(EVENT_LOW, 0, 0), Ok(()));
        assert_eq!(clock.outputs(), 0);
        assert_eq!(clock.write(INTERRUPT_CLEAR, 0b10, 0), Ok(()));
        assert_eq!(clock.read(INTERRUPT_CLEAR, 0), Ok(0));
    }
}
