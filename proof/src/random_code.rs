//! Random code: machines that run random halfwords from random states.
//!
//! No program may make the simulator fail, or make a run depend on how a tool drives it. Each
//! machine gets a board, code, register values that often point at memory, devices and system
//! registers, and runs twice: step by step, and in one piece. Both must end alike, and neither
//! panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result, bail};
use quintet_sim::board::{Board, Core};
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::snapshot::Snapshot;

use crate::cross::pattern::{encode, fill};
use crate::cross::{Subset, data, memory};
use crate::random::Random;

/// The halfwords of code in a machine.
const CODE: usize = 256;
/// The address of the code, behind the vector table.
const CODE_START: u32 = 0x200;
/// The address of the handler of most exceptions, at the end of the vector table.
const HANDLER: u32 = 0x1C0;
/// A handler that lets the program go on somewhere in the code, so that it lives for a while.
const HANDLER_CODE: [u16; 16] = [
    0x9806, // ldr r0, [sp, #24]: the return address
    0x3002, // adds r0, #2
    0x05C0, // lsls r0, r0, #23
    0x0E00, // lsrs r0, r0, #24
    0x0040, // lsls r0, r0, #1
    0xA10D, // adr r1, the code
    0x1840, // adds r0, r0, r1
    0x9006, // str r0, [sp, #24]
    0x9807, // ldr r0, [sp, #28]: the status, of which
    0x05C0, // lsls r0, r0, #23
    0x0DC0, // lsrs r0, r0, #23
    0x2101, // movs r1, #1
    0x0609, // lsls r1, r1, #24
    0x4308, // orrs r0, r1: the exception stays, and T is set
    0x9007, // str r0, [sp, #28]
    0x4770, // bx lr
];

/// Run random halfwords from random states on every board: nothing may panic
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many machines
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    machines: u64,
    /// The stream of machines
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The number of the first one: `--first N --machines 1` replays one
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// How many instructions each executes at most
    #[arg(long, value_name = "N", default_value_t = 400)]
    instructions: u64,
}

impl Arguments {
    /// Runs them.
    pub fn run(&self) -> Result<()> {
        let instructions =
            run(self.seed, self.first..self.first + self.machines, self.instructions)?;
        println!("{} machines executed {instructions} instructions", self.machines);
        Ok(())
    }
}

/// Runs the machines. Returns the number of executed instructions.
pub fn run(seed: u64, machines: std::ops::Range<u64>, instructions: u64) -> Result<u64> {
    let mut boards = Vec::new();
    for name in Board::names() {
        let board = Board::named(name)?;
        for core in [board.core, board.core, Core::CortexM0] {
            let mut machine = Machine::new(&Board { core, ..board.clone() });
            let empty = machine.snapshot();
            boards.push((machine, empty));
        }
    }
    let mut total = 0;
    for index in machines {
        let mut random = Random::of_item(seed, index);
        let board = random.below(boards.len() as u32) as usize;
        let (machine, empty) = &mut boards[board];
        let replay =
            || format!("cargo proof random-code --seed {seed} --first {index} --machines 1");
        let one = AssertUnwindSafe(|| one(machine, empty, &random, instructions));
        match catch_unwind(one) {
            Ok(result) => total += result.with_context(replay)?,
            Err(_) => bail!("a panic, see above: {}", replay()),
        }
    }
    Ok(total)
}

/// Runs one machine both ways.
fn one(machine: &mut Machine, empty: &Snapshot, random: &Random, instructions: u64) -> Result<u64> {
    // A sleeping machine's time passes without instructions.
    let limit = Until {
        max_instructions: Some(instructions),
        max_cycles: Some(50 * instructions),
        ..Until::default()
    };
    machine.restore(empty);
    set_up(machine, &mut random.clone())?;
    let end = machine.run(&limit);
    let whole = fingerprint(machine);
    machine.restore(empty);
    set_up(machine, &mut random.clone())?;
    let cut = loop {
        let piece = Until { max_instructions: Some(machine.instructions() + 1), ..limit.clone() };
        match machine.run(&piece) {
            Stop::InstructionLimit if machine.instructions() < instructions => {}
            stop => break stop,
        }
    };
    let pieces = fingerprint(machine);
    if end != cut || whole != pieces {
        bail!("in one piece: {end:?}, {whole:x?}\nin pieces: {cut:?}, {pieces:x?}");
    }
    Ok(machine.instructions())
}

/// Returns the state in which both runs must agree.
fn fingerprint(machine: &Machine) -> (u64, u64, [u32; 16], u32, String) {
    let registers = &machine.processor.registers;
    let faults = format!("{:x?}", machine.processor.fault_history());
    (machine.cycle(), machine.instructions(), registers.r, registers.xpsr(), faults)
}

/// Gives an empty machine code and state.
fn set_up(machine: &mut Machine, random: &mut Random) -> Result<()> {
    let board = machine.board();
    let first = &board.memories[0];
    let is_table = board.vector_table.wrapping_sub(first.start) < first.size;
    let flash = if is_table { board.vector_table } else { first.start };
    let mut bytes = Vec::new();
    let stack = 0x2000_0000 + 8 * (16 + random.below(64));
    bytes.extend_from_slice(&stack.to_le_bytes());
    while bytes.len() < CODE_START as usize {
        let code = bytes.len() == 4 || random.one_in(8);
        let target = if code { CODE_START + 2 * random.below(CODE as u32) } else { HANDLER };
        bytes.extend_from_slice(&((flash + target) | 1).to_le_bytes());
    }
    for (at, half) in (HANDLER as usize..).step_by(2).zip(HANDLER_CODE) {
        bytes[at..at + 2].copy_from_slice(&half.to_le_bytes());
    }
    while bytes.len() < CODE_START as usize + 2 * CODE {
        let floats = machine.processor.configuration.has_floating_point();
        bytes.extend(instruction(floats, random).into_iter().flat_map(u16::to_le_bytes));
    }
    machine.load(&Image::raw(&bytes, flash)?)?;
    machine.reset();
    for register in 0..13 {
        machine.processor.registers.r[register] = pointer(flash, random);
    }
    machine.processor.registers.apsr = random.word() & 0xF800_0000;
    Ok(())
}

/// A value that leads somewhere more often than not.
fn pointer(flash: u32, random: &mut Random) -> u32 {
    let near = random.below(0x100);
    match random.below(8) {
        0 => flash + 4 * near,
        1 | 2 => 0x2000_0000 + 4 * near,
        3 => 0x4000_0000 + (random.below(64) << 12) + near,
        4 => 0xE000_E000 + 4 * random.below(0x400),
        5 => 0xE000_0000 + (random.below(16) << 12) + near,
        6 => 0x2200_0000 + 4 * near,
        _ => random.value(),
    }
}

/// Anything at all, or the encoding of an instruction whatever its operands; one in four is of the
/// floating-point unit, if that is wanted.
pub(crate) fn instruction(floats: bool, random: &mut Random) -> Vec<u16> {
    if floats && random.one_in(4) {
        return float(random);
    }
    match random.below(8) {
        0 | 1 => vec![random.word() as u16],
        2 => vec![0xE800 | random.word() as u16, random.word() as u16],
        3 | 4 => {
            let tables = [data::NARROW, data::WIDE, data::SPECIAL, data::SPECIAL_WIDE];
            let table = random.pick(&tables);
            let template = &table[random.below(table.len() as u32) as usize];
            encode(template.pattern, &fill(template.pattern, random))
        }
        // System registers written with any value; an SVC; a conditional branch backwards.
        5 if random.one_in(4) => {
            vec![0xF380 | random.below(16) as u16, 0x8800 | random.word() as u16]
        }
        5 if random.one_in(4) => vec![0xDF00],
        _ => memory::draw(Subset::V7M, random).code,
    }
}

/// An instruction of the floating-point unit: a transfer or a computation.
fn float(random: &mut Random) -> Vec<u16> {
    if random.one_in(3) {
        return memory::draw(Subset::V7EM, random).code;
    }
    let table = data::FLOAT;
    let template = &table[random.below(table.len() as u32) as usize];
    encode(template.pattern, &fill(template.pattern, random))
}
