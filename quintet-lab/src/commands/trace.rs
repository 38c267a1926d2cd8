//! `quintet trace`: a run as a picture, and as a table.

use super::measure::place;
use super::options::{MachineOptions, parse_positive};
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::facts;
use crate::gdb::client::Remote;
use crate::input;
use crate::main_stack::{self, Overflow};
use crate::output;
use crate::point::{self, Point};
use crate::report::death::Cause;
use crate::report::table::grouped;
use crate::simulated::{Simulated, family};
use crate::simulation::{Advance, Simulation, Sink};
use crate::trace::instructions::Instructions;
use crate::trace::record::Recorder;
use crate::trace::ring::{self, Dump, Replay};
use crate::trace::span::{Span, in_words};
use crate::trace::store::Limits;
use crate::trace::summary::{self, Row};
use crate::trace::units::{Application, Kind};
use crate::trace::{Group, Recording, Track, chrome, page, perfetto, svg};
use anyhow::{Context, bail, ensure};
use quintet_sim::cores::Family;
use quintet_sim::files;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// No dump is longer, and no more bytes are read at once.
const DUMP_MAX: u64 = 64 << 20;
const READ_MAX: u32 = 512;

const EXAMPLES: &str = "\
Examples:
  quintet trace app                               a table: how often, how long, which share
  quintet trace app -o app.html                   a page to open in a browser; needs no network
  quintet trace app -o app.svg --last 1ms         a picture for a document
  quintet trace app -o app.pftrace                for https://ui.perfetto.dev
  quintet trace app -o app.json                   for Perfetto, chrome://tracing, speedscope
  quintet trace app -o app.html --from 1s --to 1.2s     a window; the run ends with it
  quintet trace app -o app.html --from main       without start-up
  quintet trace app -o app.html --last 10ms       what led to the end
  quintet trace app -o app.html --function Sensor::read --function isr_work
  quintet trace app -o app.html --from-board ram.bin    what a board has recorded
  quintet trace app --instructions --from a --to b      each instruction, with its registers
  quintet trace app -o app.html --svd chip.svd    with what is written to registers
  quintet trace app --only threads --only UART    some groups, or tracks by part of their names

The firmware needs no code for it. Exceptions, sleep and masks are seen in any
firmware. Tasks, actors and threads of Quintet, tasks of Embassy, RTIC and FreeRTOS
are found by their symbols, and what threads wait for; --function adds
functions. Tasks that the compiler has merged into others need debug information
(debug = \"line-tables-only\" in the profile). Times are 10ms, 300us, 2.5s, or
cycles. What the firmware prints goes to standard error.";

/// Show a run as a picture: exceptions, tasks, threads, sleep, and who woke whom
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware's ELF file
    elf: PathBuf,
    /// Write a file: .html, .svg, .json (Chrome) or .pftrace (Perfetto). May be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Leave out what was before: a time, or a place (a symbol, symbol+offset, or an address as
    /// 0x1a4) when the run comes there first
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    from: Option<Point>,
    /// Stop there
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    to: Option<Point>,
    /// Keep only the end of the run
    #[arg(long, value_name = "TIME", value_parser = Span::parse)]
    last: Option<Span>,
    /// Show a function too, each time that it runs: a symbol or the end of its path. May be given
    /// several times
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// Show only a group (processor, masks, exceptions, tasks, machines, threads, states,
    /// functions, registers, output), or tracks whose names contain TEXT. May be given several
    /// times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Stop after N events
    #[arg(
        long, value_name = "N", value_parser = parse_positive, default_value_t = EVENTS_MAX
    )]
    max_events: u64,
    /// Show what a board has recorded, in place of a simulated run: a dump of its memory with the
    /// ring of the feature `recorder`, or the server for GDB that has the board halted
    #[arg(
        long, value_name = "FILE|HOST:PORT",
        conflicts_with_all = ["from", "to", "last", "function", "max_events"]
    )]
    from_board: Option<String>,
    /// Print each instruction with its cycle, its address, and the registers that it has changed
    #[arg(
        long,
        conflicts_with_all = ["output", "last", "function", "only", "from_board", "json"]
    )]
    instructions: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The events that are recorded by default: a browser still draws them.
const EVENTS_MAX: u64 = 2_000_000;

/// What is said if there are state machines, but their states can't be seen.
const NO_MACHINES: &str = "the states of this firmware's state machines are not shown: the debug \
    information doesn't say where they are. Set debug = 2 in the profile, and keep a machine in a \
    static or as a resource of a task";

#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    clock_hz: u64,
    /// The first cycle that is shown, and the cycle behind the last.
    from: u64,
    to: u64,
    events: usize,
    tracks: Vec<Row>,
    /// Why the end of the run is missing; null if it isn't.
    cut: Option<String>,
    /// The variables that the main stack overwrote; null if the stack has stayed above its end.
    main_stack: Option<Overflow>,
}

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Page,
    Picture,
    Chrome,
    Perfetto,
}

impl Form {
    /// By the file's name.
    fn of(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        Ok(match extension {
            "html" | "htm" => Self::Page,
            "svg" => Self::Picture,
            "json" => Self::Chrome,
            "pftrace" | "perfetto-trace" => Self::Perfetto,
            _ => bail!(
                "the form of {} is not known by its name: let it end in .html for a page, .svg for \
                 a picture, .json for Chrome's format, or .pftrace for Perfetto's",
                path.display()
            ),
        })
    }
}

impl Arguments {
    /// Runs the firmware and shows the run.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let forms: Vec<Form> =
            self.output.iter().map(|path| Form::of(path)).collect::<Result<_, _>>()?;
        output::check(self.output.iter().map(PathBuf::as_path))?;
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.run_on::<Machine>(&forms),
            Family::RiscV => self.run_on::<RiscV>(&forms),
        }
    }

    fn run_on<M: Simulated>(&self, forms: &[Form]) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        if let Some(board) = &self.from_board {
            ensure!(
                M::FAMILY == Family::CortexM,
                "--from-board is not there yet for a RISC-V core: leave it out, and the simulator \
                 runs the firmware"
            );
            return self.run_from_board(&firmware, board, forms);
        }
        let (options, limits) = self.options::<M>(&firmware)?;
        if self.instructions {
            return self.run_by_instructions::<M>(&firmware, &options, limits);
        }
        let bytes = input::firmware(&self.elf)?;
        // Only ELF files have facts.
        let facts = facts::read(&bytes).ok().flatten();
        let application =
            Application::find(&firmware, facts.as_deref(), &self.function).with_instances();
        let mut simulation = Simulation::<M>::new(&firmware, &options, Sink::Divert)?;
        let mut recorder = Recorder::new(&firmware, &application, limits, &mut simulation.machine);
        check_functions(&firmware, &application, &recorder)?;
        if recorder.lacks_machines() {
            output::complain(NO_MACHINES);
        }
        let end = simulation.advance_following(&mut recorder)?;
        let recording = recorder.finish(&simulation.machine);
        self.show(forms, &simulation, recording, end)
    }

    /// Prints each instruction of the window.
    fn run_by_instructions<M: Simulated>(
        &self,
        firmware: &Firmware,
        options: &MachineOptions,
        limits: Limits,
    ) -> anyhow::Result<Outcome> {
        let mut simulation = Simulation::<M>::new(firmware, options, Sink::Divert)?;
        let mut instructions = Instructions::new(firmware, limits, &simulation.machine);
        let end = simulation.advance_following(&mut instructions)?;
        let window = (instructions.from(), simulation.machine.clock_hz());
        self.check_window(window, simulation.machine.cycle())?;
        if instructions.finish()? {
            output::complain(&format!(
                "the run was stopped after {} lines; --from and --to choose a part, and \
                 --max-events N prints more",
                grouped(self.max_events)
            ));
        }
        match end {
            Some(Advance::Ended(Cause::CycleLimit(_))) if self.to.is_some() => Ok(Outcome::Done),
            Some(end) if simulation.tell_death(&end) => Ok(Outcome::Died),
            _ => {
                let overflow = simulation.machine.overflow(firmware);
                Ok(main_stack::verdict(overflow.as_ref(), Outcome::Done))
            }
        }
    }

    /// Writes and prints what was recorded.
    fn show<M: Simulated>(
        &self,
        forms: &[Form],
        simulation: &Simulation<'_, M>,
        mut recording: Recording,
        end: Option<Advance>,
    ) -> anyhow::Result<Outcome> {
        let firmware = simulation.firmware;
        let window = (recording.window.0, recording.clock_hz);
        self.check_window(window, simulation.machine.cycle())?;
        self.filter(&mut recording)?;
        let is_full = recording.cut.is_some();
        if let Some(note) = ctrl_c::note() {
            recording.cut_at_end(note);
        }
        for (path, form) in self.output.iter().zip(forms) {
            Self::write(path, *form, (firmware, &simulation.machine.board_name()), &recording)?;
        }
        if is_full {
            output::complain(&format!(
                "the run was stopped after {} events, at {}; --from and --to, or --last, choose a \
                 part, and --max-events N records more",
                grouped(self.max_events),
                in_words(recording.window.1, recording.clock_hz)
            ));
        }
        self.tell(firmware, simulation, &recording, end)
    }

    /// Shows what a board has recorded.
    fn run_from_board(
        &self,
        firmware: &Firmware,
        board: &str,
        forms: &[Form],
    ) -> anyhow::Result<Outcome> {
        let facts = facts::read(&input::firmware(&self.elf)?).ok().flatten();
        let application = Application::find(firmware, facts.as_deref(), &[]).with_instances();
        let bytes = memory(firmware, board)?;
        let dump = Dump::read(&bytes).with_context(|| board.to_owned())?;
        let machine = self.machine.machine(firmware)?;
        let replay =
            Replay::new(firmware, &application, facts.as_deref().unwrap_or_default(), &machine);
        let mut recording = replay.recording(&dump).with_context(|| board.to_owned())?;
        self.filter(&mut recording)?;
        for (path, form) in self.output.iter().zip(forms) {
            Self::write(path, *form, (firmware, &self.machine.board), &recording)?;
        }
        self.print((firmware, &self.machine.board), &recording, None)?;
        Ok(Outcome::Done)
    }

    /// Returns the options with the end of the run, and the limits of the recording.
    fn options<M: Simulated>(
        &self,
        firmware: &Firmware,
    ) -> anyhow::Result<(MachineOptions, Limits)> {
        let mut options = self.machine.clone();
        let clock = M::clock_of(&options, firmware)?;
        let points = [self.from.as_ref(), self.to.as_ref()];
        let [from, to] = point::cycles::<M>(firmware, &options, points)?;
        let last = self.last.map(|span| span.cycles(clock));
        if let Some(to) = to {
            let from = from.unwrap_or(0);
            ensure!(
                from < to,
                "the window is empty: it ends at {}, and --from is {}; give a later --to",
                in_words(to, clock),
                in_words(from, clock)
            );
            options.max_cycles = match options.cycle_limit() {
                Some(limit) => limit.min(to),
                None => to,
            };
        }
        ensure!(last != Some(0), "--last 0 keeps nothing: give a time, as --last 10ms");
        let events = usize::try_from(self.max_events).unwrap_or(usize::MAX);
        Ok((options, Limits { from: from.unwrap_or(0), last, events }))
    }

    /// Refuses a window behind the end of the run.
    fn check_window(&self, (from, clock): (u64, u64), end: u64) -> anyhow::Result<()> {
        ensure!(
            self.from.is_none() || from < end,
            "the window is empty: it begins at {}, and the run ended at {} already; give an \
             earlier --from, or --max-cycles 0 if a limit ended it",
            in_words(from, clock),
            in_words(end, clock)
        );
        Ok(())
    }

    /// Keeps the requested part.
    fn filter(&self, recording: &mut Recording) -> anyhow::Result<()> {
        if self.only.is_empty() {
            return Ok(());
        }
        let tracks = recording.ordered();
        let tracks: Vec<Track> =
            tracks.iter().map(|track| recording.tracks[*track as usize].clone()).collect();
        let means =
            |text: &str, track: &Track| match Group::ALL.iter().find(|one| one.word() == text) {
                Some(group) => track.group == *group,
                None => track.name.to_lowercase().contains(&text.to_lowercase()),
            };
        for text in &self.only {
            if !tracks.iter().any(|track| means(text, track)) {
                let names: Vec<&str> = tracks.iter().map(|track| &*track.name).collect();
                bail!(
                    "--only {text}: nothing that ran is in a group of that name, nor contains it; \
                     there were {}",
                    names.join(", ")
                );
            }
        }
        recording.keep_tracks(|track| self.only.iter().any(|text| means(text, track)));
        Ok(())
    }

    fn write(
        path: &Path,
        form: Form,
        (firmware, board): (&Firmware, &str),
        recording: &Recording,
    ) -> anyhow::Result<()> {
        let title = firmware.path.file_name().unwrap_or_default().to_string_lossy();
        let title = ctrl_c::titled(&format!("{title} on {board}"));
        let bytes = match form {
            Form::Page => page::text(recording, &title).into_bytes(),
            Form::Picture => svg::text(recording, &title).into_bytes(),
            Form::Chrome => chrome::text(recording).into_bytes(),
            Form::Perfetto => perfetto::bytes(recording),
        };
        output::write(path, &bytes)
    }

    fn tell<M: Simulated>(
        &self,
        firmware: &Firmware,
        simulation: &Simulation<'_, M>,
        recording: &Recording,
        end: Option<Advance>,
    ) -> anyhow::Result<Outcome> {
        let main_stack = simulation.machine.overflow(firmware);
        let board = simulation.machine.board_name();
        self.print((firmware, &board), recording, main_stack.as_ref())?;
        match end {
            Some(Advance::Ended(Cause::CycleLimit(_))) if self.to.is_some() => {}
            Some(end) if simulation.tell_death(&end) => return Ok(Outcome::Died),
            _ => {}
        }
        Ok(main_stack::verdict(main_stack.as_ref(), Outcome::Done))
    }

    fn print(
        &self,
        (firmware, board): (&Firmware, &str),
        recording: &Recording,
        main_stack: Option<&Overflow>,
    ) -> anyhow::Result<()> {
        if self.json {
            return output::print_json(&Report {
                file: firmware.path.display().to_string(),
                board: board.to_owned(),
                clock_hz: recording.clock_hz,
                from: recording.window.0,
                to: recording.window.1,
                events: recording.events(),
                tracks: summary::rows(recording),
                cut: recording.cut.clone(),
                main_stack: main_stack.cloned(),
            });
        }
        output::print(&summary::text(recording))
    }
}

/// The memory of a board with the recorder's ring: a file, or what a server reads.
fn memory(firmware: &Firmware, board: &str) -> anyhow::Result<Vec<u8>> {
    let path = Path::new(board);
    if path.is_file() || !board.contains(':') {
        let read = files::read(path, DUMP_MAX);
        return read.with_context(|| format!("cannot read the dump {board}"));
    }
    let symbol = firmware.image.symbols.iter().find(|symbol| symbol.name == ring::SYMBOL);
    let symbol = symbol.with_context(|| {
        format!(
            "{} has no {}: build it with the feature `recorder` of quintet",
            firmware.path.display(),
            ring::SYMBOL
        )
    })?;
    let mut remote = Remote::connect(board)?;
    let mut bytes = Vec::new();
    while (bytes.len() as u32) < symbol.size {
        let at = bytes.len() as u32;
        let length = (symbol.size - at).min(READ_MAX);
        bytes.extend(remote.read(symbol.address + at, length as usize)?);
    }
    remote.detach()?;
    Ok(bytes)
}

/// Refuses a function that no instruction belongs to.
fn check_functions(
    firmware: &Firmware,
    application: &Application,
    recorder: &Recorder<'_>,
) -> anyhow::Result<()> {
    let functions = (0_u16..).zip(&application.units);
    for (unit, about) in functions.filter(|(_, about)| about.kind == Kind::Function) {
        if recorder.has(unit) {
            continue;
        }
        let name = &about.name;
        place(firmware, name).context("--function")?;
        bail!("--function: \"{name}\" is no function; name one by the end of its path");
    }
    Ok(())
}
