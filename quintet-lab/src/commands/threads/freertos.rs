//! The tasks of FreeRTOS: what each took, and what it waits for at the end.

use std::collections::BTreeMap;

use quintet_sim::machine::Machine;
use serde::Serialize;

use crate::firmware::Firmware;
use crate::report::table::{Table, grouped, share, table};
use crate::threads::freertos::{About, Freertos};

/// The exceptions whose handlers switch.
const SWITCHING: [u16; 2] = [11, 14];

/// A task, by its control block and its name: the memory of a deleted one may become another's.
type Task = (u32, String);

/// Follows a run.
pub struct Watch {
    kernel: Freertos,
    tasks: BTreeMap<Task, Counted>,
    running: Option<Task>,
    control: Option<u32>,
    exception: u16,
    cycle: u64,
    switching: u64,
    interrupts: u64,
    startup: u64,
}

#[derive(Clone, Copy, Default)]
struct Counted {
    priority: u32,
    cycles: u64,
    switches: u64,
}

/// The tasks of a run.
#[derive(Serialize)]
pub struct Report {
    file: String,
    board: String,
    cycles: u64,
    instructions: u64,
    threads: Vec<Row>,
    /// Cycles in the handlers of PendSV and SVCall.
    switching_cycles: u64,
    /// Cycles in all other handlers.
    interrupt_cycles: u64,
    /// Cycles before the scheduler ran.
    startup_cycles: u64,
}

#[derive(Serialize)]
struct Row {
    name: String,
    /// With what the task inherits.
    priority: u32,
    /// `running`, `ready`, `waiting`, or `deleted`.
    state: &'static str,
    /// What it waits for, in words.
    waits_for: Option<String>,
    cycles: u64,
    share_percent: f64,
    /// How often it left the processor.
    switches: u64,
}

impl Watch {
    /// Before the first step.
    pub const fn new(kernel: Freertos) -> Self {
        Self {
            kernel,
            tasks: BTreeMap::new(),
            running: None,
            control: None,
            exception: 0,
            cycle: 0,
            switching: 0,
            interrupts: 0,
            startup: 0,
        }
    }

    /// Looks at the machine after a step.
    pub fn look(&mut self, machine: &Machine) {
        let cycles = machine.cycle() - std::mem::replace(&mut self.cycle, machine.cycle());
        let task = self.running.as_ref().and_then(|task| self.tasks.get_mut(task));
        let whose = match (self.exception, task) {
            (0, Some(task)) => &mut task.cycles,
            (0, None) => &mut self.startup,
            (number, _) if SWITCHING.contains(&number) => &mut self.switching,
            _ => &mut self.interrupts,
        };
        *whose += cycles;
        self.exception = machine.processor.registers.ipsr;
        let control = self.kernel.running(machine);
        if control != self.control {
            self.control = control;
            self.switch(machine, control);
        }
    }

    fn switch(&mut self, machine: &Machine, control: Option<u32>) {
        if let Some(left) = self.running.as_ref().and_then(|task| self.tasks.get_mut(task)) {
            left.switches += 1;
        }
        self.running = control.map(|control| {
            let About { name, priority } = self.about(machine, control);
            let task = (control, name);
            self.tasks.entry(task.clone()).or_default().priority = priority;
            task
        });
    }

    fn about(&self, machine: &Machine, control: u32) -> About {
        let unnamed = || About { name: format!("task at {control:#010x}"), priority: 0 };
        self.kernel.about(machine, control).unwrap_or_else(unnamed)
    }

    /// What is told after the run: the tasks that live, and those that have run and were deleted.
    pub fn report(mut self, firmware: &Firmware, machine: &Machine, board: &str) -> Report {
        let living = self.kernel.living(machine);
        for control in &living {
            let About { name, priority } = self.about(machine, *control);
            self.tasks.entry((*control, name)).or_default().priority = priority;
        }
        let ready = self.kernel.ready(machine);
        let row = |((control, name), counted): (&Task, &Counted)| {
            let lives = living.contains(control) && self.about(machine, *control).name == *name;
            let state = match control {
                _ if !lives => "deleted",
                _ if self.control == Some(*control) => "running",
                control if ready.contains(control) => "ready",
                _ => "waiting",
            };
            let waits = || self.kernel.waits(firmware, machine, *control);
            Row {
                name: name.clone(),
                priority: counted.priority,
                state,
                waits_for: (state == "waiting").then(waits),
                cycles: counted.cycles,
                share_percent: share(counted.cycles, machine.cycle()),
                switches: counted.switches,
            }
        };
        let mut threads: Vec<Row> = self.tasks.iter().map(row).collect();
        threads
            .sort_by(|left, right| (right.priority, &left.name).cmp(&(left.priority, &right.name)));
        Report {
            file: firmware.path.display().to_string(),
            board: board.to_owned(),
            cycles: machine.cycle(),
            instructions: machine.instructions(),
            threads,
            switching_cycles: self.switching,
            interrupt_cycles: self.interrupts,
            startup_cycles: self.startup,
        }
    }
}

impl Report {
    /// For people.
    pub fn text(&self) -> String {
        format!(
            "{}\nIn {} cycles, {} instructions. `quintet stack` shows the tasks' stacks.\n",
            crate::report::table::text(&self.table()),
            grouped(self.cycles),
            grouped(self.instructions)
        )
    }

    fn table(&self) -> Table {
        let mut rows = table(&["task", ">priority", "state", "waits for", ">share", ">switches"]);
        let percent = |cycles| format!("{:.2} %", share(cycles, self.cycles));
        for row in &self.threads {
            let what = row.waits_for.as_deref().unwrap_or_default();
            rows.add_row([
                row.name.clone(),
                row.priority.to_string(),
                row.state.to_owned(),
                what.trim_start_matches("waits for ").trim_start_matches("waits ").to_owned(),
                percent(row.cycles),
                grouped(row.switches),
            ]);
        }
        let others = [
            ("(interrupts)", self.interrupt_cycles),
            ("(switching)", self.switching_cycles),
            ("(start-up)", self.startup_cycles),
        ];
        for (name, cycles) in others {
            let nothing = String::new;
            let cells =
                [name.to_owned(), nothing(), nothing(), nothing(), percent(cycles), nothing()];
            rows.add_row(cells);
        }
        rows
    }
}
