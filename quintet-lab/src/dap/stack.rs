//! Threads and their stacks.

use std::path::Path;

use serde_json::{Value, json};

use super::arguments as given;
use super::core::Debugged;
use super::session::Session;
use super::shown::Function;
use super::tasks;
use crate::debug::Place;
use crate::debug::backtrace::{CoreState, Found, Frame, backtrace};
use crate::debug::owner::Owner;
use crate::debug::walk;

impl<M: Debugged> Session<'_, M> {
    /// The number of the thread that runs.
    pub(super) fn current(&mut self) -> usize {
        self.threads.current(self.debugger.machine())
    }

    /// Returns `true` if a thread has the processor's registers.
    pub(super) fn is_current(&mut self, thread: usize) -> bool {
        let current = self.current();
        thread == current || thread == 0
    }

    /// The threads that GDB lists too, and the tasks.
    pub(super) fn list_threads(&mut self) -> Value {
        let Self { debugger, threads, firmware, .. } = self;
        let machine = debugger.machine();
        let mut all = Vec::new();
        for number in threads.all(machine) {
            let name = threads.describe(machine, number);
            all.push(json!({ "id": number, "name": name }));
        }
        let calls = machine.calls(firmware);
        for task in tasks::all(firmware, machine, &calls) {
            all.push(json!({ "id": task.id, "name": task.title() }));
        }
        json!({ "threads": all })
    }

    /// The frames of a thread.
    pub(super) fn calls_of(&mut self, thread: usize) -> Result<Vec<Frame>, String> {
        if self.is_current(thread) {
            return Ok(self.debugger.machine().calls(self.firmware));
        }
        if thread >= tasks::FIRST {
            return Err("a task has no stack of its own: step the thread that runs, or set a \
                        breakpoint in the task"
                .into());
        }
        let Self { debugger, threads, firmware, .. } = self;
        let none = || format!("there is no thread {thread}");
        if let Some(machine) = debugger.machine().riscv() {
            let left_at = threads.left_at(machine, thread).ok_or_else(none)?;
            return walk::suspended(firmware, machine, left_at).ok_or_else(none);
        }
        let machine = debugger.machine().cortex_m().ok_or_else(none)?;
        let saved = threads.saved(machine, thread).ok_or_else(none)?;
        let state = CoreState {
            registers: saved.r,
            main_stack: 0,
            process_stack: saved.r[13],
            process_top: threads.stack_top(machine, thread),
            exception: 0,
        };
        Ok(backtrace(firmware, &state, &|address| machine.read_word(address)))
    }

    /// Answers `stackTrace`.
    pub(super) fn stack_trace(&mut self, of: &given::OfThread) -> Result<Value, String> {
        if of.thread_id >= tasks::FIRST {
            return self.stack_of_task(of.thread_id);
        }
        let calls = self.calls_of(of.thread_id)?;
        let is_current = self.is_current(of.thread_id);
        let mut frames = Vec::new();
        let total: usize = calls.iter().map(|frame| frame.places.len()).sum();
        let levels = if of.levels == 0 { usize::MAX } else { of.levels };
        let each = calls.iter().flat_map(|frame| {
            frame.places.iter().enumerate().map(move |(number, place)| (frame, number, place))
        });
        for (frame, number, place) in each.skip(of.start_frame).take(levels) {
            let function = Function {
                frame: frame.clone(),
                place: number,
                is_current: is_current && frame.found == Found::Current,
            };
            let id = self.shown.function(function);
            frames.push(self.shown_frame(id, frame, place));
        }
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    fn shown_frame(&self, id: usize, frame: &Frame, place: &Place) -> Value {
        let mut name = place.plain_function().unwrap_or_else(|| "?".into());
        match frame.found {
            Found::Interrupted => name.push_str(" (interrupted)"),
            Found::Guess => name.push_str(" (a guess)"),
            Found::Current | Found::Caller => {}
        }
        let line = place.line.map_or(0, |line| self.editor.line(line));
        let mut shown = json!({
            "id": id,
            "name": name,
            "line": line,
            "column": 0,
            "instructionPointerReference": format!("{:#010x}", frame.address),
        });
        if let Some(source) = source(place) {
            shown["source"] = source;
        } else {
            shown["presentationHint"] = json!("subtle");
        }
        shown
    }

    /// A task that doesn't run has no stack: it is shown where it goes on.
    fn stack_of_task(&mut self, id: usize) -> Result<Value, String> {
        let machine = self.debugger.machine();
        let calls = machine.calls(self.firmware);
        let task =
            tasks::all(self.firmware, machine, &calls).into_iter().find(|task| task.id == id);
        let task = task.ok_or_else(|| format!("there is no task {id}"))?;
        let mut shown = json!({
            "id": self.shown.function(task.function()),
            "name": task.title(),
            "line": task.line.map_or(0, |line| self.editor.line(line)),
            "column": 0,
        });
        let place = Place { file: task.path.clone(), path: task.path, ..Place::default() };
        if let Some(source) = source(&place) {
            shown["source"] = source;
        }
        Ok(json!({ "stackFrames": [shown], "totalFrames": 1 }))
    }
}

/// A source file for the editor. It opens files that are there.
fn source(place: &Place) -> Option<Value> {
    let path = place.path.as_deref()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut source = json!({ "name": name, "path": path });
    if place.owner != Owner::Firmware {
        source["presentationHint"] = json!("deemphasize");
    }
    if !Path::new(path).is_file() {
        source["origin"] = json!("the file is not on this computer");
    }
    Some(source)
}
