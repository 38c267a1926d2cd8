//! What a board has to do with the world outside: the levels of pins, and bytes of UARTs.

use std::sync::Arc;

use super::{PinChange, SystemBus};

impl SystemBus {
    /// Starts or stops recording changes of pins.
    pub fn observe(&mut self, on: bool) {
        self.observing = on;
        self.world.pin_changes.clear();
    }

    /// Returns `true` if changes of pins were recorded and not taken yet.
    pub fn has_pin_changes(&self) -> bool {
        !self.world.pin_changes.is_empty()
    }

    /// Takes the recorded changes of pins.
    pub fn take_pin_changes(&mut self) -> Vec<PinChange> {
        std::mem::take(&mut self.world.pin_changes)
    }

    /// The bytes that the devices have sent since the last call, with the number of each.
    pub fn take_sent(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut all = Vec::new();
        for device in 0..self.wiring.devices.len() {
            if !self.wiring.devices[device].is_serial {
                continue;
            }
            let sent = Arc::make_mut(&mut self.world.devices[device]).device().take_sent();
            if !sent.is_empty() {
                all.push((device, sent));
            }
        }
        all
    }

    /// Drives a pin of a GPIO now.
    pub fn drive_pin(&mut self, device: usize, pin: u8, level: bool, cycle: u64) {
        if let Some(entry) = self.world.devices.get_mut(device) {
            Arc::make_mut(entry).device().drive_pin(pin, level);
            self.changed(device, cycle);
        }
    }

    /// Sends a byte to a UART now.
    pub fn receive(&mut self, device: usize, byte: u8, cycle: u64) {
        if let Some(entry) = self.world.devices.get_mut(device) {
            Arc::make_mut(entry).device().receive(byte, cycle);
            self.changed(device, cycle);
        }
    }

    /// The levels of a GPIO's pins; 0 for what is none.
    pub fn pin_levels(&self, device: usize) -> u32 {
        self.world.devices.get(device).map_or(0, |entry| entry.view().pin_levels())
    }
}
