//! nRF real-time counter (nRF52840 Product Specification, 6.22): 24 bits at 32768 Hz through a
//! prescaler.
//!
//! As on silicon, ticks, overflows and matches are events only where their interrupt or their
//! routing is enabled. Tasks take effect at once, and a match one tick ahead is never missed.

use super::Device;
use super::nrf_events::Events;
use crate::processor::bus::BusError;

/// The low-frequency clock.
const CLOCK_HZ: u128 = 32_768;
/// The counter's range.
const RANGE: u64 = 1 << 24;

const START: u32 = 0x000;
const STOP: u32 = 0x004;
const CLEAR: u32 = 0x008;
const TRIGGER_OVERFLOW: u32 = 0x00c;
const ROUTING: u32 = 0x340;
const ROUTING_SET: u32 = 0x344;
const ROUTING_CLEAR: u32 = 0x348;
const COUNTER: u32 = 0x504;
const PRESCALER: u32 = 0x508;
const COMPARE: u32 = 0x540;
const CHANNELS: usize = 4;

/// Numbers of events.
const TICK: u32 = 0;
const OVERFLOW: u32 = 1;
const MATCH: u32 = 16;

/// The counter. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct NrfRtc {
    clock_hz: u64,
    events: Events,
    routing: u32,
    compare: [u32; CHANNELS],
    prescaler: u32,
    running: bool,
    /// The counter at `since`. While the counter runs, both stay the same: few ticks end with a
    /// cycle.
    count: u64,
    since: u64,
    /// The ticks from `since` on whose events have happened.
    seen: u64,
}

impl NrfRtc {
    /// After power-on: stopped.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            events: Events::default(),
            routing: 0,
            compare: [0; CHANNELS],
            prescaler: 0,
            running: false,
            count: 0,
            since: 0,
            seen: 0,
        }
    }

    /// Cycles times 32768 of one tick.
    fn tick(&self) -> u128 {
        u128::from(self.clock_hz) * u128::from(self.prescaler + 1)
    }

    /// The whole ticks that have passed since `since`.
    fn ticks(&self, cycle: u64) -> u64 {
        if !self.running {
            return 0;
        }
        let passed = u128::from(cycle.saturating_sub(self.since)) * CLOCK_HZ;
        u64::try_from(passed / self.tick().max(1)).unwrap_or(u64::MAX)
    }

    /// Returns the cycle in which this number of ticks has passed since `since`.
    fn cycle_after(&self, ticks: u64) -> u64 {
        let cycles = (u128::from(ticks) * self.tick()).div_ceil(CLOCK_HZ);
        self.since.saturating_add(u64::try_from(cycles).unwrap_or(u64::MAX))
    }

    fn counter(&self, cycle: u64) -> u64 {
        self.count.wrapping_add(self.ticks(cycle)) % RANGE
    }

    /// Counts on from `count`.
    fn rebase(&mut self, count: u64, cycle: u64) {
        self.count = count % RANGE;
        self.since = cycle;
        self.seen = 0;
    }

    /// Ticks from `count` until the counter is `target`, at least one.
    fn distance(count: u64, target: u64) -> u64 {
        match (RANGE + target - count % RANGE) % RANGE {
            0 => RANGE,
            ticks => ticks,
        }
    }

    /// Returns `true` if an event would be seen.
    fn is_wanted(&self, event: u32) -> bool {
        self.events.is_enabled(event) || self.routing >> event & 1 != 0
    }

    /// Returns the counter's events, each with its distance in ticks from the last tick that was
    /// seen.
    fn ahead(&self) -> impl Iterator<Item = (u32, u64)> {
        let now = self.count.wrapping_add(self.seen);
        let matches = self.compare.iter().enumerate().map(move |(channel, target)| {
            (MATCH + channel as u32, Self::distance(now, u64::from(*target)))
        });
        matches.chain([(TICK, 1), (OVERFLOW, Self::distance(now, 0))])
    }

    fn task(&mut self, offset: u32, cycle: u64) {
        let counter = self.counter(cycle);
        match offset {
            START if !self.running => {
                self.running = true;
                self.rebase(counter, cycle);
            }
            STOP => {
                self.running = false;
                self.rebase(counter, cycle);
            }
            CLEAR => self.rebase(0, cycle),
            TRIGGER_OVERFLOW => self.rebase(0xff_fff0, cycle),
            _ => {}
        }
    }
}

impl Device for NrfRtc {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        if let Some(value) = self.events.read(offset) {
            return Ok(value);
        }
        Ok(match offset {
            ROUTING | ROUTING_SET | ROUTING_CLEAR => self.routing,
            COUNTER => self.counter(cycle) as u32,
            PRESCALER => self.prescaler,
            COMPARE..0x550 => self.compare[((offset - COMPARE) / 4) as usize],
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        if self.events.write(offset, value) {
            return Ok(());
        }
        match offset {
            START..=TRIGGER_OVERFLOW if value & 1 != 0 => self.task(offset, cycle),
            ROUTING => self.routing = value,
            ROUTING_SET => self.routing |= value,
            ROUTING_CLEAR => self.routing &= !value,
            // Written while it is stopped (6.22.2).
            PRESCALER if !self.running => self.prescaler = value & 0xfff,
            COMPARE..0x550 => self.compare[((offset - COMPARE) / 4) as usize] = value & 0xff_ffff,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(self.clock_hz);
    }

    fn advance(&mut self, cycle: u64) {
        let ticks = self.ticks(cycle);
        let passed = ticks.saturating_sub(self.seen);
        if passed == 0 {
            return;
        }
        let happens =
            |(event, distance): &(u32, u64)| *distance <= passed && self.is_wanted(*event);
        let all: Vec<_> = self.ahead().filter(happens).collect();
        for (event, _) in all {
            self.events.happen(event);
        }
        self.seen = ticks;
    }

    fn next_event(&self) -> u64 {
        if !self.running {
            return u64::MAX;
        }
        let changes = |event: u32| self.is_wanted(event) && self.events.matters(event);
        let next = self.ahead().filter(|(event, _)| changes(*event)).map(|(_, ticks)| ticks).min();
        next.map_or(u64::MAX, |ticks| self.cycle_after(self.seen.saturating_add(ticks)))
    }

    fn outputs(&self) -> u32 {
        self.events.output()
    }

    fn events(&self) -> Option<&Events> {
        Some(&self.events)
    }

    fn events_mut(&mut self) -> Option<&mut Events> {
        Some(&mut self.events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Started at cycle 0, at 64 MHz: 1953.125 cycles a tick.
    fn started(writes: &[(u32, u32)]) -> NrfRtc {
        let mut rtc = NrfRtc::new(64_000_000);
        for (offset, value) in writes.iter().chain(&[(CLEAR, 1), (START, 1)]) {
            assert_eq!(rtc.write(*offset, *value, 0), Ok(()));
        }
        rtc
    }

    #[test]
    fn counts_a_second_without_drift() {
        let mut rtc = started(&[]);
        assert_eq!((rtc.read(COUNTER, 1_953), rtc.read(COUNTER, 1_954)), (Ok(0), Ok(1)));
        assert_eq!(rtc.read(COUNTER, 63_999_999), Ok(32_767));
        assert_eq!(rtc.read(COUNTER, 64_000_000), Ok(32_768));
        assert_eq!(rtc.write(STOP, 1, 64_000_000), Ok(()));
        assert_eq!(rtc.read(COUNTER, 90_000_000), Ok(32_768));
    }

    #[test]
    fn a_match_interrupts_where_it_is_enabled() {
        let mut rtc = started(&[(COMPARE, 10), (COMPARE + 4, 20), (0x304, 1 << 17)]);
        assert_eq!(rtc.next_event(), 39_063);
        rtc.advance(39_062);
        assert_eq!(rtc.outputs(), 0);
        rtc.advance(39_063);
        assert_eq!((rtc.outputs(), rtc.read(0x144, 39_063)), (1, Ok(1)));
        assert_eq!(rtc.read(0x140, 39_063), Ok(0), "nobody has asked for the other");
        assert_eq!(rtc.next_event(), u64::MAX);
        assert_eq!(rtc.write(0x144, 0, 39_100), Ok(()));
        assert_eq!(rtc.next_event(), 64_000_000 / 4 * (4 * ((1 << 24) + 20)) / 32_768 + 1);
    }

    #[test]
    fn the_sequence_of_a_time_driver_interrupts_at_half_and_whole_turns() {
        // As embassy's: the overflow, and a match in the middle.
        let mut rtc = started(&[(PRESCALER, 0), (COMPARE + 12, 0x80_0000), (0x304, 1 << 19 | 2)]);
        assert_eq!(rtc.next_event(), 64_000_000 * 256);
        rtc.advance(64_000_000 * 256);
        assert_eq!((rtc.read(0x14c, 0), rtc.read(0x104, 0)), (Ok(1), Ok(0)));
        rtc.advance(64_000_000 * 512);
        assert_eq!(rtc.read(0x104, 0), Ok(1));
    }

    #[test]
    fn any_steps_see_the_same_events() {
        let (mut one, mut many) = (started(&[(0x304, 3)]), started(&[(0x304, 3)]));
        for cycle in (0..4_000_000).step_by(777) {
            many.advance(cycle);
        }
        one.advance(4_000_000);
        many.advance(4_000_000);
        assert_eq!((one.counter(4_000_000), one.seen), (many.counter(4_000_000), many.seen));
        assert_eq!(one.read(0x100, 0), many.read(0x100, 0));
    }
}
