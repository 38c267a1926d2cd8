//! The simulator's side: a hart with the memory that the models have around them.
//!
//! 256 KiB of memory that repeat, and from 0xf000_0000 on a page of registers: +4 ends the program,
//! and the low bits of +8 are the lines of the timer, of software, and of a device. Lines also rise
//! by themselves.

use quintet_sim::processor::bus::BusError;
use quintet_sim::processor::instruction::Size;
use quintet_sim::riscv::bus::{Bus, line};
use quintet_sim::riscv::extensions::Extensions;
use quintet_sim::riscv::hart::{Configuration, Hart};
use quintet_sim::riscv::timing::Model;

/// The bytes of memory.
pub const RAM_BYTES: usize = 256 << 10;
/// The first address of the registers.
pub const PAGE: u32 = 0xf000_0000;
/// Where a program begins, from the first address of memory on.
pub const ENTRY: u32 = 0x80;

/// What a program did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The address of each instruction that retired, and its cycle.
    pub retired: Vec<(u32, u64)>,
    /// Whether the program came to its end.
    pub stopped: bool,
}

impl Trace {
    /// Reads what a model answers: the differences of addresses and cycles, and a point at the end.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, stopped) = match text.strip_suffix('.') {
            Some(text) => (text, true),
            None => (text.strip_suffix('?')?, false),
        };
        let mut retired = Vec::new();
        let (mut address, mut cycle) = (0u32, 0u64);
        for word in text.split_whitespace() {
            let (to, later) = word.split_once(':')?;
            address = address.wrapping_add(u32::from_str_radix(to, 16).ok()?);
            cycle += u64::from_str_radix(later, 16).ok()?;
            retired.push((address, cycle));
        }
        Some(Self { retired, stopped })
    }
}

/// Lines that rise in a cycle: 1 the timer's, 2 that of software, 4 a device's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rise {
    /// The cycle, counted as the models do.
    pub cycle: u64,
    /// The lines.
    pub lines: u32,
}

/// Bits of lines.
const TIMER: u32 = 1;
const SOFTWARE: u32 = 2;
const DEVICE: u32 = 4;

struct Memory {
    ram: Vec<u8>,
    stopped: bool,
    lines: u32,
    /// The lines that rise, the next one last.
    rises: Vec<Rise>,
}

/// Returns the first address of the memory of a core.
pub fn base(model: Model) -> u32 {
    if model.is_vexriscv() { 0x4000_0000 } else { 0x8000_0000 }
}

/// Returns the extensions of a core.
pub fn extensions(model: Model) -> Extensions {
    let mut set = Extensions::M.with(Extensions::ZIFENCEI);
    if model != Model::VexRiscvSecure {
        set = set.with(Extensions::C);
    }
    if model == Model::VexRiscvImac {
        set = set.with(Extensions::A);
    }
    set
}

/// Returns `true` for a core with user mode.
pub fn has_user_mode(model: Model) -> bool {
    model != Model::VexRiscvImac
}

/// Returns `true` for a core with protection.
pub fn has_protection(model: Model) -> bool {
    !matches!(model, Model::IbexSmall | Model::VexRiscvImac)
}

/// Returns the cycles by which the count of the models is ahead.
fn lead(model: Model) -> u64 {
    // Two on an Ibex, of which one is the register from which its retirement is read.
    u64::from(model.is_ibex())
}

/// Runs a program on the simulator's core.
pub fn run(model: Model, wait_states: u8, cycles_max: u64, image: &[u8], rises: &[Rise]) -> Trace {
    let mut ram = vec![0; RAM_BYTES];
    for (place, byte) in ram.iter_mut().zip(image) {
        *place = *byte;
    }
    let configuration = Configuration {
        extensions: extensions(model),
        user_mode: has_user_mode(model),
        protection: has_protection(model),
        standard_protection: false,
        misaligned: !model.is_vexriscv(),
        time: false,
        reset_vector: base(model) + ENTRY,
        model,
        wait_states,
    };
    let own = |rise: &Rise| Rise { cycle: rise.cycle.saturating_sub(lead(model)), ..*rise };
    let rises = rises.iter().rev().map(own).collect();
    let memory = Memory { ram, stopped: false, lines: 0, rises };
    let mut hart = Hart::new(configuration, memory);
    hart.semihosting = false;
    hart.horizon = cycles_max;
    let mut trace = Trace::default();
    while !hart.bus.stopped && hart.cycle() < cycles_max {
        let (pc, before) = (hart.pc, (hart.instructions(), hart.retired()));
        hart.step();
        let after = (hart.instructions(), hart.retired());
        if before != after {
            trace.retired.push((pc, after.1.unwrap_or(0)));
        }
    }
    trace.stopped = hart.bus.stopped;
    trace
}

impl Memory {
    fn byte(&self, address: u32) -> u8 {
        self.ram[address as usize % RAM_BYTES]
    }
}

impl Bus for Memory {
    fn read(&mut self, address: u32, size: Size, _cycle: u64) -> Result<u32, BusError> {
        if self.is_device(address) {
            return Ok(0);
        }
        let byte = |index| u32::from(self.byte(address.wrapping_add(index))) << (8 * index);
        Ok((0..size.bytes()).map(byte).sum())
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _cycle: u64) -> Result<(), BusError> {
        match address.wrapping_sub(PAGE) {
            4 => self.stopped = true,
            8 => self.lines = value & (TIMER | SOFTWARE | DEVICE),
            _ if self.is_device(address) => {}
            _ => {
                for (index, byte) in (0..size.bytes()).zip(value.to_le_bytes()) {
                    self.ram[address.wrapping_add(index) as usize % RAM_BYTES] = byte;
                }
            }
        }
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        Ok(u16::from(self.byte(address)) | u16::from(self.byte(address | 1)) << 8)
    }

    fn advance(&mut self, cycle: u64) -> u32 {
        while let Some(rise) = self.rises.pop_if(|rise| rise.cycle <= cycle) {
            self.lines |= rise.lines;
        }
        let bit = |own, bit| if self.lines & own != 0 { bit } else { 0 };
        bit(TIMER, line::TIMER) | bit(SOFTWARE, line::SOFTWARE) | bit(DEVICE, line::EXTERNAL)
    }

    fn next_event(&self) -> u64 {
        self.rises.last().map_or(u64::MAX, |rise| rise.cycle)
    }

    fn external_lines(&self) -> u32 {
        self.lines & DEVICE
    }

    fn is_device(&self, address: u32) -> bool {
        address >= PAGE
    }

    fn time(&self, cycle: u64) -> u64 {
        cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let trace = Trace::parse("80:5 4:1 fffffffc:2 .").unwrap();
        assert_eq!(trace.retired, [(0x80, 5), (0x84, 6), (0x80, 8)]);
        assert!(trace.stopped);
        assert_eq!(Trace::parse("?"), Some(Trace::default()));
        for wrong in ["", "80:5", "80.", "x:1 ."] {
            assert_eq!(Trace::parse(wrong), None, "{wrong}");
        }
    }
}
