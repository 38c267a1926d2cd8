//! The tasks of an application that have no stack: interrupt tasks, software tasks, async tasks and
//! actors, with what they do now.
//!
//! A task that runs is on the stack of the processor. One that is ready has its bit set in the word
//! of its level. An async task that waits has the place in its future.

use quintet_sim::machine::Machine;

use super::core::Debugged;
use super::shown::Function;
use crate::debug::backtrace::{Found, Frame};
use crate::debug::types::{Place, Types};
use crate::firmware::Firmware;
use crate::firmware::facts;
use crate::trace::kernel::{Kernel, Who};
use crate::trace::units::{Application, Kind, Unit};

/// The number of the first task. Threads have lower ones.
pub const FIRST: usize = 100_000;

/// The state of the memory of a future that has been spawned and not yet ended.
const ALIVE: u64 = 2;

/// A task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its number among the threads.
    pub id: usize,
    name: String,
    kind: &'static str,
    priority: Option<u8>,
    state: String,
    /// The source file, and the line where it goes on or begins.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u32>,
    address: u32,
}

impl Task {
    /// What it is and does, in words.
    pub fn title(&self) -> String {
        let priority = self.priority.map(|priority| format!(", priority {priority}"));
        format!("{} {}{}, {}", self.kind, self.name, priority.unwrap_or_default(), self.state)
    }

    /// As a function on a stack.
    pub fn function(&self) -> Function {
        let frame = Frame {
            address: self.address,
            stack_pointer: None,
            found: Found::Guess,
            exception: 0,
            places: Vec::new(),
            registers: Vec::new(),
        };
        Function { frame, place: 0, is_current: false }
    }
}

/// The tasks of the firmware, if the application tells of any. `calls` is the processor's stack.
pub fn all<M: Debugged>(firmware: &Firmware, machine: &M, calls: &[Frame]) -> Vec<Task> {
    let Ok(Some(text)) = facts::read(firmware.debug.file()) else { return Vec::new() };
    let application = Application::find(firmware, Some(&text), &[]);
    let ready = machine.cortex_m().map(|machine| ready(firmware, &application, machine));
    let ready = ready.unwrap_or_default();
    let mut tasks = Vec::new();
    for (number, unit) in (0..).zip(&application.units) {
        let kind = match unit.kind {
            Kind::Hardware => "interrupt task",
            Kind::Software => "software task",
            Kind::Async => "async task",
            Kind::Actor => "actor",
            Kind::Whole | Kind::Function => continue,
        };
        let mut task = Task {
            id: FIRST + usize::from(number),
            name: unit.title(),
            kind,
            priority: unit.priority,
            state: "waits".into(),
            path: None,
            line: None,
            address: 0,
        };
        begin(&mut task, firmware, unit);
        let is_waiting = unit.kind == Kind::Async && waits(&mut task, firmware, machine, unit);
        if runs(calls, unit) {
            task.state = "on the processor's stack".into();
        } else if ready.contains(&number) {
            task.state = "ready".into();
        } else if is_waiting {
            let line = task.line.unwrap_or(0);
            task.state = match task.path.as_deref().and_then(|path| path.rsplit('/').next()) {
                Some(file) => format!("awaits in {file}:{line}"),
                None => format!("awaits in line {line}"),
            };
        }
        tasks.push(task);
    }
    tasks
}

/// The units whose bits are set.
fn ready(firmware: &Firmware, application: &Application, machine: &Machine) -> Vec<u16> {
    let mut kernel = Kernel::find(firmware, application);
    let woken = kernel.look(machine);
    let unit = |who| match who {
        Who::Unit(unit) => Some(unit),
        Who::Thread(_) | Who::Exception(_) => None,
    };
    woken.into_iter().filter_map(unit).collect()
}

/// Whether a function of a path is the unit's, or inside of it.
fn is_of(function: &str, unit: &Unit) -> bool {
    // With line tables alone, functions have no paths.
    if function == unit.name || function.starts_with(&format!("{}::", unit.name)) {
        return true;
    }
    let marker = format!("::{}", unit.name);
    function.match_indices(&marker).any(|(at, _)| {
        let behind = &function[at + marker.len()..];
        behind.is_empty() || behind.starts_with("::")
    })
}

fn runs(calls: &[Frame], unit: &Unit) -> bool {
    let places = calls.iter().flat_map(|frame| &frame.places);
    places.filter_map(|place| place.function.as_deref()).any(|function| is_of(function, unit))
}

/// Where the code of a task begins, which may be in another function.
fn begin(task: &mut Task, firmware: &Firmware, unit: &Unit) {
    let functions = firmware.image.symbols.iter().filter_map(|symbol| {
        let name = crate::firmware::symbols::demangle(&symbol.name);
        is_of(&name, unit).then_some(symbol.address & !1)
    });
    let own = functions.flat_map(|address| {
        let places = firmware.locate(address);
        let own = places
            .into_iter()
            .find(|place| place.function.as_deref().is_some_and(|function| is_of(function, unit)));
        own.map(|place| (address, place))
    });
    if let Some((address, place)) = own.min_by_key(|(address, _)| *address) {
        (task.address, task.path, task.line) = (address, place.path, place.line);
    }
}

/// Finds the place where an async task awaits. Returns `false` if it doesn't, or that isn't known.
fn waits<M: Debugged>(task: &mut Task, firmware: &Firmware, machine: &M, unit: &Unit) -> bool {
    let types: &Types = firmware.debug.types();
    let read = |address: u32, size: u32| {
        let mut bytes = [0; 8];
        let part = bytes.get_mut(..usize::try_from(size).ok()?)?;
        machine.read_memory(address, part).ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    let cell = format!("::__quintet_{}_cell", unit.name);
    let cell = types.statics().find(|(path, ..)| path.ends_with(&cell));
    let field = |name: &str| {
        let (path, address, kind) = cell?;
        let (path, within) = (path.to_owned(), Vec::new());
        let cell = Place { path, index: String::new(), address, kind, within };
        Some(types.field(&cell, name)?.address)
    };
    let (Some(future), Some(state)) = (field("future"), field("state")) else { return false };
    let mut kinds = types.futures(&unit.name);
    // With several functions of the name, nobody knows whose future it is.
    let (Some(kind), None) = (kinds.next(), kinds.next()) else { return false };
    if read(state, 1) != Some(ALIVE) {
        task.state = "is not spawned".into();
        return false;
    }
    let line = types.waits_at((future, kind), &read);
    if let Some(line) = line {
        task.line = Some(line);
    }
    line.is_some()
}
