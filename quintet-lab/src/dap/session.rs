//! A program that is debugged: requests come in, the program runs or stands.

use anyhow::Context;
use quintet_sim::cores::Core;
use serde_json::{Map, Value, json};

use super::arguments as given;
use super::client::{Client, Request};
use super::core::Debugged;
use super::launch::Launch;
use super::points::{FAULTS, PANICS, Points};
use super::printer::Printer;
use super::run::Goal;
use super::shown::Shown;
use crate::debugger::Debugger;
use crate::firmware::Firmware;
use crate::gdb::threads::Threads;

/// What an editor has said of itself.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    /// How lines are counted: from 1 or from 0.
    pub initialize: Option<given::Initialize>,
}

impl Editor {
    /// A line of ours for the editor.
    pub fn line(&self, line: u32) -> u32 {
        let from_1 = self.initialize.as_ref().is_none_or(|editor| editor.lines_start_at1);
        if from_1 { line } else { line.saturating_sub(1) }
    }

    /// A line of the editor for us.
    pub fn ours(&self, line: i64) -> i64 {
        let from_1 = self.initialize.as_ref().is_none_or(|editor| editor.lines_start_at1);
        if from_1 { line } else { line.saturating_add(1) }
    }
}

/// Why a session with one program is over.
pub enum Over {
    /// The editor has left, or wants to.
    Left,
    /// The program begins anew, with these arguments if there are any.
    Restart(Option<Map<String, Value>>),
}

/// What the loop does behind a request.
pub enum Then {
    Go,
    Over(Over),
}

/// A session with one program.
pub struct Session<'a, M: Debugged> {
    pub(super) client: &'a mut Client,
    pub(super) editor: &'a Editor,
    pub(super) points: &'a mut Points,
    pub(super) firmware: &'a Firmware,
    pub(super) launch: &'a Launch,
    pub(super) debugger: Debugger<M>,
    pub(super) printer: Printer<'a>,
    pub(super) threads: Threads<'a>,
    /// What the program runs for; it stands without a goal.
    pub(super) goal: Option<Goal>,
    /// What the editor sees while the program stands.
    pub(super) shown: Shown,
    pub(super) has_ended: bool,
    is_configured: bool,
}

impl<'a, M: Debugged> Session<'a, M> {
    /// A program that stands before its first instruction.
    pub fn new(
        client: &'a mut Client,
        (editor, points): (&'a Editor, &'a mut Points),
        firmware: &'a Firmware,
        launch: &'a Launch,
    ) -> anyhow::Result<Self> {
        let machine = M::started(&launch.options, firmware)?;
        let mut debugger = Debugger::observe(machine);
        debugger.remember();
        Ok(Self {
            client,
            editor,
            points,
            firmware,
            launch,
            debugger,
            printer: Printer::new(firmware, launch.options.output_limit()),
            threads: Threads::of(firmware),
            goal: None,
            shown: Shown::default(),
            has_ended: false,
            is_configured: false,
        })
    }

    /// Serves the editor until the program is over. After a restart, the program begins at once.
    pub fn serve(mut self, begins: bool) -> Over {
        self.points.resolve(self.firmware);
        self.apply_points();
        if begins {
            self.begin();
        }
        loop {
            if self.goal.is_some() && !self.client.is_waiting() {
                self.advance();
                continue;
            }
            let Some(request) = self.client.next() else { return Over::Left };
            if let Then::Over(over) = self.handle(&request) {
                return over;
            }
        }
    }

    /// Gives the program its command line.
    pub fn set_command_line(&mut self) {
        let line = self.launch.command_line();
        self.debugger.change(|machine| machine.set_line(&line));
    }

    /// Answers the request that wants the program, and lets the editor set breakpoints.
    pub fn launched(&mut self, request: &Request) {
        self.client.answer(request, Ok(Value::Null));
        self.client.event("initialized", Value::Null);
    }

    /// Lets the program begin.
    fn begin(&mut self) {
        self.is_configured = true;
        if self.launch.stop_on_entry && !self.launch.no_debug {
            self.stop("entry", "before the first instruction", None, &[]);
        } else {
            self.goal = Some(Goal::Run);
        }
    }

    /// Sets the machine's breakpoints as the editor wants them.
    pub(super) fn apply_points(&mut self) {
        if self.launch.no_debug {
            return;
        }
        let panics = self.points.catches_panics.then(|| super::run::panics(self.firmware));
        let panics = panics.into_iter().flatten();
        self.debugger.set_breakpoints(self.points.addresses().chain(panics));
        self.debugger.set_watchpoints(self.points.ranges());
        self.debugger.catch_faults(self.points.catches_faults);
    }

    fn handle(&mut self, request: &Request) -> Then {
        let then = match request.command.as_str() {
            "disconnect" | "terminate" => {
                self.client.answer(request, Ok(Value::Null));
                if request.command == "terminate" {
                    self.end(None);
                    return Then::Go;
                }
                return Then::Over(Over::Left);
            }
            "restart" => {
                let arguments = request.arguments::<Map<String, Value>>().unwrap_or_default();
                let launch = arguments.get("arguments").and_then(Value::as_object).cloned();
                self.client.answer(request, Ok(Value::Null));
                return Then::Over(Over::Restart(launch));
            }
            "launch" | "attach" => Err("a program is being debugged already: use \"restart\" to \
                                        begin it anew, or end this session first"
                .into()),
            "initialize" => Err("this session is initialized already".into()),
            "configurationDone" => {
                self.client.answer(request, Ok(Value::Null));
                if !self.is_configured {
                    self.begin();
                }
                return Then::Go;
            }
            _ => self.answer(request),
        };
        self.client.answer(request, then);
        self.announce();
        Then::Go
    }

    fn answer(&mut self, request: &Request) -> Result<Value, String> {
        match request.command.as_str() {
            "setBreakpoints" => self.set_breakpoints(&request.arguments()?),
            "setFunctionBreakpoints" => {
                let wanted: given::SetOthers = request.arguments()?;
                let set = self.points.set_functions(wanted.breakpoints, self.firmware);
                self.apply_points();
                Ok(self.with_lines(set))
            }
            "setInstructionBreakpoints" => {
                let wanted: given::SetOthers = request.arguments()?;
                let set = self.points.set_instructions(wanted.breakpoints, self.firmware);
                self.apply_points();
                Ok(set)
            }
            "setDataBreakpoints" => {
                let wanted: given::SetOthers = request.arguments()?;
                let set = self.points.set_data(wanted.breakpoints);
                self.apply_points();
                Ok(set)
            }
            "setExceptionBreakpoints" => {
                let wanted: given::SetExceptions = request.arguments()?;
                let has = |name: &str| wanted.filters.iter().any(|filter| filter == name);
                (self.points.catches_faults, self.points.catches_panics) =
                    (has(FAULTS), has(PANICS));
                self.apply_points();
                Ok(Value::Null)
            }
            "breakpointLocations" => self.locations(&request.arguments()?),
            "threads" => Ok(self.list_threads()),
            "pause" => {
                if self.has_ended {
                    return Err("the program has ended".into());
                }
                let was_running = self.goal.take().is_some();
                if was_running {
                    self.shown.pauses = true;
                }
                Ok(Value::Null)
            }
            other if !self.has_ended || other == "evaluate" => self.answer_standing(request),
            _ => Err("the program has ended: begin it anew".into()),
        }
    }

    /// Answers what only a program can be asked that stands.
    fn answer_standing(&mut self, request: &Request) -> Result<Value, String> {
        let known = [
            "continue",
            "next",
            "stepIn",
            "stepOut",
            "stepBack",
            "reverseContinue",
            "stackTrace",
            "scopes",
            "variables",
            "setVariable",
            "setExpression",
            "evaluate",
            "dataBreakpointInfo",
            "readMemory",
            "writeMemory",
            "disassemble",
        ];
        let command = request.command.as_str();
        if !known.contains(&command) {
            return Err(format!("\"{command}\" is no request that this debugger knows"));
        }
        if self.goal.is_some() || !self.is_configured {
            return Err(format!("\"{command}\" needs a program that stands: pause it first"));
        }
        match command {
            "continue" => {
                self.go(Goal::Run);
                Ok(json!({ "allThreadsContinued": true }))
            }
            "next" | "stepIn" | "stepOut" => self.step(command, &request.arguments()?),
            "stepBack" => self.step_back(&request.arguments()?),
            "reverseContinue" => self.reverse_continue(),
            "stackTrace" => self.stack_trace(&request.arguments()?),
            "scopes" => self.scopes(&request.arguments()?),
            "variables" => self.variables(&request.arguments()?),
            "setVariable" => self.set_variable(&request.arguments()?),
            "setExpression" => self.set_expression(&request.arguments()?),
            "evaluate" => self.evaluate(&request.arguments()?),
            "dataBreakpointInfo" => self.data_info(&request.arguments()?),
            "readMemory" => self.read_memory(&request.arguments()?),
            "writeMemory" => self.write_memory(&request.arguments()?),
            _ => self.disassemble(&request.arguments()?),
        }
    }

    fn set_breakpoints(&mut self, wanted: &given::SetBreakpoints) -> Result<Value, String> {
        let path = wanted.source.path.as_deref().or(wanted.source.name.as_deref());
        let path = path.ok_or("the source of the breakpoints has no path")?;
        let older =
            wanted.lines.iter().map(|line| given::Wanted { line: *line, ..Default::default() });
        let mut all = wanted.breakpoints.clone();
        if all.is_empty() {
            all.extend(older);
        }
        for one in &mut all {
            one.line = self.editor.ours(one.line);
        }
        let set = self.points.set_lines(path, all, self.firmware);
        self.apply_points();
        Ok(self.with_lines(set))
    }

    /// Breakpoints with lines as the editor counts them.
    fn with_lines(&self, mut set: Value) -> Value {
        for point in set["breakpoints"].as_array_mut().into_iter().flatten() {
            if let Some(line) = point["line"].as_u64().and_then(|line| u32::try_from(line).ok()) {
                point["line"] = json!(self.editor.line(line));
            }
        }
        set
    }

    fn locations(&mut self, wanted: &given::Locations) -> Result<Value, String> {
        let path = wanted.source.path.as_deref().ok_or("the source has no path")?;
        let lines = self.firmware.debug.lines();
        let files = lines.files(path);
        let ours = |line: i64| u32::try_from(self.editor.ours(line)).unwrap_or(0);
        let (first, last) = (ours(wanted.line), ours(wanted.end_line.unwrap_or(wanted.line)));
        let all = lines.within(&files, first, last).into_iter();
        let all: Vec<Value> = all.map(|line| json!({ "line": self.editor.line(line) })).collect();
        Ok(json!({ "breakpoints": all }))
    }

    /// Tells of a pause, behind its answer.
    fn announce(&mut self) {
        if std::mem::take(&mut self.shown.pauses) {
            self.stop("pause", "paused", None, &[]);
        }
        if let Some(halted) = self.shown.went_back.take() {
            self.announce_back(halted);
        }
    }

    /// The present cycle, for texts.
    pub(super) fn cycle(&self) -> u64 {
        Core::cycle(self.debugger.machine())
    }
}

/// Opens the firmware that is to be debugged.
pub fn open<M: Debugged>(launch: &Launch) -> anyhow::Result<Firmware> {
    anyhow::ensure!(
        launch.program.is_file(),
        "there is no file {}; build the program first, or correct \"program\" in the configuration",
        launch.program.display()
    );
    M::open(&launch.options, &launch.program)
        .with_context(|| format!("cannot debug {}", launch.program.display()))
}
