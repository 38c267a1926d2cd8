//! The declarations of tasks: periods and deadlines. They come from the attributes of
//! `#[quintet::app]`, whose facts are in the ELF file. For firmware of any framework, they come
//! from a TOML file.

use crate::trace::span::{Span, Time};
use crate::trace::units::{Application, Kind};
use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What the jobs of a task are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jobs {
    /// Runs of a handler.
    Exception(u16),
    /// Runs of a unit.
    Unit(u16),
    /// The times of a thread from when it is made ready until it waits: its name.
    Thread(String),
}

/// A task with what it declares.
#[derive(Clone, PartialEq, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// What its jobs are.
    pub jobs: Jobs,
    /// The least time between two arrivals.
    pub period: Span,
    /// From the arrival to the end, at the most.
    pub deadline: Span,
    /// Its priority, if thread mode calls it.
    pub priority: Option<u8>,
    /// What a job takes at the most, if that is not to be measured.
    pub cost: Option<Span>,
}

/// A resource with what is declared.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// The tasks that use it.
    pub users: Vec<String>,
    /// The function that uses it, as a unit.
    pub section: Option<u16>,
    /// How long it is in use at the most, if that is not to be measured.
    pub longest: Option<Span>,
}

/// The file.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(default, rename = "task")]
    tasks: Vec<FileTask>,
    #[serde(default, rename = "resource")]
    resources: Vec<FileResource>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
struct FileTask {
    function: Option<String>,
    thread: Option<String>,
    name: Option<String>,
    period: Time,
    deadline: Option<Time>,
    priority: Option<u8>,
    cost: Option<Time>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
struct FileResource {
    name: String,
    users: Vec<String>,
    section: Option<String>,
    longest: Option<Time>,
}

impl File {
    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let file: Self = toml::from_str(&text).with_context(|| format!("in {name}"))?;
        ensure!(
            !file.tasks.is_empty(),
            "{name} declares no task: write [[task]] with `function` and `period`"
        );
        Ok(file)
    }

    /// The functions that it names, of tasks and of sections.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let of_tasks = self.tasks.iter().filter_map(|task| task.function.as_deref());
        of_tasks.chain(self.resources.iter().filter_map(|one| one.section.as_deref()))
    }

    /// The tasks. `find` says what the jobs of a function are.
    pub fn tasks(
        &self,
        find: impl Fn(&str) -> anyhow::Result<Jobs>,
    ) -> anyhow::Result<Vec<Declared>> {
        let mut all: Vec<Declared> = Vec::new();
        for task in &self.tasks {
            let (jobs, called) = match (&task.function, &task.thread) {
                (Some(function), None) => (find(function)?, function),
                (None, Some(thread)) => (Jobs::Thread(thread.clone()), thread),
                _ => bail!("a [[task]] has either a `function` or a `thread`: give one of the two"),
            };
            let name = task.name.as_ref().unwrap_or(called).clone();
            let declared =
                task.declared(name.clone(), jobs).with_context(|| format!("of {name}"))?;
            ensure!(
                all.iter().all(|other| other.name != name && other.jobs != declared.jobs),
                "{name} is declared twice: keep one, or give another `name`"
            );
            all.push(declared);
        }
        Ok(all)
    }

    /// The resources. `find` says which unit a function is.
    pub fn resources(
        &self,
        find: impl Fn(&str) -> anyhow::Result<u16>,
    ) -> anyhow::Result<Vec<Resource>> {
        let resource = |one: &FileResource| {
            let name = one.name.clone();
            let longest = one.longest.as_ref().map(|time| time.span("longest")).transpose();
            let longest = longest.with_context(|| format!("of the resource {name}"))?;
            let section = one.section.as_deref().map(&find).transpose()?;
            ensure!(
                section.is_some() != longest.is_some(),
                "the resource {name} has either a `section`, a function that is measured, or \
                 `longest`, a time: give one of the two"
            );
            Ok(Resource { name, users: one.users.clone(), section, longest })
        };
        self.resources.iter().map(resource).collect()
    }
}

impl FileTask {
    fn declared(&self, name: String, jobs: Jobs) -> anyhow::Result<Declared> {
        ensure!(
            self.priority.is_none() || matches!(jobs, Jobs::Unit(_)),
            "`priority` is for a function that thread mode calls; that of a handler, or of a \
             thread, is read from the chip: leave it out"
        );
        let period = self.period.span("period")?;
        let deadline = self.deadline.as_ref().map(|time| time.span("deadline")).transpose()?;
        let cost = self.cost.as_ref().map(|time| time.span("cost")).transpose()?;
        let deadline = deadline.unwrap_or(period);
        Ok(Declared { name, jobs, period, deadline, priority: self.priority, cost })
    }
}

/// The jobs of the tasks of an application, by the names of the tasks. Of a thread with instances,
/// the name of each has its number.
pub fn of_application(facts: &str, application: &Application) -> BTreeMap<String, Jobs> {
    let unit = |name: &str| {
        let is_it = |kind| matches!(kind, Kind::Software | Kind::Async | Kind::Actor);
        let found = application.units.iter().position(|one| is_it(one.kind) && one.name == name);
        found.and_then(|place| u16::try_from(place).ok()).map(Jobs::Unit)
    };
    let lines = facts.split('\n').map(|line| line.split('\t').collect::<Vec<_>>());
    let jobs = lines.filter_map(|words| match *words {
        ["hardware", task, _, vector, number, _] => {
            let interrupt = number.parse().ok().and_then(|number: u16| number.checked_add(16));
            let exception = interrupt.or_else(|| system_exception(vector))?;
            Some((plain(task), Jobs::Exception(exception)))
        }
        ["software" | "actor", task, ..] => Some((plain(task), unit(&plain(task))?)),
        ["thread", function, _, label, _, instance] => {
            let name = match instance {
                "-" => plain(function),
                number => format!("{} {number}", plain(function)),
            };
            Some((name, Jobs::Thread(label.into())))
        }
        _ => None,
    });
    jobs.collect()
}

/// What the attributes of an application declare, with its tasks' jobs.
pub fn of_facts(facts: &str, jobs: &BTreeMap<String, Jobs>) -> anyhow::Result<Vec<Declared>> {
    let lines = facts.split('\n').map(|line| line.split('\t').collect::<Vec<_>>());
    let mut all = Vec::new();
    for words in lines {
        let ["timing", task, period, deadline] = *words else { continue };
        let name = plain(task);
        let span = |text: &str| {
            Span::parse(text)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("the facts of {name} are damaged"))
        };
        let period = span(period)?;
        let deadline = if deadline == "-" { period } else { span(deadline)? };
        let of_task: Vec<_> = jobs.iter().filter(|(one, _)| is_instance(one, &name)).collect();
        ensure!(!of_task.is_empty(), "the facts have the period of {name}, and no such task");
        all.extend(of_task.into_iter().map(|(name, jobs)| {
            let (name, jobs) = (name.clone(), jobs.clone());
            Declared { name, jobs, period, deadline, priority: None, cost: None }
        }));
    }
    Ok(all)
}

/// Returns `true` if a name is that of a task, or of one of its instances.
fn is_instance(name: &str, task: &str) -> bool {
    let number = || name.strip_prefix(task)?.strip_prefix(' ')?.parse::<u8>().ok();
    name == task || number().is_some()
}

/// A name without the mark of names that are words of the language.
fn plain(name: &str) -> String {
    name.trim_start_matches("r#").to_owned()
}

/// An exception of the system by the name of its vector.
fn system_exception(vector: &str) -> Option<u16> {
    Some(match vector {
        "NonMaskableInt" => 2,
        "MemoryManagement" => 4,
        "BusFault" => 5,
        "UsageFault" => 6,
        "SecureFault" => 7,
        "SVCall" => 11,
        "DebugMonitor" => 12,
        "PendSV" => 14,
        "SysTick" => 15,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let read = || -> anyhow::Result<()> {
            let file: File = toml::from_str(text)?;
            file.tasks(|_| Ok(Jobs::Exception(15)))?;
            file.resources(|_| Ok(7))?;
            Ok(())
        };
        read().map_or_else(|error| format!("{error:#}"), |()| panic!("{text} is not refused"))
    }

    #[test]
    fn a_file_declares_tasks_and_resources() {
        let file: File = toml::from_str(
            "[[task]]\nfunction = 'SysTick'\nperiod = '10 ms'\n\
             [[task]]\nthread = 'logger'\nname = 'log'\nperiod = 9_000\ndeadline = '5us'\n\
             cost = '10 cycles'\n\
             [[resource]]\nname = 'bus'\nusers = ['SysTick', 'log']\nlongest = '3 us'\n",
        )
        .unwrap();
        let [tick, log] = &file.tasks(|_| Ok(Jobs::Exception(15))).unwrap()[..] else { panic!() };
        assert_eq!((&*tick.name, tick.deadline), ("SysTick", Span::Seconds(0.01)));
        assert_eq!((&*log.name, &log.jobs), ("log", &Jobs::Thread("logger".into())));
        assert_eq!((log.period, log.cost), (Span::Cycles(9000), Some(Span::Cycles(10))));
        let [bus] = &file.resources(|_| Ok(7)).unwrap()[..] else { panic!() };
        assert_eq!((bus.users.len(), bus.section), (2, None));
    }

    #[test]
    fn what_makes_no_sense_in_a_file_is_told() {
        let task = "[[task]]\nfunction = 'a'\nperiod = ";
        for (text, parts) in [
            (format!("{task}'soon'"), &["of a", "`period`", "\"soon\" is no time"][..]),
            (format!("{task}1.5"), &["expected a time, as \"10 ms\""]),
            (format!("{task}5\ndeadlin = 3"), &["unknown field", "deadlin", "deadline"]),
            (format!("{task}5\nthread = 'b'"), &["either a `function` or a `thread`"]),
            (format!("{task}5\npriority = 3"), &["`priority` is for a function", "leave it out"]),
            (format!("{task}5\n{task}5"), &["a is declared twice"]),
            ("[[resource]]\nname = 'r'\nusers = []".into(), &["resource r has either"]),
        ] {
            let message = refused(&text);
            for part in parts {
                assert!(message.contains(part), "no \"{part}\" in {message}");
            }
        }
    }

    #[test]
    fn attributes_declare_by_their_facts() {
        let facts = "hardware\ttick\t5\tSysTick\t-\t160\nhardware\tbutton\t4\tGPIOA\t0\t128\n\
            thread\tlow\t1\tthe low one\t0\t-\nthread\tw\t2\tw 0\t1\t0\n\
            thread\tw\t2\tw 1\t2\t1\ntiming\tw\t1 ms\t-\ntiming\ttick\t10 ms\t-\n\
            timing\tlow\t300 us\t100 us\ntiming\tbutton\t9 cycles\t8 cycles\n";
        let jobs = of_application(facts, &Application::default());
        let all = of_facts(facts, &jobs).unwrap();
        let cycles = |span: Span| span.cycles(12_000_000);
        let seen: Vec<_> =
            all.iter().map(|one| (&*one.name, &one.jobs, cycles(one.deadline))).collect();
        assert_eq!(
            seen,
            [
                ("w 0", &Jobs::Thread("w 0".into()), 12_000),
                ("w 1", &Jobs::Thread("w 1".into()), 12_000),
                ("tick", &Jobs::Exception(15), 120_000),
                ("low", &Jobs::Thread("the low one".into()), 1_200),
                ("button", &Jobs::Exception(16), 8),
            ]
        );
        let error = of_facts("timing\tx\t1 ms\t-", &jobs).unwrap_err();
        assert!(format!("{error:#}").contains("no such task"), "{error:#}");
    }
}
