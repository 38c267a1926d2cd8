//! One run of an image with all observers at once, and what they and the file tell.

use super::super::options::MachineOptions;
use super::super::stack::{Depths, Stack};
use super::super::{deadlines, map, masks, size, threads};
use crate::bounds;
use crate::bounds::annotations::Annotations;
use crate::bounds::check::{compare, headline};
use crate::bounds::observe::{Observed, Seen};
use crate::bounds::{Analysis, Conditions};
use crate::chart::{Drawing, description};
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::crates::{self, CrateSize};
use crate::firmware::facts::{self, is_cooperative};
use crate::input;
use crate::masks::Masks;
use crate::profile::{self, Inlined, Profile};
use crate::simulated::{Simulated, family};
use crate::simulation::{Follow, Simulation, Sink};
use crate::threads::layout::Layout;
use crate::threads::watch::Watch;
use crate::trace::Recording;
use crate::trace::record::Recorder;
use crate::trace::store::Limits;
use crate::trace::summary;
use crate::trace::units::Application;
use anyhow::Context as _;
use quintet_sim::board::{Board, MemoryDescription};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use std::collections::BTreeMap;
use std::path::Path;

/// The heaviest symbols that are listed.
const SYMBOLS: usize = 25;

/// What is said where a core has no bounds, and no deadlines.
const NO_BOUNDS: &str = "bounds are not there yet for a RISC-V core; what a run shows is";
const NO_DEADLINES: &str = "deadlines are not there yet for a RISC-V core";

/// So many events are recorded; what comes behind them isn't in the costs of tracks.
const EVENTS_MAX: usize = 2_000_000;

/// The board.
pub(in super::super) struct About {
    /// Its name.
    pub name: String,
    /// The cycles of a second.
    pub clock_hz: u64,
    /// Its memories.
    pub memories: Vec<MemoryDescription>,
}

/// What is known of an image and its run.
pub(in super::super) struct Findings {
    /// The file's name.
    pub name: String,
    /// The board.
    pub board: About,
    /// How long it ran.
    pub cycles: u64,
    /// How many instructions it executed.
    pub instructions: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What is said of the end, as of its death.
    pub remarks: Vec<String>,
    /// What it printed, by channel.
    pub output: BTreeMap<String, String>,
    /// Behind how many bytes its output was cut.
    pub output_cut: Option<u64>,
    /// What sections and symbols take.
    pub sizes: size::Report,
    /// What crates take.
    pub crates: Vec<CrateSize>,
    /// The priority line; none where no application of Quintet's is.
    pub map: Option<map::Report>,
    /// The stacks.
    pub stacks: Vec<Stack>,
    /// The threads; none where no threads of Quintet's are.
    pub threads: Option<threads::Report>,
    /// The masks, the longest first.
    pub masks: Vec<masks::Row>,
    /// The cycles in which interrupts were held off.
    pub masked_cycles: u64,
    /// What ran when.
    pub recording: Recording,
    /// The same, summed up by tracks.
    pub costs: Vec<summary::Row>,
    /// Where the cycles went.
    pub profile: Profile,
    /// The state machines.
    pub charts: Vec<Drawing>,
    /// The most that handlers can take, or why that is not known.
    pub bounds: Result<Bounds, String>,
    /// Whether deadlines are met, or why that is not known.
    pub deadlines: Result<crate::deadlines::report::Report, String>,
}

/// The bounds of handlers.
pub(in super::super) struct Bounds {
    /// Of each handler.
    pub rows: Vec<bounds::report::Row>,
    /// What the run has shown of functions, by their first instructions.
    pub seen: BTreeMap<u32, Seen>,
    /// Of the main stack.
    pub main_stack: Option<u32>,
    /// The bound of a function that the run was above, in a sentence.
    pub broken: Option<String>,
}

impl Findings {
    /// The bounds that the run contradicts, in sentences.
    pub fn broken(&self) -> impl Iterator<Item = String> {
        let of_functions = self.bounds.iter().filter_map(|bounds| bounds.broken.clone());
        let of_tasks = self.deadlines.iter().filter_map(crate::deadlines::report::Report::headline);
        of_functions.chain(of_tasks)
    }
}

/// Runs the image, and looks at the file.
pub(in super::super) fn gather(elf: &Path, options: &MachineOptions) -> anyhow::Result<Findings> {
    match family(options, elf)? {
        Family::CortexM => gather_on::<Machine>(elf, options),
        Family::RiscV => gather_on::<RiscV>(elf, options),
    }
}

fn gather_on<M: Simulated>(elf: &Path, options: &MachineOptions) -> anyhow::Result<Findings> {
    let firmware = M::open(options, elf)?;
    let bytes = input::firmware(elf)?;
    // Only ELF files have facts.
    let facts = facts::read(&bytes).ok().flatten();
    let application = Application::find(&firmware, facts.as_deref(), &[]).with_instances();
    let map = if facts.is_some() { map::report(&firmware, elf, &bytes)? } else { None };
    let charts = match facts::charts(&bytes) {
        Ok(lines) => description::read(&lines)?,
        Err(_) => Vec::new(),
    };
    let watch = match Layout::find(&firmware.image) {
        Some(layout) => Some(Watch::new(layout, is_cooperative(elf)?)),
        None => None,
    };

    let mut simulation = Simulation::<M>::new(&firmware, options, Sink::Keep(BTreeMap::new()))?;
    let replay = simulation.machine.clone();
    let annotations = Annotations::default();
    let analysis = (replay.cortex_m().context(NO_BOUNDS))
        .and_then(|machine| analysis(&firmware, machine.board(), &annotations, machine));
    let activations = analysis.as_ref().ok().zip(simulation.machine.cortex_m());
    let activations =
        activations.map(|(analysis, machine)| bounds::observe::Recorder::new(analysis, machine));
    let mut observers =
        Observers::new(&firmware, &application, (watch, activations), &mut simulation.machine);
    let end = simulation.advance_following(&mut observers)?;
    let machine = &simulation.machine;
    let recording = observers.finish(machine);
    let Observers { profile, found, threads, depths, activations, .. } = observers;
    let observed = activations
        .zip(machine.cortex_m())
        .map_or_else(Default::default, |(one, machine)| one.into_observed(machine));
    let bounds = analysis.map(|analysis| bounds_of(&firmware, &analysis, observed));
    let (outcome, mut said) = match &end {
        Some(end) => M::ending(&simulation, end),
        None => (Outcome::Done, Vec::new()),
    };
    said.extend(machine.untimed());
    let (name, clock_hz) = (machine.board_name(), machine.clock_hz());
    let memories = machine.parts().memories.to_vec();
    let threads = threads.map(|watch| threads::Report::of(&firmware, &watch, machine, &name));
    Ok(Findings {
        name: elf.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        board: About { name, clock_hz, memories },
        cycles: machine.cycle(),
        instructions: machine.instructions(),
        outcome,
        remarks: simulation.log.remarks.iter().cloned().chain(said).collect(),
        output_cut: simulation.log.cut(),
        sizes: size::report(&firmware, SYMBOLS),
        crates: crates::sizes(&firmware),
        map,
        stacks: depths.into_stacks(&firmware, &replay, machine),
        threads,
        masks: found.rows(),
        masked_cycles: found.cycles,
        costs: summary::rows(&recording),
        recording,
        profile: profile.profile::<M>(&firmware, Inlined::Own),
        charts,
        bounds: bounds.map_err(|error| format!("{error:#}")),
        deadlines: match M::FAMILY {
            Family::CortexM => judged(&firmware, elf, options),
            Family::RiscV => Err(NO_DEADLINES.to_owned()),
        },
        output: simulation.sink.into_texts(),
    })
}

fn analysis<'a>(
    firmware: &'a Firmware,
    board: &'a Board,
    annotations: &'a Annotations,
    machine: &Machine,
) -> anyhow::Result<Analysis<'a>> {
    let conditions = Conditions {
        board,
        vector_table: machine.vector_table(),
        annotations,
        observed: None,
        wait_states: None,
        breakpoints_are_free: false,
        cuts_at_masks: false,
    };
    Analysis::new(firmware, conditions)
}

fn bounds_of(firmware: &Firmware, analysis: &Analysis<'_>, observed: Observed) -> Bounds {
    let broken = headline(&compare(firmware, analysis, &observed));
    let entries = analysis.handlers().iter().map(|handler| handler.entry).collect();
    let rows = bounds::report::rows(firmware, analysis, &entries);
    Bounds { rows, seen: observed.functions, main_stack: analysis.main_stack(), broken }
}

/// What `quintet deadlines` says, by attributes alone.
fn judged(
    firmware: &Firmware,
    elf: &Path,
    options: &MachineOptions,
) -> Result<crate::deadlines::report::Report, String> {
    let annotations = Annotations::default();
    let question = deadlines::Question {
        elf,
        firmware,
        options,
        file: None,
        from: None,
        annotations: &annotations,
        wait_states: None,
    };
    let in_words = |error: anyhow::Error| format!("{error:#}");
    let judged = question.judge(Sink::Keep(BTreeMap::new())).map_err(in_words)?;
    // It runs the firmware once more, and jobs of a part say nothing about deadlines.
    ctrl_c::note().map_or(Ok(judged.report), |note| Err(note.to_owned()))
}

/// All that look at a run, step by step.
struct Observers<'a> {
    /// Where the step begins.
    from: u32,
    recorder: Recorder<'a>,
    /// What the recorder has noted, once it is full.
    recording: Option<Recording>,
    profile: profile::Recorder,
    masks: Masks,
    found: masks::Found<'a>,
    threads: Option<Watch>,
    depths: Depths<'a>,
    activations: Option<bounds::observe::Recorder>,
}

impl<'a> Observers<'a> {
    fn new<M: Simulated>(
        firmware: &'a Firmware,
        application: &'a Application,
        (threads, activations): (Option<Watch>, Option<bounds::observe::Recorder>),
        machine: &mut M,
    ) -> Self {
        let limits = Limits { from: 0, last: None, events: EVENTS_MAX };
        Self {
            from: machine.pc(),
            recorder: Recorder::new(firmware, application, limits, machine),
            recording: None,
            profile: profile::Recorder::new(firmware),
            masks: Masks::default(),
            found: masks::Found::new(firmware),
            threads,
            activations,
            depths: Depths::new(firmware, machine),
        }
    }

    /// What was recorded, at the end of the run.
    fn finish<M: Simulated>(&mut self, machine: &M) -> Recording {
        if let Some(watch) = &mut self.threads {
            watch.finish(machine);
        }
        self.recording.take().unwrap_or_else(|| self.recorder.finish(machine))
    }
}

impl<M: Simulated> Follow<M> for Observers<'_> {
    fn step(&mut self, machine: &mut M, is_hit: bool) -> bool {
        let from = std::mem::replace(&mut self.from, machine.pc());
        if self.recording.is_none() && !self.recorder.step(machine, is_hit) {
            self.recording = Some(self.recorder.finish(machine));
            machine.observe(false);
        }
        self.profile.look(machine, from, true);
        if let Some(mask) = machine.mask(&mut self.masks, from) {
            self.found.add(mask);
        }
        if let Some(watch) = &mut self.threads {
            watch.look(machine);
        }
        if let (Some(activations), Some(machine)) = (&mut self.activations, machine.cortex_m()) {
            activations.look(machine, from);
        }
        self.depths.sample(machine, from);
        true
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        if self.recording.is_none() {
            Follow::<M>::printed(&mut self.recorder, cycle, channel, bytes);
        }
    }
}
