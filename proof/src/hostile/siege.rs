//! The run: instruction by instruction, with a check of each process that goes on.

use std::fmt;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use quintet_lab::report::table::grouped;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::processor::system::mpu::Access;

use super::lateness::{Bounds, Lateness, Step};
use super::reach::Own;
use super::target::Target;
use super::watch::Watched;
use crate::random::Random;

/// The processes, by their places in the kernel's table.
const NAMES: [&str; 2] = ["steady", "hostile"];
const STEADY: usize = 0;
const HOSTILE: usize = 1;
/// The number of times that processes go on between two checks of all memory. Flash is checked more
/// rarely.
const GOES_FOR_ALL: u64 = 512;
const GOES_FOR_FLASH: u64 = 16_384;
/// Each so many cycles, everybody must have come round again: five milliseconds, and a hundred for
/// the process.
const CYCLES_OF_ROUND: u64 = 60_000;
const ROUNDS_OF_STEADY: u32 = 20;
/// The cycles before the siege begins.
const CYCLES_TO_BEGIN: u64 = 1_000_000;
/// The number of the kernel's counters: see `COUNTS` there.
const COUNTS: usize = 14;
/// Why the hostile process was stopped, in the order of the kernel's causes.
const CAUSES: [&str; 7] =
    ["access", "execution", "stack", "bus", "instruction", "call", "breakpoint"];
/// The priority of the kernel's interrupts. A less urgent BASEPRI holds off the switch alone.
const KERNEL: u8 = 0x20;
/// The instruction of a command, and the number of the alarm.
const COMMAND: u16 = 0xdf02;
const ALARM: u32 = 0;
/// CPACR: who may use floating-point registers.
const ACCESS: u32 = 0xe000_ed88;
/// Flash of the kernel and of the applications.
const FLASH: Range<u32> = 0..0x4_0000;

/// The kernel's addresses that the siege watches.
struct Addresses {
    running: u32,
    counts: u32,
    canary: Range<u32>,
    panicked: u32,
    message: u32,
}

/// A run.
pub struct Siege {
    machine: Machine,
    addresses: Addresses,
    watched: [Watched; 2],
    own: [Own; 2],
    /// The addresses of the processes.
    places: [u32; 2],
    /// The process that runs unprivileged now, and whether it can execute an instruction: a process
    /// that ends or starts again can't.
    now: Option<usize>,
    is_closed: bool,
    /// The unchanging parts: flash, and the kernel's canary.
    flash: Vec<u8>,
    canary: Vec<u8>,
    /// The memory of the steady process when it was left, and the place of its frame in there.
    kept: Option<(Vec<u8>, Range<usize>)>,
    /// The instructions of the hostile process, and the number of times that a process went on.
    hostile: u64,
    goes: u64,
    /// When everybody must have come round, and how far they were.
    next_round: u64,
    rounds: [u32; 3],
    late: u32,
    /// How long the process delays others.
    lateness: Lateness,
}

impl Siege {
    /// Lets the siege begin: the kernel runs, and the processes are loaded.
    pub fn begin(target: &Target, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        let mut machine = target.machine(&mut random)?;
        let watched = target.address("watched")?;
        let until = Until {
            max_cycles: Some(CYCLES_TO_BEGIN),
            addresses: vec![watched],
            ..Until::default()
        };
        let stop = machine.run(&until);
        ensure!(stop == Stop::Address(watched), "the kernel doesn't begin: {stop:?}");
        let seed = random.word() | 1;
        machine.write_memory(target.address("SEED")?, &seed.to_le_bytes())?;
        let places = target.address("PLACES")?;
        let place = |which: u32| -> Result<[u32; 5]> {
            let word = |at: u32| machine.read_word(places + 20 * which + 4 * at);
            let words: Option<Vec<_>> = (0..5).map(word).collect();
            Ok(words.context("no places")?.try_into().expect("five"))
        };
        let places = [place(0)?, place(1)?];
        let own = [0, 1].map(|which: usize| {
            let [_, begin, end, first, last] = places[which];
            // The hostile process may share its memory with the other one, which shares nothing.
            let shared =
                if which == STEADY { places[HOSTILE][1]..places[HOSTILE][2] } else { 0..0 };
            Own { memory: begin..end, flash: first..last, shared }
        });
        let canary = target.address("CANARY")?;
        let addresses = Addresses {
            running: target.running()?,
            counts: target.address("COUNTS")?,
            canary: canary..canary + 256,
            panicked: target.address("panicked")?,
            message: target.address("MESSAGE")?,
        };
        let [steady, hostile] = target.entries()?;
        let new = |entry, own: &Own| Watched::new(entry, own.memory.clone(), own.flash.clone());
        let mut flash = vec![0; FLASH.len()];
        machine.read_memory(FLASH.start, &mut flash)?;
        let mut it = Self {
            watched: [new(steady, &own[0]), new(hostile, &own[1])],
            places: places.map(|place| place[0]),
            own,
            canary: Vec::new(),
            flash,
            kept: None,
            now: None,
            is_closed: false,
            hostile: 0,
            goes: 0,
            next_round: machine.cycle() + CYCLES_OF_ROUND,
            rounds: [0; 3],
            late: 0,
            lateness: Lateness::new(Bounds::of(target.processor)),
            addresses,
            machine,
        };
        it.canary = it.ram(&it.addresses.canary).to_vec();
        Ok(it)
    }

    /// Returns the number of executed instructions.
    pub fn instructions(&self) -> u64 {
        self.machine.instructions()
    }

    /// Returns how often the hostile process started again.
    pub fn lives(&self) -> u64 {
        self.watched[HOSTILE].begun
    }

    /// Returns how often the hostile process was stopped, for each cause.
    pub fn faults(&self) -> [u32; 7] {
        core::array::from_fn(|cause| self.count(6 + cause))
    }

    /// Goes on until so many instructions were executed in all, or something is wrong.
    pub fn run(&mut self, instructions: u64) -> Result<()> {
        while self.machine.instructions() < instructions {
            if let Err(wrong) = self.step() {
                let at = grouped(self.instructions());
                bail!("instruction {at}, cycle {}: {wrong}", self.machine.cycle());
            }
        }
        Ok(())
    }

    /// One instruction, or one exception.
    fn step(&mut self) -> Result<(), String> {
        let before = self.now.map(|who| (who, self.machine.processor.registers.clone()));
        let floats = self.floats();
        let (cycle, exception) = (self.machine.cycle(), self.machine.processor.registers.ipsr);
        if let Some(stop) = self.machine.step_within(self.next_round) {
            return Err(format!("the machine stops: {stop:?}"));
        }
        let registers = &self.machine.processor.registers;
        let exception = if exception == 0 { registers.ipsr } else { exception };
        let is_masked = registers.primask || (1..=KERNEL).contains(&registers.basepri);
        let cycles = self.machine.cycle() - cycle;
        let pc = registers.r[15];
        let judged = || judged(&self.machine, self.addresses.counts);
        let mut said = self.lateness.note(Step { cycles, exception, is_masked }, judged);
        if registers.ipsr == 0 {
            said = said.and_then(|()| self.lateness.end(judged));
        }
        said.map_err(|wrong| format!("{wrong}, at {pc:#010x}"))?;
        let is_thread = registers.ipsr == 0;
        let runs = is_thread && registers.unprivileged_thread;
        match (before, runs) {
            (Some((who, before)), true) if self.is_closed => {
                if before.r[15] == registers.r[15] {
                    return Ok(());
                }
                return Err(format!("{} executes an instruction while it changes", NAMES[who]));
            }
            (Some((who, _)), true) => {
                self.hostile += u64::from(who == HOSTILE);
                self.check_rights()?;
            }
            (Some((who, _)), false) if is_thread => {
                return Err(format!("{} runs with the kernel's rights", NAMES[who]));
            }
            (Some(_), false) if self.is_closed => {
                (self.now, self.is_closed) = (None, false);
                self.lateness.begin(false, judged());
            }
            (Some((who, mut before)), false) => {
                let frame = registers.process_stack_pointer();
                // A branch to a place without execution rights, and the exception that interrupts
                // it, are one step.
                if self.own[who].memory.contains(&frame) {
                    let stored = self.machine.read_word(frame.wrapping_add(24));
                    before.r[15] = stored.unwrap_or(before.r[15]);
                }
                let half = self.machine.read_halfword(before.r[15].wrapping_sub(2) & !1);
                let is_command = half.is_some_and(|half| half == COMMAND);
                self.lateness.begin(is_command && before.r[0] == ALARM, judged());
                // The unit's rights change only when somebody else runs.
                self.watched[who].leave(&before, half, frame, floats);
                if who == STEADY {
                    self.keep(frame);
                }
                self.now = None;
            }
            (None, true) => self.go_on()?,
            (None, false) => {
                let pc = registers.r[15];
                let is_own = |own: &Own| own.flash.contains(&pc) || own.memory.contains(&pc);
                if self.own.iter().any(is_own) {
                    return Err(format!("the kernel executes a process's code, at {pc:#010x}"));
                }
            }
        }
        if self.machine.cycle() >= self.next_round { self.check_rounds() } else { Ok(()) }
    }

    /// A process goes on.
    fn go_on(&mut self) -> Result<(), String> {
        let running = self.machine.read_word(self.addresses.running).unwrap_or(0);
        let Some(who) = self.places.iter().position(|&place| place == running) else {
            return Err(format!("{running:#010x} runs unprivileged, and is no process"));
        };
        self.now = Some(who);
        self.goes += 1;
        self.check_rights()?;
        let pc = self.machine.pc();
        self.is_closed =
            self.machine.processor.system.mpu.check(pc, Access::Execute, false).is_none();
        if self.is_closed && self.own[who].flash.contains(&pc) {
            return Ok(());
        }
        self.is_closed = false;
        let name = NAMES[who];
        let floats = self.floats();
        let said = self.watched[who].go_on(&self.machine.processor.registers, floats);
        said.map_err(|wrong| format!("{name} {wrong}"))?;
        let unit = &mut self.machine.processor.system.mpu;
        if !unit.is_enabled() {
            return Err("the protection unit is off".into());
        }
        let is_all = self.goes.is_multiple_of(GOES_FOR_ALL);
        let own = &self.own[who];
        let reached = if is_all { own.check_all(unit) } else { own.check_ends(unit) };
        reached.map_err(|wrong| format!("{name}: {wrong}"))?;
        self.check_memory()?;
        if self.goes.is_multiple_of(GOES_FOR_FLASH) { self.check_flash() } else { Ok(()) }
    }

    /// Whether unprivileged code may use floating-point registers.
    fn floats(&self) -> bool {
        self.machine.read_word(ACCESS).is_some_and(|access| access >> 20 & 3 == 3)
    }

    /// How often the hostile process has gone on with floating-point registers of its own.
    pub fn floated(&self) -> u64 {
        self.watched[HOSTILE].floated
    }

    /// That a process that runs has no rights, and masks nothing.
    fn check_rights(&self) -> Result<(), String> {
        let registers = &self.machine.processor.registers;
        let masks = registers.primask || registers.faultmask || registers.basepri != 0;
        if masks || registers.control() & 3 != 3 {
            return Err(format!("a process runs with {registers:x?}"));
        }
        Ok(())
    }

    fn ram(&self, range: &Range<u32>) -> &[u8] {
        let bytes = self.machine.processor.bus.ram(range.start, range.end - range.start);
        bytes.expect("it is memory")
    }

    /// The steady process is left. Its memory must stay the same, but for its frame.
    fn keep(&mut self, frame: u32) {
        let memory = &self.own[STEADY].memory;
        let at = frame.saturating_sub(memory.start) as usize;
        self.kept = Some((self.ram(memory).to_vec(), at..at + 36));
    }

    /// Checks that the kernel's canary is unchanged, and so is the memory of the steady process
    /// while it does not run.
    fn check_memory(&self) -> Result<(), String> {
        if self.ram(&self.addresses.canary) != self.canary {
            return Err("the kernel's memory was written to".into());
        }
        let Some((kept, frame)) = &self.kept else { return Ok(()) };
        let memory = self.ram(&self.own[STEADY].memory);
        let (begin, end) = (frame.start.min(kept.len()), frame.end.min(kept.len()));
        if self.now == Some(HOSTILE)
            && (memory[..begin] != kept[..begin] || memory[end..] != kept[end..])
        {
            return Err("the memory of steady was written to while it did not run".into());
        }
        Ok(())
    }

    /// Checks that flash is unchanged.
    fn check_flash(&self) -> Result<(), String> {
        let mut flash = vec![0; FLASH.len()];
        let read = self.machine.read_memory(FLASH.start, &mut flash);
        if read.is_err() || flash != self.flash {
            return Err("flash was written to".into());
        }
        Ok(())
    }

    fn count(&self, which: usize) -> u32 {
        self.machine.read_word(self.addresses.counts + 4 * which as u32).unwrap_or(0)
    }

    /// Checks that all processes and threads have run, and none has panicked.
    fn check_rounds(&mut self) -> Result<(), String> {
        let pc = self.machine.pc();
        if pc.wrapping_sub(self.addresses.panicked) < 32 {
            let mut bytes = [0; 256];
            let _read = self.machine.read_memory(self.addresses.message, &mut bytes);
            let text = String::from_utf8_lossy(&bytes);
            return Err(format!("the kernel panics: {}", text.trim_end_matches('\0')));
        }
        let rounds = [0, 1, 2].map(|which| self.count(which));
        let [timer, thread, steady] = rounds;
        if timer < self.rounds[0] + 4 || thread < self.rounds[1] + 4 {
            return Err(format!(
                "deadlines are missed: {rounds:?} after {:?}, at {pc:#010x}",
                self.rounds
            ));
        }
        self.late = if steady == self.rounds[2] { self.late + 1 } else { 0 };
        if self.late >= ROUNDS_OF_STEADY {
            return Err("steady comes to nothing".into());
        }
        self.rounds = rounds;
        self.next_round += CYCLES_OF_ROUND;
        Ok(())
    }
}

/// Returns the number of faults that the kernel's policy has decided about.
fn judged(machine: &Machine, counts: u32) -> u32 {
    let count = |cause: u32| machine.read_word(counts + 4 * (6 + cause)).unwrap_or(0);
    (0..CAUSES.len() as u32).map(count).sum()
}

impl fmt::Display for Siege {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.machine.cycle() / 12_000;
        let [all, own, goes] = [self.instructions(), self.hostile, self.goes].map(grouped);
        writeln!(formatter, "{all} instructions in {milliseconds} simulated ms, {own} of hostile")?;
        let hostile = &self.watched[HOSTILE];
        let [begun, interrupted] = [hostile.begun, hostile.interrupted].map(grouped);
        writeln!(formatter, "{goes} times a process went on; hostile began anew {begun} times,")?;
        write!(formatter, "went on behind an interrupt {interrupted} times, and behind calls")?;
        for (class, calls) in hostile.calls.iter().enumerate().filter(|(_, calls)| **calls > 0) {
            write!(formatter, ", {class}: {}", grouped(*calls))?;
        }
        write!(formatter, "\nits faults")?;
        for (cause, count) in CAUSES.iter().zip(self.faults()) {
            write!(formatter, ", {cause}: {}", grouped(u64::from(count)))?;
        }
        debug_assert!(6 + CAUSES.len() < COUNTS);
        let [timer, thread, steady] = self.rounds.map(|rounds| grouped(u64::from(rounds)));
        let [by_timer, by_thread] = [3, 4].map(|which| self.count(which));
        write!(
            formatter,
            "\nrounds: timer {timer}, at most {by_timer} us late; thread {thread}, at most \
             {by_thread} us late; steady {steady}\n{}",
            self.lateness
        )
    }
}
