//! CMSDK APB UART (DDI 0479, 4.3): one byte of buffer in each direction, three interrupts.

use super::serial::{Transmitter, Wire};
use super::{Device, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 12] =
    [0x04, 0x00, 0x00, 0x00, 0x21, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// A divisor below this is not a baud rate.
const DIVISOR_MIN: u32 = 16;

mod bit {
    pub const TRANSMIT: u32 = 1;
    pub const RECEIVE: u32 = 2;
    pub const TRANSMIT_OVERRUN: u32 = 4;
    pub const RECEIVE_OVERRUN: u32 = 8;
    pub const OVERRUNS: u32 = TRANSMIT_OVERRUN | RECEIVE_OVERRUN;
    /// CTRL: one cycle a bit.
    pub const HIGH_SPEED_TEST: u32 = 0x40;
}

/// The UART. Interrupt outputs: received, transmitted, overrun.
#[derive(Clone, Debug)]
pub struct CmsdkUart {
    transmitter: Transmitter,
    wire: Wire,
    received: Option<u8>,
    last_received: u8,
    overruns: u32,
    control: u32,
    pending: u32,
    divisor: u32,
}

impl CmsdkUart {
    /// A UART after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            transmitter: Transmitter::default(),
            wire: Wire::default(),
            received: None,
            last_received: 0,
            overruns: 0,
            control: 0,
            pending: 0,
            divisor: 0,
        }
    }

    /// Cycles of one frame of ten bits.
    fn frame(&self) -> u64 {
        if self.control & bit::HIGH_SPEED_TEST != 0 {
            10
        } else if self.divisor < DIVISOR_MIN {
            0
        } else {
            10 * u64::from(self.divisor)
        }
    }

    fn is_full(&self) -> bool {
        self.transmitter.waiting() > 0
    }

    fn send(&mut self, byte: u8, cycle: u64) {
        if self.control & bit::TRANSMIT == 0 {
            return;
        }
        let frame = self.frame();
        if !self.transmitter.send(byte, 1, frame, cycle) {
            self.overruns |= bit::TRANSMIT_OVERRUN;
            self.pending |= self.control >> 2 & bit::TRANSMIT_OVERRUN;
        } else if !self.is_full() {
            self.buffer_emptied();
        }
    }

    fn buffer_emptied(&mut self) {
        self.pending |= self.control >> 2 & bit::TRANSMIT;
    }
}

impl Device for CmsdkUart {
    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 => {
                if let Some(byte) = self.received.take() {
                    self.last_received = byte;
                }
                self.advance(cycle);
                u32::from(self.last_received)
            }
            0x04 => {
                let full = u32::from(self.is_full());
                full | u32::from(self.received.is_some()) << 1 | self.overruns
            }
            0x08 => self.control,
            0x0c => self.pending,
            0x10 => self.divisor,
            _ => identification(&IDENTIFICATION, 0xfd0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 => self.send(value as u8, cycle),
            0x04 => self.overruns &= !value,
            0x08 => self.control = value & 0x7f,
            0x0c => self.pending &= !value,
            0x10 => self.divisor = value & 0xf_ffff,
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
        let was_full = self.is_full();
        if self.transmitter.advance(cycle) && was_full && !self.is_full() {
            self.buffer_emptied();
        }
        let frame = self.frame();
        self.wire.listen(self.control & bit::RECEIVE != 0, frame, cycle);
        while let Some((byte, _)) = self.wire.arrive(cycle, frame, self.received.is_none()) {
            let lost = self.received.replace(byte).is_some();
            let flags = if lost { bit::RECEIVE_OVERRUN } else { 0 };
            self.overruns |= flags;
            self.pending |= self.control >> 2 & (bit::RECEIVE | flags);
        }
    }

    fn next_event(&self) -> u64 {
        let wire = self.wire.next_event(self.frame(), self.received.is_none());
        self.transmitter.next_event().min(wire)
    }

    fn outputs(&self) -> u32 {
        let received = self.pending >> 1 & 1;
        let transmitted = self.pending & 1;
        received | transmitted << 1 | u32::from(self.pending & bit::OVERRUNS != 0) << 2
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

    /// A UART at 20 cycles a bit with everything on.
    fn timed() -> CmsdkUart {
        let mut uart = CmsdkUart::new(1);
        assert_eq!(uart.write(0x10, 20, 0), Ok(()));
        assert_eq!(uart.write(0x08, 0x3f, 0), Ok(()));
        uart
    }

    fn read(uart: &mut CmsdkUart, offset: u32, cycle: u64) -> u32 {
        uart.advance(cycle);
        uart.read(offset, cycle).expect("a register")
    }

    #[test]
    fn one_byte_waits_behind_the_one_being_sent() {
        let mut uart = timed();
        assert_eq!(uart.write(0, 1, 0), Ok(()));
        assert_eq!(read(&mut uart, 4, 0) & 1, 0, "in the shifter");
        assert_eq!(uart.write(0, 2, 10), Ok(()));
        assert_eq!(read(&mut uart, 4, 199) & 1, 1);
        assert_eq!(read(&mut uart, 4, 200) & 1, 0);
        assert_eq!(uart.take_sent(), [1, 2]);
    }

    #[test]
    fn a_third_byte_overruns() {
        let mut uart = timed();
        for byte in 0..3 {
            assert_eq!(uart.write(0, byte, 0), Ok(()));
        }
        assert_eq!(read(&mut uart, 4, 0) & bit::TRANSMIT_OVERRUN, bit::TRANSMIT_OVERRUN);
        assert_eq!(uart.outputs() & 4, 4);
        assert_eq!(uart.write(0xc, 0xf, 0), Ok(()));
        assert_eq!(uart.outputs(), 0);
    }

    #[test]
    fn an_emptied_buffer_interrupts() {
        let mut uart = timed();
        assert_eq!(uart.write(0, 1, 0), Ok(()));
        assert_eq!(uart.write(0xc, 1, 0), Ok(()));
        assert_eq!(uart.write(0, 2, 0), Ok(()));
        uart.advance(199);
        assert_eq!(uart.outputs(), 0);
        uart.advance(200);
        assert_eq!(uart.outputs(), 2);
    }

    #[test]
    fn nothing_is_sent_before_it_is_enabled() {
        let mut uart = CmsdkUart::new(1);
        assert_eq!(uart.write(0, 1, 0), Ok(()));
        assert!(uart.take_sent().is_empty());
    }

    #[test]
    fn receives_in_time_and_overruns() {
        let mut uart = timed();
        uart.receive(b'x', 0);
        uart.receive(b'y', 0);
        assert_eq!(uart.next_event(), 200);
        uart.advance(200);
        assert_eq!(uart.outputs() & 1, 1);
        uart.advance(400);
        assert_eq!(read(&mut uart, 4, 400) & bit::RECEIVE_OVERRUN, bit::RECEIVE_OVERRUN);
        assert_eq!(read(&mut uart, 0, 400), u32::from(b'y'));
        assert_eq!(read(&mut uart, 4, 400) & 2, 0);
    }
}
