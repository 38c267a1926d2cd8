//! Runs a measured sequence on a simulated chip, from the state that its entry describes.

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::board::{Board, MemoryKind};
use quintet_sim::machine::{Machine, Stop};
use quintet_sim::processor::registers::{FloatRegisters, Registers};

use super::report::{Entry, Measurement};
use super::sequences::{Case, Sequence, SpecialRegisters, Step};

const CC2650: &str = include_str!("../../data/boards/cc2650.toml");
const CC2652R: &str = include_str!("../../data/boards/cc2652r.toml");

/// The stack pointer of sequences that do not name one.
const STACK: u32 = 0x2000_1000;

/// Code that switches the cycle counter on: DEMCR.TRCENA, then DWT_CTRL.CYCCNTENA.
const ENABLE_COUNTER: [u16; 13] = [
    0xf64e, 0x50fc, 0xf2ce, 0x0000, // r0 = 0xE000EDFC
    0xf04f, 0x7180, 0x6001, // [r0] = 1 << 24
    0xf241, 0x0000, 0xf2ce, 0x0000, // r0 = 0xE0001000
    0x2101, 0x6001, // [r0] = 1
];
/// Code that sets ACTLR.DISDEFWBUF, as the measurements on the STM32F100 had it: no write buffer.
const DISABLE_WRITE_BUFFER: [u16; 6] = [0xf24e, 0x0008, 0xf2ce, 0x0000, 0x2102, 0x6001];
const BREAKPOINT: u16 = 0xbe00;

/// The chips that sequences were measured on, set up once and copied for each measurement.
pub struct Chips {
    stm32f100: Machine,
    cc2650: Machine,
    cc2652r: Machine,
}

impl Chips {
    /// All chips, with the cycle counter running. `wait_states` and `line_buffer` are for the flash
    /// of a CC2652R.
    pub fn new(wait_states: u8, line_buffer: bool) -> Result<Self> {
        let board = Board::named("stm32f100")?;
        let without_write_buffer = [&ENABLE_COUNTER[..], &DISABLE_WRITE_BUFFER, &[BREAKPOINT]];
        let stm32f100 = set_up(&board, 0x0800_0000, &without_write_buffer.concat())?;
        let board = Board::parse(CC2650, "cc2650")?;
        let with_write_buffer = [&ENABLE_COUNTER[..], &[BREAKPOINT]];
        let cc2650 = set_up(&board, 0x1100_0000, &with_write_buffer.concat())?;
        let mut board = Board::parse(CC2652R, "cc2652r")?;
        for memory in board.memories.iter_mut().filter(|memory| memory.kind == MemoryKind::Flash) {
            match &mut memory.front_end {
                Some(front) if line_buffer => front.wait_states = wait_states,
                _ => {
                    memory.front_end = None;
                    memory.read_wait_states = wait_states;
                }
            }
        }
        let cc2652r = set_up(&board, 0, &with_write_buffer.concat())?;
        Ok(Self { stm32f100, cc2650, cc2652r })
    }

    /// Repeats every measurement of a sequence.
    pub fn run(&self, sequence: &Sequence) -> Result<Entry> {
        let measurements = sequence
            .cases()?
            .iter()
            .map(|case| Measurement {
                case: describe(case),
                measured: case.cycles,
                simulated: self.measure(sequence, case).map_err(|error| format!("{error:#}")),
            })
            .collect();
        Ok(Entry {
            name: format!("{} {}", sequence.id, sequence.name),
            class: sequence.topic.clone(),
            measurements,
            disassembly: sequence.instructions.iter().map(Step::describe).collect(),
        })
    }

    fn measure(&self, sequence: &Sequence, case: &Case) -> Result<u64> {
        let mut machine = match sequence.device.as_deref() {
            None => self.stm32f100.clone(),
            Some(name) if name.starts_with("STM32F100") => self.stm32f100.clone(),
            Some("CC2650") => self.cc2650.clone(),
            Some("CC2652R") => self.cc2652r.clone(),
            Some(other) => bail!("the chip `{other}` is not described here"),
        };
        place(&mut machine, sequence)?;
        set_registers(&mut machine, sequence, case)?;
        between_brackets(&mut machine, sequence)
    }
}

/// Runs `code` from `address` to its BKPT on a chip after reset.
fn set_up(board: &Board, address: u32, code: &[u16]) -> Result<Machine> {
    let mut machine = Machine::new(board);
    machine.processor.attach_debugger(true);
    let bytes: Vec<u8> = code.iter().flat_map(|halfword| halfword.to_le_bytes()).collect();
    machine.write_memory(address, &bytes)?;
    machine.debug_halt();
    machine.processor.registers.r[15] = address;
    machine.processor.registers.thumb = true;
    for _ in 0..=code.len() {
        match machine.step() {
            None => {}
            Some(Stop::Breakpoint { .. }) => return Ok(machine),
            Some(stop) => bail!("setting up {} stopped: {stop:?}", board.name),
        }
    }
    bail!("setting up {} did not end", board.name)
}

/// Code, the bytes beside it, and data.
fn place(machine: &mut Machine, sequence: &Sequence) -> Result<()> {
    for bytes in sequence.around.iter().chain(&sequence.mem) {
        machine.write_memory(bytes.0.0, &bytes.bytes()?)?;
    }
    for step in &sequence.instructions {
        let code: Vec<u8> = step.halfwords()?.into_iter().flat_map(u16::to_le_bytes).collect();
        machine.write_memory(step.0.0, &code)?;
    }
    Ok(())
}

fn set_registers(machine: &mut Machine, sequence: &Sequence, case: &Case) -> Result<()> {
    // Privileged thread mode on the process stack, unless the entry says otherwise.
    let usual = SpecialRegisters { primask: 0, faultmask: 0, basepri: 0, control: 2 };
    let special = sequence.sys.unwrap_or(usual);
    let start = sequence.instructions.first().context("the sequence is empty")?.0.0;
    let priority_bits = machine.processor.configuration.priority_bits;
    let mut r = [0; 16];
    r[13] = STACK;
    for &(number, value) in sequence.registers()?.iter().chain(&case.registers) {
        r[number] = value;
    }
    r[15] = start;
    // The next step resumes at the program counter, with an empty queue.
    machine.debug_halt();
    machine.processor.registers = Registers {
        r,
        other_sp: STACK,
        apsr: sequence.apsr.0,
        ipsr: 0,
        itstate: 0,
        ici: 0,
        thumb: true,
        primask: special.primask & 1 != 0,
        faultmask: special.faultmask & 1 != 0,
        basepri: special.basepri & (0xff << (8 - priority_bits)),
        unprivileged_thread: special.control & 1 != 0,
        process_stack: special.control & 2 != 0,
        float: FloatRegisters::RESET,
    };
    Ok(())
}

/// Executes the sequence and checks that it takes the measured path. Returns the cycles between its
/// two brackets.
fn between_brackets(machine: &mut Machine, sequence: &Sequence) -> Result<u64> {
    let mut values = [0; 2];
    for (index, step) in sequence.instructions.iter().enumerate() {
        let address = step.0.0;
        let pc = machine.pc();
        ensure!(pc == address, "{pc:#010x} is executed instead of `{}` at {address:#010x}", step.2);
        if let Some(stop) = machine.step() {
            bail!("`{}` at {address:#010x} ends with {stop:?}", step.2);
        }
        for (bracket, value) in sequence.bracket.into_iter().zip(&mut values) {
            if bracket == index {
                *value = machine.processor.registers.r[step.loaded_register()?];
            }
        }
    }
    ensure!(
        sequence.bracket.iter().all(|&bracket| bracket < sequence.instructions.len()),
        "a bracket is none of the instructions"
    );
    Ok(u64::from(values[1].wrapping_sub(values[0])))
}

fn describe(case: &Case) -> String {
    let values: Vec<String> =
        case.registers.iter().map(|(number, value)| format!("r{number}={value:08x}")).collect();
    values.join(" ")
}
