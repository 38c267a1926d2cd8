//! A VexRiscv's protection, which differs from the specification.
//!
//! It has no order of regions: one that grants is enough. It knows regions of the kind NAPOT, of at
//! least 128 bytes, and takes the lower quarter of a larger one. Data from 0x8000_0000 on isn't
//! protected. A configuration takes each bit, and a locked region keeps its own two registers only.
//!
//! What a region covers is worked out when a register of it is written, and no more when it is
//! locked. So a region that the first write of its configuration locks covers what it covers after
//! reset, which is everything.

use super::pmp::{Access, Protection, REGIONS};

/// Addresses from here on are devices to the core. Its protection does not hear of their data.
const DEVICES: u32 = 1 << 31;
const LOCKED: u8 = 1 << 7;
const NAPOT: u8 = 3;

/// Returns `true` if protection allows an access.
pub(super) fn allows(protection: &Protection, access: Access, address: u32, machine: bool) -> bool {
    if address >= DEVICES && access != Access::Execute {
        return true;
    }
    let bit = match access {
        Access::Read => 0,
        Access::Write => 1,
        Access::Execute => 2,
    };
    let mut is_hit = false;
    // Few of the sixteen are on.
    let mut rest = protection.known;
    while rest != 0 {
        let region = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let options = protection.configurations[region];
        let is_on = options & LOCKED != 0 || !machine;
        if is_on && covers(protection, region, address) {
            is_hit = true;
            if options >> bit & 1 != 0 {
                return true;
            }
        }
    }
    machine && !is_hit
}

fn covers(protection: &Protection, region: usize, address: u32) -> bool {
    if protection.placed >> region & 1 == 0 {
        return true;
    }
    let end = protection.address(region);
    let ones = end & !end.wrapping_add(1);
    let base = (end ^ ones) >> 5 & 0x1ff_ffff;
    let mask = !(ones >> 6) & 0x1ff_ffff;
    address >> 7 & mask == base
}

/// Writes a register of four configurations.
pub(super) fn set_configuration(protection: &mut Protection, register: usize, value: u32) {
    for (index, byte) in value.to_le_bytes().into_iter().enumerate() {
        let region = 4 * register + index;
        let Some(options) = protection.configurations.get_mut(region) else { continue };
        if *options & LOCKED == 0 {
            *options = byte;
        }
        if *options & LOCKED == 0 {
            protection.placed |= 1 << region;
        }
        let is_known = u16::from(*options >> 3 & 3 == NAPOT);
        protection.known = protection.known & !(1 << region) | is_known << region;
    }
}

/// Writes a register of an address.
pub(super) fn set_address(protection: &mut Protection, region: usize, value: u32) {
    if region < REGIONS && protection.configurations[region] & LOCKED == 0 {
        protection.addresses[region] = value;
        protection.placed |= 1 << region;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_that_is_locked_at_once_covers_everything() {
        let mut protection = Protection::default();
        set_configuration(&mut protection, 0, 0x99);
        set_address(&mut protection, 0, 0x4000_0000 >> 2);
        for address in [0, 0x4000_0000, 0x7fff_fffc] {
            assert!(allows(&protection, Access::Read, address, true));
            assert!(!allows(&protection, Access::Write, address, true));
            assert!(!allows(&protection, Access::Execute, address, true));
        }
        let mut protection = Protection::default();
        set_address(&mut protection, 0, 0x4000_0000 >> 2 | 0x3f);
        set_configuration(&mut protection, 0, 0x99);
        assert!(!allows(&protection, Access::Write, 0x4000_0000, true));
        assert!(allows(&protection, Access::Write, 0x4000_0080, true));
    }
}
