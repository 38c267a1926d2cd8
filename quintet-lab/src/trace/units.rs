//! The owners of code: the tasks of an application, and functions that the user has named.
//!
//! The facts that `#[quintet::app]` leaves in the ELF file name the tasks: an expansion calls each
//! software task in a job, whose name has the level and the slot, and each hardware task in its
//! vector. In other firmware the polls of these functions are tasks by their names: those of
//! `#[embassy_executor::task]`, the async tasks of RTIC. Inlined code is found by debug
//! information, which may have just the last part of a function's path.

use super::foreign::EMBASSY;
use crate::firmware::Firmware;
use crate::firmware::names::{answers_to, without_generics};
use crate::firmware::symbols::demangle;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How a task gets the processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// An interrupt calls it.
    Hardware,
    /// A level calls it.
    Software,
    /// A level polls it.
    Async,
    /// A level calls it with an event.
    Actor,
    /// `init` or `idle`.
    Whole,
    /// The user has named it.
    Function,
}

/// An owner of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The unit's name.
    pub name: String,
    /// How the unit gets the processor.
    pub kind: Kind,
    /// The unit's priority, if it has one.
    pub priority: Option<u8>,
    /// The vector that calls a hardware task.
    pub(super) vector: String,
    /// The address of the function, for `init` and `idle`.
    pub(super) module: String,
    /// `true` if the executor's `poll` looks whether the task is ready.
    pub(super) looks_first: bool,
    /// The number among the units of this name, from 0 on.
    instance: Option<usize>,
}

impl Unit {
    /// Returns the name without the framework's parts, and the number among several.
    pub fn title(&self) -> String {
        let inner = |inside: &(&str, &str)| between(&self.name, *inside);
        let name = EMBASSY.iter().find_map(inner).unwrap_or(&self.name);
        // What `#[embassy_executor::main]` makes.
        let name = name.strip_prefix("__embassy_").unwrap_or(name);
        match self.instance {
            Some(instance) => format!("{name} {instance}"),
            None => name.to_owned(),
        }
    }

    /// Returns `true` for this instance of the actor.
    pub fn is_actor(&self, actor: &str, instance: usize) -> bool {
        self.kind == Kind::Actor && self.name == actor && self.instance.unwrap_or(0) == instance
    }

    fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            priority: None,
            vector: String::new(),
            module: String::new(),
            looks_first: false,
            instance: None,
        }
    }
}

/// A level of software jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its priority.
    pub priority: u8,
    /// The exception that dispatches the level; 0 if there is none.
    pub exception: u16,
    /// The size of the word of the ready slots.
    pub bytes: u32,
    /// The unit of each slot.
    pub slots: Vec<u16>,
}

/// The queue of an actor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue {
    /// The actor's name.
    pub actor: String,
    /// The number of events that can wait.
    pub places: u32,
    /// The number of actors of that name.
    pub instances: Option<u32>,
}

/// The application of an image.
#[derive(Clone, Default, Debug)]
pub struct Application {
    /// The owners of code.
    pub units: Vec<Unit>,
    /// The levels.
    pub levels: Vec<Level>,
    /// Names of vectors by their exceptions.
    pub vectors: BTreeMap<u16, String>,
    /// The queues of actors.
    pub queues: Vec<Queue>,
    /// The vectors from which RTIC polls tasks.
    pub dispatchers: BTreeSet<String>,
}

/// Parts of the application's own modules, and what calls `init` and `idle` there.
const START: &str = "::__quintet_";
const CALLERS: [&str; 4] =
    ["__quintet_start", "main", "__cortex_m_rt_main", "__rtic_init_resources"];
/// A job, before its level and its slot.
const JOB: &str = "__quintet_job_";
/// The end of a closure's path.
const CLOSURES: [&str; 3] = ["::{{closure}}", "::{closure#0}", "::{async_fn#0}"];
/// The type of an async function's future, behind the function's path.
const FUTURE: &str = "::{async_fn_env#0}";
/// What the last part of a closure's path begins with, and the body of an async function without
/// its path.
const CLOSURE: [&str; 2] = ["{closure#", "{{closure}}"];
const BODIES: [&str; 2] = ["{async_fn#0}", "{closure#0}"];

/// The slots of a task: its priority and its name, by which the macro orders them, its unit, and
/// how many slots it has.
type Slots = (Reverse<u8>, String, u16, usize);

impl Application {
    /// The application in an image: by its facts, or else by names. Also `functions` as the user
    /// has named them.
    pub fn find(firmware: &Firmware, facts: Option<&str>, functions: &[String]) -> Self {
        let mut application = Self::default();
        match facts {
            Some(facts) => application.read(facts, &module(firmware)),
            None => application.guess(firmware),
        }
        let functions = functions.iter().map(|name| Unit::new(name, Kind::Function));
        application.units.extend(functions);
        application
    }

    /// The same with a unit for each instance of a task or an actor that has several.
    #[must_use]
    pub fn with_instances(mut self) -> Self {
        let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
        for unit in self.levels.iter().flat_map(|level| &level.slots) {
            *counts.entry(*unit).or_default() += 1;
        }
        let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
        for slot in self.levels.iter_mut().flat_map(|level| &mut level.slots) {
            let unit = *slot;
            if counts.get(&unit).is_none_or(|count| *count < 2) {
                continue;
            }
            let instance = seen.entry(unit).or_default();
            let one = Unit { instance: Some(*instance), ..self.units[usize::from(unit)].clone() };
            *instance += 1;
            *slot = u16::try_from(self.units.len()).unwrap_or(u16::MAX);
            self.units.push(one);
        }
        // The jobs of the instances tell them apart, the function's own name doesn't.
        for unit in seen.keys() {
            self.units[usize::from(*unit)].kind = Kind::Software;
        }
        self
    }

    fn read(&mut self, facts: &str, module: &str) {
        let mut slots: BTreeMap<u8, Vec<Slots>> = BTreeMap::new();
        let lines = facts.split('\n').map(|line| line.trim_matches('\0'));
        for line in lines {
            let words: Vec<&str> = line.split('\t').collect();
            match *words {
                ["hardware", task, priority, vector, number, _] => {
                    self.vector(vector, number);
                    let unit = self.add(task, Kind::Hardware, priority);
                    self.units[usize::from(unit)].vector = vector.to_owned();
                }
                ["level", priority, vector, number, _] => {
                    let exception = self.vector(vector, number);
                    self.level(priority).exception = exception;
                }
                ["ready", priority, bytes] => {
                    self.level(priority).bytes = bytes.parse().unwrap_or(0);
                }
                ["software", task, priority, form, _, instances, _, level] => {
                    let kind = if form == "async" { Kind::Async } else { Kind::Software };
                    let unit = self.add(task, kind, priority);
                    let count = instances.parse().unwrap_or(1);
                    let slot = (Reverse(byte(priority)), task.to_owned(), unit, count);
                    slots.entry(byte(level)).or_default().push(slot);
                }
                ["actor", task, priority, _, places, instances, _, level] => {
                    self.queues.push(Queue {
                        actor: task.trim_start_matches("r#").to_owned(),
                        places: places.parse().unwrap_or(0),
                        instances: instances.parse().ok(),
                    });
                    let unit = self.add(task, Kind::Actor, priority);
                    let count = instances.parse().unwrap_or(1);
                    let slot = (Reverse(byte(priority)), task.to_owned(), unit, count);
                    slots.entry(byte(level)).or_default().push(slot);
                }
                _ => {}
            }
        }
        for (priority, mut tasks) in slots {
            // As the macro places them.
            tasks.sort();
            let each = tasks.into_iter();
            let each = each.flat_map(|(_, _, unit, count)| vec![unit; usize::min(count, 4096)]);
            self.level(&priority.to_string()).slots = each.collect();
        }
        for name in ["init", "idle"] {
            let unit = self.add(name, Kind::Whole, "");
            self.units[usize::from(unit)].module = module.to_owned();
        }
    }

    pub(super) fn add(&mut self, name: &str, kind: Kind, priority: &str) -> u16 {
        let unit = Unit::new(name.trim_start_matches("r#"), kind);
        self.units.push(Unit { priority: priority.parse().ok(), ..unit });
        u16::try_from(self.units.len() - 1).unwrap_or(u16::MAX)
    }

    /// The level of a priority.
    fn level(&mut self, priority: &str) -> &mut Level {
        let priority = byte(priority);
        let known = self.levels.iter().position(|level| level.priority == priority);
        let place = known.unwrap_or_else(|| {
            self.levels.push(Level { priority, exception: 0, bytes: 0, slots: Vec::new() });
            self.levels.len() - 1
        });
        &mut self.levels[place]
    }

    /// Notes the name of a vector. Returns the exception of an interrupt's vector.
    fn vector(&mut self, name: &str, number: &str) -> u16 {
        let Some(exception) = number.parse().ok().and_then(|irq: u16| irq.checked_add(16)) else {
            return 0;
        };
        self.vectors.insert(exception, name.to_owned());
        exception
    }

    /// What a function belongs to, by its path or the last part of it. `outer` is the function that
    /// it is inlined into.
    pub(super) fn unit_of(&self, path: &str, outer: Option<&str>) -> Option<u16> {
        let plain = without_generics(path);
        let (parent, name) = plain.rsplit_once("::").unwrap_or(("", &plain));
        if let Some((level, slot)) = name.strip_prefix(JOB).and_then(|job| job.split_once('_')) {
            let level = self.levels.iter().find(|one| one.priority.to_string() == level)?;
            return level.slots.get(slot.parse::<usize>().ok()?).copied();
        }
        let is_called = |outer: &str| CALLERS.contains(&last_part(&without_generics(outer)));
        let is_it = |unit: &Unit| match unit.kind {
            // Which one it is, only its job tells.
            _ if unit.instance.is_some() => false,
            Kind::Function => answers_to(path, &unit.name) || answers_to(&plain, &unit.name),
            Kind::Hardware => plain == unit.vector,
            Kind::Whole if parent.is_empty() => unit.name == name && outer.is_some_and(is_called),
            Kind::Whole => unit.name == name && parent == unit.module,
            Kind::Async if unit.looks_first => {
                let body = BODIES.contains(&path).then_some(outer).flatten();
                body.and_then(polled).or_else(|| closure(path)) == Some(&unit.name)
            }
            Kind::Async => polled(path).is_some_and(|name| name == unit.name),
            // Their jobs have been looked for.
            Kind::Software | Kind::Actor => false,
        };
        let place = self.units.iter().rposition(is_it)?;
        u16::try_from(place).ok()
    }
}

/// The async function that this function polls: the last part of its path. It is that function's
/// own closure, or an executor's function for its future.
pub(super) fn polled(path: &str) -> Option<&str> {
    closure(path).or_else(|| {
        let (start, _) = path.split_once('<')?;
        let (before, _) = path.split_once(FUTURE)?;
        let end = |character: char| !character.is_alphanumeric() && character != '_';
        (last_part(start) == "poll").then(|| before.rsplit(end).next()).flatten()
    })
}

/// Returns the function around a closure: the last part of its path.
fn closure(path: &str) -> Option<&str> {
    CLOSURES.iter().find_map(|end| path.strip_suffix(end)).map(last_part)
}

/// Returns `true` if a function is a closure.
pub(super) fn is_closure(path: &str) -> bool {
    CLOSURE.iter().any(|start| last_part(path).starts_with(start))
}

pub(super) fn last_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn byte(word: &str) -> u8 {
    word.parse().unwrap_or(0)
}

pub(super) fn between<'a>(name: &'a str, (before, behind): (&str, &str)) -> Option<&'a str> {
    name.strip_prefix(before)?.strip_suffix(behind)
}

/// Returns the module of the application, by the symbols that the macro leaves there.
fn module(firmware: &Firmware) -> String {
    let symbols = firmware.image.symbols.iter().filter(|symbol| symbol.name.contains("__quintet_"));
    let mut paths = symbols.map(|symbol| demangle(&symbol.name));
    let place = |path: &String| path.find(START).map(|at| path[..at].to_owned());
    let found = paths.find_map(|path| place(&path).filter(|at| !at.starts_with("quintet::")));
    let found = found.unwrap_or_default();
    found.trim_end_matches("::_").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = "line\t3\tpreemptive\t3\nhardware\tmoves\t4\tGPIOA\t0\t128\n\
        level\t2\tGPIOB\t1\t192\nready\t2\t4\nsoftware\tadds\t2\tasync\t1\t-\tlevel\t2\n\
        software\tabove\t3\tfn\t4\t-\tlevel\t2\nactor\tmany\t2\tfn\t4\t2\tlevel\t2\n\
        thread\tends\t1\tends\t0\t-\nhardware\tr#loop\t5\tSysTick\t-\t160\n";

    fn application() -> Application {
        let mut application = Application::default();
        application.read(FACTS, "five::app");
        application
    }

    #[test]
    fn slots_stand_as_the_macro_places_them() {
        let application = application();
        let [level] = application.levels.as_slice() else { panic!("{application:?}") };
        assert_eq!((level.priority, level.exception, level.bytes), (2, 17, 4));
        let names = level.slots.iter().map(|unit| &*application.units[usize::from(*unit)].name);
        assert_eq!(names.collect::<Vec<_>>(), ["above", "adds", "many", "many"]);
        assert_eq!(application.vectors[&16], "GPIOA");
        assert!(application.units.iter().any(|unit| unit.name == "loop"));
    }

    #[test]
    fn functions_belong_to_tasks_by_their_jobs_and_vectors() {
        let application = application();
        let within = |path: &str, outer: Option<&str>| {
            application.unit_of(path, outer).map(|unit| &*application.units[usize::from(unit)].name)
        };
        let name = |path: &str| within(path, None);
        assert_eq!(
            (name("GPIOA"), name("SysTick"), name("a::GPIOA")),
            (Some("moves"), Some("loop"), None)
        );
        assert_eq!(
            (name("five::app::__quintet_job_2_1"), name("__quintet_job_2_3")),
            (Some("adds"), Some("many"))
        );
        assert_eq!((name("__quintet_job_2_4"), name("__quintet_job_7_0")), (None, None));
        assert_eq!((name("five::app::init"), name("five::Led::init")), (Some("init"), None));
        assert_eq!(
            (within("init", Some("__quintet_start")), within("init", Some("new"))),
            (Some("init"), None)
        );
    }

    #[test]
    fn the_polls_of_an_async_function_are_found_by_its_future() {
        assert_eq!(polled("blinky::__blink_task::{{closure}}"), Some("__blink_task"));
        let poll = "poll<blinky::__blink_task::{async_fn_env#0}>";
        assert_eq!(polled(poll), Some("__blink_task"));
        assert_eq!(polled("drop_in_place<blinky::__blink_task::{async_fn_env#0}>"), None);
        assert_eq!(polled("blinky::__blink_task"), None);
        let mut embassy = Application::default();
        embassy.add("__blink_task", Kind::Async, "");
        assert_eq!((embassy.unit_of(poll, None), embassy.unit_of("poll", None)), (Some(0), None));
    }

    #[test]
    fn tasks_of_embassy_have_the_names_that_the_user_wrote() {
        let title = |name| Unit::new(name, Kind::Async).title();
        assert_eq!(title("__blink_task"), "blink");
        assert_eq!(title("__blink_task_inner_function"), "blink");
        assert_eq!(title("____embassy_main_task_inner_function"), "main");
        assert_eq!(title("other"), "other");
    }

    #[test]
    fn instances_are_told_apart_by_their_slots() {
        let application = application().with_instances();
        let title = |path: &str| {
            let unit = application.unit_of(path, None)?;
            Some(application.units[usize::from(unit)].title())
        };
        assert_eq!(title("__quintet_job_2_0").as_deref(), Some("above"));
        assert_eq!(title("__quintet_job_2_2").as_deref(), Some("many 0"));
        assert_eq!(title("__quintet_job_2_3").as_deref(), Some("many 1"));
        let [queue] = application.queues.as_slice() else { panic!("{application:?}") };
        assert_eq!((&*queue.actor, queue.places, queue.instances), ("many", 4, Some(2)));
    }

    #[test]
    fn what_the_user_names_is_found_by_the_end_of_its_path() {
        let mut application = application();
        application.add("Sensor::read", Kind::Function, "");
        let last = application.units.len() as u16 - 1;
        assert_eq!(application.unit_of("bus::Sensor::read", None), Some(last));
        assert_eq!(application.unit_of("Sensor::read(int)", None), Some(last));
        assert_eq!(application.unit_of("bus::Sensor::reader", None), None);
    }
}
