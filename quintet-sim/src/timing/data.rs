//! Loads and stores: when each one's address is on the bus, and what waits for it.
//!
//! An access has an address phase and, in the cycle behind it, a data phase. A load holds the
//! execute stage for both, but a load or store behind it may put its own address on the same bus
//! during the data phase. A store leaves its data in a buffer and the execute stage after one
//! cycle.

use super::ports::same_bus;
use super::{Kind, Pipeline};
use crate::processor::bus::{Port, RegionTiming};

/// What an instruction's data does on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl Pipeline {
    /// The instruction accesses memory; returns the cycle of the transfer. Called once for each
    /// aligned part of an unaligned access, and once for each register of a load or store multiple,
    /// in bus order.
    #[inline]
    pub fn data(&mut self, address: u32, direction: Direction) -> u64 {
        let region = self.ports.at(address);
        let wanted = if self.current.accessed {
            self.last_address + 1
        } else {
            self.first_address(region.port)
        };
        self.current.accessed = true;
        let at = self.access(wanted, &region, direction);
        self.last_address = at;
        self.occupy(at, region.port);
        at + 1
    }

    /// The first address phase of the current instruction: earlier than thought when it turns out
    /// to be on the bus of the load before it, and not otherwise.
    #[inline]
    fn first_address(&mut self, port: Port) -> u64 {
        if let Some((bus, otherwise)) = self.current.overlap
            && !same_bus(bus, port)
        {
            self.start = otherwise;
            self.decode_free = otherwise;
            // It has left the decode stage all the same: the fetch unit keeps its words for the
            // earlier cycle.
        }
        self.start
    }

    /// Takes the first address phase that is free from `wanted` on. Returns the cycle before the
    /// one in which its transfer ends: wait states put both off.
    #[inline]
    fn access(&mut self, wanted: u64, region: &RegionTiming, direction: Direction) -> u64 {
        let write = direction == Direction::Write;
        let wait_states = if write { region.write_wait_states } else { region.read_wait_states };
        let at = match region.port {
            Port::System if self.fetch.uses_system_bus() => {
                self.fetch.claim_system_bus(wanted, write, wait_states)
            }
            Port::CodeShared => {
                for cycle in wanted..=wanted + u64::from(wait_states) {
                    self.fetch.block(cycle);
                }
                wanted
            }
            _ => wanted,
        };
        at + u64::from(wait_states)
    }

    /// What an address phase in cycle `at` means for the instructions behind.
    #[inline]
    fn occupy(&mut self, at: u64, port: Port) {
        let facts = self.current.facts;
        self.execute_free = at + 2;
        match facts.kind {
            Kind::Load => {
                self.load_bus = Some(port);
                self.ready(facts.results, at + 2);
            }
            Kind::LoadMultiple => {
                self.ready(facts.results, at + 2);
                self.ready(facts.late, at + 3);
            }
            Kind::Store => {
                // A third register, the offset's, is read in a cycle of its own.
                self.execute_free = at + 1 + u64::from(facts.register_offset);
                self.stored = at + 2;
            }
            Kind::StoreMultiple => {
                self.stored = at + 2;
                // The fetch unit stands still from the first address to the last data: behind a
                // PUSH of three registers and two wide instructions, a third one that lies across
                // two words waits for its second.
                self.fetch.block(at);
                self.fetch.block(at + 1);
            }
            Kind::StoreExclusive => {
                self.stored = at + 2;
                self.ready(facts.results, at + 3);
            }
            _ => {}
        }
        self.ready(facts.base, at + 2);
    }
}
