//! The program that asks for a service: its two registers, its memory, its time.

use super::{Answer, STRING_MAX, error};
use crate::bus::SystemBus;
use crate::processor::Processor;
use crate::processor::bus::Bus;
use crate::processor::instruction::Size;

/// A program that stands at a request.
pub trait Program {
    /// Returns the number of the operation, and its argument.
    fn request(&self) -> [u32; 2];

    /// Returns the result to the program.
    fn answer(&mut self, value: u32);

    /// Returns the cycle since power-on.
    fn cycle(&self) -> u64;

    /// Lets time pass.
    fn wait(&mut self, cycles: u64);

    /// Returns the first address behind the stack; 0 if nothing tells.
    fn stack_base(&self) -> u32;

    /// Reads memory without side effects. `None` if there is none.
    fn peek(&self, address: u32, buffer: &mut [u8]) -> Option<()>;

    /// Writes memory as the program could. `None` if there is none.
    fn poke(&mut self, address: u32, data: &[u8]) -> Option<()>;
}

impl Program for Processor<SystemBus> {
    fn request(&self) -> [u32; 2] {
        [self.registers.r[0], self.registers.r[1]]
    }

    fn answer(&mut self, value: u32) {
        self.registers.r[0] = value;
    }

    fn cycle(&self) -> u64 {
        self.pipeline.now()
    }

    fn wait(&mut self, cycles: u64) {
        self.pipeline.wait_until(self.pipeline.now() + cycles);
    }

    fn stack_base(&self) -> u32 {
        word(self, self.system.scb.vector_table).unwrap_or(0)
    }

    fn peek(&self, address: u32, buffer: &mut [u8]) -> Option<()> {
        self.bus.peek(address, buffer, self.pipeline.now()).ok()
    }

    fn poke(&mut self, address: u32, data: &[u8]) -> Option<()> {
        let cycle = self.pipeline.now();
        for (index, byte) in data.iter().enumerate() {
            let at = address.wrapping_add(index as u32);
            self.bus.write(at, Size::Byte, u32::from(*byte), cycle).ok()?;
        }
        self.flush_decoded();
        Some(())
    }
}

/// SYS_HEAPINFO. Of a Cortex-M, the stack is the one in the vector table. Without this answer,
/// newlib would take the symbol `__stack`, which few linker scripts have. Zeros leave the heap to
/// the program.
pub fn heap_and_stack(program: &mut impl Program, argument: u32) -> Answer {
    let block = word(program, argument)?;
    let stack_base = program.stack_base();
    put(program, block, &[0; 16])?;
    put(program, block.wrapping_add(8), &stack_base.to_le_bytes())?;
    Ok(0)
}

/// Reads the program's memory.
pub fn bytes(program: &impl Program, address: u32, length: u32) -> Result<Vec<u8>, u32> {
    if length > STRING_MAX {
        return Err(error::INVALID);
    }
    let mut buffer = vec![0; length as usize];
    program.peek(address, &mut buffer).ok_or(error::BAD_ADDRESS)?;
    Ok(buffer)
}

pub fn word(program: &impl Program, address: u32) -> Result<u32, u32> {
    let mut buffer = [0; 4];
    program.peek(address, &mut buffer).ok_or(error::BAD_ADDRESS)?;
    Ok(u32::from_le_bytes(buffer))
}

/// A string that ends with a zero byte, read piece by piece, and byte by byte where memory ends.
pub fn string(program: &impl Program, address: u32) -> Result<Vec<u8>, u32> {
    const PIECE: usize = 256;
    let mut text = Vec::new();
    while text.len() < STRING_MAX as usize {
        let at = address.wrapping_add(text.len() as u32);
        let mut buffer = [0; PIECE];
        let mut piece = &mut buffer[at as usize % PIECE..];
        if program.peek(at, piece).is_none() {
            piece = &mut piece[..1];
            program.peek(at, piece).ok_or(error::BAD_ADDRESS)?;
        }
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return Ok(text);
        }
        text.extend_from_slice(piece);
    }
    Err(error::INVALID)
}

/// Writes the program's memory, as the program itself could.
pub fn put(program: &mut impl Program, address: u32, data: &[u8]) -> Result<(), u32> {
    program.poke(address, data).ok_or(error::BAD_ADDRESS)
}
