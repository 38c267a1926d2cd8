//! `quintet stack`: how deep each stack gets, where that is, and how much is left.

mod regions;
mod riscv;

use super::options::MachineOptions;
use crate::debug::backtrace::{CoreState, Frame, backtrace};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::output;
use crate::report::table::{self, Table, grouped, table};
use crate::report::trace::backtrace_text;
use crate::simulated::{Simulated, family};
use crate::simulation::{Simulation, Sink};
use crate::threads::layout::Layout;
use quintet_sim::cores::Family;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Until};
use quintet_sim::riscv::machine::Machine as RiscV;
use regions::{Kind, Region};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An exception's entry and a few instructions at most lie between the count of instructions at the
/// deepest point and that point itself.
const STEPS_MAX: u32 = 64;

const EXAMPLES: &str = "\
Examples:
  quintet stack app                          until it ends, or for 1 000 000 000 cycles
  quintet stack app --max-cycles 10_000_000
  quintet stack app --json | jq '.stacks[0].used'

The main stack runs from the initial stack pointer down to the end of the
variables, which the linker's symbols tell (_stack_end, __StackLimit, __sheap,
end, _ebss and the like). The stack of a thread is the variable that the process
stack pointer points into; a guard at its end is not available. A process sets
the place of its stack itself, somewhere in its memory. What a kernel's handler
stores below the pointer counts. What is measured is this run: code that
did not run may go deeper. What the firmware prints goes to standard error.";

/// Show how deep the stacks get, and where
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    cycles: u64,
    instructions: u64,
    stacks: Vec<Stack>,
}

/// A stack, and its deepest use.
#[derive(Serialize)]
pub(super) struct Stack {
    kind: Kind,
    /// The variable that contains the stack; the main stack usually has none.
    symbol: Option<String>,
    pub(super) top: u32,
    /// The end of the stack; null if it isn't known.
    pub(super) bottom: Option<u32>,
    pub(super) lowest: u32,
    pub(super) used: u32,
    available: Option<u32>,
    pub(super) overflow: bool,
    /// The cycle of the deepest use.
    pub(super) cycle: u64,
    pub(super) backtrace: Vec<Frame>,
}

impl Arguments {
    /// Runs the firmware and shows its stacks.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.run_on::<Machine>(),
            Family::RiscV => self.run_on::<RiscV>(),
        }
    }

    fn run_on<M: Simulated>(&self) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let mut simulation = Simulation::<M>::new(&firmware, &self.machine, Sink::Divert)?;
        let replay = simulation.machine.clone();
        let mut depths = Depths::new(&firmware, &simulation.machine);
        let end = simulation.advance_stepwise(|machine, from| depths.sample(machine, from))?;
        let stacks = depths.into_stacks(&firmware, &replay, &simulation.machine);
        self.show(&firmware, &simulation.machine, stacks)?;
        Ok(if simulation.tell_death(&end) { Outcome::Died } else { Outcome::Done })
    }
}

/// Watches the stack pointers of either core.
pub(super) enum Depths<'a> {
    CortexM(regions::Depths<'a>),
    RiscV(riscv::Depths<'a>),
}

impl<'a> Depths<'a> {
    /// From reset.
    pub(super) fn new<M: Simulated>(firmware: &'a Firmware, machine: &M) -> Self {
        match machine.cortex_m() {
            Some(machine) => Self::CortexM(regions::Depths::new(firmware, machine)),
            None => Self::RiscV(riscv::Depths::new(firmware)),
        }
    }

    /// Looks after the step at `from`.
    pub(super) fn sample<M: Simulated>(&mut self, machine: &M, from: u32) {
        match (self, machine.cortex_m(), machine.riscv()) {
            (Self::CortexM(depths), Some(machine), _) => depths.sample(machine),
            (Self::RiscV(depths), _, Some(machine)) => depths.sample(machine, from),
            _ => {}
        }
    }

    /// The stacks, each with what ran when it was deepest. `replay` is the machine before its first
    /// step, and `ended` the one at the end.
    pub(super) fn into_stacks<M: Simulated>(
        self,
        firmware: &Firmware,
        replay: &M,
        ended: &M,
    ) -> Vec<Stack> {
        match (self, replay.cortex_m(), replay.riscv(), ended.cortex_m()) {
            (Self::CortexM(depths), Some(replay), _, Some(ended)) => {
                let guards = guards(&firmware.image, ended);
                stacks(firmware, &mut replay.clone(), depths.into_regions(), &guards)
            }
            (Self::RiscV(depths), _, Some(replay), _) => {
                depths.into_stacks(firmware, replay.clone())
            }
            _ => Vec::new(),
        }
    }
}

impl Arguments {
    fn show<M: Simulated>(
        &self,
        firmware: &Firmware,
        machine: &M,
        stacks: Vec<Stack>,
    ) -> anyhow::Result<()> {
        let report = Report {
            file: firmware.path.display().to_string(),
            board: machine.board_name(),
            cycles: machine.cycle(),
            instructions: machine.instructions(),
            stacks,
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        Ok(())
    }
}

/// Returns the lowest addresses of the stacks of threads, each with the bytes of its guard.
fn guards(image: &Image, machine: &Machine) -> BTreeMap<u32, u32> {
    let Some(layout) = Layout::find(image) else { return BTreeMap::new() };
    let threads = layout.all(image, machine);
    threads.map(|(_, about)| (about.stack, layout.guard(machine, &about))).collect()
}

/// Runs once more, to look around where each stack was deepest.
fn stacks(
    firmware: &Firmware,
    replay: &mut Machine,
    mut regions: Vec<Region>,
    guards: &BTreeMap<u32, u32>,
) -> Vec<Stack> {
    regions.sort_by_key(|region| region.instructions);
    let mut stacks: Vec<Stack> = regions
        .into_iter()
        .map(|region| {
            go_to(replay, &region);
            let read = |address: u32| replay.read_word(address);
            let top = (region.kind == Kind::Process).then_some(region.top);
            let registers = &replay.processor.registers;
            let interrupted = region.stored.then(|| CoreState::interrupted(registers, &read));
            let now = interrupted.flatten().unwrap_or_else(|| CoreState::of(registers));
            let frames = backtrace(firmware, &CoreState { process_top: top, ..now }, &read);
            // Nobody may touch a guard.
            let bottom = region.bottom.map(|bottom| bottom + guards.get(&bottom).unwrap_or(&0));
            let available = bottom.map(|bottom| region.top.saturating_sub(bottom));
            Stack {
                kind: region.kind,
                top: region.top,
                bottom,
                lowest: region.lowest,
                used: region.top.saturating_sub(region.lowest),
                available,
                overflow: bottom.is_some_and(|bottom| region.lowest < bottom),
                symbol: region.symbol,
                cycle: region.cycle,
                backtrace: frames,
            }
        })
        .collect();
    stacks.sort_by_key(|stack| (stack.kind, stack.top));
    stacks
}

/// Runs to the instruction at which the region was deepest.
fn go_to(machine: &mut Machine, region: &Region) {
    let until = Until { max_instructions: Some(region.instructions), ..Until::default() };
    if machine.instructions() < region.instructions {
        machine.run(&until);
    }
    if region.stored {
        return;
    }
    for _ in 0..STEPS_MAX {
        let state = CoreState::of(&machine.processor.registers);
        let pointer = match region.kind {
            Kind::Main => state.main_stack,
            Kind::Process => state.process_stack,
        };
        if pointer == region.lowest || machine.step().is_some() {
            break;
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let mut text = table::text(&stack_table(&self.stacks));
        for stack in &self.stacks {
            text.push_str(&format!(
                "\nThe {} was deepest at cycle {}:\n{}",
                stack.name(),
                grouped(stack.cycle),
                backtrace_text(&stack.backtrace)
            ));
        }
        text.push_str(&format!(
            "\nIn {} cycles, {} instructions.\n",
            grouped(self.cycles),
            grouped(self.instructions)
        ));
        text
    }
}

/// The stacks.
pub(super) fn stack_table(stacks: &[Stack]) -> Table {
    let mut rows = table(&["stack", ">top", ">deepest", ">bytes used", ">available", ">left"]);
    for stack in stacks {
        let available = stack.available.map(u64::from);
        let left = available.map(|all| match all.checked_sub(u64::from(stack.used)) {
            Some(left) => grouped(left),
            None => "OVERFLOW".into(),
        });
        rows.add_row([
            stack.name(),
            format!("{:#010x}", stack.top),
            format!("{:#010x}", stack.lowest),
            grouped(u64::from(stack.used)),
            available.map_or("?".into(), grouped),
            left.unwrap_or("?".into()),
        ]);
    }
    rows
}

impl Stack {
    /// Returns the stack's name in words.
    pub(super) fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Main => "main stack",
            Kind::Process => "stack of",
        };
        match (&self.symbol, self.kind) {
            (Some(symbol), _) => format!("{kind} {symbol}"),
            (None, Kind::Main) => kind.into(),
            (None, Kind::Process) => "stack without a name".into(),
        }
    }
}
