//! The addresses that a process may reach, and those that the protection unit lets it reach.

use std::ops::Range;

use quintet_sim::processor::system::mpu::{Access, Mpu};

/// The unit decides about so many bytes at a time.
const BLOCK: u32 = 32;
/// The existing memory: flash and RAM.
const THERE: [Range<u32>; 2] = [0..0x4_0000, 0x2000_0000..0x2001_0000];
/// Addresses of devices and of the processor's own, and where nothing is.
const ELSEWHERE: [u32; 10] = [
    0x1000_0000,
    0x2200_0000,
    0x4000_4000,
    0x4000_c000,
    0x400f_e000,
    0x4200_0000,
    0x6000_0000,
    0xa000_0000,
    0xe000_0000,
    0xffff_ffe0,
];

/// The process's own addresses.
#[derive(Clone, Debug)]
pub struct Own {
    /// To be read and written.
    pub memory: Range<u32>,
    /// To be read and executed.
    pub flash: Range<u32>,
    /// The part of another process that may share it: accessible for reads and writes, or not at
    /// all.
    pub shared: Range<u32>,
}

impl Own {
    /// Checks the blocks at which rights begin or end.
    pub fn check_ends(&self, unit: &mut Mpu) -> Result<(), String> {
        let ranges = [&self.memory, &self.flash, &self.shared];
        let ends = ranges.into_iter().chain(&THERE).flat_map(|range| [range.start, range.end]);
        let near = ends.flat_map(|end| [end.wrapping_sub(BLOCK), end, end.wrapping_add(BLOCK)]);
        near.chain(ELSEWHERE).try_for_each(|address| self.check(unit, address))
    }

    /// Looks at all that is there.
    pub fn check_all(&self, unit: &mut Mpu) -> Result<(), String> {
        let blocks = THERE.into_iter().flat_map(|range| range.step_by(BLOCK as usize));
        blocks.chain(ELSEWHERE).try_for_each(|address| self.check(unit, address))
    }

    /// Checks that the unit refuses every forbidden access at an address.
    fn check(&self, unit: &mut Mpu, address: u32) -> Result<(), String> {
        let is_memory = self.memory.contains(&address) || self.shared.contains(&address);
        let is_flash = self.flash.contains(&address);
        for (access, may) in [
            (Access::Read, is_memory || is_flash),
            (Access::Write, is_memory),
            (Access::Execute, is_flash),
        ] {
            if !may && unit.check(address, access, false).is_some() {
                return Err(format!("{access:?} at {address:#010x} is not refused"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quintet_sim::processor::Architecture;

    use super::*;

    /// A unit with one region, of data or of code.
    fn unit(base: u32, bits: u32, rights: u32) -> Mpu {
        let mut unit = Mpu::new(8, Architecture::V7M);
        unit.write(0x0c, base | 1 << 4 | 3);
        unit.write(0x10, rights | (bits - 1) << 1 | 1);
        unit.write(0x04, 5);
        unit
    }

    #[test]
    fn a_right_too_many_is_found_wherever_it_is() {
        const DATA: u32 = 1 << 28 | 3 << 24;
        const CODE: u32 = 6 << 24;
        let own = Own { memory: 0x2000_d000..0x2000_d800, flash: 0x3_2000..0x3_4000, shared: 0..0 };
        let all = |mut unit: Mpu| own.check_all(&mut unit);
        let ends = |mut unit: Mpu| own.check_ends(&mut unit);
        assert_eq!(all(unit(0x2000_d000, 11, DATA)), Ok(()));
        assert_eq!(ends(unit(0x3_2000, 13, CODE)), Ok(()));
        let wrong = Err("Read at 0x2000d800 is not refused".to_owned());
        assert_eq!(ends(unit(0x2000_d000, 12, DATA)), wrong);
        assert_eq!(all(unit(0x2000_d000, 12, DATA)), wrong);
        assert!(ends(unit(0x3_2000, 13, DATA)).is_err(), "it may not write to its flash");
        assert!(ends(unit(0x2000_d000, 11, 3 << 24)).is_err(), "it may not execute its memory");
        assert!(all(unit(0x2000_1000, 5, DATA)).is_err(), "the kernel's memory");
        assert!(ends(unit(0x4000_c000, 12, DATA)).is_err(), "a device");
    }
}
