//! Loads and stores: the cycle of each address on the bus, and the instructions that wait for it.
//!
//! An access has an address phase and, in the cycle behind it, a data phase, which wait states make
//! longer. A load holds the execute stage for both, but a load or store behind it may put its own
//! address on the same bus during the data phase. A store leaves its data in a buffer and the
//! execute stage after one cycle; a load right behind it follows into the execute stage, and its
//! address waits there.

use super::ports::same_bus;
use super::{Kind, Pipeline};
use crate::processor::bus::{Port, RegionTiming};

/// The direction of an instruction's data on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl Pipeline {
    /// The instruction accesses memory. Returns the cycle of the transfer. The processor calls this
    /// once for each aligned part of an unaligned access, and once for each register of a load or
    /// store multiple, in bus order.
    #[inline]
    pub fn data(&mut self, address: u32, direction: Direction) -> u64 {
        if self.table.is_some() {
            return self.data_by_table(address, direction);
        }
        let region = self.ports.at(address);
        let presented = if self.current.accessed {
            self.last_address + 1
        } else {
            self.first_address(region.port, direction)
        };
        self.current.accessed = true;
        let write = direction == Direction::Write;
        let (at, wait_states) = if region.front != 0 && !write {
            let from = presented.max(self.transferred);
            self.fetch.claim_front(address, presented, from, &region)
        } else {
            let wait = if write { region.write_wait_states } else { region.read_wait_states };
            (self.access(presented, &region, write, wait), u64::from(wait))
        };
        self.last_address = at;
        self.transferred = at + 1 + wait_states;
        self.occupy(region.port);
        self.transferred
    }

    /// Returns the cycle of the current instruction's first address. If the access is on the bus of
    /// the load before it, the address comes earlier than planned.
    #[inline]
    fn first_address(&mut self, port: Port, direction: Direction) -> u64 {
        if let Some((bus, otherwise)) = self.current.overlap
            && !same_bus(bus, port)
        {
            self.start = otherwise;
            self.decode_free = otherwise;
            // The instruction has left the decode stage all the same: the fetch unit keeps its
            // words for the earlier cycle.
        }
        if self.current.facts.loads_pc() {
            self.fetch.pause(self.start);
        }
        match direction {
            Direction::Read => self.start.max(self.behind_store()),
            Direction::Write => self.start,
        }
    }

    /// The first cycle in which a load or a barrier can follow the last store.
    #[inline]
    pub(super) fn behind_store(&mut self) -> u64 {
        if std::mem::take(&mut self.may_be_put_off) {
            self.stored = self.fetch.behind_store(self.stored);
        }
        self.stored
    }

    /// Takes the first free address phase for an address that is `presented` in that cycle, after
    /// the transfer of the access before it.
    #[inline]
    fn access(&mut self, presented: u64, region: &RegionTiming, write: bool, wait: u8) -> u64 {
        let from = presented.max(self.transferred);
        match region.port {
            Port::System if self.fetch.uses_system_bus() => {
                self.fetch.claim_system_bus(from, write, wait)
            }
            Port::CodeShared => self.fetch.claim_code_bus(presented, from, wait),
            _ => from,
        }
    }

    /// Records the effects of the last transfer on the instructions behind.
    #[inline]
    fn occupy(&mut self, port: Port) {
        let facts = self.current.facts;
        let (address, free) = (self.last_address, self.transferred + 1);
        self.execute_free = free;
        match facts.kind {
            Kind::Load | Kind::LoadMultiple => {
                self.load_bus = (facts.kind == Kind::Load).then_some(port);
                self.ready(facts.results, free);
                self.ready(facts.late, free + 1);
            }
            Kind::Store => {
                // The third register, the offset, is read in a cycle of its own.
                self.execute_free = address + 1 + u64::from(facts.register_offset);
                self.written(free);
            }
            Kind::StoreMultiple => self.written(free),
            Kind::StoreExclusive => {
                self.written(free);
                self.ready(facts.results, free + 1);
            }
            _ => {}
        }
        self.ready(facts.base, address + 2);
    }

    #[inline]
    fn written(&mut self, free: u64) {
        self.stored = free;
        self.may_be_put_off = true;
    }
}
