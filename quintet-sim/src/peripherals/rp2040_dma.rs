//! RP2040 DMA controller (RP2040 Datasheet, 2.5): twelve channels, with or without a device that
//! paces them.
//!
//! The address of a transfer tells the device that paces the channel: the write address for an even
//! request (to transmit), the read address for an odd one (to receive). The number of the request
//! is held, not enforced. Transfers take no time. The pacing timers and the sniffer are not
//! modelled: a channel that a timer paces waits forever.

use super::Device;
use super::transfer::{Place, Request, Transfer};
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

const CHANNELS: usize = 12;
const GLOBAL: u32 = 0x400;
const RAW: u32 = 0x400;
const TRIGGER: u32 = 0x430;
const ABORT: u32 = 0x444;
const COUNT: u32 = 0x448;

/// The numbers of requests: devices, above them the pacing timers, and the request that is always
/// there.
const TIMERS: u32 = 0x3b;
const PERMANENT: u32 = 0x3f;

/// CTRL's bits.
mod control {
    pub const ENABLE: u32 = 1;
    pub const READ_MOVES: u32 = 1 << 4;
    pub const WRITE_MOVES: u32 = 1 << 5;
    pub const RING_OF_WRITES: u32 = 1 << 10;
    pub const QUIET: u32 = 1 << 21;
    pub const SWAP: u32 = 1 << 22;
    pub const BUSY: u32 = 1 << 24;
    pub const WRITE_ERROR: u32 = 1 << 29;
    pub const READ_ERROR: u32 = 1 << 30;
    pub const ERROR: u32 = 1 << 31;
    pub const WRITABLE: u32 = 0x00ff_ffff;
}

/// The register behind each word of a channel, in its four orders; the last of each order starts
/// the channel.
const ORDERS: [[Register; 4]; 4] = {
    use Register::{Control, Count, Read, Write};
    [
        [Read, Write, Count, Control],
        [Control, Read, Write, Count],
        [Control, Count, Read, Write],
        [Control, Write, Count, Read],
    ]
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Register {
    Read,
    Write,
    Count,
    Control,
}

#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    read: u32,
    write: u32,
    /// The count with which the next start begins.
    count: u32,
    left: u32,
    control: u32,
    busy: bool,
}

/// The controller. Two interrupt outputs.
#[derive(Clone, Debug)]
pub struct Rp2040Dma {
    channels: [Channel; CHANNELS],
    raw: u32,
    /// Of each output.
    enabled: [u32; 2],
    forced: [u32; 2],
}

impl Channel {
    fn size(&self) -> Size {
        match self.control >> 2 & 3 {
            0 => Size::Byte,
            1 => Size::Half,
            _ => Size::Word,
        }
    }

    fn request(&self) -> u32 {
        self.control >> 15 & 0x3f
    }

    /// Returns the address after `address`, within its ring if there is one.
    fn behind(&self, address: u32, moves: u32, ring_of_writes: bool) -> u32 {
        if self.control & moves == 0 {
            return address;
        }
        let next = address.wrapping_add(self.size().bytes());
        let bits = self.control >> 6 & 0xf;
        let in_ring = bits != 0 && (self.control & control::RING_OF_WRITES != 0) == ring_of_writes;
        if !in_ring {
            return next;
        }
        let mask = (1 << bits) - 1;
        address & !mask | next & mask
    }

    fn start(&mut self) {
        if self.control & control::ENABLE != 0 && !self.busy {
            self.left = self.count;
            self.busy = self.left > 0;
        }
    }

    fn status(&self) -> u32 {
        self.control | if self.busy { control::BUSY } else { 0 }
    }
}

impl Rp2040Dma {
    /// A controller after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { channels: [Channel::default(); CHANNELS], raw: 0, enabled: [0; 2], forced: [0; 2] }
    }

    fn place(offset: u32) -> Option<(usize, Register, bool)> {
        let channel = (offset / 0x40) as usize;
        let (order, word) = ((offset / 0x10 % 4) as usize, (offset / 4 % 4) as usize);
        (channel < CHANNELS).then(|| (channel, ORDERS[order][word], word == 3))
    }

    fn status(&self, output: usize) -> u32 {
        self.raw & self.enabled[output] | self.forced[output]
    }

    fn write_channel(&mut self, offset: u32, value: u32) {
        let Some((number, register, starts)) = Self::place(offset) else { return };
        let channel = &mut self.channels[number];
        match register {
            Register::Read => channel.read = value,
            Register::Write => channel.write = value,
            Register::Count => channel.count = value,
            Register::Control => {
                let errors =
                    channel.control & (control::READ_ERROR | control::WRITE_ERROR) & !value;
                let any = if errors == 0 { 0 } else { control::ERROR };
                channel.control = value & control::WRITABLE | errors | any;
            }
        }
        // Writing 0 to a register that starts does not (2.5.2.1), but for the control word.
        if starts && (value != 0 || register == Register::Control) {
            channel.start();
        }
    }

    fn finish(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        channel.busy = false;
        if channel.control & control::QUIET == 0 {
            self.raw |= 1 << number;
        }
        let next = (channel.control >> 11 & 0xf) as usize;
        if next != number
            && let Some(channel) = self.channels.get_mut(next)
        {
            channel.start();
        }
    }
}

impl Device for Rp2040Dma {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        if offset < GLOBAL {
            let Some((channel, register, _)) = Self::place(offset) else { return Ok(0) };
            let channel = &self.channels[channel];
            return Ok(match register {
                Register::Read => channel.read,
                Register::Write => channel.write,
                Register::Count => channel.left,
                Register::Control => channel.status(),
            });
        }
        let output = (offset >> 4 & 1) as usize;
        Ok(match offset {
            RAW => self.raw,
            0x404 | 0x414 => self.enabled[output],
            0x408 | 0x418 => self.forced[output],
            0x40c | 0x41c => self.status(output),
            COUNT => CHANNELS as u32,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        let output = (offset >> 4 & 1) as usize;
        let is_chosen = |channel: usize| value >> channel & 1 != 0;
        match offset {
            0..GLOBAL => self.write_channel(offset, value),
            RAW | 0x40c | 0x41c => self.raw &= !value,
            0x404 | 0x414 => self.enabled[output] = value & 0xfff,
            0x408 | 0x418 => self.forced[output] = value & 0xfff,
            TRIGGER => {
                let chosen = self.channels.iter_mut().enumerate();
                chosen.filter(|(n, _)| is_chosen(*n)).for_each(|(_, channel)| channel.start());
            }
            ABORT => {
                let chosen = self.channels.iter_mut().enumerate();
                chosen.filter(|(n, _)| is_chosen(*n)).for_each(|(_, channel)| channel.busy = false);
            }
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        u32::from(self.status(0) != 0) | u32::from(self.status(1) != 0) << 1
    }

    fn ones_clear(&self, offset: u32) -> bool {
        matches!(offset, RAW | 0x40c | 0x41c)
    }

    fn transfers(&self) -> Vec<Transfer> {
        let mut all = Vec::new();
        for (number, channel) in self.channels.iter().enumerate() {
            let request = channel.request();
            if !channel.busy || (TIMERS..PERMANENT).contains(&request) {
                continue;
            }
            let size = channel.size();
            let on = match request {
                PERMANENT => None,
                _ if request % 2 == 0 => Some((channel.write, Request::Transmit)),
                _ => Some((channel.read, Request::Receive)),
            };
            all.push(Transfer {
                channel: number,
                from: Place::Bus(channel.read, size),
                to: Place::Bus(channel.write, size),
                swaps: channel.control & control::SWAP != 0,
                on,
            });
        }
        all
    }

    fn transferred(&mut self, number: usize, _value: u32, good: bool, _cycle: u64) {
        let Some(channel) = self.channels.get_mut(number) else { return };
        if !good {
            channel.control |= control::ERROR | control::READ_ERROR;
            channel.busy = false;
            return;
        }
        channel.read = channel.behind(channel.read, control::READ_MOVES, false);
        channel.write = channel.behind(channel.write, control::WRITE_MOVES, true);
        channel.left = channel.left.saturating_sub(1);
        if channel.left == 0 {
            self.finish(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dma(writes: &[(u32, u32)]) -> Rp2040Dma {
        let mut dma = Rp2040Dma::new(1);
        for (offset, value) in writes {
            assert_eq!(dma.write(*offset, *value, 0), Ok(()));
        }
        dma
    }

    #[test]
    fn a_channel_gives_bytes_to_a_device_and_interrupts() {
        // Channel 1 to UART0 (request 20), the reads move, chained to itself.
        let control = 1 | 1 << 4 | 1 << 11 | 20 << 15;
        let mut dma = dma(&[(0x404, 2), (0x40, 0x2000_0000), (0x44, 0x4003_4000), (0x48, 2)]);
        assert!(dma.transfers().is_empty());
        assert_eq!(dma.write(0x4c, control, 0), Ok(()));
        let first = dma.transfers()[0];
        assert_eq!(first.from, Place::Bus(0x2000_0000, Size::Byte));
        assert_eq!(first.on, Some((0x4003_4000, Request::Transmit)));
        dma.transferred(1, 0, true, 0);
        assert_eq!(dma.read(0x4c, 0), Ok(control | control::BUSY));
        dma.transferred(1, 0, true, 0);
        assert_eq!((dma.outputs(), dma.read(0x40c, 0), dma.read(0x4c, 0)), (1, Ok(2), Ok(control)));
        assert_eq!(dma.write(0x40c, 2, 0), Ok(()));
        assert_eq!((dma.outputs(), dma.read(0x40, 0)), (0, Ok(0x2000_0002)));
    }

    #[test]
    fn a_channel_starts_the_next_and_a_ring_ends() {
        // Channel 0, always, words in a ring of 8 bytes, then channel 2; both are quiet.
        let first = 1 | 2 << 2 | 1 << 5 | 3 << 6 | 1 << 10 | 2 << 11 | 0x3f << 15 | 1 << 21;
        let second = 1 | 2 << 11 | 0x3f << 15 | 1 << 21;
        let writes = [(0x88, 1), (0x90, second), (0x04, 0x2000_0004), (0x08, 2), (0x0c, first)];
        let mut dma = dma(&writes);
        assert_eq!(dma.transfers().len(), 1);
        dma.transferred(0, 0, true, 0);
        assert_eq!(dma.read(0x04, 0), Ok(0x2000_0000));
        dma.transferred(0, 0, true, 0);
        assert_eq!(dma.transfers().iter().map(|one| one.channel).collect::<Vec<_>>(), [2]);
        assert_eq!(dma.write(ABORT, 4, 0), Ok(()));
        assert_eq!((dma.transfers().len(), dma.read(RAW, 0)), (0, Ok(0)));
    }

    #[test]
    fn a_bus_error_stops_the_channel_until_it_is_cleared() {
        let control = 1 | 0x3f << 15;
        let mut dma = dma(&[(0x08, 1), (0x0c, control)]);
        dma.transferred(0, 0, false, 0);
        assert_eq!(dma.read(0x0c, 0).unwrap() >> 30, 3);
        assert_eq!(dma.write(0x10, control | control::READ_ERROR, 0), Ok(()));
        assert_eq!(dma.read(0x0c, 0).unwrap() >> 29, 0);
    }
}
