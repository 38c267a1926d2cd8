//! Devices of RP2350 that are those of RP2040 with the registers at other places (RP2350
//! Datasheet, 3.1.11, 9.11 and 12.8.4).
//!
//! A register that the older device lacks reads as 0 and takes what is written: the lock and the
//! source of the timer, the doorbells, pins above 29.

use std::marker::PhantomData;

use super::Device;
use super::rp2040_io::Rp2040Io;
use super::rp2040_sio::Rp2040Sio;
use super::rp2040_timer::Rp2040Timer;
use crate::processor::bus::BusError;

/// Where a register is on the older device.
pub trait Layout {
    /// Returns the offset there; `None` if the older device lacks it.
    fn place(offset: u32) -> Option<u32>;
}

/// An older device with its registers at other places.
#[derive(Clone, Debug)]
pub struct Moved<D, L> {
    device: D,
    layout: PhantomData<L>,
}

/// The timer's registers.
#[derive(Clone, Debug)]
pub struct Timer;

impl Layout for Timer {
    fn place(offset: u32) -> Option<u32> {
        match offset {
            0..0x34 => Some(offset),
            // LOCKED and SOURCE stand before the interrupts.
            0x34..0x3c => None,
            _ => Some(offset - 8),
        }
    }
}

/// The registers of single-cycle I/O: those of the upper pins stand between those of the lower.
#[derive(Clone, Debug)]
pub struct Sio;

impl Layout for Sio {
    fn place(offset: u32) -> Option<u32> {
        match offset {
            // Set, clear and flip follow in the same order; those of upper pins are 0x20 farther.
            0x10..0x50 => {
                let (group, word) = ((offset - 0x10) / 0x20, offset % 8 / 4);
                let operation = (offset - 0x10) % 0x20 / 8;
                Some(0x10 + 0x10 * group + 0x20 * word + 4 * operation)
            }
            // There is no divider.
            0x60..0x80 => None,
            // Doorbells, and the timer of RISC-V.
            0x180.. => None,
            _ => Some(offset),
        }
    }
}

/// The registers of bank 0 of I/O, which has 48 pins: six words of interrupts in place of four.
#[derive(Clone, Debug)]
pub struct Io;

impl Layout for Io {
    fn place(offset: u32) -> Option<u32> {
        /// The first of the interrupts' words here, and there; raw, enabled, forced, active.
        const FIRST: [u32; 2] = [0x230, 0x0f0];
        const WORDS: u32 = 6;

        if offset < FIRST[1] {
            return Some(offset);
        }
        let word = offset.checked_sub(FIRST[0])? / 4;
        let (kind, number) = (word / WORDS, word % WORDS);
        (kind < 4 && number < 4).then(|| FIRST[1] + 0x10 * kind + 4 * number)
    }
}

/// The timer. Outputs: alarms 0 to 3.
pub type Rp2350Timer = Moved<Rp2040Timer, Timer>;
/// Single-cycle I/O as core 0 sees it.
pub type Rp2350Sio = Moved<Rp2040Sio, Sio>;
/// Bank 0 of I/O. Output: the interrupt of core 0.
pub type Rp2350Io = Moved<Rp2040Io, Io>;

impl Rp2350Timer {
    /// After power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self { device: Rp2040Timer::new(clock_hz), layout: PhantomData }
    }
}

impl Rp2350Sio {
    /// After power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self { device: Rp2040Sio::new(clock_hz), layout: PhantomData }
    }
}

impl Rp2350Io {
    /// After power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self { device: Rp2040Io::new(clock_hz), layout: PhantomData }
    }
}

impl<D: Device, L: Layout> Device for Moved<D, L> {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        L::place(offset).map_or(Ok(0), |place| self.device.read(place, cycle))
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        L::place(offset).map_or(Ok(()), |place| self.device.write(place, value, cycle))
    }

    fn reset(&mut self, cycle: u64) {
        self.device.reset(cycle);
    }

    fn advance(&mut self, cycle: u64) {
        self.device.advance(cycle);
    }

    fn next_event(&self) -> u64 {
        self.device.next_event()
    }

    fn outputs(&self) -> u32 {
        self.device.outputs()
    }

    fn drive_pin(&mut self, pin: u8, level: bool) {
        self.device.drive_pin(pin, level);
    }

    fn pin_levels(&self) -> u32 {
        self.device.pin_levels()
    }

    fn watch_port(&mut self, port: u8, levels: u32) {
        self.device.watch_port(port, levels);
    }

    fn ones_clear(&self, offset: u32) -> bool {
        L::place(offset).is_some_and(|place| self.device.ones_clear(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_set_and_cleared_at_their_places() {
        let mut sio = Rp2350Sio::new(1);
        // GPIO_OE_SET, GPIO_OUT_SET, GPIO_OUT_CLR, GPIO_OUT_XOR.
        for (offset, value, levels) in
            [(0x38, 6, 0), (0x18, 6, 6), (0x20, 2, 4), (0x28, 6, 2), (0x1c, 1, 2)]
        {
            assert_eq!(sio.write(offset, value, 0), Ok(()));
            assert_eq!(sio.pin_levels(), levels, "{offset:#x}");
        }
        let read = [0x10, 0x14, 0x30].map(|offset| sio.read(offset, 0));
        assert_eq!(read, [Ok(2), Ok(1), Ok(6)]);
        assert_eq!((sio.read(0x60, 0), sio.read(0x1b0, 0)), (Ok(0), Ok(0)));
    }

    #[test]
    fn an_alarm_interrupts_behind_the_lock() {
        let mut timer = Rp2350Timer::new(1_000_000);
        assert_eq!(timer.write(0x34, 1, 0), Ok(()), "LOCKED");
        assert_eq!(timer.write(0x40, 1, 0), Ok(()), "INTE");
        assert_eq!(timer.write(0x10, 5, 0), Ok(()), "ALARM0");
        timer.advance(6);
        assert_eq!((timer.read(0x3c, 6), timer.outputs()), (Ok(1), 1));
        assert_eq!(timer.write(0x3c, 1, 6), Ok(()));
        assert_eq!(timer.outputs(), 0);
    }

    #[test]
    fn an_edge_of_a_pin_interrupts() {
        let mut io = Rp2350Io::new(1);
        // The rising edge of pin 9: PROC0_INTE1, INTR1.
        assert_eq!(io.write(0x24c, 8 << 4, 0), Ok(()));
        io.watch_port(0, 1 << 9);
        assert_eq!(io.outputs(), 1);
        assert_eq!(io.read(0x27c, 0), Ok(8 << 4));
        assert_eq!(io.write(0x234, 8 << 4, 0), Ok(()));
        assert_eq!(io.outputs(), 0);
        assert_eq!((io.read(0x240, 0), io.read(0x17c, 0)), (Ok(0), Ok(0)), "pins above 29");
    }
}
