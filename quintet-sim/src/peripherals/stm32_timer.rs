//! STM32 general-purpose and basic timers (RM0041, 13 and 15): counting, update and compare
//! interrupts.
//!
//! The counter goes up, or down with DIR set; center-aligned modes count up. One-pulse mode,
//! preloaded ARR and PSC, update disable and the update request source are modelled. Capture,
//! compare outputs, slave modes and DMA are not.
//!
//! ```text
//!  position  0 ─────── compare ─────── ARR │ 0 ───      up: count = position
//!                         CCxIF           UIF           down: count = ARR - position
//! ```

use super::Device;
use crate::processor::bus::BusError;

mod control {
    pub const ENABLE: u32 = 1;
    pub const UPDATE_DISABLE: u32 = 2;
    pub const UPDATE_REQUEST_SOURCE: u32 = 4;
    pub const ONE_PULSE: u32 = 8;
    pub const DOWN: u32 = 0x10;
    pub const PRELOAD: u32 = 0x80;
}

/// SR and DIER: update.
const UPDATE: u32 = 1;

/// Registers that only hold what is written: CR2, SMCR, CCMR1, CCMR2, CCER, RCR, BDTR, DMA's two,
/// and OR.
const HELD: [u32; 10] = [0x04, 0x08, 0x18, 0x1c, 0x20, 0x30, 0x44, 0x48, 0x4c, 0x50];

/// The timer, with a counter of so many bits. Interrupt outputs: the combined one, or where they
/// are split, update, and capture and compare.
#[derive(Clone, Debug)]
pub struct Stm32Timer<const BITS: u32, const SPLIT: bool> {
    control: u32,
    interrupts: u32,
    status: u32,
    held: [u32; HELD.len()],
    compare: [u32; 4],
    /// PSC and ARR as written, and as used until the next update.
    prescaler: u32,
    prescaler_used: u32,
    reload: u32,
    reload_used: u32,
    /// The position at `since`; the head of this file explains positions.
    position: u64,
    since: u64,
}

impl<const BITS: u32, const SPLIT: bool> Stm32Timer<BITS, SPLIT> {
    /// The largest count.
    const COUNT_MAX: u32 = u32::MAX >> (32 - BITS);

    /// A timer after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            control: 0,
            interrupts: 0,
            status: 0,
            held: [0; HELD.len()],
            compare: [0; 4],
            prescaler: 0,
            prescaler_used: 0,
            reload: Self::COUNT_MAX,
            reload_used: Self::COUNT_MAX,
            position: 0,
            since: 0,
        }
    }

    fn is_down(&self) -> bool {
        self.control & control::DOWN != 0
    }

    /// An auto-reload value of 0 blocks the counter (13.3.1).
    fn runs(&self) -> bool {
        self.control & control::ENABLE != 0 && self.reload_used != 0
    }

    fn tick(&self) -> u64 {
        u64::from(self.prescaler_used) + 1
    }

    fn position_of(&self, count: u32) -> u64 {
        let count = u64::from(count);
        if self.is_down() { u64::from(self.reload_used).saturating_sub(count) } else { count }
    }

    fn count(&self) -> u32 {
        let position = self.position as u32;
        if self.is_down() { self.reload_used.saturating_sub(position) } else { position }
    }

    /// Returns the ticks from the current position to the next update. A counter set beyond ARR
    /// runs on to its own end.
    fn ticks_to_update(&self) -> u64 {
        let reload = u64::from(self.reload_used);
        let end = if self.position > reload { u64::from(Self::COUNT_MAX) } else { reload };
        end.saturating_sub(self.position) + 1
    }

    /// Returns the ticks to the next match of a compare register; `None` if there is none.
    fn ticks_to_match(&self, channel: usize) -> Option<u64> {
        let (target, reload) = (self.compare[channel], u64::from(self.reload_used));
        if u64::from(target) > reload {
            return None;
        }
        let target = self.position_of(target);
        let ahead = target > self.position;
        Some(if ahead { target - self.position } else { self.ticks_to_update() + target })
    }

    fn cycle_after(&self, ticks: u64) -> u64 {
        self.since.saturating_add(ticks.saturating_mul(self.tick()))
    }

    /// An update event: shadow registers take over, the flag is set unless `quiet`.
    fn update(&mut self, quiet: bool) {
        if self.control & control::UPDATE_DISABLE != 0 {
            return;
        }
        self.prescaler_used = self.prescaler;
        self.reload_used = self.reload;
        if !quiet {
            self.status |= UPDATE;
        }
    }

    /// Counts `ticks` that all lie before the next update or exactly on it, and notes the matches.
    fn count_on(&mut self, ticks: u64) {
        for channel in 0..4 {
            if self.ticks_to_match(channel).is_some_and(|distance| distance <= ticks) {
                self.status |= 2 << channel;
            }
        }
        self.since += ticks * self.tick();
        if ticks < self.ticks_to_update() {
            self.position += ticks;
            return;
        }
        self.position = 0;
        self.update(false);
        if self.control & control::ONE_PULSE != 0 {
            self.control &= !control::ENABLE;
        }
    }

    /// After an update, whole periods of the same length are skipped without walking through them.
    fn skip_periods(&mut self, cycle: u64) {
        let period = self.ticks_to_update().saturating_mul(self.tick());
        let whole = cycle.saturating_sub(self.since) / period.max(1);
        if whole > 1 {
            for channel in 0..4 {
                if self.ticks_to_match(channel).is_some() {
                    self.status |= 2 << channel;
                }
            }
            self.since += (whole - 1) * period;
        }
    }

    fn generate(&mut self, events: u32, cycle: u64) {
        self.status |= events & 0x1e;
        if events & UPDATE != 0 {
            self.position = 0;
            self.since = cycle;
            self.update(self.control & control::UPDATE_REQUEST_SOURCE != 0);
        }
    }

    fn write_control(&mut self, value: u32, cycle: u64) {
        let count = self.count();
        if self.control & control::ENABLE == 0 {
            self.since = cycle;
        }
        self.control = value & 0x3ff;
        self.position = self.position_of(count);
    }
}

impl<const BITS: u32, const SPLIT: bool> Device for Stm32Timer<BITS, SPLIT> {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => self.control,
            0x0c => self.interrupts,
            0x10 => self.status,
            0x24 => self.count(),
            0x28 => self.prescaler,
            0x2c => self.reload,
            0x34 | 0x38 | 0x3c | 0x40 => self.compare[((offset - 0x34) / 4) as usize],
            _ => {
                let index = HELD.iter().position(|held| *held == offset);
                index.map_or(0, |index| self.held[index])
            }
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        let counts = matches!(offset, 0x24 | 0x2c | 0x34..=0x40);
        let value = value & if counts { Self::COUNT_MAX } else { 0xffff };
        match offset {
            0x00 => self.write_control(value, cycle),
            0x0c => self.interrupts = value,
            0x10 => self.status &= value,
            0x14 => self.generate(value, cycle),
            0x24 => {
                self.position = self.position_of(value);
                self.since = cycle;
            }
            0x28 => self.prescaler = value,
            0x2c => {
                self.reload = value;
                if self.control & control::PRELOAD == 0 {
                    let (count, blocked) = (self.count(), !self.runs());
                    self.reload_used = value;
                    self.position = self.position_of(count);
                    self.since = if blocked { cycle } else { self.since };
                }
            }
            0x34 | 0x38 | 0x3c | 0x40 => self.compare[((offset - 0x34) / 4) as usize] = value,
            _ => {
                if let Some(index) = HELD.iter().position(|held| *held == offset) {
                    self.held[index] = value;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        let mut updated = false;
        while self.runs() {
            let ticks = cycle.saturating_sub(self.since) / self.tick();
            if ticks == 0 {
                return;
            }
            let to_update = self.ticks_to_update();
            self.count_on(ticks.min(to_update));
            // Two rounds settle the shadow registers; from then on all periods are the same.
            if updated {
                self.skip_periods(cycle);
            }
            updated |= ticks >= to_update;
        }
    }

    fn next_event(&self) -> u64 {
        if !self.runs() {
            return u64::MAX;
        }
        let mut ticks =
            if self.interrupts & UPDATE != 0 { Some(self.ticks_to_update()) } else { None };
        for channel in 0..4 {
            if self.interrupts >> (channel + 1) & 1 != 0
                && let Some(distance) = self.ticks_to_match(channel)
            {
                ticks = Some(ticks.map_or(distance, |ticks| ticks.min(distance)));
            }
        }
        ticks.map_or(u64::MAX, |ticks| self.cycle_after(ticks))
    }

    fn outputs(&self) -> u32 {
        let active = self.status & self.interrupts;
        if SPLIT {
            u32::from(active & UPDATE != 0) | u32::from(active & 0x1e != 0) << 1
        } else {
            u32::from(active & 0x5f != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Timer = Stm32Timer<16, false>;

    fn written(writes: &[(u32, u32)]) -> Timer {
        let mut timer = Timer::new(1);
        for (offset, value) in writes {
            assert_eq!(timer.write(*offset, *value, 0), Ok(()));
        }
        timer
    }

    fn read(timer: &mut Timer, offset: u32, cycle: u64) -> u32 {
        timer.advance(cycle);
        timer.read(offset, cycle).expect("a register")
    }

    #[test]
    fn updates_every_period() {
        // 8 cycles a tick, 1000 ticks a period; the update event loads the prescaler.
        let mut timer = written(&[(0x28, 7), (0x2c, 999), (0x14, 1), (0x10, 0), (0x0c, 1), (0, 1)]);
        assert_eq!(timer.next_event(), 8_000);
        assert_eq!(read(&mut timer, 0x24, 7_999), 999);
        assert_eq!(timer.outputs(), 0);
        timer.advance(8_000);
        assert_eq!(timer.outputs(), 1);
        assert_eq!(timer.write(0x10, 0, 8_001), Ok(()));
        assert_eq!((timer.outputs(), timer.next_event()), (0, 16_000));
    }

    #[test]
    fn a_prescaler_takes_over_at_the_update() {
        let mut timer = written(&[(0x2c, 9), (0x0c, 1), (0, 1), (0x28, 1)]);
        assert_eq!(timer.next_event(), 10);
        timer.advance(10);
        assert_eq!(timer.next_event(), 30);
    }

    #[test]
    fn a_compare_register_matches_in_passing() {
        let mut timer = written(&[(0x2c, 99), (0x38, 50), (0x3c, 200), (0x0c, 0xc), (0, 1)]);
        assert_eq!(timer.next_event(), 50);
        timer.advance(49);
        assert_eq!(timer.outputs(), 0);
        timer.advance(50);
        assert_eq!(timer.outputs(), 1);
        assert_eq!(read(&mut timer, 0x10, 50), 4);
        assert_eq!(timer.write(0x10, 0, 50), Ok(()));
        assert_eq!(timer.next_event(), 150);
        assert_eq!(read(&mut timer, 0x10, 500) & 8, 0, "beyond ARR it is never reached");
    }

    #[test]
    fn counts_down() {
        let mut timer = written(&[(0x2c, 99), (0x24, 99), (0x0c, 1), (0, 0x11)]);
        assert_eq!(read(&mut timer, 0x24, 30), 69);
        assert_eq!(timer.next_event(), 100);
        assert_eq!(read(&mut timer, 0x24, 100), 99);
    }

    #[test]
    fn one_pulse_stops_at_the_update() {
        let mut timer = written(&[(0x2c, 99), (0, 9)]);
        assert_eq!(read(&mut timer, 0, 1_000) & 1, 0);
        assert_eq!((read(&mut timer, 0x24, 2_000), timer.status), (0, 0x1f));
    }

    #[test]
    fn one_long_step_ends_where_many_short_ones_do() {
        let writes = [(0x28, 2), (0x2c, 6), (0x34, 3), (0x0c, 3), (0, 1)];
        let (mut long, mut short) = (written(&writes), written(&writes));
        for cycle in 0..1_000_000 {
            short.advance(cycle);
        }
        long.advance(999_999);
        assert_eq!(
            (long.count(), long.since, long.status),
            (short.count(), short.since, short.status)
        );
        long.advance(1 << 60);
        assert_eq!(long.next_event() >> 60, 1);
    }

    #[test]
    fn a_reload_of_zero_blocks() {
        let mut timer = written(&[(0x2c, 0), (0x0c, 1), (0, 1)]);
        timer.advance(1_000);
        assert_eq!((timer.next_event(), timer.outputs()), (u64::MAX, 0));
    }

    #[test]
    fn disabled_updates_change_nothing() {
        let mut timer = written(&[(0x2c, 9), (0x0c, 1), (0, 3)]);
        timer.advance(25);
        assert_eq!((timer.outputs(), read(&mut timer, 0x24, 25)), (0, 5));
    }

    #[test]
    fn a_wide_timer_counts_to_32_bits() {
        let mut timer = Stm32Timer::<32, false>::new(1);
        for (offset, value) in [(0x34, 0x1_0000), (0x0c, 2), (0, 1)] {
            assert_eq!(timer.write(offset, value, 0), Ok(()));
        }
        assert_eq!((timer.read(0x2c, 0), timer.next_event()), (Ok(u32::MAX), 0x1_0000));
        timer.advance(1 << 32);
        assert_eq!((timer.read(0x24, 1 << 32), timer.status & UPDATE), (Ok(0), UPDATE));
    }

    #[test]
    fn an_advanced_timer_has_an_interrupt_for_updates_and_one_for_matches() {
        let mut timer = Stm32Timer::<16, true>::new(1);
        for (offset, value) in [(0x2c, 99), (0x34, 50), (0x0c, 3), (0, 1)] {
            assert_eq!(timer.write(offset, value, 0), Ok(()));
        }
        timer.advance(50);
        assert_eq!(timer.outputs(), 0b10);
        timer.advance(100);
        assert_eq!(timer.outputs(), 0b11);
    }

    #[test]
    fn the_sequence_of_a_time_driver_interrupts_at_half_and_whole_turns() {
        // As embassy's: the prescaler by an update that sets no flag, then two interrupts a turn.
        let mut timer = written(&[(0, 0), (0x24, 0), (0x28, 9), (0x2c, 0xffff), (0, 4), (0x14, 1)]);
        for (offset, value) in [(0, 0), (0x34, 0x8000), (0x0c, 3), (0, 1)] {
            assert_eq!(timer.write(offset, value, 0), Ok(()));
        }
        assert_eq!((timer.outputs(), timer.next_event()), (0, 327_680));
        timer.advance(327_680);
        assert_eq!((timer.outputs(), read(&mut timer, 0x10, 327_680)), (1, 2));
        assert_eq!(timer.write(0x10, !2, 327_680), Ok(()));
        assert_eq!(timer.next_event(), 655_360);
        timer.advance(655_360);
        assert_eq!(read(&mut timer, 0x10, 655_360) & 3, 1);
    }
}
