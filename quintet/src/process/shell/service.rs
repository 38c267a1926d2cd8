//! The service of the process console: it executes a line, and prints the result.

use ::core::cell::Cell;
use ::core::fmt;

use super::super::fault::Fault;
use super::super::record::{Process, Status};
use super::super::system::System;
use super::command::{self, Action, Command, HELP, Problem, Target};
use super::line::{self, Arrived, Input, LINE_MAX, Line, Unreadable};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// The process console of a system with `N` processes: a static. Takes about 160 bytes, and about
/// 110 bytes for the last fault of each process.
///
/// ```
/// use quintet::process::shell::Shell;
/// use quintet::process::{Fault, Policy, Process};
///
/// static SHELL: Shell<4> = Shell::new(&PROCESSES);
///
/// /// Stands behind `on_fault =` of `processes!`.
/// fn on_fault(_: &Process, fault: &Fault) -> Policy {
///     SHELL.note(fault);
///     Policy::Restart
/// }
///
/// /// The task of the UART's interrupt calls this, and wakes the context that serves lines.
/// fn received(byte: u8, wake: fn()) {
///     if SHELL.receive(byte) {
///         wake();
///     }
/// }
///
/// /// A thread or a task with time to print calls this.
/// fn serve(uart: &mut impl core::fmt::Write) -> core::fmt::Result {
///     SHELL.serve(uart)
/// }
/// ```
pub struct Shell<const N: usize> {
    system: &'static System,
    input: KernelCell<Input>,
    line: KernelCell<Line>,
    faults: [KernelCell<Cell<Option<Fault>>>; N],
}

debug_by_name!([const N: usize] Shell<N>: "Shell");

impl<const N: usize> Shell<N> {
    /// Makes the process console of this system.
    ///
    /// # Panics
    /// If `N` is less than `count` of [`processes!`](crate::processes), at compile time: the faults
    /// of some processes would have no place.
    #[must_use]
    pub const fn new(system: &'static System) -> Self {
        assert!(
            N >= system.processes().len(),
            "the `Shell<N>` has places for the faults of fewer processes than `count` says: give \
             it that number"
        );
        Self {
            system,
            input: KernelCell::new(Input::new()),
            line: KernelCell::new(Line::new()),
            faults: [const { KernelCell::new(Cell::new(None)) }; N],
        }
    }

    /// Takes a received byte. Returns `true` if the byte ends a line: then let a context call
    /// [`serve`](Self::serve). From every context that the kernel knows of; takes a section of the
    /// kernel's lock.
    ///
    /// A line ends with a carriage return, a line feed, or both. Backspace removes the last byte. A
    /// line without room is dropped as a whole, and `serve` tells this.
    pub fn receive(&self, byte: u8) -> bool {
        kernel(|lock| self.input.get(lock).push(byte));
        matches!(byte, b'\r' | b'\n')
    }

    /// Notes that the receiver has lost bytes, or has received noise: call this if the receiver
    /// reports an overrun, or an error of a byte. The present line is dropped as a whole, up to its
    /// end, and [`serve`](Self::serve) tells this. Contexts and cost as for
    /// [`receive`](Self::receive).
    pub fn lose(&self) {
        kernel(|lock| self.input.get(lock).lose());
    }

    /// Notes a fault, for the command `fault`. Call this in `on_fault`.
    pub fn note(&self, fault: &Fault) {
        if let Some(last) = self.faults.get(fault.index) {
            kernel(|lock| last.get(lock).set(Some(*fault)));
        }
    }

    /// Executes the lines that have arrived, and prints the results to `to`. A printed line ends
    /// with a line feed, without a carriage return.
    ///
    /// From one context at a time that the kernel knows of. The time depends on `to`: `list` prints
    /// about 70 bytes for each process.
    ///
    /// # Errors
    /// Those of `to`. The line counts as served, and the lines behind it wait.
    pub fn serve(&self, to: &mut impl fmt::Write) -> fmt::Result {
        while let Some(arrived) = kernel(|lock| self.input.get(lock).pop()) {
            match arrived {
                Arrived::Byte(byte) => kernel(|lock| self.line.get(lock).push(byte)),
                Arrived::End => self.serve_line(to)?,
                Arrived::Lost => {
                    kernel(|lock| self.line.get(lock).clear());
                    writeln!(to, "{}", Problem::Unreadable(Unreadable::Lost))?;
                }
            }
        }
        Ok(())
    }

    fn serve_line(&self, to: &mut impl fmt::Write) -> fmt::Result {
        let mut bytes = [0; LINE_MAX];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = kernel(|lock| self.line.get(lock).byte(index));
        }
        let count = kernel(|lock| {
            let line = self.line.get(lock);
            let count = line.count();
            line.clear();
            count
        });
        match command::read(line::text(&bytes, count)) {
            Ok(command) => self.run(command, to),
            Err(problem) => writeln!(to, "{problem}"),
        }
    }

    fn run(&self, command: Command<'_>, to: &mut impl fmt::Write) -> fmt::Result {
        match command {
            Command::Nothing => Ok(()),
            Command::Help => writeln!(to, "{HELP}"),
            Command::List => self.list(to),
            Command::Memory => self.memory(to),
            Command::Of(action, target) => match self.find(target) {
                Some(process) => self.act(action, process, to),
                None => writeln!(
                    to,
                    "there is no {target}: `list` shows the names and indices of all processes"
                ),
            },
        }
    }

    /// Returns the processes in which an application was loaded.
    fn loaded(&self) -> impl Iterator<Item = &'static Process> {
        self.system.processes().iter().filter(|process| process.status() != Status::Empty)
    }

    /// Returns the process that is meant: the first of that name.
    fn find(&self, target: Target<'_>) -> Option<&'static Process> {
        self.loaded().find(|process| match target {
            Target::Index(index) => process.index() == index,
            Target::Name(name) => process.name() == name,
        })
    }

    fn act(
        &self,
        action: Action,
        process: &'static Process,
        to: &mut impl fmt::Write,
    ) -> fmt::Result {
        let name = process.name();
        let (result, done) = match action {
            Action::Stop => (process.stop(), "is stopped"),
            Action::Start => (process.start(), "goes on"),
            Action::Terminate => (process.terminate(), "has ended"),
            Action::Restart => (process.restart(), "starts anew"),
            Action::Fault => return self.show_fault(process, to),
        };
        match result {
            Ok(()) => writeln!(to, "{name} {done}"),
            Err(error) => writeln!(to, "{name}: {error}"),
        }
    }

    fn show_fault(&self, process: &Process, to: &mut impl fmt::Write) -> fmt::Result {
        let last = self.faults.get(process.index());
        match last.and_then(|last| kernel(|lock| last.get(lock).get())) {
            Some(fault) => writeln!(to, "{fault}"),
            None => writeln!(to, "{}: no fault was noted", process.name()),
        }
    }

    fn list(&self, to: &mut impl fmt::Write) -> fmt::Result {
        writeln!(
            to,
            "{:>5}  {:<20} {:<11} {:>8} {:>8} {:>7} {:>7}",
            "Index", "Name", "State", "Restarts", "Dropped", "Used", "Memory"
        )?;
        for process in self.loaded() {
            let memory = process.memory();
            writeln!(
                to,
                "{:>5}  {:<20} {:<11} {:>8} {:>8} {:>7} {:>7}",
                process.index(),
                process.name(),
                State(process),
                process.restarts(),
                process.dropped_upcalls(),
                process.break_address() - memory.begin,
                memory.end - memory.begin
            )?;
        }
        Ok(())
    }

    fn memory(&self, to: &mut impl fmt::Write) -> fmt::Result {
        for process in self.loaded() {
            writeln!(
                to,
                "{}: memory {}, break {:#010x}, flash {}",
                process.name(),
                process.memory(),
                process.break_address(),
                process.flash()
            )?;
        }
        let used = self.loaded().map(|process| process.memory().end).max();
        let begin = used.unwrap_or(self.system.memory.begin);
        let free = self.system.memory.end.saturating_sub(begin);
        writeln!(to, "{free} bytes of memory are free from {begin:#010x} on")
    }
}

/// The state of a process, in a word or two.
struct State<'a>(&'a Process);

impl fmt::Display for State<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self.0.status() {
            Status::Empty => "Empty",
            Status::Alive | Status::Restarting if self.0.is_stopped() => "Stopped",
            Status::Alive if self.0.is_waiting() => "Waiting",
            Status::Alive => "Ready",
            Status::Exited(_) => "Exited",
            Status::Faulted => "Faulted",
            Status::Terminated => "Terminated",
            Status::Restarting => "Restarting",
            Status::HeldOff => "Held off",
        })
    }
}
