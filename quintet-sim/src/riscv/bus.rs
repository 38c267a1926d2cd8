//! The hart's view of the world outside it.
//!
//! The hart is generic over [`Bus`], so that a test needs an array and a few lines.

use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

/// Bits of `mip` and `mie`, which are also the numbers of the interrupts.
pub mod line {
    /// Machine software interrupt.
    pub const SOFTWARE: u32 = 1 << 3;
    /// Machine timer interrupt.
    pub const TIMER: u32 = 1 << 7;
    /// Machine external interrupt.
    pub const EXTERNAL: u32 = 1 << 11;
    /// All of these.
    pub const ALL: u32 = SOFTWARE | TIMER | EXTERNAL;
}

/// Memory, devices and interrupt controllers.
pub trait Bus {
    /// Reads 1, 2 or 4 bytes, aligned to their size, at `cycle`. Side effects of devices happen.
    ///
    /// # Errors
    /// Nothing is there, or it refuses the access.
    fn read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError>;

    /// Writes 1, 2 or 4 bytes, aligned to their size, at `cycle`.
    ///
    /// # Errors
    /// Nothing is there, or it refuses the access.
    fn write(&mut self, address: u32, size: Size, value: u32, cycle: u64) -> Result<(), BusError>;

    /// Fetches a halfword of an instruction, without side effects.
    ///
    /// # Errors
    /// There is no memory.
    fn fetch(&mut self, address: u32) -> Result<u16, BusError>;

    /// Brings everything up to `cycle`, and returns the interrupts that are pending: bits of
    /// [`mod@line`]. The hart calls this function when `cycle` has reached [`Bus::next_event`], and
    /// after each access that is not one of memory.
    fn advance(&mut self, cycle: u64) -> u32;

    /// Returns the cycle of the next event that the hart does not cause; `u64::MAX` for none.
    fn next_event(&self) -> u64;

    /// Returns `true` if an access there can change pending interrupts.
    fn is_device(&self, address: u32) -> bool;

    /// Returns the lines of devices, for a core that has its own controller of interrupts.
    fn external_lines(&self) -> u32 {
        0
    }

    /// Returns the lines of devices, by the number of the interrupt, for a core whose own
    /// controller knows more than 32 of them.
    fn device_lines(&self) -> [u32; 8] {
        [0; 8]
    }

    /// Returns the time that a program reads from the register `time`.
    fn time(&self, cycle: u64) -> u64;
}
