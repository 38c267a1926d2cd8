//! The measurements that the RTFM document prints, repeated as its author made them.
//!
//! Each program runs from reset on a simulated STM32F100: real vector table, interrupts pended by
//! stores to the NVIC, a halting debugger that reads CYCCNT at both ends. The program reaches every
//! state by itself.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::Machine;
use serde::Deserialize;

use super::report::{Entry, Measurement};
use crate::debugger::{Debugger, Halted};

const DATA: &str = include_str!("../../data/rtfm-vectors.toml");

/// Instructions that a program may take between two halts.
const LIMIT: u64 = 10_000;
/// The address of a program's image.
pub const FLASH: u32 = 0x0800_0000;
pub(super) const STACK: u32 = 0x2000_2000;
/// The vectors of EXTI0 (interrupt 6) and EXTI1 (interrupt 7).
pub(super) const VECTORS: [u32; 2] = [4 * (16 + 6), 4 * (16 + 7)];
/// Where the program "nop in program" leaves the difference of its two loads of CYCCNT.
pub(super) const DIFFERENCE: u32 = 0x2000_0000;

#[derive(Deserialize)]
struct Data {
    startup: Startup,
    program: Vec<Program>,
    vector: Vec<Vector>,
}

#[derive(Deserialize)]
struct Startup {
    address: u32,
    t2_priority_at: u32,
    idle_breakpoint: u32,
    listing: String,
}

#[derive(Deserialize)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) t1: u32,
    t2: Option<u32>,
    #[serde(default)]
    t2_priority: u8,
    /// The address of the start-up code, if it isn't the usual one.
    startup: Option<u32>,
    listing: String,
}

#[derive(Deserialize)]
pub(super) struct Vector {
    pub(super) name: String,
    pub(super) program: String,
    pub(super) cycles: u64,
    pub(super) start: u32,
    pub(super) start_kind: Kind,
    pub(super) end: u32,
    end_kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Kind {
    #[serde(rename = "bkpt")]
    BreakpointInstruction,
    #[serde(rename = "hwbp")]
    Breakpoint,
    #[serde(rename = "stepi")]
    Step,
    #[serde(rename = "in_program")]
    InProgram,
}

/// The document's programs, ready to be run.
pub struct Document {
    data: Data,
    board: Board,
}

impl Document {
    /// Reads the data that comes with the tool; `board` is the document's board.
    pub fn new(board: Board) -> Result<Self> {
        let data = toml::from_str(DATA).context("data/rtfm-vectors.toml")?;
        Ok(Self { data, board })
    }

    /// Repeats every vector whose name contains `filter`.
    pub fn run(&self, filter: &str) -> Result<Vec<Entry>> {
        self.vectors(filter)
            .map(|vector| {
                let program = self.program(&vector.program)?;
                let simulated = self.measure(program, vector).map_err(|error| format!("{error:#}"));
                let measurement =
                    Measurement { case: String::new(), measured: vector.cycles, simulated };
                Ok(Entry {
                    name: vector.name.clone(),
                    class: "rtfm".to_owned(),
                    measurements: vec![measurement],
                    disassembly: program.listing.lines().map(str::to_owned).collect(),
                })
            })
            .collect()
    }

    /// The measurements whose name contains `filter`.
    pub(super) fn vectors(&self, filter: &str) -> impl Iterator<Item = &Vector> {
        self.data.vector.iter().filter(move |vector| vector.name.contains(filter))
    }

    /// Where a program begins, in flash.
    pub(super) fn start_of(&self, program: &Program) -> u32 {
        program.startup.unwrap_or(self.data.startup.address)
    }

    /// The BKPTs of a program and of what runs before it, in flash.
    pub(super) fn breakpoints(&self, program: &Program) -> Result<Vec<u32>> {
        let (startup, start) = (&self.data.startup, self.start_of(program));
        let moved = |address: u32| address - startup.address + start;
        let before = breakpoints(&startup.listing)?.into_iter().map(moved);
        Ok(before.chain(breakpoints(&program.listing)?).collect())
    }

    /// A debugger on the named program, halted at idle's BKPT; the cycle counter runs.
    pub fn at_idle(&self, program: &str) -> Result<Debugger> {
        let program = self.program(program)?;
        let mut debugger = Debugger::attach(self.start(&program.name)?);
        run_to(&mut debugger, self.idle_breakpoint(program), Kind::BreakpointInstruction)?;
        Ok(debugger)
    }

    pub(super) fn program(&self, name: &str) -> Result<&Program> {
        let mut programs = self.data.program.iter();
        programs
            .find(|program| program.name == name)
            .with_context(|| format!("no program `{name}`"))
    }

    pub(super) fn idle_breakpoint(&self, program: &Program) -> u32 {
        let startup = &self.data.startup;
        self.start_of(program) + (startup.idle_breakpoint - startup.address)
    }

    /// The named program with its vector table and start-up code, to be loaded at [`FLASH`].
    pub fn image(&self, program: &str) -> Result<Vec<u8>> {
        let program = self.program(program)?;
        let startup = &self.data.startup;
        let start = self.start_of(program);
        let mut words = BTreeMap::from([(FLASH, STACK), (FLASH + 4, start | 1)]);
        for (offset, handler) in VECTORS.into_iter().zip([Some(program.t1), program.t2]) {
            words.insert(FLASH + offset, handler.unwrap_or(program.t1) | 1);
        }
        let mut halfwords = BTreeMap::new();
        for (address, word) in words {
            halfwords.extend([(address, word as u16), (address + 2, (word >> 16) as u16)]);
        }
        halfwords.extend(parse_listing(&program.listing)?);
        for (address, halfword) in parse_listing(&startup.listing)? {
            let halfword = match address == startup.t2_priority_at {
                true => halfword & 0xff00 | u16::from(program.t2_priority),
                false => halfword,
            };
            halfwords.insert(address - startup.address + start, halfword);
        }
        let end = halfwords.last_key_value().map_or(FLASH, |(address, _)| address + 2);
        let mut image = vec![0xff; (end - FLASH) as usize];
        for (address, halfword) in halfwords {
            let offset = (address - FLASH) as usize;
            image[offset..offset + 2].copy_from_slice(&halfword.to_le_bytes());
        }
        Ok(image)
    }

    fn start(&self, program: &str) -> Result<Machine> {
        let mut machine = Machine::new(&self.board);
        machine.load(&Image::raw(&self.image(program)?, FLASH)?)?;
        machine.reset();
        Ok(machine)
    }

    fn measure(&self, program: &Program, vector: &Vector) -> Result<u64> {
        let mut debugger = self.at_idle(&program.name)?;
        if vector.start_kind == Kind::InProgram {
            return measured_by_itself(&mut debugger, program);
        }
        run_to(&mut debugger, vector.start, vector.start_kind)?;
        let start = debugger.cycle_counter();
        if vector.end_kind == Kind::Breakpoint {
            debugger.add_breakpoint(vector.end);
        }
        match debugger.resume(LIMIT) {
            Halted::Breakpoint if debugger.pc() == vector.end => {
                Ok(u64::from(debugger.cycle_counter().wrapping_sub(start)))
            }
            halted => bail!("halted at {:#010x} ({halted:?})", debugger.pc()),
        }
    }
}

/// Resumes, over the BKPTs on the way, until the processor is halted at `address` in the given way.
pub fn run_to_breakpoint(debugger: &mut Debugger, address: u32) -> Result<()> {
    run_to(debugger, address, Kind::Breakpoint)
}

fn run_to(debugger: &mut Debugger, address: u32, kind: Kind) -> Result<()> {
    if kind == Kind::Breakpoint {
        debugger.add_breakpoint(address);
    }
    // Every program has fewer than eight halts; a step follows the BKPT in front of the address.
    for _ in 0..8 {
        let halted = match kind {
            Kind::Step if address.wrapping_sub(debugger.pc()) <= 8 => debugger.step(),
            _ => debugger.resume(LIMIT),
        };
        if !matches!(halted, Halted::Breakpoint | Halted::Stepped) {
            bail!("stopped at {:#010x} on the way to {address:#010x}: {halted:?}", debugger.pc());
        }
        if debugger.pc() == address {
            debugger.remove_breakpoint(address);
            return Ok(());
        }
    }
    bail!("{address:#010x} was not reached")
}

fn measured_by_itself(debugger: &mut Debugger, program: &Program) -> Result<u64> {
    match debugger.resume(LIMIT) {
        Halted::Breakpoint if debugger.pc() > program.t1 => {}
        halted => bail!("halted at {:#010x} ({halted:?})", debugger.pc()),
    }
    Ok(u64::from(read_word(debugger, DIFFERENCE)?))
}

/// A word of memory, as the debugger reads it.
pub fn read_word(debugger: &Debugger, address: u32) -> Result<u32> {
    debugger.machine().read_word(address).with_context(|| format!("can't read {address:#010x}"))
}

/// The addresses of a listing's BKPTs, each a line of one halfword.
fn breakpoints(listing: &str) -> Result<Vec<u32>> {
    let lines = listing.lines().filter(|line| line.split_whitespace().nth(2) == Some("bkpt"));
    lines.map(|line| Ok(parse_listing(line)?.first().context("no BKPT")?.0)).collect()
}

/// The halfwords of a listing and their addresses.
fn parse_listing(listing: &str) -> Result<Vec<(u32, u16)>> {
    let mut halfwords = Vec::new();
    for line in listing.lines().filter(|line| !line.trim().is_empty()) {
        let mut columns = line.split_whitespace();
        let (Some(address), Some(code)) = (columns.next(), columns.next()) else {
            bail!("`{line}` is not a line of a listing");
        };
        let mut address = u32::from_str_radix(address, 16).with_context(|| line.to_owned())?;
        for digits in code.as_bytes().chunks(4) {
            let digits = std::str::from_utf8(digits)?;
            let halfword = u16::from_str_radix(digits, 16).with_context(|| line.to_owned())?;
            halfwords.push((address, halfword));
            address += 2;
        }
    }
    Ok(halfwords)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_complete_and_consistent() {
        let data: Data = toml::from_str(DATA).unwrap();
        assert_eq!(data.vector.len(), 23);
        for vector in &data.vector {
            let mut programs = data.program.iter();
            let program = programs.find(|program| program.name == vector.program).unwrap();
            let addresses: Vec<u32> =
                parse_listing(&program.listing).unwrap().into_iter().map(|line| line.0).collect();
            assert!(addresses.contains(&vector.start), "{}", vector.name);
            assert!(addresses.contains(&vector.end), "{}", vector.name);
        }
    }

    #[test]
    fn a_listing_gives_halfwords_in_program_order() {
        let halfwords = parse_listing("0800032e  f2410004  movw r0, #4100\n").unwrap();
        assert_eq!(halfwords, [(0x0800_032e, 0xf241), (0x0800_0330, 0x0004)]);
        assert!(parse_listing("0800032e").is_err());
    }
}
