//! Backwards: by an instruction, by a line, or to the last breakpoint.

use serde_json::{Value, json};

use super::arguments as given;
use super::core::Debugged;
use super::names::lookup;
use super::run::{frame, frame_of, functions_at};
use super::session::Session;
use crate::debugger::Halted;
use crate::debugger::history::{Search, Seen};
use crate::firmware::Firmware;

/// A line: its file, its number, and the stack pointer of its function's caller.
type Line = (u32, u32, Option<u32>);

/// Looks for the beginning of the line before, in the function or in one around it.
struct Lines<'a> {
    firmware: &'a Firmware,
    handler: u16,
    /// The functions on the stack: where each begins, and the stack pointer of its caller.
    stack: Vec<(Option<u32>, Option<u32>)>,
    /// The functions at the present place, those that are inlined first.
    functions: Vec<Option<String>>,
    /// The line that was seen last, with its frame, and where it began.
    last: Option<(Line, u64)>,
    /// Where the line before that began.
    before: Option<u64>,
    is_whole: bool,
}

impl<M: Debugged> Search<M> for Lines<'_> {
    fn begin(&mut self, is_whole: bool) {
        (self.last, self.before, self.is_whole) = (None, None, is_whole);
    }

    fn see(&mut self, machine: &mut M, seen: Seen) -> Option<u64> {
        let pc = machine.pc();
        let row = self.firmware.debug.lines().statement(pc).copied();
        if let Some(row) = row
            && machine.handler() == self.handler
            && machine.is_instruction_next()
        {
            let frame = frame_of(self.firmware, machine);
            if self.counts(pc, frame) {
                let line = (row.file, row.line, frame);
                match self.last {
                    // The first one of a series may have begun before.
                    None if !self.is_whole && seen.at < seen.end => {
                        self.last = Some((line, u64::MAX));
                    }
                    Some((last, _)) if last == line => {}
                    _ => {
                        self.before = self.last.map(|(_, at)| at);
                        self.last = Some((line, seen.at));
                    }
                }
            }
        }
        if seen.at < seen.end {
            return None;
        }
        let begun = self.last.map(|(_, at)| at).filter(|at| *at < seen.end);
        begun.or(self.before).filter(|at| *at != u64::MAX)
    }
}

impl Lines<'_> {
    /// Whether a step would stop here: in the function, but not in one that it has called.
    fn counts(&self, pc: u32, frame: Option<u32>) -> bool {
        let here = (begin(self.firmware, pc), frame);
        match self.stack.iter().position(|one| *one == here) {
            None => false,
            Some(0) => self.functions.ends_with(&functions_at(self.firmware, pc)),
            Some(_) => true,
        }
    }
}

/// Where the function at an address begins.
fn begin(firmware: &Firmware, address: u32) -> Option<u32> {
    firmware.image.function_at(address).map(|function| function.address)
}

impl<M: Debugged> Session<'_, M> {
    /// Answers `stepBack`.
    pub(super) fn step_back(&mut self, of: &given::OfThread) -> Result<Value, String> {
        if !self.is_current(of.thread_id) {
            return Err("only the thread that runs can be stepped back".into());
        }
        self.shown.clear();
        let halted = if of.granularity.as_deref() == Some("instruction") {
            Some(self.debugger.step_back())
        } else {
            let machine = self.debugger.machine();
            let calls = machine.calls(self.firmware);
            let stack = calls.iter().map(|call| {
                let address = lookup(call);
                let frame = frame(self.firmware, machine, &call.registers, address);
                (begin(self.firmware, address), frame)
            });
            let mut search = Lines {
                firmware: self.firmware,
                handler: machine.handler(),
                stack: stack.collect(),
                functions: functions_at(self.firmware, machine.pc()),
                last: None,
                before: None,
                is_whole: false,
            };
            let Self { debugger, client, .. } = self;
            debugger.go_back(&mut search, &mut || !client.is_waiting())
        };
        self.shown.went_back = Some(halted.unwrap_or(Halted::Limit));
        Ok(Value::Null)
    }

    /// Answers `reverseContinue`.
    pub(super) fn reverse_continue(&mut self) -> Result<Value, String> {
        self.shown.clear();
        let Self { debugger, client, .. } = self;
        let halted = debugger.resume_back(&mut || !client.is_waiting());
        self.shown.went_back = Some(halted.unwrap_or(Halted::Limit));
        Ok(json!({ "allThreadsContinued": true }))
    }

    /// Tells where the way back has led.
    pub(super) fn announce_back(&mut self, halted: Halted) {
        match halted {
            Halted::Beginning => self.stop("entry", "the history begins here", None, &[]),
            Halted::Limit => self.stop("pause", "another request came first", None, &[]),
            Halted::Breakpoint => self.stop("breakpoint", "breakpoint, backwards", None, &[]),
            Halted::Watchpoint(range) => {
                let what = format!("before the access to {:#010x}", range.start);
                self.stop("data breakpoint", &what, None, &[]);
            }
            _ => self.stop("step", "step back", None, &[]),
        }
    }
}
