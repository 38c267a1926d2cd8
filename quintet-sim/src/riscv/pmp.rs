//! Physical memory protection: sixteen regions, of which the lowest that meets an access decides.
//!
//! A region that is locked holds for machine mode too, and stays until the next reset. The smallest
//! region has four bytes. (Privileged specification, 3.7.)

/// The number of regions.
pub const REGIONS: usize = 16;

const READ: u8 = 1 << 0;
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;
const LOCKED: u8 = 1 << 7;
/// The bits of a configuration that exist.
const IMPLEMENTED: u8 = 0x9f;

/// The ways in which a region's address is meant: bits 4:3 of its configuration.
mod mode {
    pub const OFF: u8 = 0;
    pub const TOP_OF_RANGE: u8 = 1;
    pub const FOUR_BYTES: u8 = 2;
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It fetches an instruction.
    Execute,
    /// It reads.
    Read,
    /// It writes, or reads and writes.
    Write,
}

/// The registers of the unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Protection {
    pub(super) configurations: [u8; REGIONS],
    pub(super) addresses: [u32; REGIONS],
    /// The regions, a bit each, of which a VexRiscv has worked out what they cover.
    pub(super) placed: u16,
    /// The regions of a kind that a VexRiscv knows, a bit each.
    pub(super) known: u16,
    /// `true` if any region is on: the only test of most programs.
    is_on: bool,
}

impl Protection {
    /// Returns a register of four configurations.
    pub fn configuration(&self, register: usize) -> u32 {
        let bytes = self.configurations.get(4 * register..4 * register + 4);
        bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
    }

    /// Writes a register of four configurations, those of locked regions excepted.
    pub fn set_configuration(&mut self, register: usize, value: u32) {
        let places = self.configurations.iter_mut().skip(4 * register).take(4);
        for (configuration, byte) in places.zip(value.to_le_bytes()) {
            let byte = byte & IMPLEMENTED;
            // Writable and not readable is reserved: such a value changes nothing.
            let is_reserved = byte & (READ | WRITE) == WRITE;
            if *configuration & LOCKED == 0 && !is_reserved {
                *configuration = byte;
            }
        }
        self.is_on = self.configurations.iter().any(|one| one >> 3 & 3 != mode::OFF);
    }

    /// Returns a register of an address.
    pub fn address(&self, region: usize) -> u32 {
        self.addresses.get(region).copied().unwrap_or(0)
    }

    /// Writes a register of an address, unless the region is locked, or is the lower end of a
    /// locked one.
    pub fn set_address(&mut self, region: usize, value: u32) {
        let locks_below = |configuration: &u8| {
            configuration & LOCKED != 0 && configuration >> 3 & 3 == mode::TOP_OF_RANGE
        };
        let is_locked = self.configurations.get(region).is_some_and(|one| one & LOCKED != 0)
            || self.configurations.get(region + 1).is_some_and(locks_below);
        if let Some(address) = self.addresses.get_mut(region).filter(|_| !is_locked) {
            *address = value;
        }
    }

    /// Returns `true` if the access of `length` bytes is allowed; `machine` says in which mode.
    #[inline]
    pub fn allows(&self, access: Access, address: u32, length: u32, machine: bool) -> bool {
        if !self.is_on {
            return machine;
        }
        self.decide(access, address, length, machine)
    }

    fn decide(&self, access: Access, address: u32, length: u32, machine: bool) -> bool {
        let (first, behind) = (u64::from(address), u64::from(address) + u64::from(length));
        for (region, configuration) in self.configurations.iter().enumerate() {
            let Some((low, high)) = self.range(region) else { continue };
            if behind <= low || high <= first {
                continue;
            }
            // A region that meets only a part refuses the whole.
            if first < low || high < behind {
                return false;
            }
            let needed = match access {
                Access::Execute => EXECUTE,
                Access::Read => READ,
                Access::Write => WRITE,
            };
            let is_free = machine && configuration & LOCKED == 0;
            return is_free || configuration & needed != 0;
        }
        machine
    }

    /// Returns the first address of a region and the one behind it; `None` if it is off or empty.
    fn range(&self, region: usize) -> Option<(u64, u64)> {
        let configuration = *self.configurations.get(region)?;
        let address = u64::from(*self.addresses.get(region)?);
        let (low, high) = match configuration >> 3 & 3 {
            mode::OFF => return None,
            mode::TOP_OF_RANGE => {
                let below = region.checked_sub(1).and_then(|below| self.addresses.get(below));
                (u64::from(below.copied().unwrap_or(0)) << 2, address << 2)
            }
            mode::FOUR_BYTES => (address << 2, (address << 2) + 4),
            _ => {
                let ones = address.trailing_ones();
                let low = (address >> ones << ones) << 2;
                (low, low + (8 << ones))
            }
        };
        (low < high).then_some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(regions: &[(u8, u32)]) -> Protection {
        let mut protection = Protection::default();
        for (region, (_, address)) in regions.iter().enumerate() {
            protection.set_address(region, *address);
        }
        for register in 0..4 {
            let bytes =
                [0, 1, 2, 3].map(|byte| regions.get(4 * register + byte).map_or(0, |one| one.0));
            protection.set_configuration(register, u32::from_le_bytes(bytes));
        }
        protection
    }

    fn user(protection: &Protection, access: Access, address: u32) -> bool {
        protection.allows(access, address, 4, false)
    }

    #[test]
    fn without_regions_only_machine_mode_goes() {
        let protection = Protection::default();
        assert!(protection.allows(Access::Write, 0, 4, true));
        assert!(!protection.allows(Access::Read, 0, 4, false));
    }

    #[test]
    fn a_region_is_a_power_of_two() {
        // 0x8000_1000, 0x1000 bytes, readable.
        let protection = with(&[(0x18 | READ, 0x8000_1000 >> 2 | 0x1ff)]);
        let reads = |address| user(&protection, Access::Read, address);
        assert_eq!(
            [0x8000_0ffc, 0x8000_1000, 0x8000_1ffc, 0x8000_2000].map(reads),
            [false, true, true, false]
        );
        assert!(!user(&protection, Access::Write, 0x8000_1000));
        assert!(!reads(0x8000_0ffe), "half of it is outside");
    }

    #[test]
    fn all_ones_are_everything() {
        let protection = with(&[(0x18 | READ | WRITE | EXECUTE, u32::MAX)]);
        assert!(
            user(&protection, Access::Execute, 0) && user(&protection, Access::Write, 0xffff_fffc)
        );
    }

    #[test]
    fn the_top_of_a_range_begins_at_the_one_before() {
        let protection =
            with(&[(0, 0x100 >> 2), (0x08 | READ, 0x200 >> 2), (0x08 | READ, 0x80 >> 2)]);
        let reads = |address| user(&protection, Access::Read, address);
        assert_eq!([0xfc, 0x100, 0x1fc, 0x200].map(reads), [false, true, true, false]);
        let first = with(&[(0x08 | READ, 0x80 >> 2)]);
        assert!(user(&first, Access::Read, 0) && !user(&first, Access::Read, 0x80));
    }

    #[test]
    fn the_lowest_region_decides() {
        let protection = with(&[(0x10, 0x100 >> 2), (0x18 | READ, u32::MAX)]);
        let reads = |address| user(&protection, Access::Read, address);
        assert_eq!([0xfc, 0x100, 0x104].map(reads), [true, false, true]);
    }

    #[test]
    fn a_locked_region_holds_for_machine_mode_and_stays() {
        let mut protection = with(&[(0, 0x100 >> 2), (LOCKED | 0x08 | READ, 0x200 >> 2)]);
        let writes = |protection: &Protection| protection.allows(Access::Write, 0x100, 4, true);
        assert!(!writes(&protection));
        protection.set_configuration(0, 0);
        protection.set_address(1, 0);
        protection.set_address(0, 0);
        assert!(!writes(&protection));
        assert_eq!((protection.address(0), protection.address(1)), (0x40, 0x80));
        assert!(protection.allows(Access::Write, 0x200, 4, true));
    }

    #[test]
    fn writable_alone_is_refused() {
        let protection = with(&[(0x18 | WRITE, u32::MAX)]);
        assert_eq!(protection.configuration(0), 0);
    }
}
