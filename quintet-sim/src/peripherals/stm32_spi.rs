//! STM32 SPI of the first generation (RM0041, 22), with nothing at the other end: the port sends at
//! once and receives zeros.

use super::{Device, Request};
use crate::processor::bus::BusError;

mod status {
    pub const RECEIVED: u32 = 1;
    pub const EMPTY: u32 = 2;
    pub const OVERRUN: u32 = 0x40;
}

/// CR1: enabled.
const ENABLE: u32 = 0x40;

/// CR2: requests of DMA.
const DMA_RECEIVER: u32 = 1;
const DMA_TRANSMITTER: u32 = 2;

/// The port. Interrupt output: the combined one.
#[derive(Clone, Debug)]
pub struct Stm32Spi {
    control: [u32; 2],
    status: u32,
    polynomial: u32,
    /// DR was read, so that reading SR now clears an overrun.
    data_read: bool,
}

impl Stm32Spi {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { control: [0; 2], status: status::EMPTY, polynomial: 7, data_read: false }
    }
}

impl Device for Stm32Spi {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        let value = match offset {
            0x00 | 0x04 => self.control[(offset / 4) as usize],
            0x08 => {
                let value = self.status;
                if std::mem::take(&mut self.data_read) {
                    self.status &= !status::OVERRUN;
                }
                value
            }
            0x0c => {
                self.data_read = true;
                self.status &= !status::RECEIVED;
                0
            }
            0x10 => self.polynomial,
            _ => 0,
        };
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0x00 | 0x04 => self.control[(offset / 4) as usize] = value & 0xffff,
            0x0c if self.control[0] & ENABLE != 0 => {
                let lost = self.status & status::RECEIVED != 0;
                self.status |= if lost { status::OVERRUN } else { status::RECEIVED };
            }
            0x10 => self.polynomial = value & 0xffff,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        // CR2: error, received and empty interrupts.
        let enabled = |bit: u32, flag: u32| self.control[1] & bit != 0 && self.status & flag != 0;
        let received = enabled(0x40, status::RECEIVED);
        let empty = enabled(0x80, status::EMPTY);
        u32::from(received || empty || enabled(0x20, status::OVERRUN))
    }

    fn requests(&self) -> u32 {
        let asks = |enable: u32| self.control[1] & enable != 0 && self.control[0] & ENABLE != 0;
        let unread = self.status & status::RECEIVED != 0;
        let receive = asks(DMA_RECEIVER) && unread;
        // The received byte is fetched first: both take no time.
        let transmit = asks(DMA_TRANSMITTER) && !receive;
        let bit = |asks: bool, request: Request| if asks { request.bit() } else { 0 };
        bit(receive, Request::Receive) | bit(transmit, Request::Transmit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_sent_brings_one_back() {
        let mut port = Stm32Spi::new(1);
        assert_eq!(port.write(0x0c, 1, 0), Ok(()));
        assert_eq!(port.read(0x08, 0), Ok(status::EMPTY), "not enabled");
        assert_eq!(port.write(0x00, ENABLE, 0), Ok(()));
        assert_eq!(port.write(0x0c, 1, 0), Ok(()));
        assert_eq!(port.read(0x08, 0), Ok(status::EMPTY | status::RECEIVED));
        assert_eq!(port.write(0x04, 0x40, 0), Ok(()));
        assert_eq!(port.outputs(), 1);
        assert_eq!(port.read(0x0c, 0), Ok(0));
        assert_eq!((port.outputs(), port.read(0x08, 0)), (0, Ok(status::EMPTY)));
    }

    #[test]
    fn an_unread_byte_overruns() {
        let mut port = Stm32Spi::new(1);
        assert_eq!(port.write(0x00, ENABLE, 0), Ok(()));
        for _ in 0..2 {
            assert_eq!(port.write(0x0c, 1, 0), Ok(()));
        }
        assert_eq!(port.read(0x0c, 0), Ok(0));
        assert_eq!(port.read(0x08, 0), Ok(status::EMPTY | status::OVERRUN));
        assert_eq!(port.read(0x08, 0), Ok(status::EMPTY));
    }

    #[test]
    fn dma_gives_a_byte_and_fetches_the_one_that_came_back() {
        let mut port = Stm32Spi::new(1);
        assert_eq!(port.write(0x04, DMA_RECEIVER | DMA_TRANSMITTER, 0), Ok(()));
        assert_eq!(port.requests(), 0, "not enabled");
        assert_eq!(port.write(0x00, ENABLE, 0), Ok(()));
        assert_eq!(port.requests(), Request::Transmit.bit());
        assert_eq!(port.write(0x0c, 1, 0), Ok(()));
        assert_eq!(port.requests(), Request::Receive.bit());
        assert_eq!(port.read(0x0c, 0), Ok(0));
        assert_eq!(port.requests(), Request::Transmit.bit());
    }
}
