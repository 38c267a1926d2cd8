//! Arm PL011 UART (DDI 0183), as the Stellaris parts have it: two 16-byte FIFOs, one combined
//! interrupt.
//!
//! A program that has not enabled the UART or set a baud rate can still send and receive, and bytes
//! then take no time. QEMU does the same, and images for QEMU rely on this.

use std::collections::VecDeque;

use super::serial::{Transmitter, Wire};
use super::{Device, Request, identification};
use crate::processor::bus::BusError;

/// The peripheral and PrimeCell identification that Stellaris parts report from 0xfe0 on.
const IDENTIFICATION: [u8; 8] = [0x11, 0x00, 0x18, 0x01, 0x0d, 0xf0, 0x05, 0xb1];

const FIFO_SIZE: usize = 16;

mod interrupt {
    pub const RECEIVE: u32 = 1 << 4;
    pub const TRANSMIT: u32 = 1 << 5;
    pub const RECEIVE_TIMEOUT: u32 = 1 << 6;
    pub const OVERRUN: u32 = 1 << 10;
    pub const ALL: u32 = 0x7ff;
}

/// The UART.
#[derive(Clone, Debug)]
pub struct Pl011 {
    transmitter: Transmitter,
    wire: Wire,
    received: VecDeque<u8>,
    /// When the receive timeout strikes unless another byte arrives.
    timeout: Option<u64>,
    overrun: bool,
    integer_divisor: u32,
    fraction_divisor: u32,
    line_control: u32,
    control: u32,
    levels: u32,
    mask: u32,
    raw: u32,
    dma: u32,
    low_power: u32,
}

impl Pl011 {
    /// A UART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            received: VecDeque::new(),
            timeout: None,
            overrun: false,
            integer_divisor: 0,
            fraction_divisor: 0,
            line_control: 0,
            control: 0x300,
            levels: 0x12,
            mask: 0,
            raw: 0,
            dma: 0,
            low_power: 0,
        }
    }

    /// Cycles of one bit: the divisor counts sixteenths of a bit, in sixty-fourths.
    fn bit(&self) -> u64 {
        let timed = self.control & 1 != 0;
        if timed { u64::from(self.integer_divisor * 64 + self.fraction_divisor) / 4 } else { 0 }
    }

    /// Cycles of one frame: start, data, parity, stop.
    fn frame(&self) -> u64 {
        let data = 5 + (self.line_control >> 5 & 3);
        let parity = self.line_control >> 1 & 1;
        let second_stop = self.line_control >> 3 & 1;
        self.bit() * u64::from(2 + data + parity + second_stop)
    }

    fn has_fifos(&self) -> bool {
        self.line_control & 0x10 != 0
    }

    fn capacity(&self) -> usize {
        if self.has_fifos() { FIFO_SIZE } else { 1 }
    }

    /// The fill level at which an interrupt strikes, from three bits of IFLS.
    fn trigger(&self, select: u32) -> usize {
        if !self.has_fifos() {
            return 1;
        }
        [2, 4, 8, 12, 14].get((select & 7) as usize).copied().unwrap_or(14)
    }

    /// After the transmit FIFO has shrunk: the interrupt if it is at or below its level.
    fn check_transmit(&mut self) {
        let level = if self.has_fifos() { self.trigger(self.levels) } else { 0 };
        if self.transmitter.waiting() as usize <= level {
            self.raw |= interrupt::TRANSMIT;
        }
    }

    fn take_byte(&mut self, byte: u8, at: u64) {
        if self.received.len() >= self.capacity() {
            self.overrun = true;
            self.raw |= interrupt::OVERRUN;
            return;
        }
        self.received.push_back(byte);
        if self.received.len() >= self.trigger(self.levels >> 3) {
            self.raw |= interrupt::RECEIVE;
        }
        // A pause of 32 bits behind the last byte tells the program that no more will make the FIFO
        // fill up.
        self.timeout = self.has_fifos().then(|| at.saturating_add(32 * self.bit()));
    }

    fn read_data(&mut self) -> u32 {
        let byte = self.received.pop_front().map_or(0, u32::from);
        if self.received.len() < self.trigger(self.levels >> 3) {
            self.raw &= !interrupt::RECEIVE;
        }
        if self.received.is_empty() {
            self.raw &= !interrupt::RECEIVE_TIMEOUT;
            self.timeout = None;
        }
        byte | u32::from(std::mem::take(&mut self.overrun)) << 11
    }

    fn flags(&self) -> u32 {
        let waiting = self.transmitter.waiting() as usize;
        let busy = u32::from(self.transmitter.is_busy()) << 3;
        let receive_empty = u32::from(self.received.is_empty()) << 4;
        let transmit_full = u32::from(waiting >= self.capacity()) << 5;
        let receive_full = u32::from(self.received.len() >= self.capacity()) << 6;
        let transmit_empty = u32::from(waiting == 0) << 7;
        busy | receive_empty | transmit_full | receive_full | transmit_empty
    }

    fn has_room(&self) -> bool {
        self.received.len() < self.capacity()
    }
}

impl Device for Pl011 {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => {
                let data = self.read_data();
                self.advance(cycle);
                data
            }
            0x04 => u32::from(self.overrun) << 3,
            0x18 => self.flags(),
            0x20 => self.low_power,
            0x24 => self.integer_divisor,
            0x28 => self.fraction_divisor,
            0x2c => self.line_control,
            0x30 => self.control,
            0x34 => self.levels,
            0x38 => self.mask,
            0x3c => self.raw,
            0x40 => self.raw & self.mask,
            0x48 => self.dma,
            _ => identification(&IDENTIFICATION, 0xfe0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 => {
                let (capacity, frame) = (self.capacity() as u32, self.frame());
                self.transmitter.send(value as u8, capacity, frame, cycle);
                self.check_transmit();
            }
            0x04 => self.overrun = false,
            0x20 => self.low_power = value & 0xff,
            0x24 => self.integer_divisor = value & 0xffff,
            0x28 => self.fraction_divisor = value & 0x3f,
            0x2c => self.line_control = value & 0xff,
            0x30 => self.control = value & 0xffff,
            0x34 => self.levels = value & 0x3f,
            0x38 => self.mask = value & interrupt::ALL,
            0x44 => self.raw &= !value,
            0x48 => self.dma = value & 7,
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
        if self.transmitter.advance(cycle) {
            self.check_transmit();
        }
        let frame = self.frame();
        self.wire.listen(true, frame, cycle);
        while let Some((byte, at)) = self.wire.arrive(cycle, frame, self.has_room()) {
            self.take_byte(byte, at);
        }
        if self.timeout.is_some_and(|at| at <= cycle) {
            self.timeout = None;
            self.raw |= interrupt::RECEIVE_TIMEOUT;
        }
    }

    fn next_event(&self) -> u64 {
        let wire = self.wire.next_event(self.frame(), self.has_room());
        self.transmitter.next_event().min(wire).min(self.timeout.unwrap_or(u64::MAX))
    }

    fn outputs(&self) -> u32 {
        u32::from(self.raw & self.mask != 0)
    }

    fn receive(&mut self, byte: u8, cycle: u64) -> bool {
        self.wire.queue(byte);
        self.advance(cycle);
        true
    }

    fn take_sent(&mut self) -> Vec<u8> {
        self.transmitter.take_sent()
    }

    fn requests(&self) -> u32 {
        let room = (self.transmitter.waiting() as usize) < self.capacity();
        let receive = self.dma & 1 != 0 && !self.received.is_empty();
        let transmit = self.dma & 2 != 0 && room;
        let bit = |asks: bool, request: Request| if asks { request.bit() } else { 0 };
        bit(receive, Request::Receive) | bit(transmit, Request::Transmit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A UART at 16 cycles a bit (160 a frame) with FIFOs.
    fn timed() -> Pl011 {
        let mut uart = Pl011::new(1);
        for (offset, value) in [(0x24, 1), (0x2c, 0x70), (0x30, 0x301)] {
            assert_eq!(uart.write(offset, value, 0), Ok(()));
        }
        uart
    }

    fn read(uart: &mut Pl011, offset: u32, cycle: u64) -> u32 {
        uart.advance(cycle);
        uart.read(offset, cycle).expect("a register")
    }

    #[test]
    fn sends_without_any_setting_up_as_qemu_does() {
        let mut uart = Pl011::new(1);
        for byte in b"hello" {
            assert_eq!(uart.write(0, u32::from(*byte), 0), Ok(()));
            assert_eq!(read(&mut uart, 0x18, 0), 0x90);
        }
        assert_eq!(uart.take_sent(), b"hello");
    }

    #[test]
    fn a_byte_takes_its_frame() {
        let mut uart = timed();
        assert_eq!(uart.write(0, 0x41, 1000), Ok(()));
        assert_eq!(read(&mut uart, 0x18, 1159) & 8, 8, "busy");
        assert_eq!(read(&mut uart, 0x18, 1160) & 8, 0);
    }

    #[test]
    fn the_fifo_fills_and_its_level_interrupts() {
        let mut uart = timed();
        assert_eq!(uart.write(0x38, interrupt::TRANSMIT, 0), Ok(()));
        for byte in 0..17 {
            assert_eq!(uart.write(0, byte, 0), Ok(()));
        }
        assert_eq!(read(&mut uart, 0x18, 0) & 0x20, 0x20, "16 wait, one is being sent");
        assert_eq!(uart.write(0x44, interrupt::TRANSMIT, 0), Ok(()));
        assert_eq!(uart.outputs(), 0);
        // The level is half: 8 of 16 are left after 8 more frames.
        uart.advance(160 * 8 - 1);
        assert_eq!(uart.outputs(), 0);
        uart.advance(160 * 8);
        assert_eq!(uart.outputs(), 1);
    }

    #[test]
    fn received_bytes_interrupt_by_level_and_by_timeout() {
        let mut uart = timed();
        assert_eq!(uart.write(0x38, interrupt::RECEIVE | interrupt::RECEIVE_TIMEOUT, 0), Ok(()));
        assert!(uart.receive(b'x', 0));
        assert_eq!(uart.next_event(), 160);
        uart.advance(160);
        assert_eq!(read(&mut uart, 0x18, 160) & 0x10, 0, "not empty");
        assert_eq!(uart.outputs(), 0, "below the level of 8");
        assert_eq!(uart.next_event(), 160 + 32 * 16);
        uart.advance(160 + 32 * 16);
        assert_eq!(read(&mut uart, 0x40, 700), interrupt::RECEIVE_TIMEOUT);
        assert_eq!(read(&mut uart, 0, 700), u32::from(b'x'));
        assert_eq!(uart.outputs(), 0);
    }

    #[test]
    fn a_full_receiver_overruns() {
        let mut uart = timed();
        for byte in 0..17 {
            uart.receive(byte, 0);
        }
        uart.advance(160 * 17);
        assert_eq!(read(&mut uart, 0x3c, 3000) & interrupt::OVERRUN, interrupt::OVERRUN);
        assert_eq!(read(&mut uart, 0, 3000), 1 << 11);
        assert_eq!(read(&mut uart, 0, 3000), 1);
    }

    #[test]
    fn a_reset_keeps_the_log() {
        let mut uart = timed();
        assert_eq!(uart.write(0, 0x41, 0), Ok(()));
        uart.reset(5);
        assert_eq!(read(&mut uart, 0x30, 5), 0x300);
        assert_eq!(uart.take_sent(), b"A");
        assert_eq!(uart.next_event(), u64::MAX);
    }

    #[test]
    fn identifies_itself() {
        assert_eq!(read(&mut Pl011::new(1), 0xff0, 0), 0x0d);
    }

    #[test]
    fn it_asks_dma_for_bytes_while_there_is_room() {
        let mut uart = timed();
        assert_eq!(uart.requests(), 0);
        assert_eq!(uart.write(0x48, 3, 0), Ok(()));
        assert_eq!(uart.requests(), Request::Transmit.bit());
        for byte in 0..17 {
            assert_eq!(uart.write(0, byte, 0), Ok(()));
        }
        uart.receive(b'x', 0);
        assert_eq!(uart.requests(), 0);
        uart.advance(uart.next_event());
        assert_eq!(uart.requests(), Request::Transmit.bit() | Request::Receive.bit());
    }
}
