//! STM32 USART of the first generation (RM0041, 23), asynchronous mode: one byte of buffer in each
//! direction.
//!
//! Flow control, smart cards, IrDA, LIN and synchronous mode are not modelled; their registers hold
//! what is written.

use super::serial::{Transmitter, Wire};
use super::{Device, Request};
use crate::processor::bus::BusError;

mod status {
    pub const IDLE: u32 = 1 << 4;
    pub const OVERRUN: u32 = 1 << 3;
    pub const RECEIVED: u32 = 1 << 5;
    pub const COMPLETE: u32 = 1 << 6;
    pub const EMPTY: u32 = 1 << 7;
}

mod control {
    pub const RECEIVER: u32 = 1 << 2;
    pub const TRANSMITTER: u32 = 1 << 3;
    pub const IDLE_INTERRUPT: u32 = 1 << 4;
    pub const RECEIVED_INTERRUPT: u32 = 1 << 5;
    pub const COMPLETE_INTERRUPT: u32 = 1 << 6;
    pub const EMPTY_INTERRUPT: u32 = 1 << 7;
    pub const NINE_BITS: u32 = 1 << 12;
    pub const ENABLE: u32 = 1 << 13;
}

/// CR3: requests of DMA.
const DMA_RECEIVER: u32 = 1 << 6;
const DMA_TRANSMITTER: u32 = 1 << 7;

/// The USART. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Stm32Usart {
    transmitter: Transmitter,
    wire: Wire,
    status: u32,
    /// SR was read, so that an access to DR now clears flags.
    status_read: bool,
    /// When the wire has been quiet for a frame after a byte.
    idle_at: Option<u64>,
    received: u32,
    divisor: u32,
    control: [u32; 3],
    guard: u32,
}

impl Stm32Usart {
    /// A USART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            status: status::EMPTY | status::COMPLETE,
            status_read: false,
            idle_at: None,
            received: 0,
            divisor: 0,
            control: [0; 3],
            guard: 0,
        }
    }

    /// Cycles of one frame: BRR is the length of a bit in clocks (with oversampling by 16).
    fn frame(&self) -> u64 {
        let nine = u64::from(self.control[0] & control::NINE_BITS != 0);
        let second_stop = u64::from(self.control[1] >> 13 & 1);
        u64::from(self.divisor) * (10 + nine + second_stop)
    }

    fn is_on(&self, half: u32) -> bool {
        let needed = control::ENABLE | half;
        self.control[0] & needed == needed
    }

    fn send(&mut self, byte: u8, cycle: u64) {
        if std::mem::take(&mut self.status_read) {
            self.status &= !status::COMPLETE;
        }
        if !self.is_on(control::TRANSMITTER) {
            return;
        }
        let frame = self.frame();
        self.transmitter.send(byte, 1, frame, cycle);
        self.status &= !(status::EMPTY | status::COMPLETE);
        self.check_transmitter();
    }

    fn check_transmitter(&mut self) {
        if self.transmitter.waiting() == 0 {
            self.status |= status::EMPTY;
            if !self.transmitter.is_busy() {
                self.status |= status::COMPLETE;
            }
        }
    }

    fn has_room(&self) -> bool {
        self.status & status::RECEIVED == 0
    }
}

impl Device for Stm32Usart {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => {
                self.status_read = true;
                self.status
            }
            0x04 => {
                let value = self.received;
                self.status &= !status::RECEIVED;
                if std::mem::take(&mut self.status_read) {
                    self.status &= !(status::OVERRUN | status::IDLE);
                }
                self.advance(cycle);
                value
            }
            0x08 => self.divisor,
            0x0c | 0x10 | 0x14 => self.control[((offset - 0x0c) / 4) as usize],
            0x18 => self.guard,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            // Only these flags are cleared by writing 0.
            0x00 => self.status &= value | !(status::RECEIVED | status::COMPLETE),
            0x04 => self.send(value as u8, cycle),
            0x08 => self.divisor = value & 0xffff,
            0x0c | 0x10 | 0x14 => self.control[((offset - 0x0c) / 4) as usize] = value & 0xffff,
            0x18 => self.guard = value & 0xffff,
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
            self.check_transmitter();
        }
        let frame = self.frame();
        self.wire.listen(self.is_on(control::RECEIVER), frame, cycle);
        while let Some((byte, at)) = self.wire.arrive(cycle, frame, self.has_room()) {
            self.idle_at = Some(at.saturating_add(frame.max(1)));
            if self.has_room() {
                self.received = u32::from(byte);
                self.status |= status::RECEIVED;
            } else {
                self.status |= status::OVERRUN;
            }
        }
        if self.idle_at.is_some_and(|at| at <= cycle) {
            self.idle_at = None;
            self.status |= status::IDLE;
        }
    }

    fn next_event(&self) -> u64 {
        let wire = self.wire.next_event(self.frame(), self.has_room());
        self.transmitter.next_event().min(wire).min(self.idle_at.unwrap_or(u64::MAX))
    }

    fn outputs(&self) -> u32 {
        let enabled = |bit: u32, flags: u32| self.control[0] & bit != 0 && self.status & flags != 0;
        let received = status::RECEIVED | status::OVERRUN;
        let any = enabled(control::EMPTY_INTERRUPT, status::EMPTY)
            || enabled(control::COMPLETE_INTERRUPT, status::COMPLETE)
            || enabled(control::IDLE_INTERRUPT, status::IDLE)
            || enabled(control::RECEIVED_INTERRUPT, received);
        u32::from(any && self.control[0] & control::ENABLE != 0)
    }

    fn requests(&self) -> u32 {
        let asks = |enable: u32, half: u32, flag: u32, request: Request| {
            let asks = self.control[2] & enable != 0 && self.is_on(half) && self.status & flag != 0;
            if asks { request.bit() } else { 0 }
        };
        asks(DMA_RECEIVER, control::RECEIVER, status::RECEIVED, Request::Receive)
            | asks(DMA_TRANSMITTER, control::TRANSMITTER, status::EMPTY, Request::Transmit)
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

    /// A USART at 10 cycles a bit with both directions on and the given interrupts.
    fn timed(interrupts: u32) -> Stm32Usart {
        let mut usart = Stm32Usart::new(1);
        assert_eq!(usart.write(0x08, 10, 0), Ok(()));
        assert_eq!(usart.write(0x0c, 0x200c | interrupts, 0), Ok(()));
        usart
    }

    fn flags(usart: &mut Stm32Usart, cycle: u64) -> u32 {
        usart.advance(cycle);
        usart.read(0, cycle).expect("a register")
    }

    #[test]
    fn empty_and_complete_follow_the_frames() {
        let mut usart = timed(0);
        assert_eq!(usart.write(4, 1, 0), Ok(()));
        assert_eq!(flags(&mut usart, 0), status::EMPTY, "the byte is in the shifter");
        assert_eq!(usart.write(4, 2, 50), Ok(()));
        assert_eq!(flags(&mut usart, 99), 0);
        assert_eq!(flags(&mut usart, 100), status::EMPTY);
        assert_eq!(flags(&mut usart, 200), status::EMPTY | status::COMPLETE);
        assert_eq!(usart.take_sent(), [1, 2]);
    }

    #[test]
    fn the_empty_interrupt_is_a_level() {
        let mut usart = timed(control::EMPTY_INTERRUPT);
        assert_eq!(usart.outputs(), 1);
        assert_eq!(usart.write(4, 1, 0), Ok(()));
        assert_eq!(usart.write(4, 2, 0), Ok(()));
        assert_eq!(usart.outputs(), 0);
        usart.advance(100);
        assert_eq!(usart.outputs(), 1);
    }

    #[test]
    fn a_received_byte_interrupts_until_read() {
        let mut usart = timed(control::RECEIVED_INTERRUPT);
        usart.receive(b'q', 5);
        assert_eq!(usart.next_event(), 105);
        usart.advance(105);
        assert_eq!(usart.outputs(), 1);
        assert_eq!(usart.read(4, 110), Ok(u32::from(b'q')));
        assert_eq!(usart.outputs(), 0);
    }

    #[test]
    fn an_overrun_keeps_the_first_byte_and_clears_by_reading_both_registers() {
        let mut usart = timed(0);
        usart.receive(1, 0);
        usart.receive(2, 0);
        assert_eq!(flags(&mut usart, 200) & status::OVERRUN, status::OVERRUN);
        assert_eq!(usart.read(4, 201), Ok(1));
        assert_eq!(flags(&mut usart, 202) & status::OVERRUN, 0);
    }

    #[test]
    fn a_disabled_usart_does_nothing() {
        let mut usart = Stm32Usart::new(1);
        assert_eq!(usart.write(4, 1, 0), Ok(()));
        usart.receive(1, 0);
        assert!(usart.take_sent().is_empty());
        assert_eq!(usart.next_event(), u64::MAX);
    }

    #[test]
    fn it_asks_dma_for_bytes_and_tells_when_the_wire_is_idle() {
        let mut usart = timed(control::IDLE_INTERRUPT);
        assert_eq!(usart.requests(), 0);
        assert_eq!(usart.write(0x14, DMA_TRANSMITTER | DMA_RECEIVER, 0), Ok(()));
        assert_eq!(usart.requests(), Request::Transmit.bit());
        usart.receive(b'x', 0);
        usart.advance(100);
        assert_eq!(usart.requests(), Request::Transmit.bit() | Request::Receive.bit());
        assert_eq!((usart.outputs(), usart.next_event()), (0, 200));
        usart.advance(200);
        assert_eq!(usart.outputs(), 1);
        assert_eq!(flags(&mut usart, 201) & status::IDLE, status::IDLE);
        assert_eq!(usart.read(4, 202), Ok(u32::from(b'x')));
        assert_eq!((usart.outputs(), usart.requests()), (0, Request::Transmit.bit()));
    }
}
