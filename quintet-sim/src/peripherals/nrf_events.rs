//! The common part of nRF devices: events, and the interrupts that they may cause.
//!
//! Events are at 0x100 to 0x17c, one a word. The program writes a word to clear the event. A device
//! uses its own events only.

const FIRST: u32 = 0x100;
const LAST: u32 = 0x17c;
const INTERRUPT: u32 = 0x300;
const INTERRUPT_SET: u32 = 0x304;
const INTERRUPT_CLEAR: u32 = 0x308;

/// The events of a device, bit n for the n-th word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Events {
    happened: u32,
    enabled: u32,
    /// The events that have happened since they were last taken, and the events that are tasks of
    /// other devices.
    fresh: u32,
    routed: u32,
}

impl Events {
    /// Returns the register at `offset`, if it is one of events and their interrupts.
    pub fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            FIRST..=LAST => Some(self.happened >> ((offset - FIRST) / 4) & 1),
            INTERRUPT | INTERRUPT_SET | INTERRUPT_CLEAR => Some(self.enabled),
            _ => None,
        }
    }

    /// Writes the register at `offset`. Returns `true` if it is one of these.
    pub fn write(&mut self, offset: u32, value: u32) -> bool {
        match offset {
            FIRST..=LAST => {
                let bit = 1 << ((offset - FIRST) / 4);
                self.happened =
                    if value & 1 != 0 { self.happened | bit } else { self.happened & !bit };
            }
            INTERRUPT => self.enabled = value,
            INTERRUPT_SET => self.enabled |= value,
            INTERRUPT_CLEAR => self.enabled &= !value,
            _ => return false,
        }
        true
    }

    /// An event happens.
    pub fn happen(&mut self, event: u32) {
        self.happened |= 1 << event;
        self.fresh |= 1 << event;
    }

    /// Returns `true` if an event has an effect now: it is a task of another device, or would
    /// interrupt.
    pub fn matters(&self, event: u32) -> bool {
        self.routed >> event & 1 != 0 || (self.is_enabled(event) && !self.has_happened(event))
    }

    /// The events that have happened since they were taken.
    pub fn fresh(&self) -> u32 {
        self.fresh & self.routed
    }

    /// Takes them.
    pub fn take(&mut self) {
        self.fresh = 0;
    }

    /// Sets which events are tasks of other devices.
    pub fn route(&mut self, routed: u32) {
        self.routed = routed;
    }

    /// Returns `true` if an event has happened and was not cleared.
    pub fn has_happened(&self, event: u32) -> bool {
        self.happened >> event & 1 != 0
    }

    /// Returns `true` if an event would interrupt.
    pub fn is_enabled(&self, event: u32) -> bool {
        self.enabled >> event & 1 != 0
    }

    /// The interrupt output.
    pub fn output(&self) -> u32 {
        u32::from(self.happened & self.enabled != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enabled_event_interrupts_until_it_is_cleared() {
        let mut events = Events::default();
        assert!(events.write(0x304, 1 << 4));
        events.happen(3);
        assert_eq!((events.output(), events.read(0x10c)), (0, Some(1)));
        events.happen(4);
        assert_eq!(events.output(), 1);
        assert!(events.write(0x110, 0));
        assert_eq!(
            (events.output(), events.has_happened(4), events.has_happened(3)),
            (0, false, true)
        );
        assert!(events.write(0x308, 1 << 4));
        assert!(!events.is_enabled(4));
        assert_eq!((events.read(0x308), events.read(0x504)), (Some(0), None));
        assert!(!events.write(0x504, 1));
        events.route(1 << 3);
        assert_eq!((events.fresh(), events.matters(3), events.matters(4)), (1 << 3, true, false));
        events.take();
        assert_eq!(events.fresh(), 0);
    }
}
