//! nRF event generator (nRF52840 Product Specification, 6.7): a task of a channel is its event, so
//! that software and PPI cause interrupts.

use super::Device;
use super::nrf_events::Events;
use crate::processor::bus::BusError;

/// A task for each channel, a word each.
const TASKS_END: u32 = 0x40;

/// The device. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct NrfEgu {
    events: Events,
}

impl NrfEgu {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { events: Events::default() }
    }
}

impl Device for NrfEgu {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(self.events.read(offset).unwrap_or(0))
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        if !self.events.write(offset, value) && offset < TASKS_END && value & 1 != 0 {
            self.events.happen(offset / 4);
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        self.events.output()
    }

    fn events(&self) -> Option<&Events> {
        Some(&self.events)
    }

    fn events_mut(&mut self) -> Option<&mut Events> {
        Some(&mut self.events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_its_channel_s_event() {
        let mut egu = NrfEgu::new(1);
        assert_eq!(egu.write(0x304, 1 << 15, 0), Ok(()));
        assert_eq!(egu.write(0x0c, 1, 0), Ok(()));
        assert_eq!((egu.read(0x10c, 0), egu.outputs()), (Ok(1), 0));
        assert_eq!(egu.write(0x3c, 0, 0), Ok(()));
        assert_eq!(egu.outputs(), 0, "only a 1 triggers");
        assert_eq!(egu.write(0x3c, 1, 0), Ok(()));
        assert_eq!((egu.read(0x13c, 0), egu.outputs()), (Ok(1), 1));
    }
}
