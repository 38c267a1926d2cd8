//! `quintet profile`: where the cycles go.

use std::path::PathBuf;

use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv;
use serde::Serialize;

use super::options::MachineOptions;
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::output;
use crate::point::{self, Point};
use crate::profile::{Inlined, Line, Profile, Recorder, Sum, flame_graph, folded, speedscope};
use crate::report::table::{self, Table, grouped, share, table};
use crate::simulated::{Simulated, family};
use crate::simulation::{Simulation, Sink};
use crate::window::Window;

const EXAMPLES: &str = "\
Examples:
  quintet profile app                        until it ends, or for 1 000 000 000 cycles
  quintet profile app --top 0                every function, not only the twenty heaviest
  quintet profile app --lines                lines of source in place of functions
  quintet profile app --flame app.svg        a flame graph, for a browser
  quintet profile app --speedscope app.json  for https://www.speedscope.app
  quintet profile app --folded app.folded    a line for each path of calls
  quintet profile app --from begin --to end  what happens between two places, each time
  quintet profile app --from 1s --to 1.2s    what happens between two times
  quintet profile app --json | jq '.functions[0]'

Every cycle is counted, none is sampled. `self` are the cycles in a function itself,
`total` those in it and in what it calls. A function that is inlined has its own
part, as far as debug information tells; of the compiler's library and of crates
only with --all-inlined. A context is a thread of Quintet's or FreeRTOS', an
exception, or the main program; an exception's entry counts to that exception.
`calls` counts call instructions: a function that is inlined or jumped
to is not called. With --from, cycles count from when the instruction there executes
until the one at --to does; --from opens the window again. Both may be times too.
The firmware's output goes to standard error.";

/// Show where the cycles go: functions, lines, contexts; flame graphs
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// Show the N heaviest; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Show lines of source in place of functions
    #[arg(long)]
    lines: bool,
    /// Show inlined functions of the compiler's library and of crates as functions too
    #[arg(long)]
    all_inlined: bool,
    /// Write a flame graph, as SVG
    #[arg(long, value_name = "FILE")]
    flame: Option<PathBuf>,
    /// Write the paths of calls for speedscope, as JSON
    #[arg(long, value_name = "FILE")]
    speedscope: Option<PathBuf>,
    /// Write the paths of calls, a line each, with their cycles
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
    /// Count from here on: a place (a symbol, symbol+offset, or an address as 0x1a4) or a time
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    from: Option<Point>,
    /// Count until here
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    to: Option<Point>,
    /// Print JSON, with everything
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    file: String,
    board: &'a str,
    instructions: u64,
    #[serde(flatten)]
    profile: &'a Profile,
}

impl Arguments {
    /// Runs the firmware and shows its cycles by place.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let files = [&self.folded, &self.flame, &self.speedscope];
        output::check(files.into_iter().filter_map(Option::as_deref))?;
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.profile::<Machine>(),
            Family::RiscV => self.profile::<riscv::machine::Machine>(),
        }
    }

    fn profile<M: Simulated>(&self) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let points = [self.from.as_ref(), self.to.as_ref()];
        let mut simulation = Simulation::<M>::new(&firmware, &self.machine, Sink::Divert)?;
        let [from, to] = point::edges(&firmware, simulation.machine.clock_hz(), points)?;
        let mut window = Window::new(from, to);
        let mut recorder = Recorder::new(&firmware);
        let mut cycle = 0;
        let end = simulation.advance_stepwise(|machine, from| {
            window.look(machine, from);
            let began = std::mem::replace(&mut cycle, machine.cycle());
            recorder.look(machine, from, window.holds(began));
        })?;
        let instructions = simulation.machine.instructions();
        let inlined = if self.all_inlined { Inlined::All } else { Inlined::Own };
        let profile = recorder.profile::<M>(&firmware, inlined);
        if let (0, Some(from)) = (window.times(), &self.from) {
            output::complain(&format!(
                "nothing to show: {} was never reached in {} cycles",
                from.text(),
                grouped(simulation.machine.cycle())
            ));
            return Ok(Outcome::NothingFound);
        }
        self.write(&profile)?;
        let file = firmware.path.display().to_string();
        let board = simulation.machine.board_name();
        if self.json {
            output::print_json(&Report { file, board: &board, instructions, profile: &profile })?;
        } else {
            output::print(&self.text(&profile))?;
        }
        Ok(if simulation.tell_death(&end) { Outcome::Died } else { Outcome::Done })
    }

    /// Writes the files that are asked for.
    fn write(&self, profile: &Profile) -> anyhow::Result<()> {
        let name = ctrl_c::titled(&self.elf.file_name().unwrap_or_default().to_string_lossy());
        if let Some(path) = &self.folded {
            // The form has no title: a path of no cycles stands for it.
            let note = ctrl_c::note().map(|note| format!("({note}) 0\n")).unwrap_or_default();
            output::write(path, (folded(profile) + &note).as_bytes())?;
        }
        if let Some(path) = &self.flame {
            output::write(path, &flame_graph(profile, &name)?)?;
        }
        if let Some(path) = &self.speedscope {
            output::write(path, serde_json::to_string(&speedscope(profile, &name))?.as_bytes())?;
        }
        Ok(())
    }

    fn text(&self, profile: &Profile) -> String {
        let mut text = table::text(&context_table(profile));
        text.push('\n');
        if self.lines {
            text.push_str(&self.of_lines(profile));
        } else {
            text.push_str(&self.of_functions(profile));
        }
        text.push_str(&format!("\nOf {} cycles.\n", grouped(profile.cycles)));
        text
    }

    fn of_functions(&self, profile: &Profile) -> String {
        let rows = function_table(self.top(&profile.functions), profile.cycles);
        format!("{}{}", table::text(&rows), self.others(profile.functions.len()))
    }

    fn of_lines(&self, profile: &Profile) -> String {
        if profile.lines.is_empty() {
            return "The firmware has no lines: build it with debug information.\n".to_owned();
        }
        let rows = line_table(self.top(&profile.lines), profile.cycles);
        format!("{}{}", table::text(&rows), self.others(profile.lines.len()))
    }

    fn top<'a, T>(&self, rows: &'a [T]) -> &'a [T] {
        if self.top == 0 { rows } else { &rows[..rows.len().min(self.top)] }
    }

    fn others(&self, all: usize) -> String {
        let others = if self.top == 0 { 0 } else { all.saturating_sub(self.top) };
        if others == 0 {
            return String::new();
        }
        format!("and {others} that take less: --top 0 shows all\n")
    }
}

/// Functions, of so many cycles in all.
pub(super) fn function_table(functions: &[Sum], all: u64) -> Table {
    let mut rows = table(&["function", ">self", ">share", ">total", ">share", ">calls"]);
    for Sum { name, own_cycles, cycles, calls } in functions {
        rows.add_row([
            name.clone(),
            grouped(*own_cycles),
            percent(*own_cycles, all),
            grouped(*cycles),
            percent(*cycles, all),
            calls.map(grouped).unwrap_or_default(),
        ]);
    }
    rows
}

/// Lines, of so many cycles in all.
pub(super) fn line_table(lines: &[Line], all: u64) -> Table {
    let mut rows = table(&["line", "function", ">cycles", ">share"]);
    for Line { file, line, function, cycles } in lines {
        rows.add_row([
            format!("{file}:{line}"),
            function.clone(),
            grouped(*cycles),
            percent(*cycles, all),
        ]);
    }
    rows
}

/// The contexts of a profile.
pub(super) fn context_table(profile: &Profile) -> Table {
    let mut rows = table(&["context", ">cycles", ">share"]);
    for Sum { name, cycles, .. } in &profile.contexts {
        rows.add_row([name.clone(), grouped(*cycles), percent(*cycles, profile.cycles)]);
    }
    rows
}

fn percent(part: u64, all: u64) -> String {
    format!("{:.2} %", share(part, all))
}
