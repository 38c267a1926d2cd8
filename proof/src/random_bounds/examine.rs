//! Runs the functions of a built program, and compares each activation with its bounds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_lab::bounds::annotations::Annotations;
use quintet_lab::bounds::check::{Compared, compare};
use quintet_lab::bounds::observe::Recorder;
use quintet_lab::bounds::{Analysis, Cause, Conditions};
use quintet_lab::firmware::Firmware;
use quintet_sim::board::Board;
use quintet_sim::machine::Machine;
use quintet_sim::snapshot::Snapshot;

use super::input::Input;
use crate::random::Random;

/// A run that takes longer is cut: some loops of data never end.
const CYCLES_MAX: u64 = 60_000;
/// The exception of the first interrupt.
pub const FIRST_INTERRUPT: u16 = 16;

/// A bound that was broken.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The function, or what was interrupted: where it begins.
    pub entry: u32,
    /// In words.
    pub what: String,
    /// The input of the run.
    pub input: Input,
    /// The function that was called, by its number.
    pub called: usize,
    /// When interrupts came.
    pub arrivals: Vec<Arrival>,
}

/// An interrupt that comes so many steps behind the beginning of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    pub step: u32,
    pub interrupt: u16,
}

/// What a program's runs have shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    pub runs: u64,
    pub cut: u64,
    pub activations: u64,
    pub interrupted: u64,
}

impl std::ops::AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.cut += other.cut;
        self.activations += other.activations;
        self.interrupted += other.interrupted;
    }
}

/// A built program.
pub struct Examined {
    pub firmware: Firmware,
    pub board: Board,
}

/// A program that is ready to run.
pub struct Ready<'a> {
    pub examined: &'a Examined,
    pub analysis: Analysis<'a>,
    pub machine: Machine,
    /// Before the first instruction.
    pub reset: Snapshot,
    /// Before the first input.
    start: Snapshot,
    pub places: Places,
    /// The handlers' bounds with what surrounds a handler, by their interrupts.
    pub handlers: BTreeMap<u16, u64>,
}

/// Addresses of symbols.
#[derive(Clone, Copy)]
pub struct Places {
    data: u32,
    state: u32,
    input: u32,
    pub next: u32,
    pub fault: u32,
}

impl Places {
    /// Writes an input for the function of a number.
    pub fn write(&self, machine: &mut Machine, number: usize, input: &Input) -> Result<()> {
        let [p, q] = input.offsets.map(|offset| self.data + offset);
        let words = [number as u32, input.numbers[0], input.numbers[1], p, q];
        let bytes = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        machine.write_memory(self.input, &bytes(&words))?;
        machine.write_memory(self.input + 20, &bytes(&input.interrupts))?;
        machine.write_memory(self.state, &bytes(&input.state))?;
        machine.write_memory(self.data, &input.data)?;
        Ok(())
    }
}

impl Examined {
    /// Opens a program.
    pub fn open(image: &Path, board: &str) -> Result<Self> {
        Ok(Self { firmware: Firmware::open(image, None)?, board: Board::named(board)? })
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &str) -> Result<u32> {
        let found = self.firmware.image.symbols.iter().find(|symbol| symbol.name == name);
        let found = found.with_context(|| format!("the program has no symbol {name}"))?;
        Ok(found.address & !1)
    }

    /// Analyses the program, and runs its start-up code.
    pub fn ready<'a>(&'a self, annotations: &'a Annotations) -> Result<Ready<'a>> {
        let mut machine = Machine::new(&self.board);
        machine.load(&self.firmware.image)?;
        machine.reset();
        let conditions = Conditions {
            board: &self.board,
            vector_table: machine.vector_table(),
            annotations,
            observed: None,
            wait_states: None,
            breakpoints_are_free: true,
            cuts_at_masks: false,
        };
        let analysis = Analysis::new(&self.firmware, conditions)?;
        let places = Places {
            data: self.symbol("DATA")?,
            state: self.symbol("STATE")?,
            input: self.symbol("INPUT")?,
            next: self.symbol("next_input")?,
            fault: self.symbol("fault")?,
        };
        let reset = machine.snapshot();
        while machine.pc() != places.next {
            machine.step();
            ensure!(machine.cycle() < CYCLES_MAX, "the start-up code does not end");
        }
        let start = machine.snapshot();
        let around = analysis.interruption().around();
        let bounds = analysis.bounds();
        let handlers = analysis.handlers().iter().filter_map(|one| {
            let interrupt = one.exception.checked_sub(FIRST_INTERRUPT)?;
            let bound = bounds.get(&one.entry).filter(|bound| bound.waits.is_empty())?;
            Some((interrupt, bound.cycles? + around))
        });
        let handlers = handlers.collect();
        Ok(Ready { examined: self, analysis, machine, reset, start, places, handlers })
    }
}

impl Ready<'_> {
    /// Why a function has no bound of its cycles, in a word; `None` if it has one.
    pub fn open(&self, name: &str) -> Option<String> {
        let entry = self.examined.symbol(name).ok();
        let bound = entry.and_then(|entry| self.analysis.bounds().get(&entry));
        match bound {
            Some(bound) if bound.cycles.is_some() => None,
            Some(bound) => Some(match bound.open_cycles.first().map(|open| open.cause) {
                Some(Cause::Obstacle(obstacle)) => format!("{obstacle:?}"),
                Some(cause) => format!("{cause:?}"),
                None => "never returns".to_owned(),
            }),
            None => Some("no function".to_owned()),
        }
    }

    /// Runs a function with each of the inputs. The first bound that is broken ends it.
    pub fn run(
        &mut self,
        (number, name): (usize, &str),
        inputs: &[Input],
        amount: &mut Amount,
    ) -> Result<Option<Broken>> {
        let mut recorder = None;
        for (index, input) in inputs.iter().enumerate() {
            self.begin(number, input)?;
            let one = recorder.get_or_insert_with(|| Recorder::new(&self.analysis, &self.machine));
            amount.runs += 1;
            if follow(&mut self.machine, one, &self.places) {
                continue;
            }
            amount.cut += 1;
            // What has not returned would be taken for a caller.
            let broken = recorder.take().and_then(|one| self.compare(one, amount));
            if let Some(broken) = broken {
                return self.culprit((number, name), &inputs[..=index], broken).map(Some);
            }
        }
        let broken = recorder.take().and_then(|one| self.compare(one, amount));
        broken.map(|broken| self.culprit((number, name), inputs, broken)).transpose()
    }

    /// The first bound below what a recorder has seen.
    fn compare(&self, recorder: Recorder, amount: &mut Amount) -> Option<Compared> {
        let observed = recorder.into_observed(&self.machine);
        let all = compare(&self.examined.firmware, &self.analysis, &observed);
        amount.activations += all.iter().map(|one| one.times).sum::<u64>();
        all.into_iter().find(Compared::is_broken)
    }

    /// The input that broke a bound.
    fn culprit(
        &mut self,
        (called, _): (usize, &str),
        inputs: &[Input],
        broken: Compared,
    ) -> Result<Broken> {
        let mut found = (broken, inputs.last().cloned().context("no input")?);
        for input in inputs {
            self.begin(called, input)?;
            let mut recorder = Recorder::new(&self.analysis, &self.machine);
            follow(&mut self.machine, &mut recorder, &self.places);
            if let Some(broken) = self.compare(recorder, &mut Amount::default()) {
                found = (broken, input.clone());
                break;
            }
        }
        let (broken, input) = found;
        let Compared { function, entry, cycles, observed_cycles, stack, observed_stack, .. } =
            broken;
        let number = |bound: Option<u64>| bound.map_or("none".into(), |one| one.to_string());
        let what = format!(
            "{function} took {observed_cycles} cycles and {observed_stack} bytes of stack; its \
             bounds are {} and {}",
            number(cycles),
            number(stack.map(u64::from))
        );
        Ok(Broken { entry, what, input, called, arrivals: Vec::new() })
    }

    /// Goes back to the start, and writes an input.
    fn begin(&mut self, number: usize, input: &Input) -> Result<()> {
        self.machine.restore(&self.start);
        self.places.write(&mut self.machine, number, input)
    }
    /// Runs a function while interrupts come. It may take no longer than its bound, and what each
    /// of them adds; nor may anything that nothing interrupts.
    pub fn interrupt(
        &mut self,
        (number, name): (usize, &str),
        input: &Input,
        arrivals: &[Arrival],
        amount: &mut Amount,
    ) -> Result<Option<Broken>> {
        let entry = self.examined.symbol(name)?;
        let bound = self.analysis.bounds().get(&entry).filter(|bound| bound.waits.is_empty());
        let bound = bound.and_then(|bound| bound.cycles);
        let added: Option<u64> =
            arrivals.iter().map(|one| self.handlers.get(&one.interrupt).copied()).sum();
        self.begin(number, input)?;
        let mut recorder = Recorder::new(&self.analysis, &self.machine);
        amount.interrupted += 1;
        let taken = self.taken(entry, arrivals, &mut recorder);
        let broken = |entry, what| Broken {
            entry,
            what,
            input: input.clone(),
            called: number,
            arrivals: arrivals.to_vec(),
        };
        let most = bound.zip(added).map(|(bound, added)| bound + added);
        if let (Some(taken), Some(most)) = (taken, most)
            && taken > most
        {
            let what = format!(
                "{name} took {taken} cycles with {} interrupts; its bound, and what they add, is \
                 {most}",
                arrivals.len()
            );
            return Ok(Some(broken(entry, what)));
        }
        let found = self.compare(recorder, amount);
        Ok(found.map(|one| {
            let what = format!(
                "{} took {} cycles and {} bytes; its bounds are {:?} and {:?}",
                one.function, one.observed_cycles, one.observed_stack, one.cycles, one.stack
            );
            broken(one.entry, what)
        }))
    }

    /// The cycles of the function from its first instruction to the one behind its call.
    fn taken(&mut self, entry: u32, arrivals: &[Arrival], recorder: &mut Recorder) -> Option<u64> {
        let machine = &mut self.machine;
        let end = machine.cycle() + CYCLES_MAX;
        let (mut began, mut step) = (None, 0);
        while machine.cycle() < end {
            let from = machine.pc();
            let thread = machine.processor.registers.ipsr == 0;
            if thread && from == entry && began.is_none() {
                began = Some((machine.cycle(), machine.processor.registers.r[14] & !1));
            }
            if let Some((start, back)) = began {
                if thread && from == back {
                    return Some(machine.cycle() - start);
                }
                let now = arrivals.iter().filter(|one| one.step == step);
                now.for_each(|one| machine.pend(FIRST_INTERRUPT + one.interrupt));
                step += 1;
            }
            let stop = machine.step();
            recorder.look(machine, from);
            if stop.is_some() || machine.pc() == self.places.fault {
                return None;
            }
        }
        None
    }
}

/// Runs to the next input. `false` if the run was cut.
fn follow(machine: &mut Machine, recorder: &mut Recorder, places: &Places) -> bool {
    let end = machine.cycle() + CYCLES_MAX;
    while machine.cycle() < end {
        let from = machine.pc();
        let stop = machine.step();
        recorder.look(machine, from);
        let to = machine.pc();
        if stop.is_some() || to == places.fault {
            return false;
        }
        if to == places.next && machine.processor.registers.ipsr == 0 {
            return true;
        }
    }
    false
}

/// Random interrupts, often near to each other.
pub fn arrivals(random: &mut Random, steps: u32) -> Vec<Arrival> {
    let mut step = 0;
    let count = 1 + random.below(3);
    let one = |_| {
        step += if random.one_in(2) { random.below(6) } else { random.below(steps) };
        Arrival { step, interrupt: random.below(super::program::HANDLERS as u32) as u16 }
    };
    (0..count).map(one).collect()
}
