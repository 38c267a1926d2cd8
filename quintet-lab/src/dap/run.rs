//! The program runs: to a breakpoint, a line, or the end.
//!
//! ```text
//!  continue ──> Run
//!  next     ──> Line { enters: false }  ─┬─ a call, an interrupt: ──> until it is back
//!  stepIn   ──> Line { enters: true }   ─┘
//!  stepOut  ──> Until { where the caller goes on }
//! ```
//! A place where a function goes on is an address with a stack pointer: no other activation, and
//! no other thread, has both. So interrupts and switches of threads pass while a step waits for
//! its function. Nothing here changes the run: a halted program is where an undisturbed one would
//! be.

use quintet_sim::cores::Target;
use quintet_sim::machine::Stop;
use serde_json::{Value, json};

use super::arguments as given;
use super::core::{Debugged, cause};
use super::expression;
use super::session::Session;
use crate::debugger::{Debugger, Halted};
use crate::firmware::Firmware;
use crate::report::death::Cause;

/// Instructions between two looks at the editor.
const CHUNK: u64 = 20_000;

/// Where a function goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The address.
    pub pc: u32,
    /// The stack pointer there.
    pub stack: u32,
}

/// What the program runs for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A breakpoint, or the end.
    Run,
    /// A place.
    Until(Spot),
    /// The next line.
    Line(Line),
    /// The next instruction.
    Instruction {
        /// Calls are passed.
        over: bool,
        /// Where the function goes on, while it has called another one.
        until: Option<Spot>,
    },
}

/// A step to another line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Functions that are called are stepped into.
    pub enters: bool,
    /// The file and the line of the beginning.
    pub from: Option<(u32, u32)>,
    /// The stack pointer of the function's caller.
    pub frame: Option<u32>,
    /// The functions at the beginning, those that are inlined first.
    pub functions: Vec<Option<String>>,
    /// The step leaves the innermost inlined function.
    pub leaves: bool,
    /// Where the function goes on, while it has called another one or is interrupted.
    pub until: Option<Spot>,
}

/// What a halt means for the goal.
enum Outcome {
    GoesOn,
    Reached,
    Halted(Halted),
}

impl<M: Debugged> Session<'_, M> {
    /// Sets the program going.
    pub(super) fn go(&mut self, goal: Goal) {
        self.shown.clear();
        self.goal = Some(goal);
    }

    /// Lets the program go on for a while.
    pub(super) fn advance(&mut self) {
        let Some(mut goal) = self.goal.take() else { return };
        let outcome = match &mut goal {
            Goal::Run => Outcome::of(self.run(None)),
            Goal::Until(spot) => self.run_to(*spot),
            Goal::Line(line) => self.step_lines(line),
            Goal::Instruction { over, until } => self.step_instruction(*over, until),
        };
        self.print();
        match outcome {
            Outcome::GoesOn => self.goal = Some(goal),
            Outcome::Reached => self.stop("step", "step", None, &[]),
            Outcome::Halted(halted) => self.halted(goal, halted),
        }
    }

    pub(super) fn print(&mut self) {
        let Self { debugger, printer, client, .. } = self;
        debugger.print(&mut |machine| printer.print(machine, client));
    }

    /// Runs until a request waits or something halts, which may be the place.
    fn run(&mut self, place: Option<u32>) -> Halted {
        let is_new = place.is_some_and(|place| !self.debugger.has_breakpoint(place));
        if let Some(place) = place.filter(|_| is_new) {
            self.debugger.add_breakpoint(place);
        }
        let Self { debugger, printer, client, .. } = self;
        let halted = debugger.resume_while(CHUNK, &mut |debugger: &mut Debugger<M>| {
            debugger.print(&mut |machine| printer.print(machine, client));
            !client.is_waiting()
        });
        if let Some(place) = place.filter(|_| is_new) {
            self.debugger.remove_breakpoint(place);
        }
        halted
    }

    /// Returns `true` if the program stands at a place.
    fn is_at(&self, spot: Spot) -> bool {
        let machine = self.debugger.machine();
        machine.pc() == spot.pc && machine.stack_pointer() == spot.stack
    }

    fn run_to(&mut self, spot: Spot) -> Outcome {
        match self.run(Some(spot.pc)) {
            Halted::Limit => Outcome::GoesOn,
            Halted::Breakpoint if self.is_at(spot) => Outcome::Reached,
            // Another activation of the same code.
            Halted::Breakpoint
                if self.debugger.pc() == spot.pc
                    && !self.points.addresses().any(|address| address == spot.pc) =>
            {
                Outcome::GoesOn
            }
            halted => Outcome::Halted(halted),
        }
    }

    /// Waits for the function to go on. `None` once it does.
    fn wait_for(&mut self, until: &mut Option<Spot>) -> Option<Outcome> {
        let spot = (*until)?;
        match self.run_to(spot) {
            Outcome::Reached => {
                *until = None;
                None
            }
            other => Some(other),
        }
    }

    /// Makes a step. Returns where the function goes on if the step led away from it: into a call,
    /// if `calls` are passed, or into a handler.
    fn step_once(&mut self, passes_calls: bool) -> (Halted, Option<Spot>, bool) {
        let machine = self.debugger.machine();
        let (pc, stack, handler) = (machine.pc(), machine.stack_pointer(), machine.handler());
        let instructions = machine.instructions();
        let flow = machine.bits(pc).and_then(|bits| machine.flow(pc, bits));
        let halted = self.debugger.step();
        let machine = self.debugger.machine();
        let was_executed = machine.instructions() != instructions;
        let behind =
            if was_executed { flow.map_or(pc, |flow| pc.wrapping_add(flow.length)) } else { pc };
        let is_call = was_executed && flow.is_some_and(|flow| flow.to.is_call());
        let is_entry = machine.handler() != handler
            && machine.handler() != 0
            && !flow.is_some_and(|flow| {
                was_executed && matches!(flow.to, Target::Return | Target::ReturnFromTrap)
            });
        let spot = Spot { pc: behind, stack };
        match () {
            () if is_entry => (halted, Some(spot), false),
            () if is_call && passes_calls => (halted, Some(spot), true),
            () => (halted, is_call.then_some(spot), is_call),
        }
    }

    fn step_instruction(&mut self, over: bool, until: &mut Option<Spot>) -> Outcome {
        if let Some(outcome) = self.wait_for(until) {
            return outcome;
        }
        let before = self.debugger.machine().instructions();
        for _ in 0..CHUNK {
            let (halted, spot, is_call) = self.step_once(over);
            if !matches!(halted, Halted::Stepped) {
                return Outcome::Halted(halted);
            }
            match spot {
                Some(spot) if !is_call || over => {
                    *until = Some(spot);
                    // A handler that came first leaves the instruction to be made.
                    if is_call {
                        return match self.wait_for(until) {
                            None => Outcome::Reached,
                            Some(_) => {
                                let spot = until.take().unwrap_or(spot);
                                self.goal_until(spot)
                            }
                        };
                    }
                    return Outcome::GoesOn;
                }
                _ if self.debugger.machine().instructions() != before => return Outcome::Reached,
                // It slept.
                _ => {}
            }
        }
        Outcome::GoesOn
    }

    /// The rest of a step over a call is a run to the place behind it.
    fn goal_until(&mut self, spot: Spot) -> Outcome {
        loop {
            match self.run_to(spot) {
                Outcome::GoesOn if self.client.is_waiting() => {
                    self.shown.pauses = true;
                    return Outcome::Reached;
                }
                Outcome::GoesOn => {}
                other => return other,
            }
        }
    }

    fn step_lines(&mut self, line: &mut Line) -> Outcome {
        if let Some(outcome) = self.wait_for(&mut line.until) {
            return outcome;
        }
        if self.is_reached(line) {
            return Outcome::Reached;
        }
        for _ in 0..CHUNK {
            let (halted, spot, is_call) = self.step_once(!line.enters);
            if !matches!(halted, Halted::Stepped) {
                return Outcome::Halted(halted);
            }
            if let Some(spot) = spot
                && !(is_call && line.enters && self.enter())
            {
                line.until = Some(spot);
                return Outcome::GoesOn;
            }
            // A breakpoint on the way counts, but for the one that the step began at.
            let pc = self.debugger.pc();
            if is_call && line.enters || self.is_reached(line) {
                return Outcome::Reached;
            }
            if self.debugger.has_breakpoint(pc) && self.points.addresses().any(|at| at == pc) {
                return Outcome::Halted(Halted::Breakpoint);
            }
        }
        Outcome::GoesOn
    }

    /// Goes behind the code that the function begins with which was called. Returns `false` if it
    /// has no lines.
    fn enter(&mut self) -> bool {
        let pc = self.debugger.pc();
        let lines = self.firmware.debug.lines();
        if lines.at(pc).is_none() {
            return false;
        }
        let size = self.firmware.image.function_at(pc).map_or(0, |function| function.size);
        let behind = lines.behind_prologue(pc, pc.saturating_add(size));
        for _ in 0..(behind - pc) / 2 {
            if self.debugger.pc() == behind || !matches!(self.debugger.step(), Halted::Stepped) {
                break;
            }
        }
        true
    }

    /// Returns `true` if another line begins here, in the function of the step or around it.
    fn is_reached(&self, line: &Line) -> bool {
        let pc = self.debugger.pc();
        let lines = self.firmware.debug.lines();
        let Some(row) = lines.statement(pc) else { return false };
        let frame = frame_of(self.firmware, self.debugger.machine());
        let is_same_line = line.from == Some((row.file, row.line));
        if frame != line.frame {
            return true;
        }
        if is_same_line && !line.leaves {
            return false;
        }
        let functions = functions_at(self.firmware, pc);
        // In the same function, or in one into which it is inlined.
        let is_around = line.functions.ends_with(&functions);
        if line.leaves {
            is_around && functions.len() < line.functions.len()
        } else {
            line.enters || is_around
        }
    }

    /// Begins a step.
    pub(super) fn step(&mut self, how: &str, of: &given::OfThread) -> Result<Value, String> {
        let calls = self.calls_of(of.thread_id)?;
        let innermost = calls.first().ok_or("the thread has no stack")?;
        let (pc, stack) = (innermost.address, innermost.stack_pointer);
        let is_current = self.is_current(of.thread_id);
        // A thread that doesn't run is stepped once it does.
        let until = (!is_current).then(|| stack.map(|stack| Spot { pc, stack })).flatten();
        if of.granularity.as_deref() == Some("instruction") && how != "stepOut" {
            self.go(Goal::Instruction { over: how == "next", until });
            return Ok(Value::Null);
        }
        let lines = self.firmware.debug.lines();
        let functions = functions_at(self.firmware, pc);
        let from = lines.at(pc).map(|row| (row.file, row.line));
        let leaves = how == "stepOut" && functions.len() > 1;
        if how == "stepOut" && !leaves {
            let caller = calls
                .get(1)
                .and_then(|caller| Some(Spot { pc: caller.address, stack: caller.stack_pointer? }));
            let none = "nothing has called this function, so there is nowhere to step out to";
            self.go(Goal::Until(caller.ok_or(none)?));
            return Ok(Value::Null);
        }
        let frame = frame(self.firmware, self.debugger.machine(), &innermost.registers, pc);
        let enters = how == "stepIn";
        self.go(Goal::Line(Line { enters, from, frame, functions, leaves, until }));
        Ok(Value::Null)
    }

    /// Decides what a halt means, and tells the editor.
    fn halted(&mut self, goal: Goal, halted: Halted) {
        match halted {
            Halted::Limit => self.goal = Some(goal),
            Halted::Stepped => self.stop("step", "step", None, &[]),
            Halted::Beginning => self.stop("step", "the history begins here", None, &[]),
            Halted::Fault(handler) => {
                let cause = if M::FAMILY == quintet_sim::cores::Family::CortexM {
                    Cause::FaultHandler { exception: handler }
                } else {
                    Cause::FaultLoop { exception: handler }
                };
                let text = self.debugger.machine().explain(self.firmware, &cause);
                let name = M::handler_name(handler);
                self.stop("exception", &format!("a fault: {name}"), Some(&text), &[]);
            }
            Halted::Breakpoint => self.at_breakpoint(goal),
            Halted::Watchpoint(range) => {
                let mut evaluate = evaluator(&self.debugger, self.firmware);
                let (halting, logged) = self.points.of_range(range, &mut evaluate);
                drop(evaluate);
                logged.iter().for_each(|text| self.client.tell(&format!("{text}\n")));
                if halting.is_empty() {
                    self.goal = Some(goal);
                } else {
                    let what = format!("access to {:#010x}", range.start);
                    self.stop("data breakpoint", &what, None, &halting);
                }
            }
            Halted::Stopped(stop) => self.stopped(&stop),
        }
    }

    fn at_breakpoint(&mut self, goal: Goal) {
        let pc = self.debugger.pc();
        if self.launch.no_debug {
            self.goal = Some(goal);
            return;
        }
        let mut evaluate = evaluator(&self.debugger, self.firmware);
        let (halting, logged) = self.points.at(pc, &mut evaluate);
        drop(evaluate);
        logged.iter().for_each(|text| self.client.tell(&format!("{text}\n")));
        if !halting.is_empty() {
            self.stop("breakpoint", "breakpoint", None, &halting);
        } else if self.points.catches_panics && panics(self.firmware).contains(&pc) {
            self.stop("exception", "a panic", Some("the firmware panics"), &[]);
        } else if self.debugger.is_breakpoint_instruction(pc) {
            self.stop("breakpoint", "a breakpoint instruction of the firmware", None, &[]);
        } else {
            self.goal = Some(goal);
        }
    }

    /// The program has ended, or can't go on.
    fn stopped(&mut self, stop: &Stop) {
        if let Stop::Exit { code } = stop {
            self.end(Some(*code));
            return;
        }
        let what = match stop {
            Stop::Asleep => "the processor sleeps, and nothing will ever wake it",
            Stop::Lockup => "the processor is locked up",
            _ => "the processor has stopped",
        };
        let cause = cause(stop);
        let text = cause.map(|cause| self.debugger.machine().explain(self.firmware, &cause));
        self.stop("exception", what, text.as_deref(), &[]);
    }

    /// Tells the editor that the program is over.
    pub(super) fn end(&mut self, code: Option<u32>) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        self.goal = None;
        self.print();
        self.printer.finish(self.client);
        if let Some(code) = code {
            let cycle = self.cycle();
            self.client.tell(&format!("the program ended with code {code}, at cycle {cycle}\n"));
            self.client.event("exited", json!({ "exitCode": code }));
        }
        self.client.event("terminated", Value::Null);
    }

    /// Tells the editor that the program stands.
    pub(super) fn stop(&mut self, reason: &str, what: &str, text: Option<&str>, hit: &[u64]) {
        self.goal = None;
        self.shown.clear();
        self.print();
        if let Some(text) = text {
            self.client.event(
                "output",
                json!({ "category": "important", "output": format!("{}\n", text.trim_end()) }),
            );
        }
        let thread = self.current();
        self.client.event(
            "stopped",
            json!({
                "reason": reason,
                "description": what,
                "text": text.unwrap_or(what),
                "threadId": thread,
                "allThreadsStopped": true,
                "hitBreakpointIds": hit,
            }),
        );
    }
}

impl Outcome {
    fn of(halted: Halted) -> Self {
        match halted {
            Halted::Limit => Self::GoesOn,
            halted => Self::Halted(halted),
        }
    }
}

/// Evaluates conditions in the function that the program stands in.
fn evaluator<'b, M: Debugged>(
    debugger: &'b Debugger<M>,
    firmware: &'b Firmware,
) -> impl FnMut(&str) -> Result<(bool, String), String> + 'b {
    move |text| {
        let frame = debugger.machine().calls(firmware).into_iter().next();
        let names =
            super::names::Here::new(debugger.machine(), firmware, frame.map(|frame| (frame, 0)));
        let meaning = expression::evaluate(text, &names)?;
        let shown = super::names::text(&meaning, &names);
        Ok((expression::truth(&meaning, &names).unwrap_or(true), shown))
    }
}

/// The functions at an address, inlined ones first.
pub(super) fn functions_at(firmware: &Firmware, address: u32) -> Vec<Option<String>> {
    firmware.locate(address).into_iter().map(|place| place.function).collect()
}

/// The stack pointer of the caller of the function at `address`.
pub(super) fn frame<M: Debugged>(
    firmware: &Firmware,
    machine: &M,
    registers: &[Option<u32>],
    address: u32,
) -> Option<u32> {
    let core = machine.unwinding();
    let read = |address| machine.read_word(address);
    let (caller, _) = firmware.debug.unwind_by(&core, registers, address, &read)?;
    *caller.get(usize::from(core.stack))?
}

/// The same of the function that the program stands in.
pub(super) fn frame_of<M: Debugged>(firmware: &Firmware, machine: &M) -> Option<u32> {
    let count = usize::from(machine.unwinding().registers);
    let registers: Vec<Option<u32>> = (0..count).map(|number| machine.register(number)).collect();
    frame(firmware, machine, &registers, machine.pc())
}

/// The addresses where a panic of Rust begins.
pub(super) fn panics(firmware: &Firmware) -> Vec<u32> {
    let is_panic = |name: &str| name.contains("rust_begin_unwind");
    let symbols = firmware.image.symbols.iter().filter(|symbol| is_panic(&symbol.name));
    symbols.map(|symbol| symbol.address & !1).collect()
}
