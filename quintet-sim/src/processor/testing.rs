//! A processor for tests: 4 KiB of code at 0, 4 KiB of data at 0x2000_0000, and a record of every
//! access.

use super::bus::{Bus, BusError, Lines, Port, RegionTiming};
use super::cache::Decoded;
use super::decode::is_wide;
use super::faults::Fault;
use super::instruction::Size;
use super::instruction::float::FloatUnit;
use super::registers::Registers;
use super::{Architecture, Configuration, Flow, Processor};

/// Where the data memory begins.
pub const DATA: u32 = 0x2000_0000;

const BYTES: usize = 4096;

/// Code behind both code buses, without wait states. All else is behind the system bus.
const REGIONS: [RegionTiming; 1] = [RegionTiming {
    start: 0,
    end: DATA - 1,
    port: Port::CodeShared,
    read_wait_states: 0,
    write_wait_states: 0,
    front: 0,
}];

/// A data access: address, size, and the value when it was a store.
pub type Access = (u32, Size, Option<u32>);

/// The memory, and the accesses to it.
#[derive(Clone)]
pub struct TestBus {
    code: [u8; BYTES],
    data: [u8; BYTES],
    /// Every data access so far.
    pub accesses: Vec<Access>,
    /// The interrupt lines that devices hold high.
    pub lines: Lines,
    /// The interrupt lines from given cycles on, in the order of the cycles.
    pub schedule: Vec<(u64, Lines)>,
}

impl TestBus {
    /// Empty memory.
    pub fn new() -> Self {
        let (code, data) = ([0; BYTES], [0; BYTES]);
        let (accesses, schedule) = (Vec::new(), Vec::new());
        Self { code, data, accesses, lines: Lines::default(), schedule }
    }

    /// Puts halfwords at an address.
    pub fn put(&mut self, address: u32, halfwords: &[u16]) {
        for (address, halfword) in (address..).step_by(2).zip(halfwords) {
            if let Ok(bytes) = self.bytes(address, 2) {
                bytes.copy_from_slice(&halfword.to_le_bytes());
            }
        }
    }

    /// Puts words at an address.
    pub fn put_words(&mut self, address: u32, words: &[u32]) {
        for (address, word) in (address..).step_by(4).zip(words) {
            self.put(address, &[*word as u16, (word >> 16) as u16]);
        }
    }

    /// The word at an address.
    pub fn word(&mut self, address: u32) -> u32 {
        self.get(address, 4).unwrap_or(0)
    }

    fn bytes(&mut self, address: u32, count: usize) -> Result<&mut [u8], BusError> {
        let (memory, base) =
            if address < DATA { (&mut self.code, 0) } else { (&mut self.data, DATA) };
        let first = (address - base) as usize;
        memory.get_mut(first..first.saturating_add(count)).ok_or(BusError)
    }

    fn get(&mut self, address: u32, count: usize) -> Result<u32, BusError> {
        let bytes = self.bytes(address, count)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }
}

impl Bus for TestBus {
    fn read(&mut self, address: u32, size: Size, _cycle: u64) -> Result<u32, BusError> {
        self.accesses.push((address, size, None));
        self.get(address, size.bytes() as usize)
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _cycle: u64) -> Result<(), BusError> {
        self.accesses.push((address, size, Some(value)));
        let count = size.bytes() as usize;
        self.bytes(address, count)?.copy_from_slice(&value.to_le_bytes()[..count]);
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        self.get(address, 2).map(|halfword| halfword as u16)
    }

    fn advance(&mut self, cycle: u64, lines: &mut Lines) {
        while self.schedule.first().is_some_and(|&(when, _)| when <= cycle) {
            self.lines = self.schedule.remove(0).1;
        }
        *lines = self.lines;
    }

    fn next_event(&self) -> u64 {
        self.schedule.first().map_or(u64::MAX, |&(when, _)| when)
    }

    fn regions(&self) -> &[RegionTiming] {
        &REGIONS
    }
}

/// A Cortex-M4 with a floating-point unit and all other options.
pub fn cortex_m4f() -> Configuration {
    Configuration {
        architecture: Architecture::V7EM,
        floating_point: FloatUnit::Fpv4Single,
        cpuid: 0x410f_c241,
        ..Configuration::default()
    }
}

/// A Cortex-M7 with all options.
pub fn cortex_m7() -> Configuration {
    Configuration {
        floating_point: FloatUnit::Fpv5Double,
        cpuid: 0x411f_c271,
        bit_banding: false,
        ..cortex_m4f()
    }
}

/// A privileged thread at 0x100 with R0 to R12 all zero and SP at the end of the data memory.
pub fn processor() -> Processor<TestBus> {
    processor_of(Configuration::default())
}

/// The same, of another kind.
pub fn processor_of(configuration: Configuration) -> Processor<TestBus> {
    let mut processor = Processor::new(configuration, TestBus::new());
    processor.registers = registers();
    processor.registers.r[13] = DATA + BYTES as u32;
    processor.registers.r[15] = 0x100;
    processor
}

/// The registers after power-on.
pub fn registers() -> Registers {
    Processor::new(Configuration::default(), TestBus::new()).registers
}

/// Executes one instruction, given as halfwords, at the current program counter, and moves on. Only
/// the executor takes part: no fetch, no exceptions.
pub fn execute(processor: &mut Processor<TestBus>, code: &[u16]) -> Result<(), Fault> {
    let second = code.get(1).copied().unwrap_or(0);
    assert_eq!(is_wide(code[0]), code.len() == 2, "the number of halfwords");
    let architecture = processor.configuration.architecture;
    let address = processor.registers.r[15];
    processor.instructions += 1;
    let decoded = Decoded::new([code[0], second], architecture);
    if processor.execute(address, &decoded)? == Flow::Next {
        processor.registers.r[15] = address + u32::from(decoded.instruction.length);
    }
    Ok(())
}
