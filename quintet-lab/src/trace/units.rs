//! What code belongs to: the tasks of an application, and functions that the user has named.
//!
//! The facts that `#[quintet::app]` leaves in the ELF file name the tasks: an expansion calls each
//! software task in a job, whose name has the level and the slot, and each hardware task in its
//! vector. In other firmware the polls of these functions are tasks by their names: those of
//! `#[embassy_executor::task]`, the async tasks of RTIC. What is inlined is found by debug
//! information, which may have the last part of a function's path alone.

use crate::firmware::Firmware;
use crate::firmware::code::executable;
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

/// Something that code belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// How it gets the processor.
    pub kind: Kind,
    /// Its priority, where it has one.
    pub priority: Option<u8>,
    /// The vector that calls it, of a hardware task.
    vector: String,
    /// Where the function is, of `init` and `idle`.
    module: String,
}

impl Unit {
    /// Its name without what a framework puts around it.
    pub fn title(&self) -> &str {
        between(&self.name, EMBASSY).unwrap_or(&self.name)
    }
}

/// A level of software jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its priority.
    pub priority: u8,
    /// The exception that dispatches it; 0 if that is none.
    pub exception: u16,
    /// The size of what says which slots are ready.
    pub bytes: u32,
    /// The unit of each slot.
    pub slots: Vec<u16>,
}

/// The application of an image.
#[derive(Clone, Default, Debug)]
pub struct Application {
    /// What code belongs to.
    pub units: Vec<Unit>,
    /// The levels.
    pub levels: Vec<Level>,
    /// Names of vectors by their exceptions.
    pub vectors: BTreeMap<u16, String>,
}

/// Parts of the application's own modules, and what calls `init` and `idle` there.
const START: &str = "::__quintet_";
const CALLERS: [&str; 3] = ["__quintet_start", "main", "__cortex_m_rt_main"];
/// A job, before its level and its slot.
const JOB: &str = "__quintet_job_";
/// What a closure's path ends with.
const CLOSURES: [&str; 3] = ["::{{closure}}", "::{closure#0}", "::{async_fn#0}"];
/// The type of an async function's future, behind the function's path.
const FUTURE: &str = "::{async_fn_env#0}";
/// How Embassy and RTIC name what belongs to a task.
const EMBASSY: (&str, &str) = ("__", "_task");
const RTIC: (&str, &str) = ("__rtic_internal_", "_EXEC");

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
        application.units.extend(functions.iter().map(|name| Unit {
            name: name.clone(),
            kind: Kind::Function,
            priority: None,
            vector: String::new(),
            module: String::new(),
        }));
        application
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
                ["actor", task, priority, _, _, instances, _, level] => {
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

    fn add(&mut self, name: &str, kind: Kind, priority: &str) -> u16 {
        let name = name.trim_start_matches("r#").to_owned();
        let (vector, module) = (String::new(), String::new());
        self.units.push(Unit { name, kind, priority: priority.parse().ok(), vector, module });
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

    /// Notes the name of a vector. Its exception, if it is an interrupt.
    fn vector(&mut self, name: &str, number: &str) -> u16 {
        let Some(exception) = number.parse().ok().and_then(|irq: u16| irq.checked_add(16)) else {
            return 0;
        };
        self.vectors.insert(exception, name.to_owned());
        exception
    }

    /// Tasks by what other frameworks call them.
    fn guess(&mut self, firmware: &Firmware) {
        let symbols = firmware.image.symbols.iter().map(|symbol| demangle(&symbol.name));
        let mut names: BTreeSet<String> = BTreeSet::new();
        let is_quick = |path: &String| path.contains(RTIC.0);
        for path in symbols.filter(is_quick) {
            let last = path.rsplit("::").next().unwrap_or(&path);
            names.extend(between(last, RTIC).map(str::to_owned));
        }
        for function in places(firmware).1.into_iter().flatten() {
            let polled = polled(&function).filter(|name| between(name, EMBASSY).is_some());
            names.extend(polled.map(str::to_owned));
        }
        for name in names {
            self.add(&name, Kind::Async, "");
        }
    }

    /// What a function belongs to, by its path or the last part of it. `outer` is the function that
    /// it is inlined into.
    fn unit_of(&self, path: &str, outer: Option<&str>) -> Option<u16> {
        let plain = without_generics(path);
        let (parent, name) = plain.rsplit_once("::").unwrap_or(("", &plain));
        if let Some((level, slot)) = name.strip_prefix(JOB).and_then(|job| job.split_once('_')) {
            let level = self.levels.iter().find(|one| one.priority.to_string() == level)?;
            return level.slots.get(slot.parse::<usize>().ok()?).copied();
        }
        let is_called = |outer: &str| CALLERS.contains(&last_part(outer));
        let is_it = |unit: &Unit| match unit.kind {
            Kind::Function => answers_to(path, &unit.name) || answers_to(&plain, &unit.name),
            Kind::Hardware => plain == unit.vector,
            Kind::Whole if parent.is_empty() => unit.name == name && outer.is_some_and(is_called),
            Kind::Whole => unit.name == name && parent == unit.module,
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
fn polled(path: &str) -> Option<&str> {
    let closure = CLOSURES.iter().find_map(|end| path.strip_suffix(end)).map(last_part);
    closure.or_else(|| {
        let (start, _) = path.split_once('<')?;
        let (before, _) = path.split_once(FUTURE)?;
        let end = |character: char| !character.is_alphanumeric() && character != '_';
        (last_part(start) == "poll").then(|| before.rsplit(end).next()).flatten()
    })
}

fn last_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn byte(word: &str) -> u8 {
    word.parse().unwrap_or(0)
}

fn between<'a>(name: &'a str, (before, behind): (&str, &str)) -> Option<&'a str> {
    name.strip_prefix(before)?.strip_suffix(behind)
}

/// The module of the application, by the symbols that it leaves there.
fn module(firmware: &Firmware) -> String {
    let symbols = firmware.image.symbols.iter().filter(|symbol| symbol.name.contains("__quintet_"));
    let mut paths = symbols.map(|symbol| demangle(&symbol.name));
    let place = |path: &String| path.find(START).map(|at| path[..at].to_owned());
    let found = paths.find_map(|path| place(&path).filter(|at| !at.starts_with("quintet::")));
    let found = found.unwrap_or_default();
    found.trim_end_matches("::_").to_owned()
}

/// Code, and the functions that have it: for each region its first address and, for each halfword,
/// the number of a list of functions, the outermost first, and of the function that isn't inlined.
type Places = (Vec<(u32, Vec<(usize, u16)>)>, Vec<Vec<String>>);

fn places(firmware: &Firmware) -> Places {
    let mut lists: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut bodies: BTreeMap<u32, u16> = BTreeMap::new();
    let mut regions = Vec::new();
    for (start, halfwords) in executable(&firmware.image) {
        let mut region = Vec::with_capacity(halfwords);
        for halfword in 0..halfwords {
            let address = start + 2 * halfword as u32;
            let symbol = firmware.image.function_at(address);
            let places = firmware.locate(address).into_iter().rev();
            let mut functions: Vec<String> = places.filter_map(|place| place.function).collect();
            if functions.is_empty() {
                functions.extend(symbol.map(|symbol| demangle(&symbol.name)));
            }
            let count = lists.len();
            let list = *lists.entry(functions).or_insert(count);
            let next = u16::try_from(bodies.len() + 1).unwrap_or(u16::MAX);
            let body = symbol.map_or(0, |symbol| *bodies.entry(symbol.address).or_insert(next));
            region.push((list, body));
        }
        regions.push((start, region));
    }
    let mut ordered: Vec<(Vec<String>, usize)> = lists.into_iter().collect();
    ordered.sort_by_key(|(_, number)| *number);
    (regions, ordered.into_iter().map(|(functions, _)| functions).collect())
}

/// What an instruction belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The number of a list of units, see [`Map::units`]; 0 for none.
    pub list: u16,
    /// The function that has it, not one that is inlined there; 0 if none is known.
    pub body: u16,
}

/// What every instruction belongs to.
#[derive(Clone, Default, Debug)]
pub struct Map {
    regions: Vec<(u32, Vec<Cell>)>,
    lists: Vec<Vec<u16>>,
}

impl Map {
    /// That of an image.
    pub fn of(firmware: &Firmware, application: &Application) -> Self {
        let (regions, functions) = places(firmware);
        let mut numbers: BTreeMap<Vec<u16>, u16> = BTreeMap::from([(Vec::new(), 0)]);
        let mut lists = vec![Vec::new()];
        let mut known: BTreeMap<(&str, Option<&str>), Option<u16>> = BTreeMap::new();
        let mut of_list = Vec::new();
        for list in &functions {
            let mut units: Vec<u16> = Vec::new();
            let mut outer = None;
            for function in list {
                let unit = || application.unit_of(function, outer);
                let unit = *known.entry((function, outer)).or_insert_with(unit);
                units.extend(unit.filter(|unit| !units.contains(unit)));
                outer = Some(function.as_str());
            }
            let next = u16::try_from(lists.len()).unwrap_or(0);
            of_list.push(*numbers.entry(units.clone()).or_insert_with(|| {
                lists.push(units);
                next
            }));
        }
        let cells = |cells: Vec<(usize, u16)>| {
            cells.into_iter().map(|(list, body)| Cell { list: of_list[list], body }).collect()
        };
        let regions = regions.into_iter().map(|(start, all)| (start, cells(all))).collect();
        Self { regions, lists }
    }

    /// Made by hand.
    #[cfg(test)]
    pub fn at(start: u32, cells: &[(u16, u16)], lists: &[&[u16]]) -> Self {
        let cells = cells.iter().map(|(list, body)| Cell { list: *list, body: *body }).collect();
        let lists = lists.iter().map(|list| list.to_vec()).collect();
        Self { regions: vec![(start, cells)], lists }
    }

    /// What the instruction at `address` belongs to.
    #[inline]
    pub fn cell(&self, address: u32) -> Cell {
        let found = self
            .regions
            .iter()
            .find_map(|(start, cells)| cells.get((address.wrapping_sub(*start) / 2) as usize));
        found.copied().unwrap_or_default()
    }

    /// The units of a list, the outermost first.
    pub fn units(&self, list: u16) -> &[u16] {
        self.lists.get(usize::from(list)).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if any instruction belongs to a unit.
    pub fn has(&self, unit: u16) -> bool {
        self.lists.iter().any(|list| list.contains(&unit))
    }
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
    fn what_the_user_names_is_found_by_the_end_of_its_path() {
        let mut application = application();
        application.add("Sensor::read", Kind::Function, "");
        let last = application.units.len() as u16 - 1;
        assert_eq!(application.unit_of("bus::Sensor::read", None), Some(last));
        assert_eq!(application.unit_of("Sensor::read(int)", None), Some(last));
        assert_eq!(application.unit_of("bus::Sensor::reader", None), None);
    }
}
