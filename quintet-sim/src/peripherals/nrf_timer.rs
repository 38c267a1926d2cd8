//! nRF timer (nRF52840 Product Specification, 6.30; nRF51 Reference Manual, 18): counts 16 MHz
//! through a prescaler, or the COUNT task.

use super::Device;
use super::nrf_events::Events;
use crate::processor::bus::BusError;

const CLOCK_HZ: u128 = 16_000_000;
const START: u32 = 0x000;
const STOP: u32 = 0x004;
const COUNT: u32 = 0x008;
const CLEAR: u32 = 0x00c;
const SHUTDOWN: u32 = 0x010;
const CAPTURE: u32 = 0x040;
const SHORTCUTS: u32 = 0x200;
const MODE: u32 = 0x504;
const BITS: u32 = 0x508;
const PRESCALER: u32 = 0x510;
const COMPARE: u32 = 0x540;
const CHANNELS: usize = 6;
/// The number of the first match's event.
const MATCH: u32 = 16;

/// The timer. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct NrfTimer {
    clock_hz: u64,
    events: Events,
    shortcuts: u32,
    mode: u32,
    bits: u32,
    prescaler: u32,
    compare: [u32; CHANNELS],
    running: bool,
    /// The counter at `since`.
    count: u64,
    since: u64,
    /// The ticks from `since` on whose events have happened.
    seen: u64,
}

impl NrfTimer {
    /// After power-on: stopped.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            events: Events::default(),
            shortcuts: 0,
            mode: 0,
            bits: 0,
            prescaler: 4,
            compare: [0; CHANNELS],
            running: false,
            count: 0,
            since: 0,
            seen: 0,
        }
    }

    fn range(&self) -> u64 {
        1 << [16, 8, 24, 32][(self.bits & 3) as usize]
    }

    /// Cycles times 16 million of one tick.
    fn tick(&self) -> u128 {
        u128::from(self.clock_hz) << self.prescaler.min(9)
    }

    /// Returns `true` if time moves the counter. It doesn't if the counter counts tasks.
    fn ticks_by_time(&self) -> bool {
        self.running && self.mode == 0
    }

    fn ticks(&self, cycle: u64) -> u64 {
        if !self.ticks_by_time() {
            return 0;
        }
        let passed = u128::from(cycle.saturating_sub(self.since)) * CLOCK_HZ;
        u64::try_from(passed / self.tick().max(1)).unwrap_or(u64::MAX)
    }

    fn cycle_after(&self, ticks: u64) -> u64 {
        let cycles = (u128::from(ticks) * self.tick()).div_ceil(CLOCK_HZ);
        self.since.saturating_add(u64::try_from(cycles).unwrap_or(u64::MAX))
    }

    fn now(&self) -> u64 {
        self.count.wrapping_add(self.seen) % self.range()
    }

    fn rebase(&mut self, count: u64, cycle: u64) {
        self.count = count;
        self.since = cycle;
        self.seen = 0;
    }

    /// Returns the ticks from now until the counter matches a channel, at least one; `None` if it
    /// never does.
    fn distance(&self, channel: usize) -> Option<u64> {
        let (range, target) = (self.range(), u64::from(self.compare[channel]));
        if target >= range {
            return None;
        }
        Some(match (range + target - self.now()) % range {
            0 => range,
            ticks => ticks,
        })
    }

    /// Ticks until the next match of any channel.
    fn nearest(&self) -> Option<u64> {
        (0..CHANNELS).filter_map(|channel| self.distance(channel)).min()
    }

    fn clears(&self, channel: usize) -> bool {
        self.shortcuts >> channel & 1 != 0
    }

    fn stops(&self, channel: usize) -> bool {
        self.shortcuts >> (8 + channel) & 1 != 0
    }

    /// Counts on by `ticks`, with no match before, and does the matches there.
    fn reach(&mut self, ticks: u64) {
        let hit: Vec<usize> =
            (0..CHANNELS).filter(|channel| self.distance(*channel) == Some(ticks)).collect();
        self.seen += ticks;
        let at = self.cycle_after(self.seen);
        for channel in hit {
            self.events.happen(MATCH + channel as u32);
            if self.clears(channel) {
                self.count = 0_u64.wrapping_sub(self.seen);
            }
            if self.stops(channel) {
                let now = self.now();
                self.running = false;
                self.rebase(now, at);
            }
        }
    }

    /// Skips turns that are like the turns around them, up to `left` ticks.
    fn skip_turns(&mut self, left: u64) {
        let reached = |channel: &usize| self.distance(*channel).is_some();
        if (0..CHANNELS).filter(reached).any(|channel| self.stops(channel)) {
            return;
        }
        let clearing = (0..CHANNELS).filter(reached).filter(|channel| self.clears(*channel));
        let turn = clearing
            .map(|channel| u64::from(self.compare[channel]))
            .filter(|ticks| *ticks > 0)
            .min()
            .unwrap_or(self.range());
        if self.now() <= turn && left / turn > 3 {
            let skipped = (left / turn - 2) * turn;
            self.seen += skipped;
            self.count = self.count.wrapping_sub(skipped);
        }
    }

    fn task(&mut self, offset: u32, cycle: u64) {
        match offset {
            START if !self.running => {
                self.running = true;
                self.rebase(self.now(), cycle);
            }
            STOP => {
                self.rebase(self.now(), cycle);
                self.running = false;
            }
            SHUTDOWN => {
                self.rebase(0, cycle);
                self.running = false;
            }
            COUNT if self.running && self.mode != 0 => {
                self.reach(1);
            }
            CLEAR => self.rebase(0, cycle),
            CAPTURE..0x058 => {
                self.compare[((offset - CAPTURE) / 4) as usize] = self.now() as u32;
            }
            _ => {}
        }
    }
}

impl Device for NrfTimer {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        if let Some(value) = self.events.read(offset) {
            return Ok(value);
        }
        Ok(match offset {
            SHORTCUTS => self.shortcuts,
            MODE => self.mode,
            BITS => self.bits,
            PRESCALER => self.prescaler,
            COMPARE..0x558 => self.compare[((offset - COMPARE) / 4) as usize],
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        if self.events.write(offset, value) {
            return Ok(());
        }
        match offset {
            0x000..0x100 if value & 1 != 0 => self.task(offset, cycle),
            SHORTCUTS => self.shortcuts = value,
            MODE | BITS | PRESCALER => {
                self.rebase(self.now(), cycle);
                match offset {
                    MODE => self.mode = value & 3,
                    BITS => self.bits = value & 3,
                    _ => self.prescaler = value & 0xf,
                }
            }
            COMPARE..0x558 => self.compare[((offset - COMPARE) / 4) as usize] = value,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(self.clock_hz);
    }

    fn advance(&mut self, cycle: u64) {
        loop {
            let left = self.ticks(cycle).saturating_sub(self.seen);
            self.skip_turns(left);
            let left = self.ticks(cycle).saturating_sub(self.seen);
            match self.nearest().filter(|ticks| *ticks <= left) {
                Some(ticks) => self.reach(ticks),
                None => {
                    self.seen += left;
                    return;
                }
            }
        }
    }

    fn next_event(&self) -> u64 {
        if !self.ticks_by_time() {
            return u64::MAX;
        }
        let changes = |channel: &usize| self.events.matters(MATCH + *channel as u32);
        if !(0..CHANNELS).any(|channel| changes(&channel)) {
            return u64::MAX;
        }
        // A match before it may clear or stop the counter.
        let matters =
            |channel: &usize| changes(channel) || self.clears(*channel) || self.stops(*channel);
        let next = (0..CHANNELS).filter(matters).filter_map(|channel| self.distance(channel)).min();
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

    /// At 64 MHz with a prescaler of 4: 64 cycles a microsecond, a tick each.
    fn written(writes: &[(u32, u32)]) -> NrfTimer {
        let mut timer = NrfTimer::new(64_000_000);
        for (offset, value) in writes {
            assert_eq!(timer.write(*offset, *value, 0), Ok(()));
        }
        timer
    }

    fn captured(timer: &mut NrfTimer, cycle: u64) -> u32 {
        timer.advance(cycle);
        assert_eq!(timer.write(CAPTURE + 4, 1, cycle), Ok(()));
        timer.read(COMPARE + 4, cycle).expect("a register")
    }

    #[test]
    fn counts_and_captures() {
        let mut timer = written(&[(BITS, 3), (START, 1)]);
        assert_eq!(captured(&mut timer, 64 * 1_000), 1_000);
        assert_eq!(timer.write(STOP, 1, 64 * 1_000), Ok(()));
        assert_eq!(captured(&mut timer, 64 * 9_000), 1_000);
        assert_eq!(timer.write(START, 1, 64 * 9_000), Ok(()));
        assert_eq!(captured(&mut timer, 64 * 9_500), 1_500);
        assert_eq!(timer.write(CLEAR, 1, 64 * 9_500), Ok(()));
        assert_eq!(captured(&mut timer, 64 * 9_600), 100);
    }

    #[test]
    fn a_match_interrupts_and_its_shortcut_clears_or_stops() {
        let common = [(BITS, 3), (COMPARE, 100), (0x304, 1 << 16)];
        let mut timer = written(&[&common[..], &[(SHORTCUTS, 1), (START, 1)]].concat());
        assert_eq!(timer.next_event(), 6_400);
        timer.advance(6_400);
        assert_eq!(timer.outputs(), 1);
        assert_eq!(captured(&mut timer, 6_464), 1);
        assert_eq!(timer.write(0x140, 0, 6_464), Ok(()));
        assert_eq!((timer.outputs(), timer.next_event()), (0, 12_800));
        let mut timer = written(&[&common[..], &[(SHORTCUTS, 1 << 8), (START, 1)]].concat());
        timer.advance(100_000);
        assert_eq!((timer.outputs(), captured(&mut timer, 100_000)), (1, 100));
    }

    #[test]
    fn a_day_in_one_step_is_the_same_as_in_many() {
        let writes = [(BITS, 0), (COMPARE, 7), (COMPARE + 8, 3), (SHORTCUTS, 1), (START, 1)];
        let (mut one, mut many) = (written(&writes), written(&writes));
        let day = 24 * 3_600 * 64_000_000;
        for hour in 1..24 {
            many.advance(hour * 3_600 * 64_000_000 + 77);
        }
        assert_eq!(captured(&mut one, day), captured(&mut many, day));
        assert_eq!([0x140, 0x144, 0x148].map(|event| one.read(event, day)), [Ok(1), Ok(0), Ok(1)]);
    }

    #[test]
    fn counts_the_program_s_tasks() {
        let mut timer = written(&[(MODE, 1), (COMPARE, 2), (START, 1), (COUNT, 1)]);
        assert_eq!((timer.read(0x140, 0), timer.next_event()), (Ok(0), u64::MAX));
        assert_eq!(timer.write(COUNT, 1, 1_000), Ok(()));
        assert_eq!((timer.read(0x140, 0), captured(&mut timer, 9_000)), (Ok(1), 2));
    }
}
