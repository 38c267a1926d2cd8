//! The devices of a LiteX system: its control, its UART and its timer, as registers of 32 bits.
//!
//! ```text
//!  control  +0x0000  0 reset, 4 scratch, 8 bus errors
//!  UART     +0x2000  0 rxtx, 4 txfull, 8 rxempty, c status, 10 pending, 14 enable, 18 txempty,
//!                    1c rxfull; interrupt 0
//!  timer    +0x2800  0 load, 4 reload, 8 en, c update, 10 value, 14 status, 18 pending,
//!                    1c enable, 20 latch, 24 uptime, upper half first; interrupt 1
//! ```
//! The places are those of the simulated system for which Tock's board `litex/sim` was generated.
//! An event becomes pending when its cause comes, and stays so until the program writes a 1. What
//! the UART sends leaves at once, and it receives nothing.

use crate::processor::bus::BusError;

/// The bytes of addresses that the registers take.
pub const SPAN: u32 = 0x1_0000;

const CONTROL: u32 = 0x0000;
const UART: u32 = 0x2000;
const TIMER: u32 = 0x2800;
const BLOCK: u32 = 0x800;

/// The value of `scratch` after reset.
const SCRATCH: u32 = 0x1234_5678;
/// The lines of the interrupts.
const UART_LINE: u32 = 1 << 0;
const TIMER_LINE: u32 = 1 << 1;
/// The event of a UART that can send.
const CAN_SEND: u32 = 1 << 0;

/// The devices.
#[derive(Clone, Debug)]
pub struct Litex {
    scratch: u32,
    uart: Events,
    timer: Timer,
}

/// What a write asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// To print a byte.
    Print(u8),
    /// To start anew.
    Reset,
}

/// Causes that become pending when they come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Events {
    pending: u32,
    enabled: u32,
}

impl Events {
    fn calls(self) -> bool {
        self.pending & self.enabled != 0
    }
}

/// A timer that counts cycles down to 0.
#[derive(Clone, Debug)]
struct Timer {
    load: u32,
    reload: u32,
    is_on: bool,
    /// The value in a cycle, from which it counts on.
    value: u32,
    since: u64,
    latched: u32,
    uptime: u64,
    events: Events,
}

impl Timer {
    fn new(now: u64) -> Self {
        // The value is 0 from the start, and that is an event.
        let events = Events { pending: 1, enabled: 0 };
        Self {
            load: 0,
            reload: 0,
            is_on: false,
            value: 0,
            since: now,
            latched: 0,
            uptime: 0,
            events,
        }
    }

    /// Counts on to a cycle.
    fn advance(&mut self, cycle: u64) {
        let Some(passed) = cycle.checked_sub(self.since).filter(|passed| *passed != 0) else {
            return;
        };
        if self.is_on {
            let was_zero = self.value == 0;
            if passed <= u64::from(self.value) {
                self.value -= passed as u32;
                self.events.pending |= u32::from(self.value == 0);
            } else {
                let behind = passed - u64::from(self.value) - 1;
                let period = u64::from(self.reload) + 1;
                let comes = !was_zero || self.reload != 0 && behind >= u64::from(self.reload);
                self.events.pending |= u32::from(comes);
                self.value = self.reload - (behind % period) as u32;
            }
        }
        self.since = cycle;
    }

    /// Returns the next cycle in which the value becomes 0.
    fn next_event(&self) -> u64 {
        match (self.is_on && self.events.enabled != 0, self.value, self.reload) {
            (false, ..) | (_, 0, 0) => u64::MAX,
            (_, 0, reload) => self.since.saturating_add(u64::from(reload) + 1),
            (_, value, _) => self.since.saturating_add(u64::from(value)),
        }
    }

    fn read(&self, offset: u32) -> u32 {
        match offset {
            0x00 => self.load,
            0x04 => self.reload,
            0x08 => u32::from(self.is_on),
            0x10 => self.latched,
            0x14 => u32::from(self.value == 0),
            0x18 => self.events.pending,
            0x1c => self.events.enabled,
            0x24 => (self.uptime >> 32) as u32,
            0x28 => self.uptime as u32,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) {
        match offset {
            0x00 => self.load = value,
            0x04 => self.reload = value,
            // It counts from the next cycle on.
            0x08 => {
                self.is_on = value & 1 != 0;
                self.since = cycle.saturating_add(1);
            }
            0x0c => self.latched = self.value,
            0x18 => self.events.pending &= !value,
            0x1c => self.events.enabled = value & 1,
            0x20 => self.uptime = cycle,
            _ => {}
        }
        // A timer that is off has the value that it is to begin with.
        if !self.is_on && self.value != self.load {
            self.value = self.load;
            self.events.pending |= u32::from(self.value == 0);
        }
    }
}

impl Litex {
    /// The devices after reset in the cycle `now`.
    pub fn new(now: u64) -> Self {
        let uart = Events { pending: CAN_SEND, enabled: 0 };
        Self { scratch: SCRATCH, uart, timer: Timer::new(now) }
    }

    /// Brings the timer up to a cycle.
    pub fn advance(&mut self, cycle: u64) {
        self.timer.advance(cycle);
    }

    /// Returns the lines that call.
    pub fn lines(&self) -> u32 {
        let uart = if self.uart.calls() { UART_LINE } else { 0 };
        let timer = if self.timer.events.calls() { TIMER_LINE } else { 0 };
        uart | timer
    }

    /// Returns the next cycle in which a line changes by itself; `u64::MAX` for none.
    pub fn next_event(&self) -> u64 {
        if self.timer.events.pending != 0 { u64::MAX } else { self.timer.next_event() }
    }

    /// Reads the word at an offset, with the timer as it was last advanced.
    ///
    /// # Errors
    /// No device is there.
    pub fn read(&self, offset: u32) -> Result<u32, BusError> {
        let register = offset % BLOCK;
        match offset - register {
            CONTROL => Ok(if register == 4 { self.scratch } else { 0 }),
            UART => Ok(match register {
                // Nothing is received, and nothing waits.
                0x08 | 0x18 => 1,
                0x0c => CAN_SEND,
                0x10 => self.uart.pending,
                0x14 => self.uart.enabled,
                _ => 0,
            }),
            TIMER => Ok(self.timer.read(register)),
            _ => Err(BusError),
        }
    }

    /// Writes the word at an offset; the write may ask for something.
    ///
    /// # Errors
    /// No device is there.
    pub fn write(
        &mut self,
        offset: u32,
        value: u32,
        cycle: u64,
    ) -> Result<Option<Request>, BusError> {
        self.advance(cycle);
        let register = offset % BLOCK;
        match (offset - register, register) {
            (CONTROL, 0) => return Ok((value & 1 != 0).then_some(Request::Reset)),
            (CONTROL, 4) => self.scratch = value,
            (UART, 0) => return Ok(Some(Request::Print(value as u8))),
            (UART, 0x10) => self.uart.pending &= !value,
            (UART, 0x14) => self.uart.enabled = value & 3,
            (TIMER, register) => self.timer.write(register, value, cycle),
            (CONTROL | UART, _) => {}
            _ => return Err(BusError),
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(load: u32, reload: u32) -> Litex {
        let mut litex = Litex::new(0);
        for (register, value) in [(0x0, load), (0x4, reload), (0x18, 1), (0x1c, 1), (0x8, 1)] {
            litex.write(TIMER + register, value, 10).unwrap();
        }
        litex
    }

    #[test]
    fn the_timer_calls_when_it_comes_to_0() {
        let mut litex = started(100, 0);
        assert_eq!((litex.lines(), litex.next_event()), (0, 111));
        litex.advance(110);
        assert_eq!((litex.lines(), litex.read(TIMER + 0x14)), (0, Ok(0)));
        litex.advance(111);
        assert_eq!((litex.lines(), litex.read(TIMER + 0x14)), (TIMER_LINE, Ok(1)));
        assert_eq!(litex.next_event(), u64::MAX);
        litex.write(TIMER + 0x18, 1, 120).unwrap();
        assert_eq!((litex.lines(), litex.next_event()), (0, u64::MAX));
        litex.advance(1000);
        assert_eq!(litex.lines(), 0);
    }

    #[test]
    fn the_timer_reloads() {
        let mut litex = started(100, 9);
        litex.advance(111);
        litex.write(TIMER + 0x18, 1, 111).unwrap();
        assert_eq!(litex.next_event(), 121);
        litex.advance(120);
        assert_eq!(litex.lines(), 0);
        litex.advance(121);
        assert_eq!(litex.lines(), TIMER_LINE);
        litex.write(TIMER + 0x18, 1, 122).unwrap();
        assert_eq!(litex.next_event(), 131);
        litex.advance(140);
        litex.write(TIMER + 0x0c, 1, 140).unwrap();
        assert_eq!((litex.lines(), litex.read(TIMER + 0x10)), (TIMER_LINE, Ok(1)));
    }

    #[test]
    fn the_uart_can_always_send() {
        let mut litex = Litex::new(0);
        assert_eq!(litex.write(UART, 0x141, 0), Ok(Some(Request::Print(0x41))));
        assert_eq!([0x4, 0x8, 0x18].map(|at| litex.read(UART + at)), [Ok(0), Ok(1), Ok(1)]);
        litex.write(UART + 0x14, 1, 0).unwrap();
        assert_eq!(litex.lines(), UART_LINE);
        litex.write(UART + 0x10, 1, 0).unwrap();
        assert_eq!(litex.lines(), 0);
    }

    #[test]
    fn the_control_resets_and_remembers() {
        let mut litex = Litex::new(0);
        assert_eq!(litex.read(4), Ok(SCRATCH));
        litex.write(4, 7, 0).unwrap();
        assert_eq!(litex.read(4), Ok(7));
        assert_eq!(litex.write(0, 1, 0), Ok(Some(Request::Reset)));
        assert_eq!(litex.read(0x5000), Err(BusError));
        assert_eq!(litex.write(0x5000, 0, 0), Err(BusError));
    }
}
