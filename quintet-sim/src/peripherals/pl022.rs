//! Arm PL022 synchronous serial port (DDI 0194), with nothing at the other end: the port sends at
//! once and receives zeros.
//!
//! The port is modelled because drivers of displays and memories wait for its flags.

use std::collections::VecDeque;

use super::{Device, Request, identification};
use crate::processor::bus::BusError;

const IDENTIFICATION: [u8; 8] = [0x22, 0x00, 0x04, 0x01, 0x0d, 0xf0, 0x05, 0xb1];

const FIFO_SIZE: usize = 8;

mod interrupt {
    pub const OVERRUN: u32 = 1;
    pub const RECEIVE: u32 = 4;
    pub const TRANSMIT: u32 = 8;
}

/// CR1: enabled.
const ENABLE: u32 = 2;
/// DMACR: requests of DMA.
const DMA_RECEIVER: u32 = 1;
const DMA_TRANSMITTER: u32 = 2;
/// CR1: the sent bytes are received.
const LOOP_BACK: u32 = 1;

/// The port. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Pl022 {
    control: [u32; 2],
    prescale: u32,
    mask: u32,
    overrun: bool,
    dma: u32,
    received: VecDeque<u32>,
}

impl Pl022 {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self {
            control: [0; 2],
            prescale: 0,
            mask: 0,
            overrun: false,
            dma: 0,
            received: VecDeque::new(),
        }
    }

    fn send(&mut self, value: u32) {
        if self.control[1] & ENABLE == 0 {
            return;
        }
        let bits = (self.control[0] & 0xf) + 1;
        let echo = if self.control[1] & LOOP_BACK != 0 { value & ((1 << bits) - 1) } else { 0 };
        if self.received.len() < FIFO_SIZE {
            self.received.push_back(echo);
        } else {
            self.overrun = true;
        }
    }

    fn status(&self) -> u32 {
        // The transmit FIFO is always empty and never full.
        let not_empty = u32::from(!self.received.is_empty()) << 2;
        let full = u32::from(self.received.len() == FIFO_SIZE) << 3;
        0b11 | not_empty | full
    }

    fn raw(&self) -> u32 {
        let overrun = if self.overrun { interrupt::OVERRUN } else { 0 };
        let half_full = self.received.len() >= FIFO_SIZE / 2;
        interrupt::TRANSMIT | overrun | if half_full { interrupt::RECEIVE } else { 0 }
    }
}

impl Device for Pl022 {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 | 0x04 => self.control[(offset / 4) as usize],
            0x08 => self.received.pop_front().unwrap_or(0),
            0x0c => self.status(),
            0x10 => self.prescale,
            0x14 => self.mask,
            0x18 => self.raw(),
            0x1c => self.raw() & self.mask,
            0x24 => self.dma,
            _ => identification(&IDENTIFICATION, 0xfe0, offset),
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 | 0x04 => self.control[(offset / 4) as usize] = value & 0xffff,
            0x08 => self.send(value),
            0x10 => self.prescale = value & 0xff,
            0x14 => self.mask = value & 0xf,
            0x20 => self.overrun &= value & interrupt::OVERRUN == 0,
            0x24 => self.dma = value & 3,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        u32::from(self.raw() & self.mask != 0)
    }

    fn requests(&self) -> u32 {
        let receive = self.dma & DMA_RECEIVER != 0 && !self.received.is_empty();
        // What has come is fetched first: both take no time.
        let is_on = self.control[1] & ENABLE != 0;
        let transmit = self.dma & DMA_TRANSMITTER != 0 && is_on && !receive;
        let bit = |asks: bool, request: Request| if asks { request.bit() } else { 0 };
        bit(receive, Request::Receive) | bit(transmit, Request::Transmit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_waits_for_flags_goes_on() {
        let mut port = Pl022::new(1);
        assert_eq!(port.write(0x04, ENABLE, 0), Ok(()));
        for _ in 0..9 {
            assert_eq!(port.read(0x0c, 0).map(|status| status & 3), Ok(3));
            assert_eq!(port.write(0x08, 0x55, 0), Ok(()));
        }
        assert_eq!(port.read(0x0c, 0), Ok(0xf));
        assert_eq!(port.read(0x18, 0), Ok(0xd), "overrun, half full, empty");
        for _ in 0..8 {
            assert_eq!(port.read(0x08, 0), Ok(0));
        }
        assert_eq!(port.read(0x0c, 0), Ok(3));
    }

    #[test]
    fn dma_gives_a_byte_and_fetches_the_one_that_came_back() {
        let mut port = Pl022::new(1);
        assert_eq!(port.write(0x24, 3, 0), Ok(()));
        assert_eq!(port.requests(), 0, "not enabled");
        assert_eq!(port.write(0x04, ENABLE, 0), Ok(()));
        assert_eq!(port.requests(), Request::Transmit.bit());
        assert_eq!(port.write(0x08, 1, 0), Ok(()));
        assert_eq!(port.requests(), Request::Receive.bit());
        assert_eq!(port.read(0x08, 0), Ok(0));
        assert_eq!(port.write(0x24, DMA_RECEIVER, 0), Ok(()));
        assert_eq!(port.requests(), 0);
    }

    #[test]
    fn loop_back_receives_what_is_sent() {
        let mut port = Pl022::new(1);
        assert_eq!(port.write(0x00, 7, 0), Ok(()));
        assert_eq!(port.write(0x04, ENABLE | LOOP_BACK, 0), Ok(()));
        assert_eq!(port.write(0x08, 0x1a5, 0), Ok(()));
        assert_eq!(port.read(0x08, 0), Ok(0xa5));
        assert_eq!(port.outputs(), 0);
        assert_eq!(port.write(0x14, interrupt::TRANSMIT, 0), Ok(()));
        assert_eq!(port.outputs(), 1);
    }
}
