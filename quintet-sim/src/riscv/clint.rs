//! The core-local interruptor: a software interrupt and a timer for the hart.
//!
//! ```text
//!  0x0000  msip      bit 0 pends the software interrupt
//!  0x4000  mtimecmp  64 bits: the timer interrupt is pending while mtime is not below it
//!  0xbff8  mtime     64 bits, which a program may set
//! ```

use super::bus::line;
use crate::processor::bus::BusError;

/// The bytes of addresses that it takes.
pub const SPAN: u32 = 0x1_0000;

/// The interruptor of one hart.
#[derive(Clone, Debug)]
pub struct Clint {
    software: bool,
    compare: u64,
    /// What is added to the time since power-on.
    offset: u64,
    clock_hz: u64,
    timer_hz: u64,
}

impl Clint {
    /// After power-on, on a board whose core and timer have these cycles a second.
    pub fn new(clock_hz: u64, timer_hz: u64) -> Self {
        let (clock_hz, timer_hz) = (clock_hz.max(1), timer_hz.max(1));
        Self { software: false, compare: u64::MAX, offset: 0, clock_hz, timer_hz }
    }

    /// Returns the time.
    pub fn time(&self, cycle: u64) -> u64 {
        self.ticks(cycle).wrapping_add(self.offset)
    }

    /// Returns the ticks since power-on.
    fn ticks(&self, cycle: u64) -> u64 {
        (u128::from(cycle) * u128::from(self.timer_hz) / u128::from(self.clock_hz)) as u64
    }

    /// Returns the pending interrupts.
    pub fn pending(&self, cycle: u64) -> u32 {
        let timer = if self.time(cycle) >= self.compare { line::TIMER } else { 0 };
        timer | if self.software { line::SOFTWARE } else { 0 }
    }

    /// Returns the first cycle behind `cycle` at which the timer interrupt becomes pending;
    /// `u64::MAX` if it is pending or never will be.
    pub fn next_event(&self, cycle: u64) -> u64 {
        let Some(rest) = self.compare.checked_sub(self.time(cycle)).filter(|rest| *rest > 0) else {
            return u64::MAX;
        };
        // The first cycle at which the interruptor has counted so many ticks.
        let ticks = u128::from(self.ticks(cycle)) + u128::from(rest);
        let cycles = (ticks * u128::from(self.clock_hz)).div_ceil(u128::from(self.timer_hz));
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// Reads the word at `offset`.
    ///
    /// # Errors
    /// None of the registers is there.
    pub fn read(&self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        match offset {
            0x0 => Ok(u32::from(self.software)),
            0x4000 => Ok(self.compare as u32),
            0x4004 => Ok((self.compare >> 32) as u32),
            0xbff8 => Ok(self.time(cycle) as u32),
            0xbffc => Ok((self.time(cycle) >> 32) as u32),
            // Those of further harts.
            _ if offset < SPAN => Ok(0),
            _ => Err(BusError),
        }
    }

    /// Writes the word at `offset`.
    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) {
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        let time = self.time(cycle);
        match offset {
            0x0 => self.software = value & 1 != 0,
            0x4000 => self.compare = low(self.compare),
            0x4004 => self.compare = high(self.compare),
            0xbff8 => self.offset = low(time).wrapping_sub(self.ticks(cycle)),
            0xbffc => self.offset = high(time).wrapping_sub(self.ticks(cycle)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timer_is_pending_from_its_cycle_on() {
        let mut clint = Clint::new(30, 10);
        clint.write(0x4000, 7, 0);
        clint.write(0x4004, 0, 0);
        assert_eq!(clint.next_event(0), 21);
        assert_eq!((clint.pending(20), clint.pending(21)), (0, line::TIMER));
        assert_eq!(clint.next_event(21), u64::MAX);
    }

    #[test]
    fn the_time_can_be_set() {
        let mut clint = Clint::new(10, 10);
        clint.write(0xbff8, 1000, 50);
        clint.write(0xbffc, 1, 50);
        assert_eq!(clint.time(60), (1 << 32) + 1010);
        assert_eq!(clint.read(0xbff8, 60), Ok(1010));
        assert_eq!(clint.read(0xbffc, 60), Ok(1));
        clint.write(0x4000, 2000, 60);
        clint.write(0x4004, 1, 60);
        let next = clint.next_event(60);
        assert_eq!((clint.pending(next - 1), clint.pending(next)), (0, line::TIMER));
    }

    #[test]
    fn a_program_pends_the_software_interrupt() {
        let mut clint = Clint::new(1, 1);
        clint.write(0, 3, 0);
        assert_eq!((clint.read(0, 0), clint.pending(0)), (Ok(1), line::SOFTWARE));
        clint.write(0, 2, 0);
        assert_eq!(clint.pending(0), 0);
    }
}
