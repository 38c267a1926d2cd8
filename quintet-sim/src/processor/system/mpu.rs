//! The memory protection unit, PMSAv7 (B3.5): regions with sub-regions over a background map; and
//! PMSAv8 (ARMv8-M, B11): regions from a base to a limit. If two regions cover an address, an
//! access to this address is refused.
//!
//! Whatever the regions are, all addresses of an aligned block of 32 bytes have the same
//! permissions, because no region or sub-region is smaller. So the unit remembers the permissions
//! of the blocks last used.

use crate::processor::Architecture;

/// MPU_CTRL.ENABLE.
const ENABLE: u32 = 1;
/// MPU_CTRL.HFNMIENA.
const DURING_HARD_FAULT: u32 = 1 << 1;
/// MPU_CTRL.PRIVDEFENA.
const PRIVILEGED_BACKGROUND: u32 = 1 << 2;
/// Remembered blocks.
const MEMO_ENTRIES: usize = 32;
/// log2 of the smallest region's size.
const BLOCK_BITS: u32 = 5;

/// The kinds of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An instruction fetch.
    Execute,
}

/// The permissions of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// AP, as in RASR.
    access: u8,
    execute_never: bool,
    /// Strongly-ordered memory: stores are not buffered.
    pub strongly_ordered: bool,
    /// No region: only the background map, for privileged code, if the map is on.
    background: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Region {
    base: u32,
    attributes: u32,
}

impl Region {
    /// The same for a region of PMSAv8. Its base and limit hold the attributes too. `kinds` are
    /// MPU_MAIR0 and 1.
    fn covers_v8(&self, address: u32, kinds: [u32; 2]) -> Option<Permissions> {
        let (base, limit) = (self.base & !0x1f, self.attributes | 0x1f);
        if self.attributes & 1 == 0 || !(base..=limit).contains(&address) {
            return None;
        }
        let kind = self.attributes >> 1 & 7;
        Some(Permissions {
            // Privileged code alone, or all; and reads alone, or writes too.
            access: [1, 3, 5, 6][(self.base >> 1 & 3) as usize],
            execute_never: self.base & 1 != 0,
            strongly_ordered: kinds[(kind / 4) as usize] >> (8 * (kind % 4)) & 0xff == 0,
            background: false,
        })
    }

    /// Returns the permissions that the region gives to `address`, if the region covers it (a
    /// disabled sub-region does not).
    fn covers(&self, address: u32) -> Option<Permissions> {
        let size_bits = (self.attributes >> 1 & 0x1f) + 1;
        if self.attributes & 1 == 0 || size_bits < BLOCK_BITS {
            return None;
        }
        let offset_mask = u32::MAX >> (32 - size_bits);
        if (address ^ self.base) & !offset_mask != 0 {
            return None;
        }
        if size_bits >= 8 {
            let sub_region = (address & offset_mask) >> (size_bits - 3);
            if self.attributes >> (8 + sub_region) & 1 != 0 {
                return None;
            }
        }
        Some(Permissions {
            access: (self.attributes >> 24 & 7) as u8,
            execute_never: self.attributes >> 28 & 1 != 0,
            strongly_ordered: self.attributes >> 16 & 0x3b == 0,
            background: false,
        })
    }
}

/// The unit's registers.
#[derive(Clone, Debug)]
pub struct Mpu {
    control: u32,
    selected: u8,
    regions: [Region; 8],
    region_count: u8,
    /// ARMv6-M: regions have 256 bytes at least, and the registers of the selected region alone are
    /// there (B3.5.1 of its manual).
    is_small: bool,
    /// PMSAv8: MPU_MAIR0 and 1. `None` on a unit of PMSAv7.
    kinds: Option<[u32; 2]>,
    memo: [(u32, Permissions); MEMO_ENTRIES],
}

/// No block has this number.
const NO_BLOCK: u32 = u32::MAX;
/// If two regions of PMSAv8 meet, no access is allowed.
const CONFLICT: Permissions =
    Permissions { access: 0, execute_never: true, strongly_ordered: false, background: false };
const BACKGROUND: Permissions =
    Permissions { access: 3, execute_never: false, strongly_ordered: false, background: true };

impl Mpu {
    /// A unit with `region_count` regions (0 for no unit), after reset.
    pub fn new(region_count: u8, architecture: Architecture) -> Self {
        Self {
            kinds: (architecture == Architecture::V8M).then_some([0; 2]),
            is_small: architecture == Architecture::V6M,
            control: 0,
            selected: 0,
            regions: [Region::default(); 8],
            region_count: region_count.min(8),
            memo: [(NO_BLOCK, BACKGROUND); MEMO_ENTRIES],
        }
    }

    /// Returns `true` if the unit checks anything.
    #[inline]
    pub fn is_enabled(&self) -> bool {
        self.control & ENABLE != 0
    }

    /// Returns `true` if the unit also checks at the priority of HardFault and NMI.
    pub fn is_enabled_during_hard_fault(&self) -> bool {
        self.control & DURING_HARD_FAULT != 0
    }

    /// Returns the permissions of the enabled unit at `address`, or `None` if the unit refuses the
    /// access.
    #[inline]
    pub fn check(&mut self, address: u32, access: Access, privileged: bool) -> Option<Permissions> {
        let block = address >> BLOCK_BITS;
        let slot = block as usize % MEMO_ENTRIES;
        if self.memo[slot].0 != block {
            self.memo[slot] = (block, self.lookup(address));
        }
        let permissions = self.memo[slot].1;
        let allowed = if permissions.background {
            privileged && self.control & PRIVILEGED_BACKGROUND != 0
        } else {
            allows(permissions.access, access == Access::Write, privileged)
                && !(access == Access::Execute && permissions.execute_never)
        };
        allowed.then_some(permissions)
    }

    /// Returns `true` if a region, and not the background map, gives the permissions at `address`.
    pub fn covers(&self, address: u32) -> bool {
        !self.lookup(address).background
    }

    /// The highest-numbered region that covers the address decides.
    fn lookup(&self, address: u32) -> Permissions {
        let regions = &self.regions[..usize::from(self.region_count)];
        if let Some(kinds) = self.kinds {
            let mut covering = regions.iter().filter_map(|region| region.covers_v8(address, kinds));
            let first = covering.next().unwrap_or(BACKGROUND);
            return if covering.next().is_some() { CONFLICT } else { first };
        }
        regions.iter().rev().find_map(|region| region.covers(address)).unwrap_or(BACKGROUND)
    }

    /// Reads the register at `offset` from MPU_TYPE.
    pub fn read(&self, offset: u32) -> u32 {
        if self.region_count == 0 {
            return 0;
        }
        let region = self.regions[usize::from(self.selected) % 8];
        if let (Some(kinds), 0x0c..) = (self.kinds, offset) {
            return self.read_v8(kinds, offset);
        }
        match offset {
            0x14.. if self.is_small => 0,
            0x00 => u32::from(self.region_count) << 8,
            0x04 => self.control,
            0x08 => u32::from(self.selected),
            0x0c | 0x14 | 0x1c | 0x24 => region.base | u32::from(self.selected),
            0x10 | 0x18 | 0x20 | 0x28 => region.attributes,
            _ => 0,
        }
    }

    /// Writes the register at `offset` from MPU_TYPE.
    pub fn write(&mut self, offset: u32, value: u32) {
        if self.region_count == 0 {
            return;
        }
        self.memo = [(NO_BLOCK, BACKGROUND); MEMO_ENTRIES];
        if self.kinds.is_some() && offset >= 0x0c {
            return self.write_v8(offset, value);
        }
        match offset {
            0x14.. if self.is_small => {}
            0x04 => self.control = value & 7,
            0x08 => self.select(value),
            0x0c | 0x14 | 0x1c | 0x24 => {
                if value & 0x10 != 0 {
                    self.select(value & 0xf);
                }
                let mask = if self.is_small { !0xff } else { !0x1f };
                self.regions[usize::from(self.selected)].base = value & mask;
            }
            0x10 | 0x18 | 0x20 | 0x28 => {
                // A smaller region is UNPREDICTABLE on ARMv6-M: it covers nothing here.
                let bits = if self.is_small { 0x1707_ff3f } else { 0x173f_ff3f };
                let is_too_small = self.is_small && value >> 1 & 0x1f < 7;
                let enabled = if is_too_small { !1 } else { !0 };
                self.regions[usize::from(self.selected)].attributes = value & bits & enabled;
            }
            _ => {}
        }
    }

    /// Returns the region that a register of PMSAv8 means: the selected region, or one of its group
    /// of four, by the registers behind.
    fn region_v8(&self, offset: u32) -> Option<usize> {
        let selected = usize::from(self.selected);
        let place = match (offset - 0x0c) / 8 {
            0 => selected,
            alias => selected & !3 | alias as usize,
        };
        (offset < 0x2c && place < usize::from(self.region_count)).then_some(place)
    }

    fn read_v8(&self, kinds: [u32; 2], offset: u32) -> u32 {
        match (offset, self.region_v8(offset)) {
            (0x30 | 0x34, _) => kinds[usize::from(offset == 0x34)],
            (_, Some(place)) if offset & 7 == 4 => self.regions[place].base,
            (_, Some(place)) => self.regions[place].attributes,
            _ => 0,
        }
    }

    fn write_v8(&mut self, offset: u32, value: u32) {
        match (offset, self.region_v8(offset), &mut self.kinds) {
            (0x30 | 0x34, _, Some(kinds)) => kinds[usize::from(offset == 0x34)] = value,
            (_, Some(place), _) if offset & 7 == 4 => self.regions[place].base = value,
            (_, Some(place), _) => self.regions[place].attributes = value & !0x10,
            _ => {}
        }
    }

    /// Selects a region. If the region does not exist, the write is UNPREDICTABLE, and the
    /// selection stays.
    fn select(&mut self, region: u32) {
        if region < u32::from(self.region_count) {
            self.selected = region as u8;
        }
    }
}

/// The access permissions of table B3-15.
fn allows(access: u8, write: bool, privileged: bool) -> bool {
    match access {
        0b001 => privileged,
        0b010 => privileged || !write,
        0b011 => true,
        0b101 => privileged && !write,
        0b110 | 0b111 => !write,
        _ => false,
    }
}

/// Returns `true` if the default memory map forbids execution at `address` (table B3-1): devices
/// and the system space.
#[inline]
pub fn default_execute_never(address: u32) -> bool {
    matches!(address >> 29, 2 | 5 | 6 | 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One region: base, log2 of the size, AP, XN, disabled sub-regions.
    fn unit(regions: &[(u32, u32, u32, u32, u32)]) -> Mpu {
        let mut mpu = Mpu::new(8, Architecture::V7M);
        for (index, &(base, bits, access, execute_never, disabled)) in regions.iter().enumerate() {
            mpu.write(0x0c, base | 0x10 | index as u32);
            let attributes =
                execute_never << 28 | access << 24 | disabled << 8 | (bits - 1) << 1 | 1;
            mpu.write(0x10, attributes);
        }
        mpu.write(0x04, ENABLE);
        mpu
    }

    fn allowed(mpu: &mut Mpu, address: u32, access: Access, privileged: bool) -> bool {
        mpu.check(address, access, privileged).is_some()
    }

    #[test]
    fn a_small_core_has_regions_from_256_bytes_on_and_no_registers_behind() {
        let mut mpu = Mpu::new(8, Architecture::V6M);
        mpu.write(0x0c, 0x2000_01e0 | 0x10 | 3);
        // 128 bytes, and all may access them.
        mpu.write(0x10, 3 << 24 | 6 << 1 | 1);
        mpu.write(0x04, ENABLE);
        assert!(!allowed(&mut mpu, 0x2000_0100, Access::Read, false));
        mpu.write(0x10, 3 << 24 | 7 << 1 | 1);
        assert!(allowed(&mut mpu, 0x2000_0100, Access::Read, false), "its base is a multiple");
        mpu.write(0x14, 0x2000_0400 | 0x10 | 4);
        mpu.write(0x18, 3 << 24 | 7 << 1 | 1);
        assert!(!allowed(&mut mpu, 0x2000_0400, Access::Read, false));
        assert_eq!((mpu.read(0x0c), mpu.read(0x14)), (0x2000_0103, 0));
    }

    #[test]
    fn each_access_permission_is_table_b3_15() {
        // (AP, privileged read, privileged write, unprivileged read, unprivileged write)
        let table = [
            (0, false, false, false, false),
            (1, true, true, false, false),
            (2, true, true, true, false),
            (3, true, true, true, true),
            (4, false, false, false, false),
            (5, true, false, false, false),
            (6, true, false, true, false),
            (7, true, false, true, false),
        ];
        for (permission, pr, pw, ur, uw) in table {
            let mut mpu = unit(&[(0x2000_0000, 10, permission, 0, 0)]);
            let mut check = |access, privileged| allowed(&mut mpu, 0x2000_0010, access, privileged);
            assert_eq!(check(Access::Read, true), pr, "AP {permission}");
            assert_eq!(check(Access::Write, true), pw, "AP {permission}");
            assert_eq!(check(Access::Read, false), ur, "AP {permission}");
            assert_eq!(check(Access::Write, false), uw, "AP {permission}");
            assert_eq!(check(Access::Execute, false), ur, "AP {permission}");
        }
    }

    #[test]
    fn a_region_begins_and_ends_where_its_size_says() {
        let mut mpu = unit(&[(0x2000_0400, 5, 3, 0, 0)]);
        assert!(!allowed(&mut mpu, 0x2000_03ff, Access::Read, true));
        assert!(allowed(&mut mpu, 0x2000_0400, Access::Read, true));
        assert!(allowed(&mut mpu, 0x2000_041f, Access::Read, true));
        assert!(!allowed(&mut mpu, 0x2000_0420, Access::Read, true));
        let mut whole = unit(&[(0, 32, 3, 0, 0)]);
        assert!(allowed(&mut whole, 0xdfff_ffff, Access::Write, false));
        let mut too_small = unit(&[(0x2000_0400, 4, 3, 0, 0)]);
        assert!(!allowed(&mut too_small, 0x2000_0400, Access::Read, true));
    }

    #[test]
    fn a_disabled_sub_region_shows_what_is_below() {
        let mut mpu = unit(&[(0x2000_0000, 12, 6, 0, 0), (0x2000_0000, 8, 3, 0, 0b1000_0010)]);
        assert!(allowed(&mut mpu, 0x2000_0000, Access::Write, false));
        assert!(!allowed(&mut mpu, 0x2000_0020, Access::Write, false));
        assert!(allowed(&mut mpu, 0x2000_0020, Access::Read, false));
        assert!(allowed(&mut mpu, 0x2000_0040, Access::Write, false));
        assert!(!allowed(&mut mpu, 0x2000_00e0, Access::Write, false));
        // Regions below 256 bytes have no sub-regions: the bits are ignored.
        let mut small = unit(&[(0x2000_0000, 7, 3, 0, 0xff)]);
        assert!(allowed(&mut small, 0x2000_0000, Access::Write, false));
    }

    #[test]
    fn the_highest_region_wins() {
        let mut mpu = unit(&[(0x2000_0000, 10, 3, 0, 0), (0x2000_0000, 10, 0, 0, 0)]);
        assert!(!allowed(&mut mpu, 0x2000_0000, Access::Read, true));
    }

    #[test]
    fn execute_never_forbids_only_fetches() {
        let mut mpu = unit(&[(0x2000_0000, 10, 3, 1, 0)]);
        assert!(!allowed(&mut mpu, 0x2000_0000, Access::Execute, true));
        assert!(allowed(&mut mpu, 0x2000_0000, Access::Write, true));
    }

    #[test]
    fn the_background_is_for_privileged_code_and_only_when_switched_on() {
        let mut mpu = unit(&[]);
        assert!(!allowed(&mut mpu, 0x2000_0000, Access::Read, true));
        mpu.write(0x04, ENABLE | PRIVILEGED_BACKGROUND);
        assert!(allowed(&mut mpu, 0x2000_0000, Access::Read, true));
        assert!(!allowed(&mut mpu, 0x2000_0000, Access::Read, false));
    }

    #[test]
    fn the_alias_registers_select_and_write_four_regions() {
        let mut mpu = Mpu::new(8, Architecture::V7M);
        for (index, offset) in [0x0c, 0x14, 0x1c, 0x24].into_iter().enumerate() {
            mpu.write(offset, (0x2000_0000 + 0x100 * index as u32) | 0x10 | index as u32);
            mpu.write(offset + 4, 3 << 24 | 7 << 1 | 1);
        }
        for index in 0..4 {
            mpu.write(0x08, index);
            assert_eq!(mpu.read(0x0c), (0x2000_0000 + 0x100 * index) | index);
            assert_eq!(mpu.read(0x10), 3 << 24 | 7 << 1 | 1);
        }
        mpu.write(0x08, 12);
        assert_eq!(mpu.read(0x08), 3, "a region that does not exist cannot be selected");
        assert_eq!(mpu.read(0x00), 0x800);
        assert_eq!(Mpu::new(0, Architecture::V7M).read(0x00), 0);
    }

    #[test]
    fn regions_of_armv8_go_from_base_to_limit_and_must_not_meet() {
        let mut mpu = Mpu::new(8, Architecture::V8M);
        // Region 0 by the selected one, 5 by an alias: read-only for all, and data of all.
        mpu.write(0x0c, 0x2000_0040 | 3 << 1);
        mpu.write(0x10, 0x2000_00a0 | 1);
        mpu.write(0x08, 4);
        mpu.write(0x14, 0x2000_0400 | 1 << 1 | 1);
        mpu.write(0x18, 0x2000_0400 | 1);
        assert_eq!((mpu.read(0x14), mpu.read(0x18)), (0x2000_0403, 0x2000_0401));
        mpu.write(0x30, 0x44);
        assert_eq!(mpu.read(0x30), 0x44);
        mpu.write(0x04, ENABLE);
        assert!(!allowed(&mut mpu, 0x2000_003f, Access::Read, false));
        assert!(allowed(&mut mpu, 0x2000_0040, Access::Execute, false));
        assert!(allowed(&mut mpu, 0x2000_00bf, Access::Read, false));
        assert!(!allowed(&mut mpu, 0x2000_00bf, Access::Write, true));
        assert!(!allowed(&mut mpu, 0x2000_00c0, Access::Read, true));
        assert!(allowed(&mut mpu, 0x2000_0410, Access::Write, false));
        assert!(!allowed(&mut mpu, 0x2000_0410, Access::Execute, true));
        // Another region over the first: no access is allowed.
        mpu.write(0x08, 7);
        mpu.write(0x0c, 0x2000_0400 | 1 << 1);
        mpu.write(0x10, 0x2000_0400 | 1);
        assert!(!allowed(&mut mpu, 0x2000_0410, Access::Read, true));
        // Privileged code alone, and for reading alone.
        mpu.write(0x08, 5);
        mpu.write(0x10, 0);
        mpu.write(0x08, 7);
        for (access, reads, writes, all) in [(0, true, true, false), (2, true, false, false)] {
            mpu.write(0x0c, 0x2000_0400 | access << 1);
            assert_eq!(allowed(&mut mpu, 0x2000_0410, Access::Read, true), reads);
            assert_eq!(allowed(&mut mpu, 0x2000_0410, Access::Write, true), writes);
            assert_eq!(allowed(&mut mpu, 0x2000_0410, Access::Read, false), all);
        }
    }

    #[test]
    fn the_default_map_executes_from_code_sram_and_external_ram() {
        let executable = [0x0, 0x2000_0000, 0x6000_0000, 0x8000_0000];
        let never = [0x4000_0000, 0xa000_0000, 0xc000_0000, 0xe000_0000, 0xffff_fffe];
        assert!(executable.iter().all(|&address| !default_execute_never(address)));
        assert!(never.iter().all(|&address| default_execute_never(address)));
    }
}
