//! nRF UART and UARTE (nRF52840 Product Specification, 6.33 and 6.34; nRF51 Reference Manual, 29):
//! one device, with the bytes in registers or, through EasyDMA, in RAM.
//!
//! Flow control and parity are not modelled; their registers hold what is written.

use std::collections::VecDeque;

use super::nrf_events::Events;
use super::serial::{Transmitter, Wire};
use super::transfer::Place;
use super::{Device, Transfer};
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const START_RECEIVER: u32 = 0x000;
const STOP_RECEIVER: u32 = 0x004;
const START_TRANSMITTER: u32 = 0x008;
const STOP_TRANSMITTER: u32 = 0x00c;
const FLUSH_RECEIVER: u32 = 0x02c;
const SHORTCUTS: u32 = 0x200;
const ERRORS: u32 = 0x480;
const ENABLE: u32 = 0x500;
const RECEIVED: u32 = 0x518;
const SEND: u32 = 0x51c;
const BAUD_RATE: u32 = 0x524;
const RECEIVE_POINTER: u32 = 0x534;
const RECEIVE_COUNT: u32 = 0x538;
const RECEIVE_AMOUNT: u32 = 0x53c;
const SEND_POINTER: u32 = 0x544;
const SEND_COUNT: u32 = 0x548;
const SEND_AMOUNT: u32 = 0x54c;

/// ENABLE: with EasyDMA.
const WITH_DMA: u32 = 8;
/// ENABLE: with registers.
const WITHOUT_DMA: u32 = 4;

/// Numbers of events.
mod event {
    pub const BYTE_RECEIVED: u32 = 2;
    pub const RECEIVED_ALL: u32 = 4;
    pub const BYTE_SENT: u32 = 7;
    pub const SENT_ALL: u32 = 8;
    pub const ERROR: u32 = 9;
    pub const RECEIVER_STOPPED: u32 = 17;
    pub const RECEIVER_STARTED: u32 = 19;
    pub const TRANSMITTER_STARTED: u32 = 20;
    pub const TRANSMITTER_STOPPED: u32 = 22;
}

/// SHORTS: start, or stop, the receiver when its buffer is full.
const FULL_STARTS: u32 = 1 << 5;
const FULL_STOPS: u32 = 1 << 6;

/// ERRORSRC: a byte came and there was no room.
const OVERRUN: u32 = 1;

/// The receiver holds so many bytes by itself.
const FIFO: usize = 6;

/// The channels of EasyDMA.
const SENDING: usize = 0;
const RECEIVING: usize = 1;

/// A buffer in RAM.
#[derive(Clone, Copy, Debug, Default)]
struct Buffer {
    pointer: u32,
    count: u32,
    /// The state of a started transfer: the address, the bytes left, and the bytes done.
    at: u32,
    left: u32,
    amount: u32,
}

impl Buffer {
    fn start(&mut self) {
        (self.at, self.left, self.amount) = (self.pointer, self.count, 0);
    }

    fn step(&mut self) {
        self.at = self.at.wrapping_add(1);
        self.left = self.left.saturating_sub(1);
        self.amount += 1;
    }
}

/// The UART. Interrupt output: an event whose interrupt is enabled.
#[derive(Clone, Debug)]
pub struct NrfUart {
    clock_hz: u64,
    events: Events,
    transmitter: Transmitter,
    wire: Wire,
    fifo: VecDeque<u8>,
    send: Buffer,
    receive: Buffer,
    /// The transmitter was started, and not all bytes are out.
    sending: bool,
    transmitting: bool,
    receiving: bool,
    shortcuts: u32,
    errors: u32,
    enable: u32,
    baud_rate: u32,
    last: u8,
    /// 0x508 to 0x56c: the pins and the configuration.
    held: [u32; 26],
}

impl NrfUart {
    /// A UART after power-on.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            events: Events::default(),
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            fifo: VecDeque::new(),
            send: Buffer::default(),
            receive: Buffer::default(),
            sending: false,
            transmitting: false,
            receiving: false,
            shortcuts: 0,
            errors: 0,
            enable: 0,
            baud_rate: 0x0400_0000,
            last: 0,
            held: [u32::MAX; 26],
        }
    }

    fn has_dma(&self) -> bool {
        self.enable == WITH_DMA
    }

    /// Cycles of one frame of ten bits. The register is the rate in 2^32ths of 16 MHz.
    fn frame(&self) -> u64 {
        let rate = (u64::from(self.baud_rate) * 16_000_000) >> 32;
        self.clock_hz.saturating_mul(10).checked_div(rate).unwrap_or(0)
    }

    fn task(&mut self, offset: u32) {
        if self.enable != WITH_DMA && self.enable != WITHOUT_DMA {
            return;
        }
        match offset {
            START_RECEIVER => {
                self.receiving = true;
                self.receive.start();
                self.events.happen(event::RECEIVER_STARTED);
            }
            STOP_RECEIVER if self.receiving => {
                self.receiving = false;
                self.end_receiving();
                self.events.happen(event::RECEIVER_STOPPED);
            }
            STOP_RECEIVER => self.events.happen(event::RECEIVER_STOPPED),
            FLUSH_RECEIVER if self.has_dma() => {
                self.receive.start();
                if self.fifo.is_empty() {
                    self.receive.left = 0;
                    self.events.happen(event::RECEIVED_ALL);
                }
            }
            START_TRANSMITTER => {
                self.transmitting = true;
                if self.has_dma() {
                    self.send.start();
                    self.sending = true;
                    self.events.happen(event::TRANSMITTER_STARTED);
                    self.check_sent();
                }
            }
            STOP_TRANSMITTER => {
                self.transmitting = false;
                self.sending = false;
                self.events.happen(event::TRANSMITTER_STOPPED);
            }
            _ => {}
        }
    }

    /// The buffer is full, or the receiver was stopped.
    fn end_receiving(&mut self) {
        if !self.has_dma() {
            return;
        }
        self.receive.left = 0;
        self.events.happen(event::RECEIVED_ALL);
    }

    fn check_sent(&mut self) {
        if self.sending && self.send.left == 0 && !self.transmitter.is_busy() {
            self.sending = false;
            self.events.happen(event::SENT_ALL);
        }
    }

    fn out(&mut self, byte: u8, cycle: u64) {
        let frame = self.frame();
        self.transmitter.send(byte, u32::MAX, frame, cycle);
        if frame == 0 {
            self.events.happen(event::BYTE_SENT);
        }
        self.check_sent();
    }

    const fn held_index(offset: u32) -> Option<usize> {
        match offset {
            0x508..0x570 => Some(((offset - 0x508) / 4) as usize),
            _ => None,
        }
    }
}

impl Device for NrfUart {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        if let Some(value) = self.events.read(offset) {
            return Ok(value);
        }
        Ok(match offset {
            SHORTCUTS => self.shortcuts,
            ERRORS => self.errors,
            ENABLE => self.enable,
            RECEIVED => {
                self.last = self.fifo.pop_front().unwrap_or(self.last);
                // As long as there are more, each is an event.
                if !self.fifo.is_empty() {
                    self.events.happen(event::BYTE_RECEIVED);
                }
                self.advance(cycle);
                u32::from(self.last)
            }
            BAUD_RATE => self.baud_rate,
            RECEIVE_POINTER => self.receive.pointer,
            RECEIVE_COUNT => self.receive.count,
            RECEIVE_AMOUNT => self.receive.amount,
            SEND_POINTER => self.send.pointer,
            SEND_COUNT => self.send.count,
            SEND_AMOUNT => self.send.amount,
            _ => Self::held_index(offset).map_or(0, |index| self.held[index]),
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        if self.events.write(offset, value) {
            return Ok(());
        }
        match offset {
            0x000..0x100 if value & 1 != 0 => self.task(offset),
            SHORTCUTS => self.shortcuts = value,
            ERRORS => self.errors &= !value,
            ENABLE => self.enable = value & 0xf,
            SEND if self.transmitting && self.enable == WITHOUT_DMA => {
                self.out(value as u8, cycle);
            }
            BAUD_RATE => self.baud_rate = value,
            RECEIVE_POINTER => self.receive.pointer = value,
            RECEIVE_COUNT => self.receive.count = value & 0xffff,
            SEND_POINTER => self.send.pointer = value,
            SEND_COUNT => self.send.count = value & 0xffff,
            _ => {
                if let Some(index) = Self::held_index(offset) {
                    self.held[index] = value;
                }
            }
        }
        self.advance(cycle);
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        let (transmitter, wire) = (self.transmitter.reset(), std::mem::take(&mut self.wire));
        *self = Self { transmitter, wire, ..Self::new(self.clock_hz) };
    }

    fn advance(&mut self, cycle: u64) {
        if self.transmitter.advance(cycle) {
            self.events.happen(event::BYTE_SENT);
            self.check_sent();
        }
        let frame = self.frame();
        self.wire.listen(self.receiving, frame, cycle);
        while let Some((byte, _)) = self.wire.arrive(cycle, frame, self.fifo.len() < FIFO) {
            if self.fifo.len() < FIFO {
                self.fifo.push_back(byte);
                self.events.happen(event::BYTE_RECEIVED);
            } else {
                self.errors |= OVERRUN;
                self.events.happen(event::ERROR);
            }
        }
    }

    fn next_event(&self) -> u64 {
        let wire = self.wire.next_event(self.frame(), self.fifo.len() < FIFO);
        self.transmitter.next_event().min(wire)
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

    fn receive(&mut self, byte: u8, cycle: u64) -> bool {
        self.wire.queue(byte);
        self.advance(cycle);
        true
    }

    fn take_sent(&mut self) -> Vec<u8> {
        self.transmitter.take_sent()
    }

    fn transfers(&self) -> Vec<Transfer> {
        let mut all = Vec::new();
        if self.sending && self.send.left > 0 {
            let from = Place::Bus(self.send.at, Size::Byte);
            all.push(Transfer {
                channel: SENDING,
                from,
                to: Place::Own(0),
                swaps: false,
                on: None,
            });
        }
        if let Some(byte) = self.fifo.front().filter(|_| self.has_dma() && self.receive.left > 0) {
            let (from, to) =
                (Place::Own(u32::from(*byte)), Place::Bus(self.receive.at, Size::Byte));
            all.push(Transfer { channel: RECEIVING, from, to, swaps: false, on: None });
        }
        all
    }

    fn transferred(&mut self, channel: usize, value: u32, good: bool, cycle: u64) {
        if channel == SENDING {
            self.send.step();
            // Unreadable bytes are sent as zeros, as the real device does with flash.
            self.out(if good { value as u8 } else { 0 }, cycle);
            return;
        }
        self.fifo.pop_front();
        self.receive.step();
        if self.receive.left > 0 && (self.receiving || !self.fifo.is_empty()) {
            return;
        }
        self.end_receiving();
        if self.shortcuts & FULL_STARTS != 0 && self.receiving {
            self.task(START_RECEIVER);
        }
        if self.shortcuts & FULL_STOPS != 0 {
            self.task(STOP_RECEIVER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 16 MHz and a megabaud: a frame is 160 cycles.
    fn enabled(enable: u32) -> NrfUart {
        let mut uart = NrfUart::new(16_000_000);
        for (offset, value) in [(BAUD_RATE, 0x1000_0000), (ENABLE, enable)] {
            assert_eq!(uart.write(offset, value, 0), Ok(()));
        }
        uart
    }

    fn happened(uart: &NrfUart, event: u32) -> bool {
        uart.events.has_happened(event)
    }

    /// Makes the transfers that the UART asks for, out of or into `memory`, which is at address 0.
    fn move_all(uart: &mut NrfUart, memory: &mut [u8], cycle: u64) {
        while let Some(transfer) = uart.transfers().first().copied() {
            let value = match (transfer.from, transfer.to) {
                (Place::Bus(at, Size::Byte), Place::Own(_)) => u32::from(memory[at as usize]),
                (Place::Own(value), Place::Bus(at, Size::Byte)) => {
                    memory[at as usize] = value as u8;
                    value
                }
                other => panic!("{other:?}"),
            };
            uart.transferred(transfer.channel, value, true, cycle);
        }
    }

    #[test]
    fn a_buffer_is_sent_in_its_time() {
        let mut uart = enabled(WITH_DMA);
        for (offset, value) in [(SEND_POINTER, 1), (SEND_COUNT, 2), (0x304, 1 << 8)] {
            assert_eq!(uart.write(offset, value, 0), Ok(()));
        }
        assert_eq!(uart.write(START_TRANSMITTER, 1, 0), Ok(()));
        move_all(&mut uart, &mut b"-hi-".to_owned(), 0);
        assert_eq!((uart.take_sent(), uart.outputs()), (b"hi".to_vec(), 0));
        uart.advance(319);
        assert!(!happened(&uart, event::SENT_ALL));
        uart.advance(320);
        assert_eq!((uart.outputs(), uart.read(SEND_AMOUNT, 320)), (1, Ok(2)));
        assert_eq!(uart.write(STOP_TRANSMITTER, 1, 330), Ok(()));
        assert!(happened(&uart, event::TRANSMITTER_STOPPED));
    }

    #[test]
    fn an_empty_buffer_is_sent_at_once() {
        let mut uart = enabled(WITH_DMA);
        assert_eq!(uart.write(START_TRANSMITTER, 1, 0), Ok(()));
        assert!(happened(&uart, event::SENT_ALL));
    }

    #[test]
    fn a_full_buffer_ends_the_reception_and_a_stop_ends_it_early() {
        let mut uart = enabled(WITH_DMA);
        let mut memory = [0; 8];
        for (offset, value) in [(RECEIVE_POINTER, 2), (RECEIVE_COUNT, 2), (START_RECEIVER, 1)] {
            assert_eq!(uart.write(offset, value, 0), Ok(()));
        }
        for byte in *b"abc" {
            uart.receive(byte, 0);
        }
        uart.advance(160);
        move_all(&mut uart, &mut memory, 160);
        assert!(!happened(&uart, event::RECEIVED_ALL));
        uart.advance(480);
        move_all(&mut uart, &mut memory, 480);
        assert!(happened(&uart, event::RECEIVED_ALL));
        assert_eq!(
            (memory, uart.read(RECEIVE_AMOUNT, 480)),
            ([0, 0, b'a', b'b', 0, 0, 0, 0], Ok(2))
        );
        for (offset, value) in [(0x110, 0), (START_RECEIVER, 1)] {
            assert_eq!(uart.write(offset, value, 500), Ok(()));
        }
        move_all(&mut uart, &mut memory, 500);
        assert_eq!(uart.write(STOP_RECEIVER, 1, 600), Ok(()));
        assert_eq!((memory[2], uart.read(RECEIVE_AMOUNT, 600)), (b'c', Ok(1)));
        assert!(happened(&uart, event::RECEIVED_ALL) && happened(&uart, event::RECEIVER_STOPPED));
    }

    #[test]
    fn without_dma_bytes_go_through_registers() {
        let mut uart = enabled(WITHOUT_DMA);
        for (offset, value) in [(START_TRANSMITTER, 1), (START_RECEIVER, 1), (SEND, 0x41)] {
            assert_eq!(uart.write(offset, value, 0), Ok(()));
        }
        assert!(!happened(&uart, event::BYTE_SENT));
        uart.advance(160);
        assert!(happened(&uart, event::BYTE_SENT) && uart.transfers().is_empty());
        assert_eq!(uart.take_sent(), b"A");
        uart.receive(b'x', 200);
        uart.advance(360);
        assert!(happened(&uart, event::BYTE_RECEIVED));
        assert_eq!(uart.read(RECEIVED, 360), Ok(u32::from(b'x')));
    }
}
