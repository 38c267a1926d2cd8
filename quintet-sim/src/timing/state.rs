//! The pipeline's state without its past, for a tool that follows every state that code can meet.
//!
//! The next steps of the pipeline depend on cycles relative to [`Pipeline::now`]. Cycles that are
//! long over don't matter any more. [`Pipeline::forget_past`] brings all states that no future can
//! tell apart into one form, and [`Pipeline::key`] tells such forms apart.
//!
//! ```text
//!          floor        decode_free   fetch.time     NOW
//!  ──────────┼───────────────┼────────────┼───────────┼──────> cycles
//!   all alike    compared with by the next instructions
//! ```

use std::hash::{Hash, Hasher};

use super::{Current, Facts, Kind, Pipeline, REGISTERS};
use crate::processor::bus::Port;

/// [`Pipeline::now`] in a state without a past.
pub const NOW: u64 = 1 << 20;

/// The distance before the earliest cycle on which anything still depends. No question asks for a
/// cycle before that.
const MARGIN: u64 = 4;

/// The value by which two states without a past are told apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// A number made of all of them. A tool looks up many keys, so this is made once.
    hash: u64,
    numbers: Vec<u32>,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The numbers of a key, as they are collected.
#[derive(Default)]
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    /// A number.
    pub fn push(&mut self, number: u32) {
        self.0.push(number);
    }

    /// Small numbers.
    pub fn bytes(&mut self, bytes: [u8; 4]) {
        self.0.push(u32::from_le_bytes(bytes));
    }

    /// A number that depends on all numbers and on their order.
    fn hash(&self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mix =
            |all: u64, number: &u32| (all.rotate_left(5) ^ u64::from(*number)).wrapping_mul(FACTOR);
        self.0.iter().fold(0, mix)
    }

    /// Adds a cycle near [`NOW`]. The value for no cycle differs from all of them.
    pub fn cycle(&mut self, cycle: u64) {
        self.0.push(cycle as u32);
    }
}

/// The change of cycles into the form without a past.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    now: u64,
    /// Cycles before this one are all alike.
    floor: u64,
}

impl Shift {
    /// The same distance from [`NOW`] as the cycle has from now. `u64::MAX` stands for no cycle.
    pub fn exact(self, cycle: u64) -> u64 {
        if cycle == u64::MAX {
            return cycle;
        }
        (NOW + cycle).saturating_sub(self.now)
    }

    /// The same, where cycles that are long over are alike.
    pub fn recent(self, cycle: u64) -> u64 {
        self.exact(cycle).max(self.floor)
    }

    /// The same, but a cycle that is long over becomes `None`.
    pub fn recent_or_none(self, cycle: u64) -> u64 {
        let exact = self.exact(cycle);
        if exact <= self.floor { u64::MAX } else { exact }
    }
}

impl Pipeline {
    /// Brings the state before an instruction into a form that depends only on the possible
    /// futures. [`Self::now`] is [`NOW`] then.
    pub fn forget_past(&mut self) {
        let exact = Shift { now: self.execute_free, floor: 0 };
        // A NOP may be absorbed.
        let absorbs = self.previous.waits_for_data;
        self.decode_free = exact.exact(self.decode_free);
        self.last_address = if absorbs { exact.exact(self.last_address) } else { 0 };
        let folds = self.previous.takes_it;
        self.start = self.decode_free;
        // The first cycle in which the next instruction can begin.
        let begin = if absorbs { (self.last_address + 1).min(NOW - 1) } else { NOW - 1 };
        let time = exact.exact(self.fetch.time());
        let oldest = begin.min(time).min(self.decode_free);
        let shift = Shift { now: exact.now, floor: oldest.saturating_sub(MARGIN) };
        self.fetch.forget_past(shift, self.decode_free, folds);
        self.forget_data(shift, begin);
        self.flags_made = shift.recent(self.flags_made);
        self.execute_free = NOW;
        self.current = Current::new(&Facts::NONE, 0, true, 0);
        self.forget_previous();
        (self.exception_began, self.vector_read) = (0, 0);
        self.ports.forget_last();
    }

    fn forget_data(&mut self, shift: Shift, begin: u64) {
        for cycle in &mut self.address_ready[..REGISTERS] {
            *cycle = shift.exact(*cycle).max(begin);
        }
        self.transferred = shift.exact(self.transferred).max(begin);
        self.stored = shift.exact(self.stored);
        self.may_be_put_off &= self.stored + 1 >= begin;
        if !self.may_be_put_off {
            self.stored = self.stored.max(begin);
        }
    }

    /// Of the instruction before, only a few kinds and registers are asked for.
    fn forget_previous(&mut self) {
        const LINK: u16 = 1 << 14;
        let previous = &mut self.previous;
        previous.kind = match previous.kind {
            kind @ (Kind::Load | Kind::Store | Kind::SpecialRead) => kind,
            kind @ (Kind::MultiplyLong | Kind::MultiplyAccumulate) => kind,
            kind if kind.is_long() => Kind::Divide,
            _ => Kind::Plain,
        };
        if self.load_bus.is_none() {
            previous.writes &= LINK;
        }
        if previous.kind != Kind::MultiplyLong {
            previous.high = 0;
        }
    }

    /// Returns the value that tells this state, which has no past, from others.
    pub fn key(&self) -> Key {
        let mut numbers = Numbers::default();
        self.fetch.collect(&mut numbers);
        let previous = &self.previous;
        let port = self.load_bus.map_or(0, number);
        numbers.bytes([
            previous.kind as u8,
            u8::from(previous.takes_it)
                | u8::from(previous.waits_for_data) << 1
                | u8::from(previous.overlapped) << 2,
            port,
            u8::from(self.may_be_put_off),
        ]);
        numbers.push(u32::from(previous.writes) << 16 | u32::from(previous.high));
        let cycles =
            [self.decode_free, self.last_address, self.transferred, self.stored, self.flags_made];
        cycles.into_iter().for_each(|cycle| numbers.cycle(cycle));
        self.address_ready[..REGISTERS].iter().for_each(|cycle| numbers.cycle(*cycle));
        Key { hash: numbers.hash(), numbers: numbers.0 }
    }

    /// Moves the state to the same code at another address, in the same memory and at the same
    /// place in its word.
    pub fn move_code(&mut self, from: u32, to: u32) {
        self.fetch.move_code(to.wrapping_sub(from));
    }
}

/// A port as a number other than 0.
pub(super) fn number(port: Port) -> u8 {
    match port {
        Port::CodeSeparate => 1,
        Port::CodeShared => 2,
        Port::System => 3,
        Port::Private => 4,
    }
}
