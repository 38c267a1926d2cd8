//! EFM32 timer of series 1 (EFM32 Pearl Gecko Reference Manual, 19): counts up to TOP, with
//! overflow and compare interrupts.
//!
//! The counter is that of an STM32 timer behind other registers. Counting down, quadrature,
//! captures and dead times are not modelled: their registers hold their values, and the counter
//! goes up.

use super::Device;
use super::stm32_timer::Stm32Timer;
use crate::processor::bus::BusError;

const CONTROL: u32 = 0x00;
const COMMAND: u32 = 0x04;
const STATUS: u32 = 0x08;
const FLAGS: u32 = 0x0c;
const FLAGS_SET: u32 = 0x10;
const FLAGS_CLEAR: u32 = 0x14;
const ENABLED: u32 = 0x18;
const TOP: u32 = 0x1c;
const TOP_BUFFER: u32 = 0x20;
const COUNT: u32 = 0x24;
/// The first channel's registers: control, value, peek, buffer.
const CHANNELS: u32 = 0x60;
const CHANNELS_END: u32 = 0xa0;

/// CMD.
const START: u32 = 1;
const STOP: u32 = 2;
/// CTRL.
const ONE_SHOT: u32 = 1 << 4;

/// Registers and bits of the counter.
mod counter {
    pub const CONTROL: u32 = 0x00;
    pub const INTERRUPTS: u32 = 0x0c;
    pub const STATUS: u32 = 0x10;
    pub const GENERATE: u32 = 0x14;
    pub const COUNT: u32 = 0x24;
    pub const PRESCALER: u32 = 0x28;
    pub const RELOAD: u32 = 0x2c;
    pub const COMPARE: u32 = 0x34;
    pub const ENABLE: u32 = 1;
    pub const REQUEST_SOURCE: u32 = 4;
    pub const ONE_PULSE: u32 = 8;
}

/// The timer. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Efm32Timer {
    counter: Stm32Timer<16, false>,
    control: u32,
    channels: [u32; 4],
}

/// Flags of the timer from those of the counter: the overflow stays, matches are 4 bits higher.
const fn outer(flags: u32) -> u32 {
    flags & 1 | (flags & 0x1e) << 3
}

const fn inner(flags: u32) -> u32 {
    flags & 1 | flags >> 3 & 0x1e
}

impl Efm32Timer {
    /// A timer after power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self { counter: Stm32Timer::new(clock_hz), control: 0, channels: [0; 4] }
    }

    fn set(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        self.counter.write(offset, value, cycle)
    }

    fn get(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        self.counter.read(offset, cycle)
    }

    fn run(&mut self, on: bool, cycle: u64) -> Result<(), BusError> {
        let one_shot = if self.control & ONE_SHOT != 0 { counter::ONE_PULSE } else { 0 };
        let enable = if on { counter::ENABLE } else { 0 };
        self.set(counter::CONTROL, counter::REQUEST_SOURCE | one_shot | enable, cycle)
    }

    fn is_running(&mut self, cycle: u64) -> Result<bool, BusError> {
        Ok(self.get(counter::CONTROL, cycle)? & counter::ENABLE != 0)
    }

    fn write_control(&mut self, value: u32, cycle: u64) -> Result<(), BusError> {
        let (running, count) = (self.is_running(cycle)?, self.get(counter::COUNT, cycle)?);
        self.control = value;
        self.run(running, cycle)?;
        self.set(counter::PRESCALER, (1 << (value >> 24 & 0xf).min(10)) - 1, cycle)?;
        // The prescaler takes over with an update, which sets the counter to 0.
        self.set(counter::GENERATE, 1, cycle)?;
        self.set(counter::COUNT, count, cycle)
    }
}

impl Device for Efm32Timer {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        match offset {
            CONTROL => Ok(self.control),
            STATUS => Ok(u32::from(self.is_running(cycle)?)),
            FLAGS => Ok(outer(self.get(counter::STATUS, cycle)?)),
            ENABLED => Ok(outer(self.get(counter::INTERRUPTS, cycle)?)),
            TOP | TOP_BUFFER => self.get(counter::RELOAD, cycle),
            COUNT => self.get(counter::COUNT, cycle),
            CHANNELS..CHANNELS_END => {
                let channel = (offset - CHANNELS) / 0x10;
                match offset % 0x10 {
                    0 => Ok(self.channels[channel as usize]),
                    _ => self.get(counter::COMPARE + 4 * channel, cycle),
                }
            }
            _ => Ok(0),
        }
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            CONTROL => self.write_control(value, cycle),
            COMMAND if value & STOP != 0 => self.run(false, cycle),
            COMMAND if value & START != 0 => self.run(true, cycle),
            FLAGS_SET => self.set(counter::GENERATE, inner(value) & 0x1e, cycle),
            FLAGS_CLEAR => self.set(counter::STATUS, !inner(value), cycle),
            ENABLED => self.set(counter::INTERRUPTS, inner(value), cycle),
            TOP | TOP_BUFFER => self.set(counter::RELOAD, value, cycle),
            COUNT => self.set(counter::COUNT, value, cycle),
            CHANNELS..CHANNELS_END => {
                let channel = (offset - CHANNELS) / 0x10;
                match offset % 0x10 {
                    0 => self.channels[channel as usize] = value,
                    4 | 12 => self.set(counter::COMPARE + 4 * channel, value, cycle)?,
                    _ => {}
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn reset(&mut self, cycle: u64) {
        self.counter.reset(cycle);
        (self.control, self.channels) = (0, [0; 4]);
    }

    fn advance(&mut self, cycle: u64) {
        self.counter.advance(cycle);
    }

    fn next_event(&self) -> u64 {
        self.counter.next_event()
    }

    fn outputs(&self) -> u32 {
        self.counter.outputs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(writes: &[(u32, u32)]) -> Efm32Timer {
        let mut timer = Efm32Timer::new(1);
        for (offset, value) in writes {
            assert_eq!(timer.write(*offset, *value, 0), Ok(()));
        }
        timer
    }

    #[test]
    fn overflows_behind_its_top() {
        // 4 cycles a tick, 100 ticks a turn.
        let mut timer = written(&[(CONTROL, 2 << 24), (TOP, 99), (ENABLED, 1), (COMMAND, START)]);
        assert_eq!((timer.next_event(), timer.outputs()), (400, 0));
        timer.advance(396);
        assert_eq!((timer.read(COUNT, 396), timer.read(STATUS, 396)), (Ok(99), Ok(1)));
        timer.advance(400);
        assert_eq!((timer.outputs(), timer.read(FLAGS, 400).unwrap() & 1), (1, 1));
        assert_eq!(timer.write(FLAGS_CLEAR, 1, 400), Ok(()));
        assert_eq!((timer.outputs(), timer.next_event()), (0, 800));
        assert_eq!(timer.write(COMMAND, STOP, 450), Ok(()));
        assert_eq!((timer.read(STATUS, 450), timer.next_event()), (Ok(0), u64::MAX));
    }

    #[test]
    fn a_channel_matches_in_passing() {
        let mut timer = written(&[(0x74, 50), (ENABLED, 1 << 5), (COMMAND, START)]);
        assert_eq!((timer.next_event(), timer.read(0x74, 0)), (50, Ok(50)));
        timer.advance(50);
        assert_eq!((timer.outputs(), timer.read(FLAGS, 50)), (1, Ok(1 << 5)));
    }

    #[test]
    fn a_one_shot_stops() {
        let mut timer = written(&[(CONTROL, ONE_SHOT), (TOP, 9), (COMMAND, START)]);
        timer.advance(1_000);
        assert_eq!(timer.read(STATUS, 1_000), Ok(0));
    }
}
