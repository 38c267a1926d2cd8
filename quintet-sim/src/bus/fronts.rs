//! What stands in front of memories, as registers of the chip set it.

use std::sync::Arc;

use super::SystemBus;
use crate::peripherals::Peripheral;

impl SystemBus {
    /// After something was done to a device: what it sets in front of memories. A register is read
    /// from a copy, so that nothing happens by looking.
    pub(super) fn set_fronts(&mut self, device: usize, cycle: u64) {
        if !self.wiring.controls.iter().any(|(of, ..)| *of == device) {
            return;
        }
        let wiring = Arc::clone(&self.wiring);
        for (_, front, control) in wiring.controls.iter().filter(|(of, ..)| *of == device) {
            let mut copy = Peripheral::clone(&self.world.devices[device]);
            let Ok(value) = copy.device().read(control.offset, cycle) else { continue };
            let settings = control.settings(value, self.fronts_at_reset[*front].settings);
            let now = &mut self.world.fronts[*front].settings;
            if *now != settings {
                *now = settings;
                self.world.fronts_changed = true;
            }
        }
    }
}
