//! RP2040 timer (RP2040 Datasheet, 4.6): 64 bits of microseconds, and four alarms that compare the
//! lower 32.
//!
//! The tick that the watchdog provides is a microsecond of the board's clock, whatever is set.

use super::Device;
use crate::processor::bus::BusError;

const HIGH_WRITE: u32 = 0x00;
const LOW_WRITE: u32 = 0x04;
const HIGH_READ: u32 = 0x08;
const LOW_READ: u32 = 0x0c;
const ALARM: u32 = 0x10;
const ARMED: u32 = 0x20;
const HIGH_RAW: u32 = 0x24;
const LOW_RAW: u32 = 0x28;
const DEBUG_PAUSE: u32 = 0x2c;
const PAUSE: u32 = 0x30;
const INTERRUPT_RAW: u32 = 0x34;
const INTERRUPT_ENABLE: u32 = 0x38;
const INTERRUPT_FORCE: u32 = 0x3c;
const INTERRUPT_STATUS: u32 = 0x40;
const ALARMS: usize = 4;

/// The timer. Interrupt outputs: the four alarms.
#[derive(Clone, Debug)]
pub struct Rp2040Timer {
    clock_hz: u64,
    alarms: [u32; ALARMS],
    armed: u32,
    raw: u32,
    enabled: u32,
    forced: u32,
    paused: bool,
    debug_pause: u32,
    /// The microseconds at `since`.
    time: u64,
    since: u64,
    /// The microseconds whose alarms have happened.
    seen: u64,
    /// TIMEHR, latched by TIMELR; TIMELW, until TIMEHW.
    high: u32,
    low_written: u32,
}

impl Rp2040Timer {
    /// After power-on: the timer runs.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            alarms: [0; ALARMS],
            armed: 0,
            raw: 0,
            enabled: 0,
            forced: 0,
            paused: false,
            debug_pause: 7,
            time: 0,
            since: 0,
            seen: 0,
            high: 0,
            low_written: 0,
        }
    }

    fn now(&self, cycle: u64) -> u64 {
        if self.paused {
            return self.time;
        }
        let passed = u128::from(cycle.saturating_sub(self.since)) * 1_000_000;
        let microseconds = passed / u128::from(self.clock_hz.max(1));
        self.time.wrapping_add(microseconds as u64)
    }

    fn set(&mut self, time: u64, cycle: u64) {
        (self.time, self.since, self.seen) = (time, cycle, time);
    }

    /// Microseconds from the last one seen until an alarm, at least one.
    fn distance(&self, alarm: usize) -> u64 {
        match self.alarms[alarm].wrapping_sub(self.seen as u32) {
            0 => 1 << 32,
            ticks => u64::from(ticks),
        }
    }

    fn is_armed(&self, alarm: usize) -> bool {
        self.armed >> alarm & 1 != 0
    }
}

impl Device for Rp2040Timer {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let now = self.now(cycle);
        Ok(match offset {
            HIGH_READ => self.high,
            LOW_READ => {
                self.high = (now >> 32) as u32;
                now as u32
            }
            ALARM..ARMED => self.alarms[((offset - ALARM) / 4) as usize],
            ARMED => self.armed,
            HIGH_RAW => (now >> 32) as u32,
            LOW_RAW => now as u32,
            DEBUG_PAUSE => self.debug_pause,
            PAUSE => u32::from(self.paused),
            INTERRUPT_RAW => self.raw,
            INTERRUPT_ENABLE => self.enabled,
            INTERRUPT_FORCE => self.forced,
            INTERRUPT_STATUS => self.raw & self.enabled | self.forced,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            LOW_WRITE => self.low_written = value,
            HIGH_WRITE => self.set(u64::from(value) << 32 | u64::from(self.low_written), cycle),
            ALARM..ARMED => {
                let alarm = ((offset - ALARM) / 4) as usize;
                self.alarms[alarm] = value;
                self.armed |= 1 << alarm;
            }
            ARMED => self.armed &= !value,
            DEBUG_PAUSE => self.debug_pause = value & 7,
            PAUSE => {
                self.set(self.now(cycle), cycle);
                self.paused = value & 1 != 0;
            }
            INTERRUPT_RAW => self.raw &= !value,
            INTERRUPT_ENABLE => self.enabled = value & 0xf,
            INTERRUPT_FORCE => self.forced = value & 0xf,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, cycle: u64) {
        *self = Self { since: cycle, ..Self::new(self.clock_hz) };
    }

    fn advance(&mut self, cycle: u64) {
        let now = self.now(cycle);
        let passed = now.wrapping_sub(self.seen);
        for alarm in 0..ALARMS {
            if self.is_armed(alarm) && self.distance(alarm) <= passed {
                self.armed &= !(1 << alarm);
                self.raw |= 1 << alarm;
            }
        }
        self.seen = now;
    }

    fn next_event(&self) -> u64 {
        if self.paused {
            return u64::MAX;
        }
        let changes = |alarm: &usize| self.is_armed(*alarm) && self.enabled >> alarm & 1 != 0;
        let next = (0..ALARMS).filter(changes).map(|alarm| self.distance(alarm)).min();
        next.map_or(u64::MAX, |ticks| {
            let microseconds = self.seen.wrapping_sub(self.time).saturating_add(ticks);
            let cycles = (u128::from(microseconds) * u128::from(self.clock_hz)).div_ceil(1_000_000);
            self.since.saturating_add(u64::try_from(cycles).unwrap_or(u64::MAX))
        })
    }

    fn outputs(&self) -> u32 {
        self.raw & self.enabled | self.forced
    }

    fn ones_clear(&self, offset: u32) -> bool {
        matches!(offset, INTERRUPT_RAW | ARMED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 125 MHz.
    fn timer() -> Rp2040Timer {
        Rp2040Timer::new(125_000_000)
    }

    #[test]
    fn counts_microseconds() {
        let mut timer = timer();
        assert_eq!((timer.read(LOW_RAW, 124), timer.read(LOW_RAW, 125)), (Ok(0), Ok(1)));
        let hours = 125_000_000 * 3_600 * 2;
        assert_eq!(timer.read(LOW_READ, hours), Ok((7_200_000_000_u64 & 0xffff_ffff) as u32));
        assert_eq!((timer.read(HIGH_READ, hours), timer.read(HIGH_RAW, hours)), (Ok(1), Ok(1)));
        for (offset, value) in [(LOW_WRITE, 5), (HIGH_WRITE, 2), (PAUSE, 1)] {
            assert_eq!(timer.write(offset, value, hours), Ok(()));
        }
        assert_eq!((timer.read(LOW_RAW, hours * 2), timer.read(HIGH_RAW, hours)), (Ok(5), Ok(2)));
    }

    #[test]
    fn an_alarm_interrupts_once() {
        let mut timer = timer();
        for (offset, value) in [(INTERRUPT_ENABLE, 2), (ALARM + 4, 100), (ALARM, 50)] {
            assert_eq!(timer.write(offset, value, 0), Ok(()));
        }
        assert_eq!((timer.next_event(), timer.read(ARMED, 0)), (12_500, Ok(3)));
        timer.advance(12_499);
        assert_eq!(timer.outputs(), 0);
        timer.advance(12_500);
        assert_eq!((timer.outputs(), timer.read(INTERRUPT_RAW, 0)), (2, Ok(3)));
        assert_eq!((timer.read(ARMED, 0), timer.next_event()), (Ok(0), u64::MAX));
        assert_eq!(timer.write(INTERRUPT_RAW, 2, 12_600), Ok(()));
        assert_eq!((timer.outputs(), timer.read(INTERRUPT_RAW, 0)), (0, Ok(1)));
    }

    #[test]
    fn an_alarm_that_was_disarmed_is_silent() {
        let mut timer = timer();
        for (offset, value) in [(INTERRUPT_ENABLE, 1), (ALARM, 10), (ARMED, 1)] {
            assert_eq!(timer.write(offset, value, 0), Ok(()));
        }
        timer.advance(125_000_000);
        assert_eq!((timer.outputs(), timer.next_event()), (0, u64::MAX));
        assert_eq!(timer.write(INTERRUPT_FORCE, 1, 0), Ok(()));
        assert_eq!(timer.outputs(), 1);
    }
}
