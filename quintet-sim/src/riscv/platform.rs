//! The bus of a hart on a board: its memories and devices, and the parts of the platform that
//! belong to the hart.

use super::board::Board;
use super::bus::{Bus, line};
use super::clint::{self, Clint};
use super::finisher;
use crate::bus::SystemBus;
use crate::processor::bus::{Bus as _, BusError, Lines};
use crate::processor::instruction::Size;

/// Memories, devices, interruptor and finisher.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Memories and devices.
    pub system: SystemBus,
    clint: Option<(u32, Clint)>,
    finisher: Option<u32>,
    /// The first address and the last of each memory.
    memories: Vec<(u32, u32)>,
    lines: Lines,
    /// The cycle of the last look.
    cycle: u64,
    request: Option<finisher::Request>,
}

impl Platform {
    /// That of a board, after power-on.
    pub fn new(board: &Board) -> Self {
        let ranges = board.parts().memory_ranges();
        let clint = board.clint.as_ref();
        Self {
            system: SystemBus::of(&board.parts()),
            clint: clint.map(|clint| (clint.base, Clint::new(board.clock_hz, clint.timer_hz))),
            finisher: board.finisher.as_ref().map(|finisher| finisher.base),
            memories: ranges.iter().map(|range| (range.start, range.last())).collect(),
            lines: Lines::default(),
            cycle: 0,
            request: None,
        }
    }

    /// Takes what the program has asked of the finisher.
    pub fn take_request(&mut self) -> Option<finisher::Request> {
        self.request.take()
    }

    /// Resets the devices and the interruptor, whose time goes on.
    pub fn reset(&mut self, board: &Board, cycle: u64) {
        self.system.reset_devices(cycle);
        if let (Some((_, clint)), Some(described)) = (&mut self.clint, &board.clint) {
            *clint = Clint::new(board.clock_hz, described.timer_hz);
        }
        self.request = None;
    }

    /// Reads as a debugger does.
    ///
    /// # Errors
    /// Nothing is at one of the addresses.
    pub fn peek(&self, address: u32, buffer: &mut [u8], cycle: u64) -> Result<(), BusError> {
        if let Some((base, clint)) = &self.clint
            && address.wrapping_sub(*base) < clint::SPAN
        {
            for (index, byte) in buffer.iter_mut().enumerate() {
                let offset = address.wrapping_sub(*base).wrapping_add(index as u32);
                let word = clint.read(offset & !3, cycle)?;
                *byte = word.to_le_bytes()[(offset & 3) as usize];
            }
            return Ok(());
        }
        self.system.peek(address, buffer, cycle)
    }

    fn clint_at(&mut self, address: u32) -> Option<(u32, &mut Clint)> {
        let (base, clint) = self.clint.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < clint::SPAN).then_some((offset, clint))
    }

    fn is_memory(&self, address: u32) -> bool {
        self.memories.iter().any(|(first, last)| (*first..=*last).contains(&address))
    }
}

impl Bus for Platform {
    #[inline]
    fn read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError> {
        if self.is_memory(address) {
            return self.system.read(address, size, cycle);
        }
        if let Some((offset, clint)) = self.clint_at(address) {
            let word = clint.read(offset & !3, cycle)? >> (8 * (offset & 3));
            return Ok(match size {
                Size::Byte => word & 0xff,
                Size::Half => word & 0xffff,
                Size::Word => word,
            });
        }
        if self.finisher.is_some_and(|base| address.wrapping_sub(base) < finisher::SPAN) {
            return Ok(0);
        }
        self.system.read(address, size, cycle)
    }

    #[inline]
    fn write(&mut self, address: u32, size: Size, value: u32, cycle: u64) -> Result<(), BusError> {
        if self.is_memory(address) {
            return self.system.write(address, size, value, cycle);
        }
        if let Some((offset, clint)) = self.clint_at(address) {
            // As QEMU and the hardware: registers are words.
            if size != Size::Word {
                return Err(BusError);
            }
            clint.write(offset, value, cycle);
            return Ok(());
        }
        if self.finisher.is_some_and(|base| address.wrapping_sub(base) < finisher::SPAN) {
            if self.finisher == Some(address) {
                self.request = finisher::request(value).or(self.request);
            }
            return Ok(());
        }
        self.system.write(address, size, value, cycle)
    }

    #[inline]
    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        self.system.fetch(address)
    }

    fn advance(&mut self, cycle: u64) -> u32 {
        self.cycle = cycle;
        let mut lines = self.lines;
        self.system.advance(cycle, &mut lines);
        self.lines = lines;
        // Without a controller, every line is the external interrupt.
        let external = lines.level.iter().any(|word| *word != 0);
        let own = self.clint.as_ref().map_or(0, |(_, clint)| clint.pending(cycle));
        own | if external { line::EXTERNAL } else { 0 }
    }

    fn next_event(&self) -> u64 {
        let own = self.clint.as_ref().map_or(u64::MAX, |(_, clint)| clint.next_event(self.cycle));
        self.system.next_event().min(own)
    }

    #[inline]
    fn is_device(&self, address: u32) -> bool {
        !self.is_memory(address)
    }

    fn time(&self, cycle: u64) -> u64 {
        self.clint.as_ref().map_or(0, |(_, clint)| clint.time(cycle))
    }
}
