//! nRF programmable peripheral interconnect (nRF52840 Product Specification, 6.16; nRF51 Reference
//! Manual, 16): an event of one device is a task of another, without the processor.
//!
//! The channels that a program sets up are modelled, with their forks and groups; those that the
//! chip sets up itself are not. A task follows its event in the same cycle.

use super::Device;
use crate::processor::bus::BusError;

const CHANNELS: usize = 20;
const GROUPS: usize = 6;

const GROUP_TASKS_END: u32 = 8 * GROUPS as u32;
const ENABLED: u32 = 0x500;
const ENABLE: u32 = 0x504;
const DISABLE: u32 = 0x508;
const ENDS: u32 = 0x510;
const ENDS_END: u32 = ENDS + 8 * CHANNELS as u32;
const MEMBERS: u32 = 0x800;
const MEMBERS_END: u32 = MEMBERS + 4 * GROUPS as u32;
const FORKS: u32 = 0x910;
const FORKS_END: u32 = FORKS + 4 * CHANNELS as u32;

/// The place of a device's events in its page.
const EVENTS: u32 = 0x100;

/// The interconnect.
#[derive(Clone, Debug)]
pub struct NrfPpi {
    enabled: u32,
    events: [u32; CHANNELS],
    tasks: [u32; CHANNELS],
    forks: [u32; CHANNELS],
    members: [u32; GROUPS],
}

impl NrfPpi {
    /// After power-on: no channel is enabled.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            enabled: 0,
            events: [0; CHANNELS],
            tasks: [0; CHANNELS],
            forks: [0; CHANNELS],
            members: [0; GROUPS],
        }
    }

    /// The enabled channels.
    fn channels(&self) -> impl Iterator<Item = usize> {
        (0..CHANNELS).filter(|channel| self.enabled >> channel & 1 != 0)
    }
}

impl Device for NrfPpi {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let channel = (offset.wrapping_sub(ENDS) / 8) as usize;
        Ok(match offset {
            ENABLED | ENABLE | DISABLE => self.enabled,
            ENDS..ENDS_END if offset & 4 == 0 => self.events[channel],
            ENDS..ENDS_END => self.tasks[channel],
            MEMBERS..MEMBERS_END => self.members[((offset - MEMBERS) / 4) as usize],
            FORKS..FORKS_END => self.forks[((offset - FORKS) / 4) as usize],
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let channel = (offset.wrapping_sub(ENDS) / 8) as usize;
        match offset {
            0..GROUP_TASKS_END if value & 1 != 0 => {
                let members = self.members[(offset / 8) as usize];
                let on = offset & 4 == 0;
                self.enabled = if on { self.enabled | members } else { self.enabled & !members };
            }
            ENABLED => self.enabled = value,
            ENABLE => self.enabled |= value,
            DISABLE => self.enabled &= !value,
            ENDS..ENDS_END if offset & 4 == 0 => self.events[channel] = value,
            ENDS..ENDS_END => self.tasks[channel] = value,
            MEMBERS..MEMBERS_END => self.members[((offset - MEMBERS) / 4) as usize] = value,
            FORKS..FORKS_END => self.forks[((offset - FORKS) / 4) as usize] = value,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn tasks_of(&self, event: u32) -> Vec<u32> {
        let channels = self.channels().filter(|channel| self.events[*channel] == event);
        let tasks = channels.flat_map(|channel| [self.tasks[channel], self.forks[channel]]);
        tasks.filter(|task| *task != 0).collect()
    }

    fn events_of(&self, base: u32) -> u32 {
        let numbers = self.channels().filter_map(|channel| {
            let behind = self.events[channel].checked_sub(base.checked_add(EVENTS)?)?;
            (behind < 0x80).then_some(behind / 4)
        });
        numbers.fold(0, |events, number| events | 1 << number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enabled_channel_leads_to_its_tasks() {
        let mut ppi = NrfPpi::new(1);
        // Channel 3: TIMER0's first match starts TIMER1, and clears TIMER0.
        for (offset, value) in
            [(0x528, 0x4000_8140), (0x52c, 0x4000_9000), (0x91c, 0x4000_800c), (0x808, 1 << 3)]
        {
            assert_eq!(ppi.write(offset, value, 0), Ok(()));
        }
        assert!(ppi.tasks_of(0x4000_8140).is_empty());
        assert_eq!(ppi.write(ENABLE, 1 << 3, 0), Ok(()));
        assert_eq!(ppi.tasks_of(0x4000_8140), [0x4000_9000, 0x4000_800c]);
        assert_eq!((ppi.events_of(0x4000_8000), ppi.events_of(0x4000_9000)), (1 << 16, 0));
        // The group's task to disable, then the one to enable.
        assert_eq!(ppi.write(0x014, 1, 0), Ok(()));
        assert_eq!(ppi.read(ENABLED, 0), Ok(0));
        assert_eq!(ppi.write(0x010, 1, 0), Ok(()));
        assert_eq!(ppi.read(ENABLED, 0), Ok(1 << 3));
    }
}
