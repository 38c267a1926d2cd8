//! Stellaris general-purpose timer: one 32-bit counter, or two of 16 bits with 8-bit prescalers.
//!
//! One-shot and periodic counting down with their time-out interrupts. Capture, PWM and the
//! real-time clock mode need pins or a crystal and are not modelled: in them the counter stands
//! still.

use super::Device;
use super::down_counter::DownCounter;
use crate::processor::bus::BusError;

/// CTL's enable bit of a half, within its byte.
const ENABLE: u32 = 1;

/// The modes of TnMR that count.
const ONE_SHOT: u32 = 1;
const PERIODIC: u32 = 2;

/// CFG: two 16-bit timers.
const SPLIT: u32 = 4;

/// The timer. Interrupt outputs: A, B.
#[derive(Clone, Debug)]
pub struct Lm3sTimer {
    halves: [Half; 2],
    configuration: u32,
    control: u32,
    mask: u32,
    raw: u32,
}

#[derive(Clone, Debug)]
struct Half {
    counter: DownCounter,
    mode: u32,
    interval: u32,
    matches: u32,
    prescale: u32,
    prescale_match: u32,
}

impl Half {
    fn new(interval: u32) -> Self {
        Self {
            counter: DownCounter::new(u64::from(interval)),
            mode: 0,
            interval,
            matches: interval,
            prescale: 0,
            prescale_match: 0,
        }
    }
}

impl Lm3sTimer {
    /// A timer after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            halves: [Half::new(u32::MAX), Half::new(0xffff)],
            configuration: 0,
            control: 0,
            mask: 0,
            raw: 0,
        }
    }

    fn is_split(&self) -> bool {
        self.configuration & 7 == SPLIT
    }

    /// The bits that a half's counter has now.
    fn width(&self, half: usize) -> u32 {
        if half == 0 && !self.is_split() { u32::MAX } else { 0xffff }
    }

    /// Makes a half count or not, as the registers now say. With `load`, the half starts from its
    /// interval.
    fn apply(&mut self, half: usize, load: bool, cycle: u64) {
        let (split, width) = (self.is_split(), self.width(half));
        // Joined, timer A is the whole timer; modes 1 of CFG (real-time clock) and above do not
        // count.
        let usable = split || (half == 0 && self.configuration & 7 == 0);
        let enabled = self.control >> (8 * half) & ENABLE != 0;
        let Half { counter, mode, interval, prescale, .. } = &mut self.halves[half];
        let start = u64::from(*interval & width);
        let reload = if *mode & 3 == PERIODIC { Some(start) } else { None };
        counter.set_divider(if split { u64::from(*prescale) + 1 } else { 1 }, cycle);
        counter.set_reload(reload, cycle);
        if load {
            counter.set_value(start, cycle);
        }
        let counts = matches!(*mode & 3, ONE_SHOT | PERIODIC);
        counter.run(usable && enabled && counts, cycle);
    }

    fn write_control(&mut self, value: u32, cycle: u64) {
        let started = value & !self.control;
        self.control = value & 0x7f7f;
        for half in 0..2 {
            self.apply(half, started >> (8 * half) & ENABLE != 0, cycle);
        }
    }
}

impl Device for Lm3sTimer {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        // From 0x28 on registers come in pairs: A's at a multiple of 8, B's behind it.
        let index = (offset >> 2 & 1) as usize;
        let half = &self.halves[index];
        let value = match offset {
            0x00 => self.configuration,
            0x04 => self.halves[0].mode,
            0x08 => self.halves[1].mode,
            0x0c => self.control,
            0x18 => self.mask,
            0x1c => self.raw,
            0x20 => self.raw & self.mask,
            0x28 | 0x2c => half.interval & self.width(index),
            0x30 | 0x34 => half.matches,
            0x38 | 0x3c => half.prescale,
            0x40 | 0x44 => half.prescale_match,
            0x48 | 0x4c => half.counter.value(cycle) as u32,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        let index = (offset >> 2 & 1) as usize;
        match offset {
            0x00 => self.configuration = value & 7,
            0x0c => self.write_control(value, cycle),
            0x18 => self.mask = value & 0x70f,
            0x24 => self.raw &= !value,
            0x04 => self.halves[0].mode = value & 0xf,
            0x08 => self.halves[1].mode = value & 0xf,
            0x28 | 0x2c => {
                self.halves[index].interval = value;
                self.apply(index, true, cycle);
            }
            0x30 | 0x34 => self.halves[index].matches = value,
            0x38 | 0x3c => {
                self.halves[index].prescale = value & 0xff;
                self.apply(index, false, cycle);
            }
            0x40 | 0x44 => self.halves[index].prescale_match = value & 0xff,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn advance(&mut self, cycle: u64) {
        for half in 0..2 {
            if self.halves[half].counter.advance(cycle) {
                self.raw |= 1 << (8 * half);
                if !self.halves[half].counter.is_running() {
                    self.control &= !(ENABLE << (8 * half));
                }
            }
        }
    }

    fn next_event(&self) -> u64 {
        let awaited = |half: usize| {
            let wanted = self.mask >> (8 * half) & 1 != 0;
            if wanted { self.halves[half].counter.next_zero() } else { u64::MAX }
        };
        awaited(0).min(awaited(1))
    }

    fn outputs(&self) -> u32 {
        let struck = self.raw & self.mask;
        u32::from(struck & 0xff != 0) | u32::from(struck & 0xff00 != 0) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(timer: &mut Lm3sTimer, writes: &[(u32, u32)]) {
        for (offset, value) in writes {
            assert_eq!(timer.write(*offset, *value, 0), Ok(()));
        }
    }

    #[test]
    fn a_periodic_timer_interrupts_every_interval_plus_one() {
        let mut timer = Lm3sTimer::new(1);
        write_all(&mut timer, &[(0, 0), (4, PERIODIC), (0x28, 99_999), (0x18, 1), (0xc, 1)]);
        assert_eq!(timer.read(0x48, 10), Ok(99_989));
        assert_eq!(timer.next_event(), 99_999);
        timer.advance(99_999);
        assert_eq!(timer.outputs(), 1);
        assert_eq!(timer.write(0x24, 1, 100_010), Ok(()));
        assert_eq!((timer.outputs(), timer.next_event()), (0, 199_999));
    }

    #[test]
    fn a_one_shot_disables_itself() {
        let mut timer = Lm3sTimer::new(1);
        write_all(&mut timer, &[(4, ONE_SHOT), (0x28, 50), (0xc, 1)]);
        timer.advance(60);
        assert_eq!((timer.read(0x1c, 60), timer.read(0xc, 60)), (Ok(1), Ok(0)));
        assert_eq!(timer.outputs(), 0, "masked");
    }

    #[test]
    fn split_timers_count_apart_with_prescalers() {
        let mut timer = Lm3sTimer::new(1);
        let writes = [
            (0, SPLIT),
            (4, PERIODIC),
            (8, ONE_SHOT),
            (0x28, 0x1_0009),
            (0x2c, 4),
            (0x3c, 9),
            (0x18, 0x101),
            (0xc, 0x101),
        ];
        write_all(&mut timer, &writes);
        assert_eq!(timer.read(0x28, 0), Ok(9));
        assert_eq!((timer.read(4, 0), timer.read(8, 0)), (Ok(PERIODIC), Ok(ONE_SHOT)));
        timer.advance(9);
        assert_eq!(timer.outputs(), 1);
        timer.advance(39);
        assert_eq!(timer.outputs(), 1);
        timer.advance(40);
        assert_eq!(timer.outputs(), 3);
    }
}
