//! EFM32 USART of series 1 in asynchronous mode (EFM32 Pearl Gecko Reference Manual, 17): two bytes
//! of buffer in each direction.
//!
//! Synchronous mode, collision detection, timers and DMA are not modelled; their registers hold
//! what is written.

use std::collections::VecDeque;

use super::Device;
use super::serial::{Transmitter, Wire};
use crate::processor::bus::BusError;

const CONTROL: u32 = 0x00;
const COMMAND: u32 = 0x0c;
const STATUS: u32 = 0x10;
const CLOCK: u32 = 0x14;
const RECEIVED_EXTENDED: u32 = 0x18;
const RECEIVED: u32 = 0x1c;
const PEEK: u32 = 0x28;
const SEND_EXTENDED: u32 = 0x30;
const SEND: u32 = 0x34;
const FLAGS: u32 = 0x40;
const FLAGS_SET: u32 = 0x44;
const FLAGS_CLEAR: u32 = 0x48;
const ENABLED: u32 = 0x4c;

mod command {
    pub const RECEIVER_ON: u32 = 1;
    pub const RECEIVER_OFF: u32 = 1 << 1;
    pub const TRANSMITTER_ON: u32 = 1 << 2;
    pub const TRANSMITTER_OFF: u32 = 1 << 3;
    pub const CLEAR_RECEIVER: u32 = 1 << 11;
}

mod status {
    pub const COMPLETE: u32 = 1 << 5;
    pub const ROOM: u32 = 1 << 6;
    pub const RECEIVED: u32 = 1 << 7;
    pub const FULL: u32 = 1 << 8;
    pub const IDLE: u32 = 1 << 13;
}

mod flag {
    pub const COMPLETE: u32 = 1;
    pub const ROOM: u32 = 1 << 1;
    pub const RECEIVED: u32 = 1 << 2;
    pub const FULL: u32 = 1 << 3;
    pub const OVERFLOW: u32 = 1 << 4;
    pub const IDLE: u32 = 1 << 13;
    /// Those that follow the buffers, and are not cleared by IFC.
    pub const LEVELS: u32 = ROOM | RECEIVED;
    /// Those of the receiver's interrupt.
    pub const RECEIVER: u32 = RECEIVED | FULL | OVERFLOW | 1 << 5 | 0x1f00;
}

/// Bytes of buffer.
const BUFFER: usize = 2;

/// The USART. Interrupt outputs: the receiver's, the transmitter's.
#[derive(Clone, Debug)]
pub struct Efm32Usart {
    transmitter: Transmitter,
    wire: Wire,
    buffer: VecDeque<u8>,
    receiving: bool,
    transmitting: bool,
    flags: u32,
    enabled: u32,
    /// All registers, for those that only hold.
    held: [u32; 32],
}

impl Efm32Usart {
    /// A USART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        let mut held = [0; 32];
        held[1] = 0x1005;
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            buffer: VecDeque::new(),
            receiving: false,
            transmitting: false,
            flags: 0,
            enabled: 0,
            held,
        }
    }

    /// Cycles of one frame of ten bits: a bit is an oversampling times 1 + CLKDIV / 256.
    fn frame(&self) -> u64 {
        let oversampling = [16, 8, 6, 4][(self.held[(CONTROL / 4) as usize] >> 5 & 3) as usize];
        let divider = u64::from(self.held[(CLOCK / 4) as usize] & 0x7f_fff8);
        10 * oversampling * (256 + divider) / 256
    }

    fn status(&self) -> u32 {
        let mut status = u32::from(self.receiving) | u32::from(self.transmitting) << 1;
        let waiting = self.transmitter.waiting();
        if (waiting as usize) < BUFFER {
            status |= status::ROOM;
        }
        if !self.transmitter.is_busy() {
            status |= status::IDLE;
            if self.flags & flag::COMPLETE != 0 || self.transmitting {
                status |= status::COMPLETE;
            }
        }
        if !self.buffer.is_empty() {
            status |= status::RECEIVED;
        }
        if self.buffer.len() >= BUFFER {
            status |= status::FULL;
        }
        status | waiting << 16
    }

    fn flags(&self) -> u32 {
        let mut flags = self.flags & !flag::LEVELS;
        if (self.transmitter.waiting() as usize) < BUFFER {
            flags |= flag::ROOM;
        }
        if !self.buffer.is_empty() {
            flags |= flag::RECEIVED;
        }
        flags
    }

    fn command(&mut self, value: u32) {
        let is = |bit: u32| value & bit != 0;
        self.receiving = (self.receiving || is(command::RECEIVER_ON)) && !is(command::RECEIVER_OFF);
        self.transmitting =
            (self.transmitting || is(command::TRANSMITTER_ON)) && !is(command::TRANSMITTER_OFF);
        if is(command::CLEAR_RECEIVER) {
            self.buffer.clear();
        }
    }

    fn take(&mut self, cycle: u64) -> u32 {
        let byte = self.buffer.pop_front().map_or(0, u32::from);
        self.advance(cycle);
        byte
    }
}

impl Device for Efm32Usart {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            STATUS => self.status(),
            RECEIVED | RECEIVED_EXTENDED => self.take(cycle),
            PEEK => self.buffer.front().map_or(0, |byte| u32::from(*byte)),
            FLAGS => self.flags(),
            ENABLED => self.enabled,
            _ => self.held.get((offset / 4) as usize).copied().unwrap_or(0),
        })
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            COMMAND => self.command(value),
            SEND | SEND_EXTENDED if self.transmitting => {
                self.flags &= !(flag::COMPLETE | flag::IDLE);
                let frame = self.frame();
                self.transmitter.send(value as u8, BUFFER as u32, frame, cycle);
            }
            FLAGS_SET => self.flags |= value & !flag::LEVELS,
            FLAGS_CLEAR => self.flags &= !value,
            ENABLED => self.enabled = value,
            STATUS | FLAGS | SEND | SEND_EXTENDED => {}
            _ => {
                if let Some(word) = self.held.get_mut((offset / 4) as usize) {
                    *word = value;
                }
            }
        }
        self.advance(cycle);
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        let (transmitter, wire) = (self.transmitter.reset(), std::mem::take(&mut self.wire));
        *self = Self { transmitter, wire, ..Self::new(0) };
    }

    fn advance(&mut self, cycle: u64) {
        if self.transmitter.advance(cycle) && !self.transmitter.is_busy() {
            self.flags |= flag::COMPLETE | flag::IDLE;
        }
        let frame = self.frame();
        self.wire.listen(self.receiving, frame, cycle);
        while let Some((byte, _)) = self.wire.arrive(cycle, frame, self.buffer.len() < BUFFER) {
            if self.buffer.len() < BUFFER {
                self.buffer.push_back(byte);
            } else {
                self.flags |= flag::OVERFLOW;
            }
            if self.buffer.len() == BUFFER {
                self.flags |= flag::FULL;
            }
        }
    }

    fn next_event(&self) -> u64 {
        let wire = self.wire.next_event(self.frame(), self.buffer.len() < BUFFER);
        self.transmitter.next_event().min(wire)
    }

    fn outputs(&self) -> u32 {
        let active = self.flags() & self.enabled;
        u32::from(active & flag::RECEIVER != 0) | u32::from(active & !flag::RECEIVER != 0) << 1
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

    /// Both halves on; a frame is 160 cycles.
    fn on() -> Efm32Usart {
        let mut usart = Efm32Usart::new(1);
        assert_eq!(usart.write(COMMAND, command::RECEIVER_ON | command::TRANSMITTER_ON, 0), Ok(()));
        usart
    }

    fn read(usart: &mut Efm32Usart, offset: u32, cycle: u64) -> u32 {
        usart.advance(cycle);
        usart.read(offset, cycle).expect("a register")
    }

    #[test]
    fn bytes_are_sent_in_their_time() {
        let mut usart = on();
        assert_eq!(read(&mut usart, STATUS, 0) & status::ROOM, status::ROOM);
        for byte in *b"abc" {
            assert_eq!(usart.write(SEND, u32::from(byte), 0), Ok(()));
        }
        assert_eq!(read(&mut usart, STATUS, 0) & (status::ROOM | status::IDLE), 0);
        assert_eq!(read(&mut usart, STATUS, 160) & status::ROOM, status::ROOM);
        assert_eq!(read(&mut usart, FLAGS, 479) & flag::COMPLETE, 0);
        assert_eq!(read(&mut usart, FLAGS, 480) & flag::COMPLETE, flag::COMPLETE);
        assert_eq!(read(&mut usart, STATUS, 480) & status::COMPLETE, status::COMPLETE);
        assert_eq!(usart.take_sent(), b"abc");
    }

    #[test]
    fn the_transmitter_must_be_on() {
        let mut usart = Efm32Usart::new(1);
        assert_eq!(usart.write(SEND, 0x41, 0), Ok(()));
        assert!(usart.take_sent().is_empty());
    }

    #[test]
    fn a_received_byte_interrupts_until_it_is_read() {
        let mut usart = on();
        assert_eq!(usart.write(ENABLED, flag::RECEIVED, 0), Ok(()));
        usart.receive(b'q', 0);
        usart.advance(160);
        assert_eq!(usart.outputs(), 1);
        assert_eq!(read(&mut usart, RECEIVED, 170), u32::from(b'q'));
        assert_eq!(usart.outputs(), 0);
        assert_eq!(usart.write(ENABLED, flag::ROOM, 0), Ok(()));
        assert_eq!(usart.outputs(), 2, "the other interrupt is the transmitter's");
    }
}
