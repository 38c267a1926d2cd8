//! The part of a state without a past that words on their way and the buses have.

use super::{NOWHERE, Transfers, UNKNOWN};
use crate::timing::state::{Numbers, Shift, number};

impl Transfers {
    /// See [`Pipeline::forget_past`](crate::timing::Pipeline::forget_past). `time` is the first
    /// cycle that is not decided. With `starved`, the next instruction is not there yet. Its word
    /// is asked for when no other address waits, so no branch can want the word of that one.
    pub(in crate::timing) fn forget_past(&mut self, shift: Shift, time: u64, starved: bool) {
        for index in 0..2 {
            if index < usize::from(self.count) {
                self.arrives[index] = shift.exact(self.arrives[index]);
            } else {
                (self.arrives[index], self.halfwords[index]) = (UNKNOWN, 0);
            }
        }
        if !self.waits || starved && !self.waiting_wanted {
            self.waiting = NOWHERE;
        }
        self.waiting_wanted &= self.waits;
        // Only a front end asks for it, and no tool follows the states of one.
        self.passed_by = NOWHERE;
        self.code_free = shift.recent(self.code_free);
        self.data_taken = shift.recent(self.data_taken);
        self.request = self.request.map(|cycle| shift.exact(cycle));
        self.slot = shift.recent(self.slot);
        self.request_free = shift.recent(self.request_free);
        self.last_write = shift.recent_or_none(self.last_write);
        self.put_off = shift.recent_or_none(self.put_off);
        self.arrived = shift.recent(self.arrived);
        if self.arrived <= time {
            self.arrived = shift.recent(0);
            self.arrived_port = self.region.port;
        }
    }

    /// Collects the numbers that tell this state from others.
    pub(in crate::timing) fn collect(&self, numbers: &mut Numbers) {
        numbers.push(self.region.start);
        numbers.push(self.waiting);
        let [first, second] = self.halfwords;
        numbers.bytes([first, second, self.count, self.expected]);
        let flags = [self.waits, self.waiting_wanted, self.quick, self.locked];
        let flags = flags.into_iter().fold(0, |flags, flag| flags << 1 | u8::from(flag));
        let region = self.region;
        numbers.bytes([flags, number(self.arrived_port), number(region.port), 0]);
        let cycles = [
            self.arrives[0],
            self.arrives[1],
            self.arrived,
            self.code_free,
            self.data_taken,
            self.request.unwrap_or(UNKNOWN),
            self.slot,
            self.request_free,
            self.last_write,
            self.put_off,
        ];
        cycles.into_iter().for_each(|cycle| numbers.cycle(cycle));
    }

    /// Moves the address that waits.
    pub(in crate::timing) fn move_code(&mut self, by: u32) {
        if self.waiting != NOWHERE {
            self.waiting = self.waiting.wrapping_add(by);
        }
    }
}
