//! STM32 DMA controllers: that with channels of the STM32F1 (RM0008, 13), and that with streams of
//! the STM32F2, F4 and F7 (RM0090, 10).
//!
//! Which request a channel serves follows from the addresses: the device that holds the peripheral
//! address of the channel. The selection of requests (CHSEL) is held, not enforced. Transfers take
//! no time. Double buffers and bursts are not modelled.

use super::Device;
use super::transfer::{Place, Request, Transfer};
use crate::processor::bus::BusError;
use crate::processor::instruction::Size;

/// The most channels of a controller.
const CHANNELS: usize = 8;

/// The flags of a channel, and the interrupts for them.
mod flag {
    pub const ERROR: u32 = 1;
    pub const HALF: u32 = 2;
    pub const COMPLETE: u32 = 4;
}

/// The direction of a channel's transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    FromPeripheral,
    ToPeripheral,
    BetweenMemories,
}

/// A configuration register, decoded.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    enabled: bool,
    direction: Direction,
    circular: bool,
    peripheral_moves: bool,
    memory_moves: bool,
    peripheral_size: Size,
    memory_size: Size,
    /// Of [`flag`].
    interrupts: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    control: u32,
    left: u32,
    /// The written value of NDTR.
    whole: u32,
    peripheral: u32,
    memory: u32,
    second_memory: u32,
    fifo: u32,
    flags: u32,
}

/// The controller, with streams or with channels. Outputs: the interrupt of each channel.
#[derive(Clone, Debug)]
pub struct Stm32Dma<const STREAMS: bool> {
    channels: [Channel; CHANNELS],
}

const fn size(bits: u32) -> Size {
    match bits & 3 {
        0 => Size::Byte,
        1 => Size::Half,
        _ => Size::Word,
    }
}

impl<const STREAMS: bool> Stm32Dma<STREAMS> {
    /// A controller after power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { channels: [Channel::default(); CHANNELS] }
    }

    fn configuration(control: u32) -> Configuration {
        let bit = |number: u32| control >> number & 1;
        let flags = |error: u32, half: u32, complete: u32| {
            let flag = |number: u32, flag: u32| if bit(number) != 0 { flag } else { 0 };
            flag(error, flag::ERROR) | flag(half, flag::HALF) | flag(complete, flag::COMPLETE)
        };
        if STREAMS {
            // Packing joins or splits items on the memory's side: the same bytes in the same order.
            let item = size(control >> 11);
            return Configuration {
                enabled: bit(0) != 0,
                direction: match control >> 6 & 3 {
                    0 => Direction::FromPeripheral,
                    1 => Direction::ToPeripheral,
                    _ => Direction::BetweenMemories,
                },
                circular: bit(8) != 0,
                peripheral_moves: bit(9) != 0,
                memory_moves: bit(10) != 0,
                peripheral_size: item,
                memory_size: item,
                interrupts: flags(2, 3, 4),
            };
        }
        Configuration {
            enabled: bit(0) != 0,
            direction: match (bit(14), bit(4)) {
                (1, _) => Direction::BetweenMemories,
                (_, 0) => Direction::FromPeripheral,
                _ => Direction::ToPeripheral,
            },
            circular: bit(5) != 0,
            peripheral_moves: bit(6) != 0,
            memory_moves: bit(7) != 0,
            peripheral_size: size(control >> 8),
            memory_size: size(control >> 10),
            interrupts: flags(3, 2, 1),
        }
    }

    /// Returns the channel of an offset and the register in it, in this order: control, count,
    /// peripheral, memory, second memory, FIFO.
    fn place(offset: u32) -> Option<(usize, u32)> {
        let (first, step) = if STREAMS { (0x10, 0x18) } else { (0x08, 0x14) };
        let behind = offset.checked_sub(first)?;
        let (channel, register) = ((behind / step) as usize, behind % step / 4);
        (channel < CHANNELS - usize::from(!STREAMS)).then_some((channel, register))
    }

    /// The lowest bit of a channel's flags, in its status register.
    fn shift(channel: usize) -> u32 {
        if STREAMS { [0, 6, 16, 22][channel % 4] } else { 4 * (channel as u32 % 8) }
    }

    /// The flags of the channels of a status register.
    fn status(&self, channels: std::ops::Range<usize>) -> u32 {
        let flags = |channel: usize| {
            let flags = self.channels[channel].flags;
            let bit = |flag: u32, to: u32| u32::from(flags & flag != 0) << to;
            let bits = if STREAMS {
                bit(flag::ERROR, 3) | bit(flag::HALF, 4) | bit(flag::COMPLETE, 5)
            } else {
                let any = bit(u32::MAX, 0);
                any | bit(flag::COMPLETE, 1) | bit(flag::HALF, 2) | bit(flag::ERROR, 3)
            };
            bits << Self::shift(channel)
        };
        channels.fold(0, |status, channel| status | flags(channel))
    }

    fn clear(&mut self, channels: std::ops::Range<usize>, value: u32) {
        for channel in channels {
            let bits = value >> Self::shift(channel);
            let bit = |number: u32, flag: u32| if bits >> number & 1 != 0 { flag } else { 0 };
            let cleared = if STREAMS {
                bit(3, flag::ERROR) | bit(4, flag::HALF) | bit(5, flag::COMPLETE)
            } else {
                bit(0, u32::MAX) | bit(1, flag::COMPLETE) | bit(2, flag::HALF) | bit(3, flag::ERROR)
            };
            self.channels[channel].flags &= !cleared;
        }
    }

    fn disable(channel: &mut Channel) {
        channel.control &= !1;
    }
}

impl<const STREAMS: bool> Device for Stm32Dma<STREAMS> {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        if let Some((channel, register)) = Self::place(offset) {
            let channel = &self.channels[channel];
            return Ok(match register {
                0 => channel.control,
                1 => channel.left,
                2 => channel.peripheral,
                3 => channel.memory,
                4 if STREAMS => channel.second_memory,
                5 if STREAMS => channel.fifo,
                _ => 0,
            });
        }
        Ok(match offset {
            0x00 if STREAMS => self.status(0..4),
            0x04 if STREAMS => self.status(4..8),
            0x00 => self.status(0..7),
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        if let Some((channel, register)) = Self::place(offset) {
            let channel = &mut self.channels[channel];
            match register {
                0 => {
                    if channel.control & 1 == 0 && value & 1 != 0 {
                        channel.whole = channel.left;
                    }
                    channel.control = value;
                }
                // The registers of a running channel don't change (10.5.6 and 10.5.7).
                1..=3 if channel.control & 1 != 0 => {}
                1 => channel.left = value & 0xffff,
                2 => channel.peripheral = value,
                3 => channel.memory = value,
                4 => channel.second_memory = value,
                _ => channel.fifo = value & 0x87,
            }
            return Ok(());
        }
        match offset {
            0x08 if STREAMS => self.clear(0..4, value),
            0x0c if STREAMS => self.clear(4..8, value),
            0x04 if !STREAMS => self.clear(0..7, value),
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }

    fn outputs(&self) -> u32 {
        let mut outputs = 0;
        for (number, channel) in self.channels.iter().enumerate() {
            let enabled = Self::configuration(channel.control).interrupts;
            outputs |= u32::from(channel.flags & enabled != 0) << number;
        }
        outputs
    }

    fn transfers(&self) -> Vec<Transfer> {
        let mut all = Vec::new();
        for (number, channel) in self.channels.iter().enumerate() {
            let how = Self::configuration(channel.control);
            if !how.enabled || channel.left == 0 {
                continue;
            }
            let done = channel.whole.saturating_sub(channel.left);
            let at = |start: u32, moves: bool, size: Size| {
                let distance = if moves { done.wrapping_mul(size.bytes()) } else { 0 };
                Place::Bus(start.wrapping_add(distance), size)
            };
            let outer = at(channel.peripheral, how.peripheral_moves, how.peripheral_size);
            let inner = at(channel.memory, how.memory_moves, how.memory_size);
            let (from, to, on) = match how.direction {
                Direction::FromPeripheral => (outer, inner, Some(Request::Receive)),
                Direction::ToPeripheral => (inner, outer, Some(Request::Transmit)),
                Direction::BetweenMemories => (outer, inner, None),
            };
            let on = on.map(|request| (channel.peripheral, request));
            all.push(Transfer { channel: number, from, to, swaps: false, on });
        }
        all
    }

    fn transferred(&mut self, channel: usize, _value: u32, good: bool, _cycle: u64) {
        let Some(channel) = self.channels.get_mut(channel) else { return };
        if !good {
            channel.flags |= flag::ERROR;
            Self::disable(channel);
            return;
        }
        channel.left = channel.left.saturating_sub(1);
        if channel.left == channel.whole / 2 {
            channel.flags |= flag::HALF;
        }
        if channel.left == 0 {
            channel.flags |= flag::COMPLETE;
            if Self::configuration(channel.control).circular {
                channel.left = channel.whole;
            } else if STREAMS {
                Self::disable(channel);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<const STREAMS: bool>(writes: &[(u32, u32)]) -> Stm32Dma<STREAMS> {
        let mut dma = Stm32Dma::new(1);
        for (offset, value) in writes {
            assert_eq!(dma.write(*offset, *value, 0), Ok(()));
        }
        dma
    }

    #[test]
    fn a_stream_gives_bytes_to_a_device_and_ends() {
        // Stream 6, memory to peripheral, the memory moves, interrupt at the end.
        let stream = 0x10 + 6 * 0x18;
        let (counted, device, buffer) = (stream + 4, stream + 8, stream + 12);
        let writes = [(counted, 2), (device, 0x4000_4404), (buffer, 0x2000_0000)];
        let mut dma = set::<true>(&writes);
        assert!(dma.transfers().is_empty());
        assert_eq!(dma.write(stream, 1 << 10 | 1 << 6 | 1 << 4 | 1, 0), Ok(()));
        let wanted = Transfer {
            channel: 6,
            from: Place::Bus(0x2000_0000, Size::Byte),
            to: Place::Bus(0x4000_4404, Size::Byte),
            swaps: false,
            on: Some((0x4000_4404, Request::Transmit)),
        };
        assert_eq!(dma.transfers(), [wanted]);
        dma.transferred(6, 0, true, 0);
        assert_eq!(dma.transfers()[0].from, Place::Bus(0x2000_0001, Size::Byte));
        assert_eq!(dma.outputs(), 0);
        dma.transferred(6, 0, true, 0);
        assert_eq!((dma.outputs(), dma.read(stream, 0).unwrap() & 1), (1 << 6, 0));
        assert_eq!(dma.read(4, 0), Ok(0x30 << 16));
        assert_eq!(dma.write(0xc, 0x3f << 16, 0), Ok(()));
        assert_eq!((dma.outputs(), dma.transfers().len()), (0, 0));
    }

    #[test]
    fn a_circular_channel_begins_again() {
        // Channel 1 (the second), from a peripheral, circular, both interrupts.
        let channel = 0x08 + 0x14;
        let writes =
            [(channel + 4, 4), (channel + 12, 0x2000_0000), (channel, 1 << 7 | 1 << 5 | 7)];
        let mut dma = set::<false>(&writes);
        let mut flags = Vec::new();
        for _ in 0..4 {
            dma.transferred(1, 0, true, 0);
            flags.push(dma.read(0, 0).unwrap() >> 4);
        }
        assert_eq!(flags, [0, 0b101, 0b101, 0b111]);
        assert_eq!(dma.transfers()[0].to, Place::Bus(0x2000_0000, Size::Byte));
        assert_eq!(dma.write(4, 0x10, 0), Ok(()));
        assert_eq!(dma.outputs(), 0, "the global flag clears all");
    }

    #[test]
    fn a_bus_error_stops_the_channel() {
        let mut dma = set::<true>(&[(0x14, 1), (0x10, 1 << 2 | 2 << 6 | 1)]);
        assert_eq!(dma.transfers()[0].on, None, "between memories nothing asks");
        dma.transferred(0, 0, false, 0);
        assert_eq!((dma.outputs(), dma.read(0, 0)), (1, Ok(8)));
        assert!(dma.transfers().is_empty());
    }
}
