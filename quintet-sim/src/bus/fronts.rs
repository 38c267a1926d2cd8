//! The front ends of memories, as registers of the chip set them.

use std::sync::Arc;

use super::SystemBus;
use crate::peripherals::Peripheral;

impl SystemBus {
    /// After an access to a device: sets the front ends that the device controls. The register's
    /// value comes from a copy of the device, so that the read has no effect.
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
