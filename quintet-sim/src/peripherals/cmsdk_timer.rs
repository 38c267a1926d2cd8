//! CMSDK APB timer (DDI 0479, 4.1): a 32-bit down-counter with a reload register. The external
//! input is not wired.

use super::down_counter::DownCounter;
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 12] =
    [0x04, 0x00, 0x00, 0x00, 0x22, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

mod control {
    pub const ENABLE: u32 = 1;
    /// Count only while the external input is high.
    pub const EXTERNAL_ENABLE: u32 = 2;
    /// Count the external input's edges.
    pub const EXTERNAL_CLOCK: u32 = 4;
    pub const INTERRUPT: u32 = 8;
}

/// The timer. Interrupt output: expired.
#[derive(Clone, Debug)]
pub struct CmsdkTimer {
    counter: DownCounter,
    control: u32,
    reload: u32,
    pending: bool,
}

impl CmsdkTimer {
    /// A timer after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        let mut counter = DownCounter::new(0);
        counter.set_reload(Some(0), 0);
        Self { counter, control: 0, reload: 0, pending: false }
    }

    fn counts(&self) -> bool {
        let external = control::EXTERNAL_ENABLE | control::EXTERNAL_CLOCK;
        self.control & (control::ENABLE | external) == control::ENABLE
    }
}

impl Device for CmsdkTimer {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => self.control,
            0x04 => self.counter.value(cycle) as u32,
            0x08 => self.reload,
            0x0c => u32::from(self.pending),
            _ => identification(&IDENTIFICATION, 0xfd0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 => {
                self.control = value & 0xf;
                self.counter.run(self.counts(), cycle);
            }
            0x04 => self.counter.set_value(u64::from(value), cycle),
            0x08 => {
                self.reload = value;
                self.counter.set_reload(Some(u64::from(value)), cycle);
                // Writing the reload value also starts the counter from it.
                self.counter.set_value(u64::from(value), cycle);
            }
            0x0c => self.pending &= value & 1 == 0,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        if self.counter.advance(cycle) && self.control & control::INTERRUPT != 0 {
            self.pending = true;
        }
    }

    fn next_event(&self) -> u64 {
        if self.control & control::INTERRUPT != 0 { self.counter.next_zero() } else { u64::MAX }
    }

    fn outputs(&self) -> u32 {
        u32::from(self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expires_every_reload_plus_one_cycles() {
        let mut timer = CmsdkTimer::new(1);
        assert_eq!(timer.write(8, 99, 0), Ok(()));
        assert_eq!(timer.write(0, control::ENABLE | control::INTERRUPT, 10), Ok(()));
        assert_eq!(timer.read(4, 30), Ok(79));
        assert_eq!(timer.next_event(), 109);
        timer.advance(109);
        assert_eq!(timer.outputs(), 1);
        assert_eq!(timer.write(0xc, 1, 112), Ok(()));
        assert_eq!(timer.outputs(), 0);
        assert_eq!(timer.next_event(), 209);
    }

    #[test]
    fn without_its_interrupt_it_only_counts() {
        let mut timer = CmsdkTimer::new(1);
        assert_eq!(timer.write(8, 9, 0), Ok(()));
        assert_eq!(timer.write(0, control::ENABLE, 0), Ok(()));
        assert_eq!(timer.next_event(), u64::MAX);
        timer.advance(25);
        assert_eq!((timer.outputs(), timer.read(4, 25)), (0, Ok(4)));
    }

    #[test]
    fn the_external_input_is_never_high() {
        let mut timer = CmsdkTimer::new(1);
        assert_eq!(timer.write(4, 9, 0), Ok(()));
        assert_eq!(timer.write(0, control::ENABLE | control::EXTERNAL_ENABLE, 0), Ok(()));
        assert_eq!(timer.read(4, 25), Ok(9));
    }
}
