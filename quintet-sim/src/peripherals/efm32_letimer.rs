//! EFM32 low-energy timer of series 1 (EFM32 Pearl Gecko Reference Manual, 20): 16 bits that count
//! down at 32768 Hz, with underflow, two matches and repetitions.
//!
//! Its clock is always that of a crystal: what CMU chooses and divides is not looked at. Outputs,
//! starts by PRS, and the buffers of the modes of repetition are held and do nothing.

use super::Device;
use crate::processor::bus::BusError;

/// The low-frequency clock.
const CLOCK_HZ: u128 = 32_768;

const CONTROL: u32 = 0x00;
const COMMAND: u32 = 0x04;
const STATUS: u32 = 0x08;
const COUNT: u32 = 0x0c;
/// Two comparisons, then two repetitions.
const COMPARE: u32 = 0x10;
const REPEAT: u32 = 0x18;
const FLAGS: u32 = 0x20;
const FLAGS_SET: u32 = 0x24;
const FLAGS_CLEAR: u32 = 0x28;
const ENABLED: u32 = 0x2c;

/// CTRL: how often it counts down; from COMP0 instead of the whole range.
const REPEAT_MODE: u32 = 3;
const ONE_SHOT: u32 = 1;
const TOP_IS_COMPARE: u32 = 1 << 9;
/// CMD.
const START: u32 = 1;
const STOP: u32 = 2;
const CLEAR: u32 = 4;
/// Flags: a match is bit 0 or 1.
const UNDERFLOW: u32 = 1 << 2;
const REPEATED: u32 = 1 << 3;
const ALL_FLAGS: u32 = 0x1f;

/// The timer. Interrupt output: a flag whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct Efm32Letimer {
    clock_hz: u64,
    control: u32,
    running: bool,
    compare: [u32; 2],
    repeat: [u32; 2],
    flags: u32,
    enabled: u32,
    count: u32,
    /// The cycle of the tick before which everything has happened, in units of 1/32768 cycle.
    since: u128,
}

impl Efm32Letimer {
    /// After power-on: stopped.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            control: 0,
            running: false,
            compare: [0; 2],
            repeat: [0; 2],
            flags: 0,
            enabled: 0,
            count: 0,
            since: 0,
        }
    }

    /// What is counted down from.
    const fn top(&self) -> u32 {
        if self.control & TOP_IS_COMPARE != 0 { self.compare[0] } else { 0xffff }
    }

    /// The ticks from now until the counter is `value`, at least one; `None`: never.
    fn distance(&self, value: u32) -> Option<u64> {
        let turn = u64::from(self.top()) + 1;
        let (count, value) = (u64::from(self.count), u64::from(value));
        match value {
            _ if value < count => Some(count - value),
            _ if value < turn => Some(count + turn - value),
            _ => None,
        }
    }

    /// The ticks until something happens that a flag tells: matches, and the underflow behind 0.
    fn next_tick(&self) -> u64 {
        let matches = self.compare.iter().filter_map(|value| self.distance(*value));
        matches.chain([u64::from(self.count) + 1]).min().unwrap_or(u64::MAX)
    }

    /// Counts so many ticks, no more than to the next thing that happens.
    fn count_down(&mut self, ticks: u64) {
        self.since += u128::from(ticks) * u128::from(self.clock_hz);
        if ticks > u64::from(self.count) {
            self.flags |= UNDERFLOW;
            self.count = self.top();
            self.repeated();
        } else {
            self.count -= u32::try_from(ticks).unwrap_or(self.count);
        }
        for (channel, value) in self.compare.iter().enumerate() {
            if *value == self.count {
                self.flags |= 1 << channel;
            }
        }
    }

    /// Behind an underflow: a turn less is left, where turns are counted.
    fn repeated(&mut self) {
        if self.control & REPEAT_MODE < ONE_SHOT {
            return;
        }
        self.repeat[0] = self.repeat[0].saturating_sub(1);
        if self.repeat[0] == 0 {
            self.flags |= REPEATED;
            self.running = false;
        }
    }

    fn command(&mut self, value: u32, cycle: u64) {
        if value & CLEAR != 0 {
            self.count = 0;
            self.since = u128::from(cycle) * CLOCK_HZ;
        }
        if value & STOP != 0 {
            self.running = false;
        } else if value & START != 0 && !self.running {
            self.running = true;
            self.since = u128::from(cycle) * CLOCK_HZ;
        }
    }
}

impl Device for Efm32Letimer {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            CONTROL => self.control,
            STATUS => u32::from(self.running),
            COUNT => self.count,
            COMPARE..REPEAT => self.compare[(offset - COMPARE) as usize / 4],
            REPEAT..FLAGS => self.repeat[(offset - REPEAT) as usize / 4],
            FLAGS => self.flags,
            ENABLED => self.enabled,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            CONTROL => self.control = value & 0x1fff,
            COMMAND => self.command(value, cycle),
            COUNT => self.count = value & 0xffff,
            COMPARE..REPEAT => self.compare[(offset - COMPARE) as usize / 4] = value & 0xffff,
            REPEAT..FLAGS => self.repeat[(offset - REPEAT) as usize / 4] = value & 0xff,
            FLAGS_SET => self.flags |= value & ALL_FLAGS,
            FLAGS_CLEAR => self.flags &= !value,
            ENABLED => self.enabled = value & ALL_FLAGS,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(self.clock_hz);
    }

    fn advance(&mut self, cycle: u64) {
        let now = u128::from(cycle) * CLOCK_HZ;
        // No turn is shorter than a tick, and what is due comes at least once a turn.
        while self.running {
            let passed = now.saturating_sub(self.since) / u128::from(self.clock_hz.max(1));
            let ticks = u64::try_from(passed).unwrap_or(u64::MAX).min(self.next_tick());
            if ticks == 0 {
                return;
            }
            self.count_down(ticks);
        }
    }

    fn next_event(&self) -> u64 {
        if !self.running || self.flags & self.enabled == self.enabled {
            return u64::MAX;
        }
        let ticks = u128::from(self.next_tick()) * u128::from(self.clock_hz);
        u64::try_from((self.since + ticks).div_ceil(CLOCK_HZ)).unwrap_or(u64::MAX)
    }

    fn outputs(&self) -> u32 {
        u32::from(self.flags & self.enabled != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 32.768 MHz, so that a tick is 1000 cycles.
    fn timer(writes: &[(u32, u32)]) -> Efm32Letimer {
        let mut timer = Efm32Letimer::new(32_768_000);
        for (offset, value) in writes {
            assert_eq!(timer.write(*offset, *value, 0), Ok(()));
        }
        timer
    }

    #[test]
    fn counts_down_through_zero_and_matches_on_the_way() {
        let mut timer =
            timer(&[(COMPARE, 0xfffc), (ENABLED, 1 | UNDERFLOW), (COMMAND, CLEAR | START)]);
        assert_eq!(timer.next_event(), 1_000);
        timer.advance(999);
        assert_eq!((timer.count, timer.outputs()), (0, 0));
        timer.advance(1_000);
        assert_eq!((timer.count, timer.flags), (0xffff, UNDERFLOW));
        assert_eq!(timer.write(FLAGS_CLEAR, UNDERFLOW, 1_000), Ok(()));
        assert_eq!((timer.outputs(), timer.next_event()), (0, 4_000));
        timer.advance(4_000);
        assert_eq!((timer.read(COUNT, 4_000), timer.outputs()), (Ok(0xfffc), 1));
        assert_eq!(timer.write(COMMAND, STOP, 4_500), Ok(()));
        timer.advance(9_000);
        assert_eq!((timer.read(COUNT, 9_000), timer.read(STATUS, 9_000)), (Ok(0xfffc), Ok(0)));
    }

    #[test]
    fn turns_are_as_long_as_the_comparison_says_and_as_many_as_repeat() {
        let writes = [(CONTROL, TOP_IS_COMPARE | ONE_SHOT), (COMPARE, 4), (REPEAT, 3)];
        let mut timer = timer(&writes);
        assert_eq!(timer.write(ENABLED, REPEATED, 0), Ok(()));
        assert_eq!(timer.write(COMMAND, START, 0), Ok(()));
        timer.advance(10_999);
        assert_eq!((timer.count, timer.repeat[0], timer.running), (0, 1, true));
        timer.advance(11_000);
        assert_eq!((timer.running, timer.outputs()), (false, 1));
    }

    #[test]
    fn any_steps_see_the_same() {
        let writes = [(COMPARE + 4, 0x1234), (CONTROL, 0), (COMMAND, START), (ENABLED, 2)];
        let (mut one, mut many) = (timer(&writes), timer(&writes));
        one.advance(200_000_000);
        for cycle in (0..=200_000_000).step_by(777_777).chain([200_000_000]) {
            many.advance(cycle);
        }
        assert_eq!((one.count, one.flags, one.since), (many.count, many.flags, many.since));
        assert_eq!(one.next_event(), u64::MAX, "nothing enabled is new");
    }
}
