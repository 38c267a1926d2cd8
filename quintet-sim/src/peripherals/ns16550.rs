//! The 16550 UART, with its two FIFOs of 16 bytes and one interrupt.
//!
//! Bytes pass at once, at any divisor: the clock of its divider is no core's, and programs for
//! emulators set none. Modem lines rest; loopback is not there.

use std::collections::VecDeque;

use super::Device;
use super::serial::{Transmitter, Wire};
use crate::processor::bus::BusError;

const FIFO_SIZE: usize = 16;

/// Bits of the interrupt enable register.
mod enable {
    pub const RECEIVED: u8 = 1 << 0;
    pub const EMPTY: u8 = 1 << 1;
}

/// Values of the interrupt identification register, and its bits for FIFOs that are on.
mod identification {
    pub const NONE: u8 = 0x1;
    pub const EMPTY: u8 = 0x2;
    pub const RECEIVED: u8 = 0x4;
    pub const FIFOS: u8 = 0xc0;
}

/// Bits of the line status register.
mod status {
    pub const RECEIVED: u8 = 1 << 0;
    pub const HOLDING_EMPTY: u8 = 1 << 5;
    pub const ALL_EMPTY: u8 = 1 << 6;
}

/// The bit of the line control register that shows the divisor.
const DIVISOR: u8 = 1 << 7;

/// The bits of the FIFO control register.
const FIFO_ON: u8 = 1 << 0;
const FIFO_CLEAR_RECEIVED: u8 = 1 << 1;

/// The lines of a modem that is there: clear to send, data set ready, carrier.
const MODEM: u8 = 0xb0;

/// The UART.
#[derive(Clone, Debug)]
pub struct Ns16550 {
    transmitter: Transmitter,
    wire: Wire,
    received: VecDeque<u8>,
    enabled: u8,
    /// The transmitter's interrupt: it has become empty, or was while the interrupt was enabled.
    emptied: bool,
    fifos: bool,
    line_control: u8,
    modem_control: u8,
    scratch: u8,
    divisor: [u8; 2],
}

impl Ns16550 {
    /// The UART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            received: VecDeque::new(),
            enabled: 0,
            emptied: false,
            fifos: false,
            line_control: 0,
            modem_control: 0x08,
            scratch: 0,
            divisor: [12, 0],
        }
    }

    fn room(&self) -> bool {
        self.received.len() < if self.fifos { FIFO_SIZE } else { 1 }
    }

    /// The most urgent interrupt that is pending.
    fn pending(&self) -> u8 {
        if self.enabled & enable::RECEIVED != 0 && !self.received.is_empty() {
            identification::RECEIVED
        } else if self.enabled & enable::EMPTY != 0 && self.emptied {
            identification::EMPTY
        } else {
            identification::NONE
        }
    }

    fn identify(&mut self) -> u8 {
        let pending = self.pending();
        if pending == identification::EMPTY {
            self.emptied = false;
        }
        pending | if self.fifos { identification::FIFOS } else { 0 }
    }

    fn control_fifos(&mut self, value: u8) {
        let on = value & FIFO_ON != 0;
        if value & FIFO_CLEAR_RECEIVED != 0 || on != self.fifos {
            self.received.clear();
        }
        self.fifos = on;
    }
}

impl Device for Ns16550 {
    fn has_byte_registers(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let shows_divisor = self.line_control & DIVISOR != 0;
        let value = match offset {
            0 if shows_divisor => self.divisor[0],
            1 if shows_divisor => self.divisor[1],
            0 => {
                let byte = self.received.pop_front().unwrap_or(0);
                self.advance(cycle);
                byte
            }
            1 => self.enabled,
            2 => self.identify(),
            3 => self.line_control,
            4 => self.modem_control,
            5 => {
                let received = if self.received.is_empty() { 0 } else { status::RECEIVED };
                received | status::HOLDING_EMPTY | status::ALL_EMPTY
            }
            6 => MODEM,
            7 => self.scratch,
            _ => 0,
        };
        Ok(u32::from(value))
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        let value = value as u8;
        let shows_divisor = self.line_control & DIVISOR != 0;
        match offset {
            0 if shows_divisor => self.divisor[0] = value,
            1 if shows_divisor => self.divisor[1] = value,
            0 => {
                self.transmitter.send(value, 1, 0, cycle);
                self.emptied = true;
            }
            1 => {
                let is_new = value & !self.enabled & enable::EMPTY != 0;
                self.emptied |= is_new;
                self.enabled = value & 0x0f;
            }
            2 => self.control_fifos(value),
            3 => self.line_control = value,
            4 => self.modem_control = value & 0x1f,
            7 => self.scratch = value,
            _ => {}
        }
        self.advance(cycle);
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        let (transmitter, wire) = (self.transmitter.reset(), std::mem::take(&mut self.wire));
        *self = Self { transmitter, wire, ..Self::new(0) };
    }

    fn advance(&mut self, cycle: u64) {
        self.wire.listen(true, 0, cycle);
        while let Some((byte, _)) = self.wire.arrive(cycle, 0, self.room()) {
            self.received.push_back(byte);
        }
    }

    fn next_event(&self) -> u64 {
        self.wire.next_event(0, self.room())
    }

    fn outputs(&self) -> u32 {
        u32::from(self.pending() != identification::NONE)
    }

    fn receive(&mut self, byte: u8, cycle: u64) -> bool {
        self.wire.queue(byte);
        self.advance(cycle);
        true
    }

    fn take_sent(&mut self) -> Vec<u8> {
        self.transmitter.take_sent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uart: &mut Ns16550, offset: u32) -> u32 {
        uart.read(offset, 0).expect("a register")
    }

    fn write(uart: &mut Ns16550, offset: u32, value: u32) {
        assert_eq!(uart.write(offset, value, 0), Ok(()));
    }

    #[test]
    fn what_is_written_is_sent_and_the_divisor_is_not() {
        let mut uart = Ns16550::new(1);
        write(&mut uart, 3, 0x83);
        write(&mut uart, 0, 1);
        assert_eq!(read(&mut uart, 0), 1);
        write(&mut uart, 3, 0x03);
        write(&mut uart, 0, u32::from(b'x'));
        assert_eq!(uart.take_sent(), b"x");
        assert_eq!(read(&mut uart, 5), 0x60);
    }

    #[test]
    fn what_comes_waits_in_the_fifo_and_interrupts() {
        let mut uart = Ns16550::new(1);
        write(&mut uart, 2, 1);
        write(&mut uart, 1, 1);
        assert_eq!(uart.outputs(), 0);
        for byte in b"ab" {
            assert!(uart.receive(*byte, 0));
        }
        assert_eq!((uart.outputs(), read(&mut uart, 2)), (1, 0xc4));
        assert_eq!([read(&mut uart, 0), read(&mut uart, 5), read(&mut uart, 0)], [97, 0x61, 98]);
        assert_eq!((uart.outputs(), read(&mut uart, 2)), (0, 0xc1));
    }

    #[test]
    fn the_empty_transmitter_interrupts_until_it_is_told() {
        let mut uart = Ns16550::new(1);
        write(&mut uart, 1, 2);
        assert_eq!((uart.outputs(), read(&mut uart, 2)), (1, 2));
        assert_eq!((uart.outputs(), read(&mut uart, 2)), (0, 1));
        write(&mut uart, 0, 1);
        assert_eq!(uart.outputs(), 1);
    }

    #[test]
    fn without_fifos_one_byte_waits() {
        let mut uart = Ns16550::new(1);
        for byte in b"ab" {
            assert!(uart.receive(*byte, 0));
        }
        assert_eq!([read(&mut uart, 0), read(&mut uart, 0)], [97, 98]);
    }
}
