//! Devices that move data by themselves (DMA).

use std::sync::Arc;

use super::SystemBus;
use crate::peripherals::{Place, Transfer};
use crate::processor::instruction::Size;

/// The most items that are moved before time goes on. The longest transfer of a channel is shorter,
/// so a transfer between memories is done at once.
const ITEMS_MAX: u64 = 0x2_0000;

/// A transfer that never ends, such as a circular one to a port that always takes an item, uses up
/// all items. Then one more may be moved in so many cycles: a port needs about as many for a byte.
const CYCLES_PER_ITEM: u64 = 16;

/// The items that are moved at once by a transfer that has used up all.
const ITEMS_LATER: u64 = 64;

/// The items that may still be moved. So the work of the host for a cycle has a bound, whatever the
/// channels are set to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    items: u64,
    /// The cycle up to which `items` has been counted.
    counted: u64,
    /// When a transfer that had to wait goes on; `u64::MAX` for none.
    pub resumes: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { items: ITEMS_MAX, counted: 0, resumes: u64::MAX }
    }
}

impl Allowance {
    /// Counts the items of the cycles since the last call.
    fn count(&mut self, cycle: u64) {
        let gained = cycle.saturating_sub(self.counted) / CYCLES_PER_ITEM;
        self.items = ITEMS_MAX.min(self.items.saturating_add(gained));
        self.counted += gained * CYCLES_PER_ITEM;
    }
}

impl SystemBus {
    /// Moves all that is asked for now.
    pub(super) fn transfer(&mut self, cycle: u64) {
        // A moved item changes devices, and their change leads here again.
        if self.wiring.masters.is_empty() || self.world.transferring {
            return;
        }
        let waits = self.world.allowance.resumes;
        if cycle < waits && waits != u64::MAX {
            return;
        }
        self.world.allowance.resumes = u64::MAX;
        self.world.allowance.count(cycle);
        self.world.transferring = true;
        while let Some((master, transfer)) = self.wanted() {
            let allowance = &mut self.world.allowance;
            if allowance.items == 0 {
                allowance.resumes = cycle.saturating_add(ITEMS_LATER * CYCLES_PER_ITEM);
                break;
            }
            allowance.items -= 1;
            self.transfer_one(master, &transfer, cycle);
        }
        self.world.transferring = false;
        self.schedule();
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
