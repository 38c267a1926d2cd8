//! STM32 USART of the later generations, as in F0, F3, F7, G0, G4, H7, L0, L4 and U5 (RM0444, 33),
//! and the low-power UART (RM0444, 34), in asynchronous mode: one byte of buffer in each direction.
//!
//! The FIFOs are not modelled: with them on, one byte fills them. Flow control, smart cards, IrDA,
//! LIN and synchronous mode hold what is written.

use super::serial::{Transmitter, Wire};
use super::{Device, Request};
use crate::processor::bus::BusError;

/// Flags of ISR.
mod status {
    pub const OVERRUN: u32 = 1 << 3;
    pub const IDLE: u32 = 1 << 4;
    pub const RECEIVED: u32 = 1 << 5;
    pub const COMPLETE: u32 = 1 << 6;
    pub const EMPTY: u32 = 1 << 7;
    /// TEACK and REACK: the halves that are on.
    pub const TRANSMITS: u32 = 1 << 21;
    pub const RECEIVES: u32 = 1 << 22;
    pub const FIFO_EMPTY: u32 = 1 << 23;
    /// The flags that ICR clears.
    pub const CLEARED: u32 = OVERRUN | IDLE | COMPLETE;
}

/// Bits of CR1.
mod control {
    pub const ENABLE: u32 = 1;
    pub const RECEIVER: u32 = 1 << 2;
    pub const TRANSMITTER: u32 = 1 << 3;
    pub const IDLE_INTERRUPT: u32 = 1 << 4;
    pub const RECEIVED_INTERRUPT: u32 = 1 << 5;
    pub const COMPLETE_INTERRUPT: u32 = 1 << 6;
    pub const EMPTY_INTERRUPT: u32 = 1 << 7;
    pub const NINE_BITS: u32 = 1 << 12;
    pub const OVER_8: u32 = 1 << 15;
    pub const SEVEN_BITS: u32 = 1 << 28;
    pub const FIFO: u32 = 1 << 29;
}

/// CR3: requests of DMA.
const DMA_RECEIVER: u32 = 1 << 6;
const DMA_TRANSMITTER: u32 = 1 << 7;

/// The registers that remember, by their words: CR1 to RTOR, and PRESC.
const WORDS: usize = 12;

/// The USART, or the low-power UART. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Stm32UsartV3<const LOW_POWER: bool> {
    transmitter: Transmitter,
    wire: Wire,
    status: u32,
    /// When the wire has been quiet for a frame after a byte.
    idle_at: Option<u64>,
    received: u32,
    words: [u32; WORDS],
}

impl<const LOW_POWER: bool> Stm32UsartV3<LOW_POWER> {
    /// A USART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            status: status::EMPTY | status::COMPLETE,
            idle_at: None,
            received: 0,
            words: [0; WORDS],
        }
    }

    const fn control(&self) -> u32 {
        self.words[0]
    }

    /// Cycles of one frame, by BRR and the prescaler.
    fn frame(&self) -> u64 {
        let (control, divisor) = (self.control(), self.words[3]);
        let bit_cycles = if LOW_POWER {
            u64::from(divisor & 0xf_ffff) / 256
        } else if control & control::OVER_8 != 0 {
            u64::from(divisor & 0xfff0 | (divisor & 7) << 1) / 2
        } else {
            u64::from(divisor & 0xffff)
        };
        let prescaler = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
        let prescaler = prescaler.get((self.words[11] & 15) as usize).copied().unwrap_or(256);
        let nine = u64::from(control & control::NINE_BITS != 0);
        let seven = u64::from(control & control::SEVEN_BITS != 0);
        let second_stop = u64::from(self.words[1] >> 13 & 1);
        bit_cycles * prescaler * (10 + nine + second_stop - seven)
    }

    fn is_on(&self, half: u32) -> bool {
        let needed = control::ENABLE | half;
        self.control() & needed == needed
    }

    fn send(&mut self, byte: u8, cycle: u64) {
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

    fn flags(&self) -> u32 {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        self.status
            | bit(self.is_on(control::TRANSMITTER), status::TRANSMITS)
            | bit(self.is_on(control::RECEIVER), status::RECEIVES)
            | bit(
                self.control() & control::FIFO != 0 && self.status & status::EMPTY != 0,
                status::FIFO_EMPTY,
            )
    }
}

impl<const LOW_POWER: bool> Device for Stm32UsartV3<LOW_POWER> {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x1c => self.flags(),
            0x24 => {
                self.status &= !status::RECEIVED;
                let value = self.received;
                self.advance(cycle);
                value
            }
            0x18 | 0x20 | 0x28 => 0,
            _ => self.words.get((offset / 4) as usize).copied().unwrap_or(0),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            // RQR.RXFRQ drops the byte that was received.
            0x18 if value & 1 << 3 != 0 => self.status &= !status::RECEIVED,
            0x20 => self.status &= !(value & status::CLEARED),
            0x28 => self.send(value as u8, cycle),
            0x18 | 0x1c | 0x24 => {}
            _ => {
                if let Some(word) = self.words.get_mut((offset / 4) as usize) {
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
        let enabled = |bit: u32, flags: u32| self.control() & bit != 0 && self.status & flags != 0;
        let received = status::RECEIVED | status::OVERRUN;
        let any = enabled(control::EMPTY_INTERRUPT, status::EMPTY)
            || enabled(control::COMPLETE_INTERRUPT, status::COMPLETE)
            || enabled(control::IDLE_INTERRUPT, status::IDLE)
            || enabled(control::RECEIVED_INTERRUPT, received);
        u32::from(any && self.control() & control::ENABLE != 0)
    }

    fn requests(&self) -> u32 {
        let asks = |enable: u32, half: u32, flag: u32, request: Request| {
            let asks = self.words[2] & enable != 0 && self.is_on(half) && self.status & flag != 0;
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
    fn timed(interrupts: u32) -> Stm32UsartV3<false> {
        let mut usart = Stm32UsartV3::new(1);
        assert_eq!(usart.write(0x0c, 10, 0), Ok(()));
        assert_eq!(usart.write(0x00, 0x0d | interrupts, 0), Ok(()));
        usart
    }

    #[test]
    fn what_is_written_is_sent_in_frames() {
        let mut usart = timed(control::COMPLETE_INTERRUPT);
        let on = status::TRANSMITS | status::RECEIVES;
        assert_eq!(usart.read(0x1c, 0), Ok(on | status::EMPTY | status::COMPLETE));
        assert_eq!(usart.write(0x28, 1, 0), Ok(()));
        assert_eq!(usart.write(0x28, 2, 50), Ok(()));
        assert_eq!((usart.read(0x1c, 60), usart.outputs()), (Ok(on), 0));
        usart.advance(200);
        assert_eq!((usart.outputs(), usart.take_sent()), (1, vec![1, 2]));
        assert_eq!(usart.write(0x20, status::COMPLETE, 201), Ok(()));
        assert_eq!(usart.outputs(), 0);
    }

    #[test]
    fn a_received_byte_interrupts_until_read_and_an_overrun_until_cleared() {
        let mut usart = timed(control::RECEIVED_INTERRUPT);
        usart.receive(b'q', 5);
        usart.receive(b'r', 5);
        usart.advance(305);
        assert_eq!(usart.read(0x24, 310), Ok(u32::from(b'q')));
        assert_eq!(usart.outputs(), 1, "the overrun");
        assert_eq!(usart.write(0x20, status::OVERRUN, 311), Ok(()));
        assert_eq!(usart.outputs(), 0);
    }

    #[test]
    fn the_low_power_uart_divides_by_256() {
        let mut uart = Stm32UsartV3::<true>::new(1);
        assert_eq!(uart.write(0x0c, 2560, 0), Ok(()));
        assert_eq!(uart.frame(), 100);
        assert_eq!(uart.write(0x2c, 2, 0), Ok(()));
        assert_eq!(uart.frame(), 400, "the prescaler");
        assert_eq!(uart.write(0x28, 1, 0), Ok(()));
        assert!(uart.take_sent().is_empty(), "it is off");
    }
}
