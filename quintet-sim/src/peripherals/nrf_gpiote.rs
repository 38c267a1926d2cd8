//! nRF GPIO tasks and events (nRF52840 Product Specification, 6.10): edges of chosen pins, and the
//! detection of a level for which a port waits; tasks that drive pins.

use super::Device;
use super::nrf_events::Events;
use crate::processor::bus::BusError;

const CONFIGURATION: u32 = 0x510;
const CHANNELS: usize = 8;
const PORTS: usize = 2;

/// CONFIG: an event at each of these edges; or the pin belongs to the channel's tasks, begins at a
/// level, and OUT lets it rise, fall, or both in turn.
const MODE_EVENT: u32 = 1;
const MODE_TASK: u32 = 3;
const INITIAL: u32 = 1 << 20;
const RISING: u32 = 1;
const FALLING: u32 = 2;

/// The number of PORT's event.
const PORT: u32 = 31;

/// The device. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct NrfGpiote {
    events: Events,
    configuration: [u32; CHANNELS],
    /// The levels that tasks have given to the channels' pins, a bit each.
    tasks: u32,
    levels: [u32; PORTS],
    detected: [bool; PORTS],
}

impl NrfGpiote {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            events: Events::default(),
            configuration: [0; CHANNELS],
            tasks: 0,
            levels: [0; PORTS],
            detected: [false; PORTS],
        }
    }

    fn configure(&mut self, channel: usize, value: u32) {
        let level = u32::from(value & INITIAL != 0) << channel;
        self.tasks = self.tasks & !(1 << channel) | level;
        self.configuration[channel] = value & 0x13_3f03;
    }

    /// TASKS_OUT, TASKS_SET or TASKS_CLR of a channel.
    fn run_task(&mut self, offset: u32) {
        let (kind, channel) = (offset / 0x30, offset % 0x30 / 4);
        let Some(word) = self.configuration.get(channel as usize) else { return };
        let bit = 1 << channel;
        match (kind, word >> 16 & 3) {
            (0, RISING) | (1, _) => self.tasks |= bit,
            (0, FALLING) | (2, _) => self.tasks &= !bit,
            (0, 3) => self.tasks ^= bit,
            _ => {}
        }
    }
}

/// The port and the pin of a channel.
const fn place(word: u32) -> (u8, u32) {
    ((word >> 13 & 1) as u8, word >> 8 & 31)
}

impl Device for NrfGpiote {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        if let Some(value) = self.events.read(offset) {
            return Ok(value);
        }
        Ok(match offset {
            CONFIGURATION..0x530 => self.configuration[((offset - CONFIGURATION) / 4) as usize],
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            _ if self.events.write(offset, value) => {}
            CONFIGURATION..0x530 => self.configure(((offset - CONFIGURATION) / 4) as usize, value),
            0..0x80 if value & 1 != 0 => self.run_task(offset),
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self { levels: self.levels, detected: self.detected, ..Self::new(0) };
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

    fn watch_port(&mut self, port: u8, levels: u32) {
        let Some(known) = self.levels.get_mut(usize::from(port)) else { return };
        let changed = std::mem::replace(known, levels) ^ levels;
        for (channel, word) in self.configuration.iter().enumerate() {
            let (of, pin) = place(*word);
            if word & 3 != MODE_EVENT || of != port || changed >> pin & 1 == 0 {
                continue;
            }
            let edge = if levels >> pin & 1 != 0 { RISING } else { FALLING };
            if word >> 16 & edge != 0 {
                self.events.happen(channel as u32);
            }
        }
    }

    fn drives(&self, port: u8) -> (u32, u32) {
        let (mut pins, mut levels) = (0, 0);
        for (channel, word) in self.configuration.iter().enumerate() {
            let (of, pin) = place(*word);
            if word & 3 == MODE_TASK && of == port {
                pins |= 1 << pin;
                levels |= (self.tasks >> channel & 1) << pin;
            }
        }
        (pins, levels)
    }

    fn watch_detection(&mut self, port: u8, detects: bool) {
        let Some(known) = self.detected.get_mut(usize::from(port)) else { return };
        if !std::mem::replace(known, detects) && detects {
            self.events.happen(PORT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_pin_s_edge_is_an_event() {
        let mut device = NrfGpiote::new(1);
        // Channel 2: pin 11 of port 0, falling; channel 3: pin 11 of port 1, both.
        let writes = [(0x518, 0x2_0b01), (0x51c, 0x3_2b01), (0x304, 1 << 2 | 1 << 3)];
        for (offset, value) in writes {
            assert_eq!(device.write(offset, value, 0), Ok(()));
        }
        device.watch_port(0, 1 << 11);
        assert_eq!(device.outputs(), 0);
        device.watch_port(0, 0);
        assert_eq!((device.outputs(), device.read(0x108, 0)), (1, Ok(1)));
        assert_eq!(device.write(0x108, 0, 0), Ok(()));
        device.watch_port(1, 1 << 11);
        assert_eq!(device.read(0x10c, 0), Ok(1));
        device.watch_port(9, 1);
    }

    #[test]
    fn tasks_drive_the_pin_of_their_channel() {
        let mut device = NrfGpiote::new(1);
        // Channel 1: pin 13 of port 0, from 1, toggles; channel 7: pin 2 of port 1, from 0, rises.
        for (offset, value) in [(0x514, 0x13_0d03), (0x52c, 0x1_2203)] {
            assert_eq!(device.write(offset, value, 0), Ok(()));
        }
        assert_eq!((device.drives(0), device.drives(1)), ((1 << 13, 1 << 13), (4, 0)));
        let cases = [(0x004, 0), (0x004, 1), (0x004, 0), (0x034, 1), (0x064, 0)];
        for (task, level) in cases {
            assert_eq!(device.write(task, 1, 0), Ok(()));
            assert_eq!(device.drives(0), (1 << 13, level << 13), "{task:#x}");
        }
        for _ in 0..2 {
            assert_eq!(device.write(0x01c, 1, 0), Ok(()));
            assert_eq!(device.drives(1), (4, 4));
        }
        assert_eq!(device.write(0x01c + 0x10, 1, 0), Ok(()), "no task of any channel");
        assert_eq!(device.write(0x52c, 0, 0), Ok(()));
        assert_eq!(device.drives(1), (0, 0), "the port has its pin back");
    }

    #[test]
    fn a_detected_level_is_one_event() {
        let mut device = NrfGpiote::new(1);
        assert_eq!(device.write(0x304, 1 << 31, 0), Ok(()));
        device.watch_detection(0, true);
        assert_eq!(device.outputs(), 1);
        assert_eq!(device.write(0x17c, 0, 0), Ok(()));
        device.watch_detection(0, true);
        assert_eq!(device.outputs(), 0, "it lasts");
        device.watch_detection(0, false);
        device.watch_detection(0, true);
        assert_eq!(device.outputs(), 1);
    }
}
