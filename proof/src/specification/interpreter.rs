//! The interpreter: firmware in the simulator whose threads do the operations of a schedule.

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::snapshot::Snapshot;

use super::check::{check, last_looks};
use super::follow::Wrong;
use super::model::Entry;
use super::operation::Operation;
use super::run::{CYCLES_MAX, until_asleep};
use super::schedule::{EXCEPTIONS, LAST, LAST_EXCEPTION, LINES, Schedule};
use super::trial::{Run, Trial};

/// The words of a script.
const LENGTH: usize = 64;
/// A schedule without interrupts takes a tenth of them.
const INSTRUCTIONS_MAX: u64 = 100_000;
/// The most entries that are read.
const ENTRIES_MAX: usize = 1000;

/// The two kernels' firmware.
#[derive(Clone)]
pub struct Interpreter {
    preemptive: Firmware,
    cooperative: Firmware,
}

/// Firmware on its board, ready for a schedule.
#[derive(Clone)]
struct Firmware {
    machine: Machine,
    ready: Snapshot,
    scripts: u32,
    log: u32,
    logged: u32,
}

impl Interpreter {
    /// Loads the ELF files of a directory. `late` is the number of instructions by which the
    /// processor delays exceptions behind a mask.
    pub fn open(directory: &Path, late: u64) -> Result<Self> {
        let open = |name| Firmware::open(&directory.join(name), late);
        Ok(Self { preemptive: open("interpreter")?, cooperative: open("cooperative")? })
    }

    fn of(&mut self, schedule: &Schedule) -> &mut Firmware {
        if schedule.cooperative { &mut self.cooperative } else { &mut self.preemptive }
    }

    /// Returns the instructions of a schedule without interrupts before which an interrupt of a
    /// line would be taken, while the number of entries is in a range. An interrupt that comes
    /// elsewhere is taken behind the section that holds it off, as the next of these.
    pub fn open_to(
        &mut self,
        schedule: &Schedule,
        line: usize,
        logged: RangeInclusive<usize>,
    ) -> Result<Vec<u64>> {
        self.of(schedule).open_to(schedule, line, logged)
    }
}

impl Trial for Interpreter {
    type Schedule = Schedule;
    type Entry = Entry;

    fn run(&mut self, schedule: &Schedule) -> Result<Run<Entry>> {
        self.of(schedule).run(schedule)
    }

    fn check(&self, schedule: &Schedule, log: &[Entry]) -> Result<(), Wrong<Entry>> {
        check(schedule, log)
    }

    fn interrupts(schedule: &Schedule) -> usize {
        schedule.injections.len()
    }

    fn smaller(schedule: &Schedule) -> Vec<Schedule> {
        schedule.smaller()
    }
}

impl Firmware {
    /// Loads the ELF file, and runs it up to the point where it takes scripts.
    fn open(elf: &Path, late: u64) -> Result<Self> {
        let bytes = std::fs::read(elf).with_context(|| format!("reading {}", elf.display()))?;
        let image = Image::parse_elf(&bytes)?;
        let address = |name: &str| {
            image.symbol(name).map(|symbol| symbol.address).with_context(|| format!("no {name}"))
        };
        let (ready, scripts) = (address("ready")? & !1, address("SCRIPTS")?);
        let (log, logged) = (address("LOG")?, address("LOGGED")?);
        let mut machine = Machine::new(&Board::named("lm3s6965")?);
        machine.load(&image)?;
        machine.reset();
        machine.set_late_unmasking(late);
        let until =
            Until { addresses: vec![ready], max_cycles: Some(CYCLES_MAX), ..Until::default() };
        ensure!(
            machine.run(&until) == Stop::Address(ready),
            "the interpreter doesn't become ready"
        );
        let ready = machine.snapshot();
        Ok(Self { machine, ready, scripts, log, logged })
    }

    /// Makes the firmware ready for a schedule.
    fn begin(&mut self, schedule: &Schedule) -> Result<()> {
        self.machine.restore(&self.ready);
        for (context, script) in schedule.scripts.iter().enumerate() {
            self.write_script(context, script)?;
        }
        self.write_script(LAST, &last_looks())
    }

    fn open_to(
        &mut self,
        schedule: &Schedule,
        line: usize,
        logged: RangeInclusive<usize>,
    ) -> Result<Vec<u64>> {
        self.begin(schedule)?;
        let began = self.machine.instructions();
        let mut open = Vec::new();
        loop {
            let at = self.machine.instructions() - began;
            let registers = &self.machine.processor.registers;
            let held_off = registers.basepri != 0 && LINES[line] >= registers.basepri;
            if !registers.primask && !held_off && logged.contains(&self.logged()?) {
                open.push(at);
            }
            let until = Until { max_instructions: Some(began + at + 1), ..Until::default() };
            if self.machine.run(&until) != Stop::InstructionLimit || at > INSTRUCTIONS_MAX {
                return Ok(open);
            }
        }
    }

    fn run(&mut self, schedule: &Schedule) -> Result<Run<Entry>> {
        self.begin(schedule)?;
        let came = schedule.injections.iter();
        let came = came.map(|injection| (injection.at, EXCEPTIONS[injection.line]));
        let (failure, instructions) = until_asleep(&mut self.machine, came, LAST_EXCEPTION);
        Ok(Run { log: self.log()?, failure, instructions })
    }

    fn write_script(&mut self, context: usize, script: &[Operation]) -> Result<()> {
        ensure!(script.len() < LENGTH, "a script has at most {} operations", LENGTH - 1);
        let mut bytes = Vec::with_capacity(4 * script.len());
        for operation in script {
            bytes.extend(operation.word().to_le_bytes());
        }
        let address = self.scripts + (4 * LENGTH * context) as u32;
        Ok(self.machine.write_memory(address, &bytes)?)
    }

    /// Returns the number of entries.
    fn logged(&self) -> Result<usize> {
        Ok(self.machine.read_word(self.logged).context("the log is in RAM")? as usize)
    }

    fn log(&self) -> Result<Vec<Entry>> {
        let read = |address| self.machine.read_word(address).context("the log is in RAM");
        let mut entries = Vec::new();
        for index in 0..self.logged()?.min(ENTRIES_MAX) as u32 {
            let word = read(self.log + 8 * index)?;
            entries.push(Entry {
                context: (word >> 24) as usize,
                operation: (word >> 16) as u8,
                result: word as u16,
                priorities: read(self.log + 8 * index + 4)?,
            });
        }
        Ok(entries)
    }
}
