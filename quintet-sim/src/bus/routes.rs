//! Events of devices that are tasks of others (PPI).

use std::sync::Arc;

use super::SystemBus;
use crate::peripherals::Events;
use crate::processor::instruction::Size;

/// The place of a device's events in its page.
const EVENTS: u32 = 0x100;

/// The longest chain in which a task causes an event that is a task again. Programs need fewer, and
/// a circle ends here.
const DEPTH_MAX: u32 = 16;

impl SystemBus {
    /// After any access to a device: runs the tasks to which the device's events lead. After the
    /// interconnect has changed, tells the devices which of their events lead to a task.
    pub(super) fn route(&mut self, device: usize, cycle: u64) {
        let Some(router) = self.wiring.router else { return };
        if device == router {
            self.tell_routes(router, cycle);
            return;
        }
        let events = self.world.devices[device].view().events();
        let events = events.map_or(0, Events::fresh);
        if events == 0 || self.world.depth >= DEPTH_MAX {
            return;
        }
        if let Some(events) = Arc::make_mut(&mut self.world.devices[device]).device().events_mut() {
            events.take();
        }
        let base = self.wiring.devices[device].base;
        self.world.depth += 1;
        for number in (0..32).filter(|number| events >> number & 1 != 0) {
            let event = base + EVENTS + 4 * number;
            for task in self.world.devices[router].view().tasks_of(event) {
                // A task that is nowhere is nothing.
                let _ = self.write_plain(task, Size::Word, 1, cycle);
            }
        }
        self.world.depth -= 1;
    }

    fn tell_routes(&mut self, router: usize, cycle: u64) {
        for device in 0..self.world.devices.len() {
            let base = self.wiring.devices[device].base;
            let routed = self.world.devices[router].view().events_of(base);
            if device == router || self.world.routed[device] == routed {
                continue;
            }
            self.world.routed[device] = routed;
            let entry = Arc::make_mut(&mut self.world.devices[device]).device();
            if let Some(events) = entry.events_mut() {
                // Earlier events lead nowhere.
                events.take();
                events.route(routed);
            }
            self.changed(device, cycle);
        }
    }
}
