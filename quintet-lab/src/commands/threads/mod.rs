//! `quintet threads`: the cost of each thread of firmware: time, stack, switches.

mod freertos;

use super::options::{MachineOptions, parse_count};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::facts::is_cooperative;
use crate::main_stack::{self, Overflow};
use crate::output;
use crate::report::table::{self, Table, grouped, share, table};
use crate::report::thread::overflow_advice;
use crate::simulated::{Simulated, family};
use crate::simulation::{Advance, Simulation, Sink};
use crate::threads::layout::{About, Layout, State};
use crate::threads::tasks::Tasks;
use crate::threads::waits::{self, Names};
use crate::threads::watch::{Thread, Watch};
use anyhow::{Context, ensure};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quintet threads app                       until it ends, or for 1 000 000 000 cycles
  quintet threads app --seconds 2.5         so long, by the board's clock
  quintet threads app --cycles 8_000_000
  quintet threads app --json | jq '.threads[0].high_water'

The firmware needs no code for it. All its threads are shown, also those that
nobody has started. A switch is voluntary if the thread waits, yields or ends; it
is preempted if a more urgent thread takes over, or an interrupt makes it. What a
waiting thread waits for is named by the variable that it is part of, and with a
mutex the thread that has it. Left is what a stack has that was not used, without
the 32 bytes of its guard, if it has one. The share is that of all cycles; idle
sleeps in its share. Tasks of FreeRTOS are shown too, and threads of Zephyr, RIOT, NuttX
and ChibiOS, if the file has debug information: what they wait for, their share and how
often they left the processor. What the firmware prints goes to standard error.";

/// Show each thread's state, stack, share of the processor and switches
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware's ELF file
    elf: PathBuf,
    /// Run for N cycles; the same as --max-cycles, so 0 is no limit
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with = "seconds")]
    cycles: Option<u64>,
    /// Run for so many seconds by the board's clock
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The threads of a run.
#[derive(Serialize)]
pub(super) struct Report {
    file: String,
    board: String,
    cycles: u64,
    instructions: u64,
    threads: Vec<Row>,
    /// Cycles in the handlers of the switch, PendSV and SVCall.
    switching_cycles: u64,
    /// Cycles in all other handlers.
    interrupt_cycles: u64,
    /// Cycles before there were threads.
    startup_cycles: u64,
    /// The variables that the main stack overwrote; null if the stack has stayed above its end.
    main_stack: Option<Overflow>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    /// The priority without inheritance; 0 for idle.
    priority: u8,
    /// The priority with inheritance.
    priority_now: u8,
    state: State,
    /// The object for which the thread waits.
    waits_for: Option<String>,
    /// The owner of the mutex for which the thread waits.
    owner: Option<String>,
    /// The size of the stack. Null for idle, which has the main stack (see `quintet stack`).
    stack: Option<u32>,
    /// The part of the stack that nobody may touch; 0 without a guard.
    guard: Option<u32>,
    high_water: Option<u32>,
    /// `true` if the thread has used more than the stack without the guard.
    overflow: bool,
    cycles: u64,
    share_percent: f64,
    switches: u64,
    voluntary: u64,
    preempted: u64,
}

impl Arguments {
    /// Runs the firmware and shows its threads.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.run_on::<Machine>(),
            Family::RiscV => self.run_on::<RiscV>(),
        }
    }

    fn run_on<M: Simulated>(&self) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let options = self.options::<M>(&firmware)?;
        let Some(layout) = Layout::find(&firmware.image) else {
            let name = firmware.path.display();
            let kernel = Tasks::find(&firmware).with_context(|| {
                format!(
                    "{name} has no threads of Quintet, no tasks of FreeRTOS, no threads of Zephyr, \
                     RIOT, NuttX or ChibiOS, or no symbols: threads are `#[thread]` in an \
                     application or `quintet::thread!`, and `strip` in a profile removes symbols. \
                     Threads of other kernels are not known"
                )
            })?;
            let kernel = kernel.with_context(|| format!("no threads of {name}"))?;
            return self.run_tasks::<M>(&firmware, &options, kernel);
        };
        let mut simulation = Simulation::<M>::new(&firmware, &options, Sink::Divert)?;
        let mut watch = Watch::new(layout, is_cooperative(&self.elf)?);
        let end = simulation.advance_stepwise(|machine, _| watch.look(machine))?;
        let machine = &simulation.machine;
        watch.finish(machine);
        let report = Report::of(&firmware, &watch, machine, &machine.board_name());
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        if simulation.tell_death(&end) {
            return Ok(Outcome::Died);
        }
        let has_failed = matches!(end, Advance::Exit(code) if code != 0);
        if has_failed && report.main_stack.is_none() {
            let advice = machine.cortex_m();
            let advice = advice.and_then(|machine| overflow_advice(&firmware.image, machine));
            advice.iter().for_each(|advice| output::complain(advice));
        }
        Ok(main_stack::verdict(report.main_stack.as_ref(), Outcome::Done))
    }

    /// Runs firmware with another kernel, and shows its tasks.
    fn run_tasks<M: Simulated>(
        &self,
        firmware: &Firmware,
        options: &MachineOptions,
        kernel: Tasks,
    ) -> anyhow::Result<Outcome> {
        let mut simulation = Simulation::<M>::new(firmware, options, Sink::Divert)?;
        let mut watch = freertos::Watch::new(firmware, kernel);
        let end = simulation.advance_stepwise(|machine, _| watch.look(machine))?;
        let report = watch.report(&simulation.machine, &simulation.machine.board_name());
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        let main_stack = simulation.machine.overflow(firmware);
        if simulation.tell_death(&end) {
            return Ok(Outcome::Died);
        }
        Ok(main_stack::verdict(main_stack.as_ref(), Outcome::Done))
    }

    /// The options with the length of the run.
    fn options<M: Simulated>(&self, firmware: &Firmware) -> anyhow::Result<MachineOptions> {
        let mut options = self.machine.clone();
        options.max_cycles = match (self.cycles, self.seconds) {
            (Some(cycles), _) => cycles,
            (None, Some(seconds)) => {
                ensure!(
                    seconds > 0.0 && seconds.is_finite(),
                    "--seconds {seconds} is no time to run: write a number above 0, as 2.5"
                );
                (seconds * M::clock_of(&options, firmware)? as f64).ceil() as u64
            }
            (None, None) => return Ok(options),
        };
        Ok(options)
    }
}

/// The threads that were never seen.
fn unseen(firmware: &Firmware, watch: &Watch, machine: &impl Simulated) -> Vec<(u32, Thread)> {
    let all = watch.layout().all(&firmware.image, machine);
    let unseen = all.filter(|(control, _)| !watch.threads.contains_key(control));
    unseen.map(|(control, about)| (control, Thread::new(about))).collect()
}

/// Returns a thread's state.
fn state(watch: &Watch, machine: &impl Simulated, control: u32) -> Option<State> {
    match watch.layout().state(machine, control)? {
        State::Ended if !watch.threads.contains_key(&control) => Some(State::NotStarted),
        state => Some(state),
    }
}

/// The threads, the most urgent first.
fn rows(firmware: &Firmware, watch: &Watch, machine: &impl Simulated) -> Vec<Row> {
    let unseen = unseen(firmware, watch, machine);
    let names = Names { image: &firmware.image, types: firmware.debug.types() };
    let seen = || watch.threads.iter().map(|(control, thread)| (*control, &thread.about));
    let wait = |one: (u32, &About)| waits::find(names, (watch.layout(), machine), seen(), one);
    let row = |(&control, thread): (&u32, &Thread)| {
        let (priority, priority_now) = watch.layout().priorities(machine, control)?;
        let stack = (thread.about.stack_size > 0).then_some(thread.about.stack_size);
        let guard = stack.map(|_| watch.layout().guard(machine, &thread.about));
        let high_water = stack.map(|_| thread.high_water());
        let wait = wait((control, &thread.about));
        let owner = wait.as_ref().and_then(|wait| watch.threads.get(&wait.owner?));
        Some(Row {
            name: thread.about.name.clone(),
            priority,
            priority_now,
            state: state(watch, machine, control)?,
            waits_for: wait.map(|wait| wait.what),
            owner: owner.map(|owner| owner.about.name.clone()),
            stack,
            guard,
            high_water,
            overflow: left(stack, guard, high_water) == Some(None),
            cycles: thread.cycles,
            share_percent: share(thread.cycles, machine.cycle()),
            switches: thread.voluntary + thread.preempted,
            voluntary: thread.voluntary,
            preempted: thread.preempted,
        })
    };
    let unseen = unseen.iter().map(|(control, thread)| (control, thread));
    let mut rows: Vec<Row> = watch.threads.iter().chain(unseen).filter_map(row).collect();
    rows.sort_by(|left, right| (right.priority, &left.name).cmp(&(left.priority, &right.name)));
    rows
}

/// Returns the rest of a stack; null if it has overflowed. `None` without a stack.
fn left(stack: Option<u32>, guard: Option<u32>, used: Option<u32>) -> Option<Option<u32>> {
    Some(stack?.checked_sub(guard?)?.checked_sub(used?))
}

impl Report {
    /// Of a run that has ended.
    pub(super) fn of(
        firmware: &Firmware,
        watch: &Watch,
        machine: &impl Simulated,
        board: &str,
    ) -> Self {
        Self {
            file: firmware.path.display().to_string(),
            board: board.to_owned(),
            cycles: machine.cycle(),
            instructions: machine.instructions(),
            threads: rows(firmware, watch, machine),
            switching_cycles: watch.switching,
            interrupt_cycles: watch.interrupts,
            startup_cycles: watch.startup,
            main_stack: machine.overflow(firmware),
        }
    }

    /// The threads, and the time outside of them.
    pub(super) fn table(&self) -> Table {
        let heads = [
            "thread",
            ">priority",
            "state",
            "waits for",
            ">stack",
            ">high water",
            ">left",
            ">share",
            ">switches",
            ">voluntary",
            ">preempted",
        ];
        let mut rows = table(&heads);
        for row in &self.threads {
            rows.add_row(row.cells());
        }
        let others = [
            ("(interrupts)", self.interrupt_cycles),
            ("(switching)", self.switching_cycles),
            ("(start-up)", self.startup_cycles),
        ];
        for (name, cycles) in others {
            let mut cells = vec![String::new(); heads.len()];
            cells[0] = name.to_owned();
            cells[7] = format!("{:.2} %", share(cycles, self.cycles));
            rows.add_row(cells);
        }
        rows
    }

    fn text(&self) -> String {
        format!(
            "{}\nIn {} cycles, {} instructions.\n",
            table::text(&self.table()),
            grouped(self.cycles),
            grouped(self.instructions)
        )
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let bytes = |bytes: Option<u32>| bytes.map(u64::from).map(grouped).unwrap_or_default();
        let left = left(self.stack, self.guard, self.high_water).map(|left| match left {
            Some(left) => grouped(u64::from(left)),
            None => "OVERFLOW".to_owned(),
        });
        let priority = match self.priority_now {
            now if now == self.priority => now.to_string(),
            now => format!("{} (now {now})", self.priority),
        };
        let owner = self.owner.as_ref().map(|owner| format!(", which {owner} has"));
        let waits_for = self.waits_for.iter().chain(&owner).map(String::as_str).collect();
        vec![
            self.name.clone(),
            priority,
            self.state.word().to_owned(),
            waits_for,
            bytes(self.stack),
            bytes(self.high_water),
            left.unwrap_or_default(),
            format!("{:.2} %", self.share_percent),
            grouped(self.switches),
            grouped(self.voluntary),
            grouped(self.preempted),
        ]
    }
}
