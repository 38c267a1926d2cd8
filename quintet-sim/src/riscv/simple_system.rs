//! The devices of Ibex's "simple system": a timer, and a control by which a program prints and ends
//! the simulation.
//!
//! ```text
//!  timer    0x0 mtime, 64 bits      0x8 mtimecmp, 64 bits
//!  control  0x0 a byte to print     0x8 bit 0 ends the simulation
//! ```
//! The interrupt of the timer comes a cycle after `mtime` has reached `mtimecmp`, and stays until
//! `mtimecmp` is written: also if `mtime` is set back. After reset both are 0.

use super::bus::line;
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

/// The bytes of addresses that each of them takes.
pub const SPAN: u32 = 0x400;

/// Returns the bits of a register that a write changes, and their values.
fn lanes(offset: u32, size: Size, value: u32) -> (u32, u32) {
    let shift = 8 * (offset & 3);
    let mask = match size {
        Size::Byte => 0xff,
        Size::Half => 0xffff,
        Size::Word => u32::MAX,
    };
    (mask << shift, (value & mask) << shift)
}

/// The timer, which counts cycles.
#[derive(Clone, Debug)]
pub struct Timer {
    /// What is added to the cycle.
    offset: u64,
    compare: u64,
    /// The first cycle in which the interrupt is pending.
    pending_from: u64,
}

impl Timer {
    /// A timer after reset in the cycle `now`.
    pub fn new(now: u64) -> Self {
        Self { offset: now.wrapping_neg(), compare: 0, pending_from: now.saturating_add(1) }
    }

    fn time(&self, cycle: u64) -> u64 {
        cycle.wrapping_add(self.offset)
    }

    /// Returns the pending interrupts.
    pub fn pending(&self, cycle: u64) -> u32 {
        if cycle >= self.pending_from { line::TIMER } else { 0 }
    }

    /// Returns the first cycle behind `cycle` at which the interrupt becomes pending; `u64::MAX` if
    /// it is pending or never will be.
    pub fn next_event(&self, cycle: u64) -> u64 {
        if cycle >= self.pending_from { u64::MAX } else { self.pending_from }
    }

    /// Reads the word at `offset`.
    ///
    /// # Errors
    /// No register is there.
    pub fn read(&self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let time = self.time(cycle);
        match offset {
            0x0 => Ok(time as u32),
            0x4 => Ok((time >> 32) as u32),
            0x8 => Ok(self.compare as u32),
            0xc => Ok((self.compare >> 32) as u32),
            _ => Err(BusError),
        }
    }

    /// Writes at `offset`, which is aligned to the size.
    ///
    /// # Errors
    /// No register is there.
    pub fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        cycle: u64,
    ) -> Result<(), BusError> {
        if offset >= 0x10 {
            return Err(BusError);
        }
        let (mask, value) = lanes(offset, size, value);
        let upper = if offset & 4 != 0 { 32 } else { 0 };
        let merge = |old: u64| old & !(u64::from(mask) << upper) | u64::from(value) << upper;
        // From the next cycle on.
        let next = cycle.wrapping_add(1);
        if offset & 8 != 0 {
            self.compare = merge(self.compare);
            self.pending_from = self.due(next);
            return Ok(());
        }
        // The other half counts on, and the bytes of this half that are not written stand still.
        let half = u64::from(u32::MAX) << upper;
        let time = self.time(next) & !half | merge(self.time(cycle)) & half;
        self.offset = time.wrapping_sub(next);
        if self.pending_from > next {
            self.pending_from = self.due(next);
        }
        Ok(())
    }

    /// Returns the cycle in which the interrupt comes, if the comparison begins in `from`.
    fn due(&self, from: u64) -> u64 {
        let rest = self.compare.saturating_sub(self.time(from));
        from.saturating_add(rest).saturating_add(1)
    }
}

/// What a program asks of the control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// To print a byte.
    Print(u8),
    /// To end the simulation.
    End,
}

/// Returns what a write to the control asks for, if anything.
pub fn request(offset: u32, size: Size, value: u32) -> Option<Request> {
    let (_, value) = lanes(offset, size, value);
    match offset {
        0x0 => Some(Request::Print(value as u8)),
        0x8 if value & 1 != 0 => Some(Request::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(timer: &mut Timer, compare: u64, cycle: u64) {
        timer.write(0x8, Size::Word, compare as u32, cycle).unwrap();
        timer.write(0xc, Size::Word, (compare >> 32) as u32, cycle).unwrap();
    }

    #[test]
    fn the_interrupt_comes_a_cycle_late_and_stays() {
        let mut timer = Timer::new(0);
        assert_eq!((timer.pending(0), timer.pending(1)), (0, line::TIMER));
        set(&mut timer, 100, 10);
        assert_eq!(timer.next_event(11), 101);
        assert_eq!((timer.pending(100), timer.pending(101)), (0, line::TIMER));
        // Set back, it stays.
        timer.write(0x0, Size::Word, 0, 120).unwrap();
        assert_eq!((timer.read(0x0, 121), timer.read(0x0, 131)), (Ok(0), Ok(10)));
        assert_eq!((timer.pending(121), timer.next_event(121)), (line::TIMER, u64::MAX));
        // What is due already comes two cycles behind the write.
        set(&mut timer, 5, 140);
        assert_eq!((timer.pending(141), timer.pending(142)), (0, line::TIMER));
    }

    #[test]
    fn a_write_of_the_time_before_the_interrupt_moves_it() {
        let mut timer = Timer::new(0);
        set(&mut timer, 1 << 32, 10);
        timer.write(0x4, Size::Word, 1, 20).unwrap();
        assert_eq!(timer.read(0x4, 21), Ok(1));
        assert_eq!(timer.next_event(21), 22);
    }

    #[test]
    fn bytes_are_written_alone() {
        let mut timer = Timer::new(0);
        set(&mut timer, 0x1122_3344, 0);
        timer.write(0x9, Size::Byte, 0xff, 1).unwrap();
        assert_eq!(timer.read(0x8, 2), Ok(0x1122_ff44));
        assert_eq!(timer.read(0x10, 2), Err(BusError));
        assert_eq!(timer.write(0x10, Size::Word, 0, 2), Err(BusError));
    }

    #[test]
    fn the_control_prints_and_ends() {
        assert_eq!(request(0, Size::Word, 0x141), Some(Request::Print(0x41)));
        assert_eq!(request(8, Size::Byte, 3), Some(Request::End));
        assert_eq!(request(8, Size::Word, 2), None);
        assert_eq!(request(9, Size::Byte, 1), None);
    }
}
