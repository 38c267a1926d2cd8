//! Devices that move data by themselves (DMA).

use std::sync::Arc;

use super::SystemBus;
use crate::peripherals::{Place, Transfer};
use crate::processor::instruction::Size;

/// The most items that are moved before time goes on. The longest transfer of a channel is shorter,
/// so a transfer between memories is done at once. A transfer that never ends can't stop time.
const ITEMS_MAX: usize = 0x2_0000;

impl SystemBus {
    /// Moves all that is asked for now.
    pub(super) fn transfer(&mut self, cycle: u64) {
        // A moved item changes devices, and their change leads here again.
        if self.wiring.masters.is_empty() || self.world.transferring {
            return;
        }
        self.world.transferring = true;
        for _ in 0..ITEMS_MAX {
            let Some((master, transfer)) = self.wanted() else { break };
            self.transfer_one(master, &transfer, cycle);
        }
        self.world.transferring = false;
    }

    /// The first transfer that can happen now, and its device.
    fn wanted(&self) -> Option<(usize, Transfer)> {
        self.wiring.masters.iter().find_map(|&master| {
            let all = self.world.devices[master].view().transfers();
            all.into_iter().find(|transfer| self.is_due(transfer)).map(|one| (master, one))
        })
    }

    fn is_due(&self, transfer: &Transfer) -> bool {
        let Some((address, request)) = transfer.on else { return true };
        // A transfer that waits for memory waits for ever.
        self.wiring.find(address).is_some_and(|(device, _)| {
            self.world.devices[device].view().requests() & request.bit() != 0
        })
    }

    fn transfer_one(&mut self, master: usize, transfer: &Transfer, cycle: u64) {
        let value = match transfer.from {
            Place::Own(value) => Ok(value),
            Place::Bus(address, size) => self.read_plain(address, size, cycle),
        };
        let value = value.map(|value| match (transfer.swaps, transfer.to) {
            (true, Place::Bus(_, Size::Half)) => u32::from((value as u16).swap_bytes()),
            (true, Place::Bus(_, Size::Word)) => value.swap_bytes(),
            _ => value,
        });
        let done = value.and_then(|value| match transfer.to {
            Place::Own(_) => Ok(()),
            Place::Bus(address, size) => self.write_plain(address, size, value, cycle),
        });
        let good = done.is_ok();
        let entry = Arc::make_mut(&mut self.world.devices[master]).device();
        entry.transferred(transfer.channel, value.unwrap_or(0), good, cycle);
        self.changed(master, cycle);
    }
}
