//! RTT: data between a program and its debugger through buffers in RAM (SEGGER's Real Time
//! Transfer).
//!
//! ```text
//!  control block             "SEGGER RTT" and six zeros, how many up, how many down
//!    up-channel 0            name, buffer, size, write offset, read offset, flags
//!    ..                        the program writes the buffer and the write offset
//!    down-channel 0            the debugger does, and the program the read offset
//! ```
//! The block is where the image's symbol `_SEGGER_RTT` says. In an image without any symbols, the
//! machine searches RAM for the block, at cycles that only the last search decides.
//!
//! The host here is faster than any probe: it takes new data right behind the store to a write
//! offset, between two instructions, which costs the program no cycle. So a blocking buffer is
//! never full, a buffer that doesn't block loses nothing, and a run is the same however it is cut.
//! An image without a block pays nothing.

use crate::bus::{Access, AccessKind, SystemBus, WatchedRange};
use crate::image::Image;
use crate::semihosting::{Channel, Host};

/// The symbol that names the control block.
const SYMBOL: &str = "_SEGGER_RTT";

/// The first bytes of a control block. A program that builds the block itself writes them last.
const ID: &[u8; 16] = b"SEGGER RTT\0\0\0\0\0\0";

/// The bytes before the first channel.
const HEADER_SIZE: u32 = 24;

/// The bytes of a channel.
const CHANNEL_SIZE: u32 = 24;

/// More channels of a direction than this are not believed.
const CHANNELS_MAX: u32 = 32;

/// A name is cut off here.
const NAME_MAX: u32 = 32;

/// The most bytes from the beginning of a memory that are searched.
pub(crate) const SEARCH_BYTES_MAX: usize = 4 << 20;

/// The cycles between the first searches. The distance of later searches is an eighth of the time
/// so far.
const SEARCH_CYCLES_MIN: u64 = 2_000;

/// The most reports of damage that are kept. They end up in messages.
const DAMAGES_MAX: usize = 8;

/// The fields of a channel, by their offsets.
mod field {
    pub const WRITE: u32 = 12;
    pub const READ: u32 = 16;
}

/// A control block that is wrong: something has overwritten it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// The block's header is wrong.
    #[error(
        "the RTT control block at {block:#010x} says that it has {up} up-channels and {down} \
         down-channels, and up to {CHANNELS_MAX} of each make sense; what is printed by RTT is \
         lost: look for what overwrites {SYMBOL}"
    )]
    Counts {
        /// Where the block is.
        block: u32,
        /// The number of up-channels in the block.
        up: u32,
        /// The number of down-channels in the block.
        down: u32,
    },
    /// The buffer of a channel.
    #[error(
        "the {direction}-channel {channel} of RTT has its buffer at {buffer:#010x} with {size} \
         bytes, which isn't RAM of this board; what passes there is lost: look for what overwrites \
         {SYMBOL} (the block at {block:#010x}), or choose another --board"
    )]
    Buffer {
        /// Where the block is.
        block: u32,
        /// "up" or "down".
        direction: &'static str,
        /// The channel's number.
        channel: u32,
        /// The address of the channel's buffer, as the block gives it.
        buffer: u32,
        /// And how large.
        size: u32,
    },
    /// The offsets of a channel.
    #[error(
        "the {direction}-channel {channel} of RTT has a buffer of {size} bytes, but its write \
         offset is {write} and its read offset {read}; what passes there is lost until both lie \
         inside: look for what overwrites {SYMBOL} (the block at {block:#010x})"
    )]
    Offsets {
        /// Where the block is.
        block: u32,
        /// "up" or "down".
        direction: &'static str,
        /// The channel's number.
        channel: u32,
        /// The size of the channel's buffer.
        size: u32,
        /// The offset of the next written byte.
        write: u32,
        /// The offset of the next read byte.
        read: u32,
    },
}

/// The host's side of RTT.
#[derive(Clone, Debug, Default)]
pub struct Rtt {
    /// The control block, as far as it is known, and the range of bytes that may belong to it.
    block: Option<(u32, u32)>,
    /// The cycle from which on the machine searches for the block.
    next_search: Option<u64>,
    /// Bit n: up-channel n was not used since the last reset, so that its offsets may be old.
    stale: u32,
    damages: Vec<Damage>,
}

/// A channel, as the block describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// The address of the description.
    at: u32,
    buffer: u32,
    size: u32,
    write: u32,
    read: u32,
}

impl Rtt {
    /// Returns the cycle from which on a search is due.
    #[inline]
    pub(crate) fn next_search(&self) -> u64 {
        self.next_search.unwrap_or(u64::MAX)
    }

    /// The machine was reset: the program sets the block up again, or goes on with it.
    pub(crate) fn restart(&mut self) {
        self.stale = u32::MAX;
    }

    fn report(&mut self, damage: Damage) {
        if self.damages.len() < DAMAGES_MAX && !self.damages.contains(&damage) {
            self.damages.push(damage);
        }
    }
}

impl Rtt {
    /// The damage of the control block that has been found, of each kind once.
    pub fn damages(&self) -> &[Damage] {
        &self.damages
    }

    /// The name that the program gives to an up-channel.
    pub(crate) fn name(&self, channel: u8, bus: &SystemBus) -> Option<String> {
        let (block, _) = self.block?;
        let mut word = [0; 4];
        let at = block.wrapping_add(HEADER_SIZE + CHANNEL_SIZE * u32::from(channel));
        bus.peek(at, &mut word, 0).ok()?;
        let start = u32::from_le_bytes(word);
        let mut name = Vec::new();
        for index in 0..NAME_MAX {
            let mut byte = [0];
            bus.peek(start.wrapping_add(index), &mut byte, 0).ok()?;
            match byte {
                [0] => break,
                [byte] => name.push(byte),
            }
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        Some(name).filter(|name| start != 0 && !name.is_empty())
    }
}

/// A machine whose debugger plays the host of RTT, whatever its core.
pub(crate) trait Hosting {
    /// The host's side.
    fn rtt(&self) -> &Rtt;

    /// The host's side, to change it.
    fn rtt_mut(&mut self) -> &mut Rtt;

    /// Memories and devices.
    fn bus(&self) -> &SystemBus;

    /// Memories and devices, to change them.
    fn bus_mut(&mut self) -> &mut SystemBus;

    /// Input and output.
    fn host(&self) -> &Host;

    /// Input and output, to change them.
    fn host_mut(&mut self) -> &mut Host;

    /// The cycle since power-on.
    fn now(&self) -> u64;

    /// Takes what devices have sent, which stands before what follows.
    fn collect_sent(&mut self);

    /// Learns from an image where the block will be.
    fn expect_rtt(&mut self, image: &Image) {
        let largest = HEADER_SIZE + CHANNEL_SIZE * 2 * CHANNELS_MAX;
        if let Some(symbol) = image.symbol(SYMBOL) {
            let size = if symbol.size == 0 { largest } else { symbol.size.min(largest) };
            self.rtt_mut().block = Some((symbol.address, size));
            self.rtt_mut().next_search = None;
        } else if image.symbols.is_empty() && self.rtt().block.is_none() {
            self.rtt_mut().next_search = Some(SEARCH_CYCLES_MIN);
        }
        self.update_doorbell();
    }

    /// Asks the bus for accesses to the block. Loads matter to a debugger with data to send.
    fn update_doorbell(&mut self) {
        let kind = if self.host().has_input() { AccessKind::Any } else { AccessKind::Write };
        let block = self.rtt().block;
        let range = block.map(|(start, length)| WatchedRange { start, length, kind });
        self.bus_mut().set_doorbell(range);
    }

    /// Searches RAM for the block of an image without symbols, if that is still to be found.
    fn search_rtt(&mut self) {
        if self.rtt().next_search.is_none() {
            return;
        }
        let plausible = |address| matches!(self.rtt_counts(address), Some(Ok(_)));
        let Some(found) = self.bus().find_in_ram(ID, plausible) else {
            let cycle = self.now();
            let pause = SEARCH_CYCLES_MIN.max(cycle / 8);
            self.rtt_mut().next_search = Some(cycle.saturating_add(pause));
            return;
        };
        let Some(Ok((up, down))) = self.rtt_counts(found) else { return };
        self.rtt_mut().next_search = None;
        self.rtt_mut().block = Some((found, HEADER_SIZE + CHANNEL_SIZE * (up + down)));
        self.update_doorbell();
        self.collect_sent();
        (0..up).for_each(|channel| self.drain_rtt(channel));
        (0..down).for_each(|channel| self.fill_rtt(up, channel));
    }

    /// Handles accesses to the block.
    fn serve_rtt(&mut self, accesses: &[Access]) {
        let Some((block, _)) = self.rtt().block.filter(|_| !accesses.is_empty()) else { return };
        let (up, down) = match self.rtt_counts(block) {
            Some(Ok(counts)) => counts,
            Some(Err(damage)) => return self.rtt_mut().report(damage),
            // This is no block yet.
            None => return,
        };
        for access in accesses {
            let Some(offset) = access.address.checked_sub(block + HEADER_SIZE) else { continue };
            let (channel, field) = (offset / CHANNEL_SIZE, (offset % CHANNEL_SIZE) & !3);
            let is_store = access.kind == AccessKind::Write;
            match (field, is_store) {
                (field::WRITE, true) if channel < up => self.written(channel),
                // Only code that sets a channel up writes this field.
                (field::READ, true) if channel < up => self.rtt_mut().stale &= !(1 << channel),
                (field::WRITE, false) | (field::READ, true)
                    if (up..up + down).contains(&channel) =>
                {
                    self.fill_rtt(up, channel - up);
                }
                _ => {}
            }
        }
    }

    /// The program has stored an up-channel's write offset.
    fn written(&mut self, channel: u32) {
        let bit = 1 << channel;
        if self.rtt().stale & bit != 0 {
            let (block, _) = self.rtt().block.unwrap_or_default();
            let at = block + HEADER_SIZE + CHANNEL_SIZE * channel + field::WRITE;
            // Behind a reset, a 0 comes from start-up code, and the read offset is still to follow.
            if self.rtt_word(at) == Some(0) {
                return;
            }
            self.rtt_mut().stale &= !bit;
        }
        self.collect_sent();
        self.drain_rtt(channel);
    }

    /// Takes the new bytes of an up-channel.
    fn drain_rtt(&mut self, channel: u32) {
        let Some((block, _)) = self.rtt().block else { return };
        let at = block + HEADER_SIZE + CHANNEL_SIZE * channel;
        let Some(ring) = self.rtt_ring(at, ("up", channel)) else { return };
        let (read, write) = (ring.read as usize, ring.write as usize);
        let Some(buffer) = self.bus().ram(ring.buffer, ring.size) else { return };
        let new = if read <= write {
            buffer[read..write].to_vec()
        } else {
            [&buffer[read..], &buffer[..write]].concat()
        };
        self.host_mut().print(Channel::Rtt(channel as u8), &new);
        self.rtt_store(ring.at + field::READ, &ring.write.to_le_bytes());
    }

    /// Puts bytes of standard input into a down-channel.
    fn fill_rtt(&mut self, up: u32, channel: u32) {
        // Standard input has one reader. The other channels are for other tools.
        if channel != 0 || !self.host().has_input() {
            return;
        }
        let Some((block, _)) = self.rtt().block else { return };
        let at = block + HEADER_SIZE + CHANNEL_SIZE * (up + channel);
        let Some(ring) = self.rtt_ring(at, ("down", channel)) else { return };
        let room = (ring.read + ring.size - ring.write - 1) % ring.size;
        let bytes = self.host_mut().read_input(room);
        let first = bytes.len().min((ring.size - ring.write) as usize);
        self.rtt_store(ring.buffer + ring.write, &bytes[..first]);
        self.rtt_store(ring.buffer, &bytes[first..]);
        let write = (ring.write + bytes.len() as u32) % ring.size;
        self.rtt_store(ring.at + field::WRITE, &write.to_le_bytes());
        if !self.host().has_input() {
            self.update_doorbell();
        }
    }

    /// Returns the numbers of up-channels and down-channels in a block; `None` if there is no
    /// block.
    fn rtt_counts(&self, block: u32) -> Option<Result<(u32, u32), Damage>> {
        let header = self.bus().ram(block, HEADER_SIZE)?;
        if !header.starts_with(ID) {
            return None;
        }
        let (up, down) = (self.rtt_word(block + 16)?, self.rtt_word(block + 20)?);
        if up > CHANNELS_MAX || down > CHANNELS_MAX {
            return Some(Err(Damage::Counts { block, up, down }));
        }
        let size = HEADER_SIZE + CHANNEL_SIZE * (up + down);
        self.bus().ram(block, size).map(|_| Ok((up, down)))
    }

    /// Returns a channel that is in order; `None` if the channel is damaged, or not set up yet.
    fn rtt_ring(&mut self, at: u32, (direction, channel): (&'static str, u32)) -> Option<Ring> {
        let word = |offset| self.rtt_word(at + offset);
        let (buffer, size) = (word(4)?, word(8)?);
        let (write, read) = (word(field::WRITE)?, word(field::READ)?);
        if buffer == 0 || size == 0 {
            return None;
        }
        let (block, _) = self.rtt().block?;
        let damage = if self.bus().ram(buffer, size).is_none() {
            Damage::Buffer { block, direction, channel, buffer, size }
        } else if write >= size || read >= size {
            Damage::Offsets { block, direction, channel, size, write, read }
        } else {
            return Some(Ring { at, buffer, size, write, read });
        };
        self.rtt_mut().report(damage);
        None
    }

    fn rtt_word(&self, address: u32) -> Option<u32> {
        let bytes = self.bus().ram(address, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Writes to RAM. The caller's checks have shown that the address is RAM.
    fn rtt_store(&mut self, address: u32, bytes: &[u8]) {
        let _ = self.bus_mut().poke(address, bytes);
    }
}

#[cfg(test)]
mod tests;
