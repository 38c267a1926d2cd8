//! What the kernel and its drivers keep for a process is taken away when the process ends or starts
//! again: piece by piece, each of them short.

use super::client::{Client, Slots};
use super::load;
use super::record::Process;
use super::system::System;
use crate::core::lock::kernel;

/// The number of slots of a driver that are cleared at a time.
const SLOTS: usize = 4;

/// How far the work is: the next driver, and the number of its slots that are cleared.
#[derive(Clone, Copy, Debug)]
pub struct Forgotten {
    driver: u8,
    slots: u8,
}

impl Forgotten {
    /// No work is done.
    pub const NOTHING: Self = Self { driver: 0, slots: 0 };
}

impl System {
    /// Takes away a piece of what is kept for a process: upcalls, buffers, what drivers keep, and
    /// its used memory. Returns `true` if nothing is left.
    pub(super) fn forget_part(&'static self, process: &'static Process) -> bool {
        let at = process.forgotten.get();
        let Some(driver) = self.drivers.get(usize::from(at.driver)) else {
            if usize::from(at.driver) > self.drivers.len() {
                return true;
            }
            load::prepare(process);
            process.forgotten.set(Forgotten { driver: at.driver + 1, slots: 0 });
            return false;
        };
        if at.driver == 0 && at.slots == 0 {
            kernel(|lock| process.upcalls.clear(lock));
            process.notices.clear();
        }
        if process.close_a_window() {
            return false;
        }
        let slots = driver.slots(process.index());
        let first = usize::from(at.slots);
        let cleared = clear(&slots, first);
        let next = if cleared > 0 {
            Forgotten { slots: (first + cleared) as u8, ..at }
        } else if driver.forget_part(Client { process, driver: at.driver }) {
            Forgotten { driver: at.driver + 1, slots: 0 }
        } else {
            at
        };
        process.forgotten.set(next);
        false
    }
}

/// Clears some slots, from `first` on. Returns their number; 0 if there are no more.
fn clear(slots: &Slots, first: usize) -> usize {
    let Slots { upcalls, read_only, read_write, readable, .. } = slots;
    let mut cleared = 0;
    for upcall in upcalls.iter().skip(first).take(SLOTS) {
        kernel(|_| upcall.function.set(0));
        // So the answer to a subscription in the next life has no data of this life.
        upcall.data.set(0);
        cleared += 1;
    }
    let mut before = upcalls.len();
    for buffers in [read_only, read_write, readable] {
        let left = SLOTS - cleared;
        let skipped = (first + cleared).saturating_sub(before);
        for buffer in buffers.iter().skip(skipped).take(left) {
            kernel(|_| buffer.size.set(0));
            buffer.address.set(0);
            cleared += 1;
        }
        before += buffers.len();
    }
    cleared
}
