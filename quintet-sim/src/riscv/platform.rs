//! The bus of a hart on a board: its memories and devices, and the parts of the platform that
//! belong to the hart.

use super::board::Board;
use super::bus::{Bus, line};
use super::clint::{self, Clint};
use super::finisher;
use super::litex::{self, Litex};
use super::plic::{self, Plic};
use super::rp2350_timer;
use super::simple_system::{self, Timer};
use crate::bus::SystemBus;
use crate::processor::bus::{Bus as _, BusError, Lines};
use crate::processor::instruction::Size;

/// Memories, devices, interruptor and finisher.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Memories and devices.
    pub system: SystemBus,
    clint: Option<(u32, Clint)>,
    plic: Option<(u32, Plic)>,
    /// RP2350's timer, as a CLINT.
    sio: Option<(u32, Clint)>,
    finisher: Option<u32>,
    /// The control of a simple system, and its timer.
    control: Option<u32>,
    timer: Option<(u32, Timer)>,
    litex: Option<(u32, Litex)>,
    /// What the program has printed by the control.
    printed: Vec<u8>,
    /// The first address and the last of each memory.
    memories: Vec<(u32, u32)>,
    lines: Lines,
    /// The cycle of the last look.
    cycle: u64,
    request: Option<finisher::Request>,
    /// Interrupts that a tool has made pending.
    pulsed: u32,
}

impl Platform {
    /// That of a board, after power-on.
    pub fn new(board: &Board) -> Self {
        let ranges = board.parts().memory_ranges();
        let clint = board.clint.as_ref();
        Self {
            system: SystemBus::of(&board.parts()),
            clint: clint.map(|clint| (clint.base, Clint::new(board.clock_hz, clint.timer_hz))),
            plic: Self::plic(board),
            sio: Self::sio(board),
            finisher: board.finisher.as_ref().map(|finisher| finisher.base),
            control: board.simple_system.as_ref().map(|simple| simple.control),
            timer: board.simple_system.as_ref().map(|simple| (simple.timer, Timer::new(0))),
            litex: board.litex.as_ref().map(|litex| (litex.base, Litex::new(0))),
            printed: Vec::new(),
            memories: ranges.iter().map(|range| (range.start, range.last())).collect(),
            lines: Lines::default(),
            cycle: 0,
            request: None,
            pulsed: 0,
        }
    }

    /// The controller of a board after a reset.
    fn plic(board: &Board) -> Option<(u32, Plic)> {
        let plic = board.plic.as_ref()?;
        Some((plic.base, Plic::new(plic.sources, plic.contexts)))
    }

    fn sio(board: &Board) -> Option<(u32, Clint)> {
        let timer = board.rp2350_timer.as_ref()?;
        Some((timer.base, Clint::new(board.clock_hz, timer.timer_hz)))
    }

    /// Makes interrupts pending, bits of [`mod@line`], until [`Self::end_pulse`].
    pub(super) fn pulse(&mut self, lines: u32) {
        self.pulsed |= lines;
    }

    /// Returns `true` if a tool has made any interrupt pending.
    #[inline]
    pub(super) fn is_pulsed(&self) -> bool {
        self.pulsed != 0
    }

    /// Ends what [`Self::pulse`] has begun for these interrupts. Returns `true` if any was pending.
    #[inline]
    pub(super) fn end_pulse(&mut self, lines: u32) -> bool {
        let ended = self.pulsed & lines != 0;
        self.pulsed &= !lines;
        ended
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
        self.plic = Self::plic(board);
        self.sio = Self::sio(board);
        if let Some((_, timer)) = &mut self.timer {
            *timer = Timer::new(cycle);
        }
        if let Some((_, litex)) = &mut self.litex {
            *litex = Litex::new(cycle);
        }
        self.request = None;
    }

    /// Takes what the program has printed by the control of a simple system.
    pub fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printed)
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
        if let Some((base, plic)) = &self.plic
            && address.wrapping_sub(*base) < plic::SPAN
        {
            for (index, byte) in buffer.iter_mut().enumerate() {
                let offset = address.wrapping_sub(*base).wrapping_add(index as u32);
                let word = plic.peek(offset & !3)?;
                *byte = word.to_le_bytes()[(offset & 3) as usize];
            }
            return Ok(());
        }
        if let Some((base, clint)) = &self.sio
            && address.wrapping_sub(*base) < rp2350_timer::SPAN
        {
            for (index, byte) in buffer.iter_mut().enumerate() {
                let offset = address.wrapping_sub(*base).wrapping_add(index as u32);
                let word = rp2350_timer::read(clint, offset & !3, cycle)?;
                *byte = word.to_le_bytes()[(offset & 3) as usize];
            }
            return Ok(());
        }
        if let Some((base, timer)) = &self.timer
            && address.wrapping_sub(*base) < simple_system::SPAN
        {
            for (index, byte) in buffer.iter_mut().enumerate() {
                let offset = address.wrapping_sub(*base).wrapping_add(index as u32);
                let word = timer.read(offset & !3, cycle)?;
                *byte = word.to_le_bytes()[(offset & 3) as usize];
            }
            return Ok(());
        }
        if let Some((base, litex)) = &self.litex
            && address.wrapping_sub(*base) < litex::SPAN
        {
            let mut litex = litex.clone();
            litex.advance(cycle);
            for (index, byte) in buffer.iter_mut().enumerate() {
                let offset = address.wrapping_sub(*base).wrapping_add(index as u32);
                let word = litex.read(offset & !3)?;
                *byte = word.to_le_bytes()[(offset & 3) as usize];
            }
            return Ok(());
        }
        self.system.peek(address, buffer, cycle)
    }

    /// Returns the register of a LiteX system that is at an address.
    fn litex_at(&mut self, address: u32) -> Option<(u32, &mut Litex)> {
        let (base, litex) = self.litex.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < litex::SPAN).then_some((offset, litex))
    }

    fn clint_at(&mut self, address: u32) -> Option<(u32, &mut Clint)> {
        let (base, clint) = self.clint.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < clint::SPAN).then_some((offset, clint))
    }

    fn sio_at(&mut self, address: u32) -> Option<(u32, &mut Clint)> {
        let (base, clint) = self.sio.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < rp2350_timer::SPAN).then_some((offset, clint))
    }

    fn plic_at(&mut self, address: u32) -> Option<(u32, &mut Plic)> {
        let (base, plic) = self.plic.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < plic::SPAN).then_some((offset, plic))
    }

    /// Returns the register of the timer of a simple system that is at an address.
    fn timer_at(&mut self, address: u32) -> Option<(u32, &mut Timer)> {
        let (base, timer) = self.timer.as_mut()?;
        let offset = address.wrapping_sub(*base);
        (offset < simple_system::SPAN).then_some((offset, timer))
    }

    /// Returns the offset of an address within the control of a simple system.
    fn control_at(&self, address: u32) -> Option<u32> {
        let offset = address.wrapping_sub(self.control?);
        (offset < simple_system::SPAN).then_some(offset)
    }

    fn is_memory(&self, address: u32) -> bool {
        self.memories.iter().any(|(first, last)| (*first..=*last).contains(&address))
    }
}

/// Returns the part of a word that a read gets.
fn part(word: u32, offset: u32, size: Size) -> u32 {
    let word = word >> (8 * (offset & 3));
    match size {
        Size::Byte => word & 0xff,
        Size::Half => word & 0xffff,
        Size::Word => word,
    }
}

impl Bus for Platform {
    #[inline]
    fn read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, BusError> {
        if self.is_memory(address) {
            return self.system.read(address, size, cycle);
        }
        if let Some((offset, clint)) = self.clint_at(address) {
            return Ok(part(clint.read(offset & !3, cycle)?, offset, size));
        }
        if let Some((offset, clint)) = self.sio_at(address) {
            return Ok(part(rp2350_timer::read(clint, offset & !3, cycle)?, offset, size));
        }
        if let Some((offset, plic)) = self.plic_at(address) {
            // Its registers are words, as in QEMU.
            return if size == Size::Word { plic.read(offset) } else { Err(BusError) };
        }
        if let Some((offset, timer)) = self.timer_at(address) {
            return Ok(part(timer.read(offset & !3, cycle)?, offset, size));
        }
        if let Some((offset, litex)) = self.litex_at(address) {
            litex.advance(cycle);
            return Ok(part(litex.read(offset & !3)?, offset, size));
        }
        if self.control_at(address).is_some() {
            return Ok(0);
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
        if let Some((offset, clint)) = self.sio_at(address) {
            rp2350_timer::write(clint, offset & !3, value, cycle);
            return Ok(());
        }
        if let Some((offset, plic)) = self.plic_at(address) {
            return if size == Size::Word { plic.write(offset, value) } else { Err(BusError) };
        }
        if self.finisher.is_some_and(|base| address.wrapping_sub(base) < finisher::SPAN) {
            if self.finisher == Some(address) {
                self.request = finisher::request(value).or(self.request);
            }
            return Ok(());
        }
        if let Some((offset, timer)) = self.timer_at(address) {
            return timer.write(offset, size, value, cycle);
        }
        if let Some((offset, litex)) = self.litex_at(address) {
            // Its bus of registers knows words only, and takes what stands in the lanes.
            match litex.write(offset & !3, value, cycle)? {
                Some(litex::Request::Print(byte)) => self.printed.push(byte),
                Some(litex::Request::Reset) => self.request = Some(finisher::Request::Reset),
                None => {}
            }
            return Ok(());
        }
        if let Some(offset) = self.control_at(address) {
            match simple_system::request(offset, size, value) {
                Some(simple_system::Request::Print(byte)) => self.printed.push(byte),
                Some(simple_system::Request::End) => {
                    self.request = Some(finisher::Request::Exit(0));
                }
                None => {}
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
        if let Some((_, litex)) = &mut self.litex {
            litex.advance(cycle);
        }
        let external = match &mut self.plic {
            Some((_, plic)) => {
                plic.set_lines(&lines.level);
                plic.calls(0)
            }
            // Without a controller, every line is the external interrupt.
            None => lines.level.iter().any(|word| *word != 0),
        };
        let clint = self.clint.as_ref().or(self.sio.as_ref());
        let own = clint.map_or(0, |(_, clint)| clint.pending(cycle));
        let timer = self.timer.as_ref().map_or(0, |(_, timer)| timer.pending(cycle));
        own | timer | self.pulsed | if external { line::EXTERNAL } else { 0 }
    }

    fn next_event(&self) -> u64 {
        let clint = self.clint.as_ref().or(self.sio.as_ref());
        let own = clint.map_or(u64::MAX, |(_, clint)| clint.next_event(self.cycle));
        let timer = self.timer.as_ref();
        let timer = timer.map_or(u64::MAX, |(_, timer)| timer.next_event(self.cycle));
        let litex = self.litex.as_ref().map_or(u64::MAX, |(_, litex)| litex.next_event());
        self.system.next_event().min(own).min(timer).min(litex)
    }

    #[inline]
    fn is_device(&self, address: u32) -> bool {
        !self.is_memory(address)
    }

    fn external_lines(&self) -> u32 {
        self.litex.as_ref().map_or(0, |(_, litex)| litex.lines())
    }

    fn device_lines(&self) -> [u32; 8] {
        self.lines.level
    }

    fn time(&self, cycle: u64) -> u64 {
        self.clint.as_ref().map_or(0, |(_, clint)| clint.time(cycle))
    }
}
