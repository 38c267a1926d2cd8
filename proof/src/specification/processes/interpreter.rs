//! The interpreter: a kernel with three processes that make the calls of a schedule, in the
//! simulator.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_lab::process::pack::{Wishes, pack};
use quintet_lab::process::place::{self, Application};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::snapshot::Snapshot;

use super::check::check;
use super::layout::{PROCESSES, Place};
use super::model::{Entry, State, World};
use super::schedule::{CONTEXTS, EXCEPTIONS, LAST, LAST_EXCEPTION, Schedule};
use crate::campaign::TARGET;
use crate::firmware::{build_in, root};
use crate::specification::follow::Wrong;
use crate::specification::run::{CYCLES_MAX, until_asleep};
use crate::specification::trial::{Run, Trial};

/// The kernel, and the applications.
const KERNEL: &str = "processes";
const APPLICATIONS: [&str; PROCESSES] = ["script0", "script1", "script2"];
/// The bytes that applications may ask for beyond their variables.
const HEAP: u32 = 1024;
/// The calls, or acts, of a script, with its end.
const LENGTH: usize = 16;
/// The words of a call, and of an entry of the log.
const CALL: usize = 5;
const ENTRY: u32 = 6;
/// A schedule without interrupts takes a tenth of them.
const INSTRUCTIONS_MAX: u64 = 100_000;
/// The priority of the most urgent line.
const CEILING: u8 = 0x40;
/// The most entries that are read.
const ENTRIES_MAX: u32 = 255;

/// The built images.
pub struct Images {
    kernel: Image,
    applications: [Image; PROCESSES],
}

impl Images {
    /// Builds the kernel of a tree, and the applications.
    pub fn build(tree: &Path) -> Result<Self> {
        let kernels = tree.join(super::super::DIRECTORY);
        let arguments = ["--features", "processes", "--bin", KERNEL];
        let kernel = read(&build_in(&kernels, &arguments, TARGET)?.join(KERNEL))?;
        let directory = root().join("proof/firmware/process-apps");
        let arguments: Vec<_> = APPLICATIONS.iter().flat_map(|name| ["--bin", name]).collect();
        let built = build_in(&directory, &arguments, TARGET)?;
        let applications = APPLICATIONS.map(|name| read(&built.join(name)));
        let [first, second, third] = applications;
        Ok(Self { kernel, applications: [first?, second?, third?] })
    }
}

/// Reads a program.
fn read(path: &Path) -> Result<Image> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(Image::parse_elf(&bytes)?)
}

/// Firmware on its board, ready for a schedule.
#[derive(Clone)]
pub struct Interpreter {
    machine: Machine,
    ready: Snapshot,
    calls: u32,
    acts: u32,
    policies: u32,
    log: u32,
    logged: u32,
    /// The model's knowledge of the images.
    pub world: World,
}

impl Interpreter {
    /// Loads the images, and runs the kernel up to the point where it takes scripts. `late` is the
    /// number of instructions by which the processor delays exceptions behind a mask.
    pub fn open(images: &Images, late: u64) -> Result<Self> {
        let packed: Result<Vec<_>> = APPLICATIONS
            .iter()
            .zip(&images.applications)
            .map(|(name, image)| pack(image, &Wishes { name, heap: HEAP, sha256: false }))
            .collect();
        let packed = packed?;
        let named: Vec<_> =
            packed.iter().map(|bytes| Application { file: "script", bytes }).collect();
        let flash = place::flash(&images.kernel)?;
        let mut machine = Machine::new(&Board::named("lm3s6965")?);
        machine.load(&images.kernel)?;
        machine.load(&Image::raw(&place::place(flash, &named)?, flash.0)?)?;
        machine.reset();
        machine.set_late_unmasking(late);
        let kernel = |name| address(&images.kernel, name);
        let ready = kernel("ready")? & !1;
        let until =
            Until { addresses: vec![ready], max_cycles: Some(CYCLES_MAX), ..Until::default() };
        ensure!(
            machine.run(&until) == Stop::Address(ready),
            "the interpreter doesn't become ready"
        );
        Ok(Self {
            calls: kernel("CALLS")?,
            acts: kernel("ACTS")?,
            policies: kernel("POLICIES")?,
            log: kernel("LOG")?,
            logged: kernel("LOGGED")?,
            world: world(&machine, kernel("PLACES")?, &images.applications)?,
            ready: machine.snapshot(),
            machine,
        })
    }

    /// Returns the instructions of a schedule without interrupts before which an interrupt at the
    /// kernel's ceiling would be taken. They begin after a given number of a process's entries, and
    /// end two entries later.
    pub fn open_to(
        &mut self,
        schedule: &Schedule,
        (process, count): (usize, usize),
    ) -> Result<Vec<u64>> {
        self.begin(schedule)?;
        let began = self.machine.instructions();
        let (mut open, mut logged, mut of_it) = (Vec::new(), 0, 0);
        loop {
            let at = self.machine.instructions() - began;
            if word(&self.machine, self.logged)? != logged {
                let log = self.log()?;
                logged = log.len() as u32;
                of_it = log.iter().filter(|entry| entry.context == process).count();
            }
            let registers = &self.machine.processor.registers;
            let held_off = registers.basepri != 0 && CEILING >= registers.basepri;
            if (count..count + 2).contains(&of_it) && !registers.primask && !held_off {
                open.push(at);
            }
            let until = Until { max_instructions: Some(began + at + 1), ..Until::default() };
            if self.machine.run(&until) != Stop::InstructionLimit || at > INSTRUCTIONS_MAX {
                return Ok(open);
            }
        }
    }

    /// Writes the scripts.
    fn begin(&mut self, schedule: &Schedule) -> Result<()> {
        self.machine.restore(&self.ready);
        let mut calls = vec![0; PROCESSES * LENGTH * CALL];
        for (process, script) in schedule.calls.iter().enumerate() {
            ensure!(script.len() < LENGTH, "a script has at most {} calls", LENGTH - 1);
            for (position, call) in script.iter().enumerate() {
                let at = CALL * (LENGTH * process + position);
                calls[at..at + CALL].copy_from_slice(&call.words(&self.world.layout[process]));
                // Plus one: 0 means that there is no call.
                calls[at] += 1;
            }
        }
        let mut acts = vec![0; CONTEXTS * LENGTH];
        let last = State::last_looks();
        for context in 0..CONTEXTS {
            let script = if context == LAST { &last } else { &schedule.acts[context] };
            ensure!(script.len() < LENGTH, "a script has at most {} acts", LENGTH - 1);
            for (word, act) in acts[LENGTH * context..].iter_mut().zip(script) {
                *word = act.word();
            }
        }
        self.write(self.calls, &calls)?;
        self.write(self.acts, &acts)?;
        self.write(self.policies, &schedule.restarts.map(u32::from))
    }

    fn write(&mut self, address: u32, words: &[u32]) -> Result<()> {
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(self.machine.write_memory(address, &bytes)?)
    }

    fn log(&self) -> Result<Vec<Entry>> {
        let count = word(&self.machine, self.logged)?.min(ENTRIES_MAX);
        let entry = |index: u32| {
            let read = |place: u32| word(&self.machine, self.log + 4 * (ENTRY * index + place));
            let head = read(0)?;
            let words = [read(1)?, read(2)?, read(3)?, read(4)?, read(5)?];
            Ok(Entry { context: (head >> 16) as usize, what: head & 0xffff, words })
        };
        (0..count).map(entry).collect()
    }
}

impl Trial for Interpreter {
    type Schedule = Schedule;
    type Entry = Entry;

    fn run(&mut self, schedule: &Schedule) -> Result<Run<Entry>> {
        self.begin(schedule)?;
        let came = schedule.injections.iter();
        let came = came.map(|injection| (injection.at, EXCEPTIONS[injection.line]));
        let (failure, instructions) = until_asleep(&mut self.machine, came, LAST_EXCEPTION);
        Ok(Run { log: self.log()?, failure, instructions })
    }

    fn check(&self, schedule: &Schedule, log: &[Entry]) -> Result<(), Wrong<Entry>> {
        check(schedule, &self.world, log)
    }

    fn interrupts(schedule: &Schedule) -> usize {
        schedule.injections.len()
    }

    fn smaller(schedule: &Schedule) -> Vec<Schedule> {
        schedule.smaller()
    }
}

/// The address of something in a program.
fn address(image: &Image, name: &str) -> Result<u32> {
    image.symbol(name).map(|symbol| symbol.address).with_context(|| format!("no {name}"))
}

fn word(machine: &Machine, address: u32) -> Result<u32> {
    machine.read_word(address).context("it is in memory")
}

/// Returns the alignment of the ends of protection regions that cover this number of bytes: an
/// eighth of the smallest such regions.
fn step(size: u32) -> u32 {
    (size.next_power_of_two() / 8).min(1 << size.trailing_zeros())
}

/// Returns the model's knowledge of a kernel that has loaded its processes and tells where they
/// are.
fn world(machine: &Machine, places: u32, applications: &[Image; PROCESSES]) -> Result<World> {
    let mut world = World::default();
    for (process, image) in applications.iter().enumerate() {
        let at = |place: u32| word(machine, places + 16 * process as u32 + 4 * place);
        let (memory, flash) = ((at(0)?, at(1)?), (at(2)?, at(3)?));
        let of = |name| address(image, name);
        world.layout[process] = Place {
            memory,
            flash,
            code: of("start")? & !1,
            used: of("_bss_end")?,
            functions: [of("upcall_0")? & !1, of("upcall_1")? & !1],
            step: step(memory.1 - memory.0),
            other: address(&applications[(process + 1) % PROCESSES], "_bss_end")?,
            flag: of("FLAG")?,
        };
        world.flash[process] = vec![0; (flash.1 - flash.0) as usize];
        machine.read_memory(flash.0, &mut world.flash[process])?;
    }
    Ok(world)
}
