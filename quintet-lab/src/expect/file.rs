//! Reads a test. An error names the file, the line and the field, and what would be right.

use super::expectation::{Base, Expectation, Pin, Task, Test, What};
use crate::commands::deadlines::known;
use crate::deadlines::declare::{self, Jobs};
use crate::deadlines::watch::{Wanted, Watch};
use crate::firmware::Firmware;
use crate::simulated::Simulated;
use crate::trace::span::Time;
use crate::trace::units::{Application, Kind};
use quintet_sim::board::Parts as Board;
use quintet_sim::files;
use quintet_sim::script::{Entries, Names, Script, Target, find_pin};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How long a test runs that says nothing of it: a second.
const LIMIT_US: u64 = 1_000_000;

/// A test that can run.
pub struct TestFile {
    /// The file.
    pub path: PathBuf,
    /// What happens from outside.
    pub script: Script,
    /// The cycles after which the test ends.
    pub limit: u64,
    /// What is expected, in the order of the file.
    pub expectations: Vec<Expectation>,
    /// The tasks, if any expectation is about one.
    pub application: Option<Application>,
}

/// What tests run on.
pub struct Subject<'a, M> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// What `#[quintet::app]` has left in the file.
    pub facts: Option<String>,
    /// The machine after reset, without inputs.
    pub machine: M,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    limit: Option<Time>,
    #[serde(default)]
    ordered: bool,
    #[serde(default)]
    at: Entries,
    #[serde(default)]
    expect: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    after: Option<String>,
    at: Option<Time>,
    from: Option<Time>,
    within: Option<Time>,
    #[serde(default)]
    never: bool,
    line: Option<String>,
    contains: Option<String>,
    channel: Option<String>,
    pin: Option<String>,
    level: Option<u8>,
    edge: Option<Edge>,
    variable: Option<Target>,
    is: Option<i64>,
    at_least: Option<u64>,
    at_most: Option<u64>,
    task: Option<String>,
    does: Option<Does>,
    response: Option<Time>,
    exit: Option<u32>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Edge {
    Rising,
    Falling,
    Any,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Does {
    Start,
    End,
}

/// A field and its error.
type Refusal = (&'static str, String);

/// The kinds of expectations, by the fields that belong to each.
const OWNERS: [(&str, &str); 8] = [
    ("channel", "line and contains"),
    ("level", "pin"),
    ("edge", "pin"),
    ("is", "variable"),
    ("at_least", "variable"),
    ("at_most", "variable"),
    ("does", "task"),
    ("response", "task"),
];

impl TestFile {
    /// Reads a test of a firmware.
    pub fn read(path: &Path, subject: &Subject<'_, impl Simulated>) -> anyhow::Result<Self> {
        let text = files::read_text(path)
            .map_err(|error| anyhow::anyhow!("cannot read the test {}: {error}", path.display()))?;
        Self::parse(&text, path, subject)
            .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))
    }

    fn parse(
        text: &str,
        path: &Path,
        subject: &Subject<'_, impl Simulated>,
    ) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let board = subject.machine.parts();
        let script = Script::of(&file.at, text, board, subject.firmware);
        let script = script.map_err(|error| error.to_string())?;
        if file.expect.is_empty() {
            return Err("it expects nothing: write [[expect]], with `exit = 0` at the least".into());
        }
        let limit = match &file.limit {
            Some(time) => cycles("limit", time, board).map_err(|(_, problem)| problem)?,
            None => board.cycles_of(LIMIT_US),
        };
        if limit == 0 {
            return Err("`limit`: 0 leaves nothing to run: write a time, as \"2s\"".to_owned());
        }
        let tasks = Tasks::find(subject, file.expect.iter().map(toml::Spanned::get_ref));
        let mut reading =
            Reading { board, subject, tasks, script: &script, names: BTreeMap::new() };
        let mut expectations = Vec::new();
        for (number, entry) in file.expect.iter().enumerate() {
            let line = 1 + text[..entry.span().start].matches('\n').count();
            let one = reading.expectation(entry.get_ref(), (number, file.ordered));
            let one = one.map_err(|(field, problem)| format!("line {line}: {field}: {problem}"))?;
            expectations.push(Expectation { line, ..one });
        }
        let application = reading.tasks.map(|tasks| tasks.application);
        Ok(Self { path: path.to_owned(), script, limit, expectations, application })
    }
}

/// The tasks that a test can name.
struct Tasks {
    plain: Application,
    application: Application,
    jobs: BTreeMap<String, Jobs>,
    /// The functions of which code is there.
    functions: BTreeMap<String, u16>,
}

impl Tasks {
    /// The tasks of the firmware, and the functions that expectations name; none if no expectation
    /// is about a task.
    fn find<'a>(
        subject: &Subject<'_, impl Simulated>,
        entries: impl Iterator<Item = &'a Entry>,
    ) -> Option<Self> {
        let names: BTreeSet<&str> = entries.filter_map(|entry| entry.task.as_deref()).collect();
        if names.is_empty() {
            return None;
        }
        let (firmware, machine) = (subject.firmware, &subject.machine);
        let facts = subject.facts.as_deref();
        let plain = Application::find(firmware, facts, &[]);
        let jobs = declare::of_application(facts.unwrap_or_default(), &plain);
        let is_function = |name: &&str| {
            known(&plain, &jobs, name).is_none() && machine.handler_named(firmware, name).is_none()
        };
        let functions: Vec<String> =
            names.into_iter().filter(is_function).map(str::to_owned).collect();
        let application = Application::find(firmware, facts, &functions);
        let mut copy = machine.clone();
        let watch = Watch::new(firmware, &application, Wanted::default(), &mut copy);
        let units = (0_u16..).zip(&application.units);
        let with_code =
            units.filter(|(unit, one)| one.kind == Kind::Function && watch.follower.has(*unit));
        let functions = with_code.map(|(unit, one)| (one.name.clone(), unit)).collect();
        Some(Self { plain, application, jobs, functions })
    }

    fn named(&self, name: &str, subject: &Subject<'_, impl Simulated>) -> Result<Task, Refusal> {
        let handler = || subject.machine.handler_named(subject.firmware, name).map(Jobs::Exception);
        let function = || self.functions.get(name).map(|unit| Jobs::Unit(*unit));
        let jobs = known(&self.plain, &self.jobs, name).or_else(handler).or_else(function);
        let Some(jobs) = jobs else {
            let known: Vec<_> = self.jobs.keys().map(String::as_str).collect();
            let problem = match (known.as_slice(), subject.firmware.code(name)) {
                (&[], Err(problem)) => problem,
                (&[], Ok(_)) => format!("no code belongs to \"{name}\": name another function"),
                (known, _) => format!(
                    "\"{name}\" is no task, handler or function; the tasks are {}",
                    known.join(", ")
                ),
            };
            return Err(("task", problem));
        };
        Ok(Task { name: name.to_owned(), jobs })
    }
}

/// What is known while a file is read.
struct Reading<'a, M> {
    board: Board<'a>,
    subject: &'a Subject<'a, M>,
    tasks: Option<Tasks>,
    script: &'a Script,
    /// The expectations before, by their names.
    names: BTreeMap<String, usize>,
}

impl<M: Simulated> Reading<'_, M> {
    fn expectation(
        &mut self,
        entry: &Entry,
        (number, is_ordered): (usize, bool),
    ) -> Result<Expectation, Refusal> {
        let what = self.what(entry)?;
        let base = self.base(entry, (number, is_ordered))?;
        let time = |field, time: &Option<Time>| {
            time.as_ref().map(|time| cycles(field, time, self.board)).transpose()
        };
        let at = time("at", &entry.at)?;
        let from = time("from", &entry.from)?;
        let within = time("within", &entry.within)?;
        let is_state = matches!(what, What::Level { .. } | What::Value { .. });
        if at.is_some() && !is_state {
            let problem = "goes with level and variable; for what happens, write from and within";
            return Err(("at", problem.to_owned()));
        }
        if at.is_some() && (from.is_some() || within.is_some()) {
            return Err(("at", "is one moment: leave from and within out".to_owned()));
        }
        if let (Some(from), Some(within)) = (from, within)
            && from > within
        {
            return Err(("within", "ends before `from` begins".to_owned()));
        }
        if entry.never && matches!(what, What::Response { .. }) {
            return Err(("never", "goes with what happens, not with response".to_owned()));
        }
        if let Some(name) = &entry.name {
            let is_input = self.script.named(name).is_some();
            if is_input || self.names.insert(name.clone(), number).is_some() {
                let problem = format!("an entry before has the name \"{name}\", too");
                return Err(("name", problem));
            }
        }
        let after = match (base, &entry.after) {
            (_, Some(after)) => Some(format!("\"{after}\"")),
            (Base::Expectation(_), None) => Some("the one before".to_owned()),
            _ => None,
        };
        let (from, never) = (from.unwrap_or(0), entry.never);
        Ok(Expectation { line: 0, after, what, base, at, from, within, never })
    }

    fn base(&self, entry: &Entry, (number, is_ordered): (usize, bool)) -> Result<Base, Refusal> {
        let Some(after) = &entry.after else {
            let before = number.checked_sub(1).filter(|_| is_ordered);
            return Ok(before.map_or(Base::Start, Base::Expectation));
        };
        if let Some(when) = self.script.named(after) {
            return Ok(Base::Input(when));
        }
        if let Some(before) = self.names.get(after) {
            return Ok(Base::Expectation(*before));
        }
        let known: Vec<_> =
            self.script.names().chain(self.names.keys().map(String::as_str)).collect();
        let known = match known.as_slice() {
            [] => "give one to an [[at]], or to an [[expect]] before, by `name`".to_owned(),
            known => format!("there are {}", known.join(", ")),
        };
        Err(("after", format!("nothing before has the name \"{after}\"; {known}")))
    }

    fn what(&self, entry: &Entry) -> Result<What, Refusal> {
        let kinds = [
            ("line", entry.line.is_some()),
            ("contains", entry.contains.is_some()),
            ("pin", entry.pin.is_some()),
            ("variable", entry.variable.is_some()),
            ("task", entry.task.is_some()),
            ("exit", entry.exit.is_some()),
        ];
        let mut given = kinds.iter().filter(|(_, is_given)| *is_given);
        let (Some((kind, _)), None) = (given.next(), given.next()) else {
            let problem = "an expectation needs exactly one of line, contains, pin, variable, task \
                           and exit";
            return Err(("line", problem.to_owned()));
        };
        entry.refuse_extras(kind)?;
        if let Some(text) = entry.line.as_ref().or(entry.contains.as_ref()) {
            if text.contains('\n') || text.is_empty() {
                let field = if entry.line.is_some() { "line" } else { "contains" };
                return Err((field, "one line, and not an empty one: write an entry each".into()));
            }
            let (text, channel) = (text.clone(), entry.channel.clone());
            return Ok(What::Line { text, is_whole: entry.line.is_some(), channel });
        }
        if let Some(name) = &entry.pin {
            return self.pin(name, entry);
        }
        if let Some(target) = &entry.variable {
            return self.value(target, entry);
        }
        if let Some(name) = &entry.task {
            return self.task(name, entry);
        }
        Ok(What::Exit { code: entry.exit.unwrap_or(0) })
    }

    fn pin(&self, name: &str, entry: &Entry) -> Result<What, Refusal> {
        let (device, number) = find_pin(name, self.board)?;
        let pin = Pin { name: name.to_owned(), device, number };
        match (entry.level, entry.edge) {
            (Some(level @ (0 | 1)), None) => Ok(What::Level { pin, level: level == 1 }),
            (Some(level), None) => Err(("level", format!("is {level}; a level is 0 or 1"))),
            (None, Some(Edge::Any)) => Ok(What::Edge { pin, to: None }),
            (None, Some(edge)) => Ok(What::Edge { pin, to: Some(matches!(edge, Edge::Rising)) }),
            _ => Err(("pin", "a pin needs either level or edge".to_owned())),
        }
    }

    fn value(&self, target: &Target, entry: &Entry) -> Result<What, Refusal> {
        let (address, size) = target.find("variable", self.board, self.subject.firmware)?;
        let name = target.text();
        if !(1..=8).contains(&size) {
            let problem = format!(
                "\"{name}\" has {size} bytes, and a number is of 1 to 8: name a part of it, as \
                 \"{name}+4\""
            );
            return Err(("variable", problem));
        }
        let test = match (entry.is, entry.at_least, entry.at_most) {
            (Some(value), None, None) => Test::Is(fitting(value, size)?, value),
            (None, Some(least), None) => Test::AtLeast(least),
            (None, None, Some(most)) => Test::AtMost(most),
            _ => {
                let problem = "a variable needs exactly one of is, at_least and at_most";
                return Err(("is", problem.to_owned()));
            }
        };
        Ok(What::Value { name, address, size, test })
    }

    fn task(&self, name: &str, entry: &Entry) -> Result<What, Refusal> {
        let Some(tasks) = &self.tasks else { return Err(("task", "no task".to_owned())) };
        let task = tasks.named(name, self.subject)?;
        match (entry.does, &entry.response) {
            (Some(does), None) => Ok(What::Job { task, ends: matches!(does, Does::End) }),
            (None, Some(time)) => {
                Ok(What::Response { task, most: cycles("response", time, self.board)? })
            }
            _ => {
                let problem = "a task needs either does, \"start\" or \"end\", or response, a time";
                Err(("does", problem.to_owned()))
            }
        }
    }
}

impl Entry {
    /// Refuses fields of another kind of expectation than this entry's.
    fn refuse_extras(&self, kind: &str) -> Result<(), Refusal> {
        let given = [
            self.channel.is_some(),
            self.level.is_some(),
            self.edge.is_some(),
            self.is.is_some(),
            self.at_least.is_some(),
            self.at_most.is_some(),
            self.does.is_some(),
            self.response.is_some(),
        ];
        let is_owner = |owners: &str| owners.split(" and ").any(|owner| owner == kind);
        let mut fields = OWNERS.into_iter().zip(given);
        match fields.find(|((_, owners), is_given)| *is_given && !is_owner(owners)) {
            Some(((field, owners), _)) => Err((field, format!("goes with {owners}"))),
            None => Ok(()),
        }
    }
}

fn cycles(field: &'static str, time: &Time, board: Board<'_>) -> Result<u64, Refusal> {
    let span = time.span(field).map_err(|error| (field, format!("{:#}", error.root_cause())))?;
    Ok(span.cycles(board.clock_hz))
}

/// Returns a number as so many bytes have it.
fn fitting(value: i64, size: u32) -> Result<u64, Refusal> {
    let bits = 8 * size;
    let kept = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let least = i64::MIN >> (64 - bits.min(64));
    let fits = if value < 0 { value >= least } else { value as u64 <= kept };
    if !fits {
        return Err(("is", format!("{value} doesn't fit into {size} bytes")));
    }
    Ok(value as u64 & kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_size_of_their_variable() {
        assert_eq!(fitting(255, 1), Ok(255));
        assert_eq!(fitting(-1, 1), Ok(255));
        assert_eq!(fitting(-128, 1), Ok(128));
        assert_eq!(fitting(-1, 8), Ok(u64::MAX));
        assert_eq!(fitting(-129, 1), Err(("is", "-129 doesn't fit into 1 bytes".to_owned())));
        assert_eq!(fitting(256, 1), Err(("is", "256 doesn't fit into 1 bytes".to_owned())));
    }
}
