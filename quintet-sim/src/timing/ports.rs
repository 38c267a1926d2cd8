//! The port of the core that reaches an address, and its speed.

use std::sync::Arc;

use crate::processor::bus::{PRIVATE_START, Port, RegionTiming, VENDOR_START};

/// The memory map's timing, with the region of the last look-up kept at hand.
#[derive(Clone, Debug)]
pub struct Ports {
    regions: Arc<[RegionTiming]>,
    last: RegionTiming,
}

impl Ports {
    /// The map of a board.
    pub fn new(regions: &[RegionTiming]) -> Self {
        Self { regions: regions.into(), last: elsewhere(0, 0) }
    }

    /// The timing of the memory at `address`.
    #[inline]
    pub fn at(&mut self, address: u32) -> RegionTiming {
        if address < self.last.start || address > self.last.end {
            self.last = self.find(address);
        }
        self.last
    }

    /// Forgets the last look-up: no address is in a region that ends before it begins.
    pub fn forget_last(&mut self) {
        self.last = elsewhere(1, 0);
    }

    #[cold]
    fn find(&self, address: u32) -> RegionTiming {
        if (PRIVATE_START..VENDOR_START).contains(&address) {
            let bus = elsewhere(PRIVATE_START, VENDOR_START - 1);
            return RegionTiming { port: Port::Private, ..bus };
        }
        let behind = self.regions.partition_point(|region| region.start <= address);
        match behind.checked_sub(1).map(|index| self.regions[index]) {
            Some(region) if address <= region.end => region,
            _ => elsewhere(address, address),
        }
    }
}

/// An address that no region describes.
fn elsewhere(start: u32, end: u32) -> RegionTiming {
    RegionTiming {
        start,
        end,
        port: Port::System,
        read_wait_states: 0,
        write_wait_states: 0,
        front: 0,
    }
}

/// Returns `true` if two accesses on these ports go through the same bus of the core.
#[inline]
pub fn same_bus(one: Port, other: Port) -> bool {
    is_code(one) && is_code(other) || one == other
}

/// Returns `true` if a port is ICode and DCode.
#[inline]
pub fn is_code(port: Port) -> bool {
    matches!(port, Port::CodeShared | Port::CodeSeparate)
}
