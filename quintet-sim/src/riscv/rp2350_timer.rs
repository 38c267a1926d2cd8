//! The timer and the software interrupt that RP2350's SIO has for a RISC-V hart: those of a CLINT,
//! at other places.
//!
//! ```text
//!  +0x00  riscv_softirq  bit 0 sets the software interrupt of hart 0, bit 8 clears it
//!  +0x04  mtime_ctrl     bit 0: it counts (it always does here)
//!  +0x10  mtime, +0x14 mtimeh, +0x18 mtimecmp, +0x1c mtimecmph
//! ```

use super::clint::Clint;
use crate::processor::bus::BusError;

/// The bytes of addresses that it takes.
pub const SPAN: u32 = 0x20;

const SOFTWARE: u32 = 0x00;
const CONTROL: u32 = 0x04;

/// Returns the register of a CLINT that has the same meaning.
fn of_clint(offset: u32) -> Option<u32> {
    Some(match offset {
        0x10 => 0xbff8,
        0x14 => 0xbffc,
        0x18 => 0x4000,
        0x1c => 0x4004,
        _ => return None,
    })
}

/// Reads the word at `offset`.
///
/// # Errors
/// None, as a bus has them: what is not there reads as 0.
pub fn read(clint: &Clint, offset: u32, cycle: u64) -> Result<u32, BusError> {
    match (offset, of_clint(offset)) {
        (SOFTWARE, _) => clint.read(0, cycle),
        (CONTROL, _) => Ok(1),
        (_, Some(register)) => clint.read(register, cycle),
        _ => Ok(0),
    }
}

/// Writes the word at `offset`.
pub fn write(clint: &mut Clint, offset: u32, value: u32, cycle: u64) {
    match (offset, of_clint(offset)) {
        (SOFTWARE, _) if value >> 8 & 1 != 0 => clint.write(0, 0, cycle),
        (SOFTWARE, _) if value & 1 != 0 => clint.write(0, 1, cycle),
        (_, Some(register)) => clint.write(register, value, cycle),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::bus::line;
    use super::*;

    #[test]
    fn it_is_a_clint_at_other_places() {
        let mut clint = Clint::new(10, 10);
        write(&mut clint, 0x18, 7, 0);
        write(&mut clint, 0x1c, 0, 0);
        assert_eq!([0x10, 0x18, 0x04].map(|at| read(&clint, at, 6)), [Ok(6), Ok(7), Ok(1)]);
        assert_eq!((clint.pending(6), clint.pending(7)), (0, line::TIMER));
        write(&mut clint, 0, 1, 0);
        assert_eq!((read(&clint, 0, 0), clint.pending(0)), (Ok(1), line::SOFTWARE));
        write(&mut clint, 0, 0x100, 0);
        assert_eq!(clint.pending(0), 0);
    }
}
