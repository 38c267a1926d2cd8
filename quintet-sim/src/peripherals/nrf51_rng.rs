//! nRF51 random number generator (nRF51 Reference Manual, 21): a byte at a time, for as long as it
//! runs.
//!
//! The bytes are the same in every run, since a simulation can be repeated. They are uniform with
//! and without the bias correction, which only takes its time.

use super::Device;
use crate::processor::bus::BusError;

const START: u32 = 0x000;
const STOP: u32 = 0x004;
const VALUE_READY: u32 = 0x100;
const SHORTCUTS: u32 = 0x200;
const INTERRUPT_SET: u32 = 0x304;
const INTERRUPT_CLEAR: u32 = 0x308;
const CONFIGURATION: u32 = 0x504;
const VALUE: u32 = 0x508;

/// Typical times of a byte in microseconds (the nRF51822's specification, 8.13).
const PLAIN_US: u64 = 167;
const CORRECTED_US: u64 = 660;

/// The generator. Interrupt output: a byte is ready.
#[derive(Clone, Debug)]
pub struct Nrf51Rng {
    clock_hz: u64,
    /// When the next byte is ready, while it runs.
    due: Option<u64>,
    ready: bool,
    /// The interrupt is enabled.
    interrupt: bool,
    /// Stop at each byte.
    stop: bool,
    corrected: bool,
    /// The number of bytes so far. Each byte is computed from its number, so that skipping a day
    /// takes no time.
    drawn: u32,
}

impl Nrf51Rng {
    /// After power-on: stopped.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            due: None,
            ready: false,
            interrupt: false,
            stop: false,
            corrected: false,
            drawn: 0,
        }
    }

    /// The cycles that a byte takes, at least one.
    fn period(&self) -> u64 {
        let microseconds = if self.corrected { CORRECTED_US } else { PLAIN_US };
        (self.clock_hz * microseconds / 1_000_000).max(1)
    }

    /// The last byte: its number, mixed (the finaliser of MurmurHash3).
    const fn value(&self) -> u32 {
        let mut mixed = self.drawn;
        mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        (mixed ^ mixed >> 16) & 0xff
    }
}

impl Device for Nrf51Rng {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            VALUE_READY => u32::from(self.ready),
            SHORTCUTS => u32::from(self.stop),
            INTERRUPT_SET | INTERRUPT_CLEAR => u32::from(self.interrupt),
            CONFIGURATION => u32::from(self.corrected),
            VALUE => self.value(),
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        let one = value & 1 != 0;
        match offset {
            START if one => self.due = self.due.or(Some(cycle + self.period())),
            STOP if one => self.due = None,
            VALUE_READY => self.ready = one,
            SHORTCUTS => self.stop = one,
            INTERRUPT_SET => self.interrupt |= one,
            INTERRUPT_CLEAR => self.interrupt &= !one,
            CONFIGURATION => self.corrected = one,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        // Noise doesn't begin anew.
        *self = Self { drawn: self.drawn, ..Self::new(self.clock_hz) };
    }

    fn advance(&mut self, cycle: u64) {
        let Some(due) = self.due.filter(|due| *due <= cycle) else { return };
        let count = if self.stop { 1 } else { 1 + (cycle - due) / self.period() };
        self.drawn = self.drawn.wrapping_add(count as u32);
        self.ready = true;
        self.due = (!self.stop).then(|| due + count * self.period());
    }

    fn next_event(&self) -> u64 {
        // A byte that is ready already changes no output.
        if self.ready || !self.interrupt { u64::MAX } else { self.due.unwrap_or(u64::MAX) }
    }

    fn outputs(&self) -> u32 {
        u32::from(self.ready && self.interrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator that counts microseconds, and runs with its interrupt on.
    fn running() -> Nrf51Rng {
        let mut rng = Nrf51Rng::new(1_000_000);
        assert_eq!(rng.write(INTERRUPT_SET, 1, 0), Ok(()));
        assert_eq!(rng.write(START, 1, 0), Ok(()));
        rng
    }

    #[test]
    fn a_byte_is_ready_after_its_time_and_interrupts() {
        let mut rng = running();
        assert_eq!(rng.next_event(), PLAIN_US);
        rng.advance(PLAIN_US - 1);
        assert_eq!(rng.outputs(), 0);
        rng.advance(PLAIN_US);
        assert_eq!(rng.outputs(), 1);
        let first = rng.read(VALUE, PLAIN_US);
        assert_eq!(rng.write(VALUE_READY, 0, PLAIN_US + 5), Ok(()));
        assert_eq!((rng.outputs(), rng.next_event()), (0, 2 * PLAIN_US));
        rng.advance(2 * PLAIN_US);
        assert_ne!(rng.read(VALUE, 2 * PLAIN_US), first);
    }

    #[test]
    fn it_stops_when_told_or_by_the_shortcut() {
        let mut rng = running();
        assert_eq!(rng.write(STOP, 1, 100), Ok(()));
        rng.advance(1_000);
        assert_eq!((rng.outputs(), rng.next_event()), (0, u64::MAX));
        assert_eq!(rng.write(SHORTCUTS, 1, 1_000), Ok(()));
        assert_eq!(rng.write(START, 1, 1_000), Ok(()));
        rng.advance(1_000 + PLAIN_US);
        assert_eq!(rng.write(VALUE_READY, 0, 2_000), Ok(()));
        assert_eq!(rng.next_event(), u64::MAX);
    }

    #[test]
    fn correction_takes_longer_and_without_the_interrupt_nobody_is_called() {
        let mut rng = running();
        assert_eq!(rng.write(STOP, 1, 0), Ok(()));
        assert_eq!(rng.write(CONFIGURATION, 1, 0), Ok(()));
        assert_eq!(rng.write(START, 1, 0), Ok(()));
        assert_eq!(rng.next_event(), CORRECTED_US);
        assert_eq!(rng.write(INTERRUPT_CLEAR, 1, 0), Ok(()));
        assert_eq!(rng.next_event(), u64::MAX);
        rng.advance(CORRECTED_US);
        assert_eq!((rng.read(VALUE_READY, CORRECTED_US), rng.outputs()), (Ok(1), 0));
    }

    #[test]
    fn a_day_in_one_step_is_the_same_as_in_many() {
        let day = 24 * 3600 * 1_000_000;
        let (mut one, mut many) = (running(), running());
        one.advance(day);
        for hour in 1..=24 {
            many.advance(hour * 3600 * 1_000_000);
        }
        assert_eq!(one.read(VALUE, day), many.read(VALUE, day));
        assert_eq!((one.drawn, one.due), (many.drawn, many.due));
    }

    #[test]
    fn bytes_cover_their_range() {
        let mut rng = running();
        let mut seen = [false; 256];
        for cycle in 0..20_000 {
            rng.advance(cycle * PLAIN_US);
            seen[rng.read(VALUE, 0).unwrap() as usize] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}
