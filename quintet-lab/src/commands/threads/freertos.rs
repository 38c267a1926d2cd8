//! The tasks of FreeRTOS and the threads of other kernels: what each took, and what it waits for at
//! the end.

use std::collections::BTreeMap;

use quintet_sim::cores::Core;
use serde::Serialize;

use crate::firmware::Firmware;
use crate::report::table::{Table, grouped, share, table};
use crate::threads::tasks::Tasks;

/// A task, by its control block and its name: the memory of a deleted one may become another's.
type Task = (u32, String);

/// Follows a run.
pub struct Watch<'a> {
    firmware: &'a Firmware,
    kernel: Tasks,
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
    priority: i64,
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
    /// Whether `quintet stack` knows the stacks.
    #[serde(skip)]
    has_stacks: bool,
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
    priority: i64,
    /// `running`, `ready`, `waiting`, or `deleted`.
    state: &'static str,
    /// What it waits for, in words.
    waits_for: Option<String>,
    cycles: u64,
    share_percent: f64,
    /// How often it left the processor.
    switches: u64,
}

impl<'a> Watch<'a> {
    /// Before the first step.
    pub const fn new(firmware: &'a Firmware, kernel: Tasks) -> Self {
        Self {
            firmware,
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
    pub fn look<M: Core>(&mut self, machine: &M) {
        let cycles = machine.cycle() - std::mem::replace(&mut self.cycle, machine.cycle());
        let task = self.running.as_ref().and_then(|task| self.tasks.get_mut(task));
        let whose = match (self.exception, task) {
            (0, Some(task)) => &mut task.cycles,
            (0, None) => &mut self.startup,
            (number, _) if M::is_switch(number) => &mut self.switching,
            _ => &mut self.interrupts,
        };
        *whose += cycles;
        self.exception = machine.handler();
        let control = self.kernel.running(machine);
        if control != self.control {
            self.control = control;
            self.switch(machine, control);
        }
    }

    fn switch(&mut self, machine: &impl Core, control: Option<u32>) {
        if let Some(left) = self.running.as_ref().and_then(|task| self.tasks.get_mut(task)) {
            left.switches += 1;
        }
        self.running = control.map(|control| {
            let (name, priority) = self.about(machine, control);
            let task = (control, name);
            self.tasks.entry(task.clone()).or_default().priority = priority;
            task
        });
    }

    fn about(&self, machine: &impl Core, control: u32) -> (String, i64) {
        let about = self.kernel.about(machine, control);
        about.unwrap_or_else(|| (format!("task at {control:#010x}"), 0))
    }

    /// What is told after the run: the tasks that live, and those that have run and were deleted.
    pub fn report(mut self, machine: &impl Core, board: &str) -> Report {
        let firmware = self.firmware;
        let living = self.kernel.living(firmware, machine);
        for control in &living {
            let (name, priority) = self.about(machine, *control);
            self.tasks.entry((*control, name)).or_default().priority = priority;
        }
        let row = |((control, name), counted): (&Task, &Counted)| {
            let lives = self.kernel.lives(firmware, machine, *control)
                && self.about(machine, *control).0 == *name;
            let is_running = self.control == Some(*control);
            let waits = || self.kernel.waits(firmware, machine, *control);
            let waits_for = (lives && !is_running).then(waits).flatten();
            let state = match () {
                _ if !lives => "deleted",
                _ if is_running => "running",
                _ if waits_for.is_none() => "ready",
                _ => "waiting",
            };
            Row {
                name: name.clone(),
                priority: counted.priority,
                state,
                waits_for,
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
            has_stacks: matches!(self.kernel, Tasks::Freertos(_)),
            switching_cycles: self.switching,
            interrupt_cycles: self.interrupts,
            startup_cycles: self.startup,
        }
    }
}

impl Report {
    /// For people.
    pub fn text(&self) -> String {
        let stacks = " `quintet stack` shows the tasks' stacks.";
        format!(
            "{}\nIn {} cycles, {} instructions.{}\n",
            crate::report::table::text(&self.table()),
            grouped(self.cycles),
            grouped(self.instructions),
            if self.has_stacks { stacks } else { "" }
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
