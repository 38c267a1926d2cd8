//! The priority line, from the words that an expansion has left.
//!
//! Each line of the section begins with a word for its kind; `emit/map.rs` of the macro has the
//! list. Lines come in any order.

use anyhow::{Context, bail};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The priority line.
pub struct Line {
    /// `preemptive` or `cooperative`.
    pub scheduler: String,
    /// The number of the chip's priority bits.
    pub priority_bits: u8,
    /// From the most urgent to idle.
    pub entries: Vec<Entry>,
    /// The shared resources.
    pub resources: Vec<Resource>,
}

/// Something on the line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Entry {
    /// The entry's priority; the switch of threads has none.
    pub priority: Option<u8>,
    /// The kind of the entry, with its name.
    pub what: String,
    /// The runner of the entry.
    pub runs_in: String,
    /// The framework's memory for the entry, in bytes.
    pub ram: u32,
    /// The size of the entry's own stack, in bytes; 0 if it has none.
    pub stack: u32,
    /// The entry's indentation: tasks stand below their runner.
    #[serde(skip)]
    pub depth: u8,
    /// When the entry gets its stack's guard; `None` without a stack of its own.
    #[serde(skip)]
    pub start: Option<Start>,
    /// The entry's place in the order of preemption.
    #[serde(skip)]
    rank: (Rank, u8, u8),
}

/// When a thread starts for the first time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Start {
    /// Behind `init`, in this order.
    InOrder(u16),
    /// Behind those: a host of software tasks, by its priority.
    Host(u8),
    /// When code starts it.
    Manual,
}

/// The parts of the line, the least urgent first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Idle,
    Thread,
    Switch,
    Level,
}

/// A shared resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Resource {
    /// The resource's name.
    pub name: String,
    /// Where the most urgent user of the resource runs.
    pub ceiling: String,
    /// The interrupts that a lock holds off.
    pub holds_off: String,
    /// The users of the resource.
    pub users: Vec<String>,
    /// The resource's size in bytes.
    pub ram: u32,
}

/// Reads the words. `sizes` are the sizes of variables by name.
pub fn read(facts: &str, sizes: &BTreeMap<String, u32>) -> anyhow::Result<Line> {
    let mut reader = Reader {
        sizes,
        entries: Vec::new(),
        resources: Vec::new(),
        line: None,
        ready: BTreeMap::new(),
        vectors: BTreeMap::new(),
    };
    let lines = facts.split('\n').map(|line| line.trim_matches('\0'));
    for line in lines.filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split('\t').collect();
        reader.read(&words).with_context(|| format!("in the line \"{}\"", words.join(" ")))?;
    }
    let Some((top, scheduler, priority_bits)) = reader.line.take() else {
        bail!("it has no line that begins with \"line\"");
    };
    reader.finish(top, priority_bits);
    for resource in &mut reader.resources {
        resource.holds_off = holds_off_in_words(&resource.holds_off, &reader.vectors)?;
    }
    let Reader { mut entries, resources, .. } = reader;
    entries.sort_by_key(|entry| (Reverse((entry.rank.0, entry.rank.1)), entry.rank.2));
    Ok(Line { scheduler, priority_bits, entries, resources })
}

/// Quintet's variables for the switch of threads.
const SWITCH: [&str; 4] = [
    "core::record::scheduler::SCHEDULER",
    "core::record::scheduler::IDLE",
    "core::record::statistics::STATISTICS",
    "arch::cortex_m::switch::starting::IDLE_REGISTERS",
];

struct Reader<'a> {
    sizes: &'a BTreeMap<String, u32>,
    entries: Vec<Entry>,
    resources: Vec<Resource>,
    line: Option<(u8, String, u8)>,
    /// The sizes of ready bits, by the priority of the level.
    ready: BTreeMap<u8, u32>,
    /// The names of interrupts, by their numbers.
    vectors: BTreeMap<u32, String>,
}

impl Reader<'_> {
    /// Returns the bytes of the variables together.
    fn bytes(&self, names: &[String]) -> u32 {
        names.iter().filter_map(|name| self.sizes.get(name)).sum()
    }

    /// One line.
    fn read(&mut self, words: &[&str]) -> anyhow::Result<()> {
        match *words {
            ["line", top, scheduler, bits] => {
                self.line = Some((number(top)?, scheduler.to_owned(), number(bits)?));
            }
            ["hardware", task, priority, vector, interrupt, byte] => {
                let priority = number(priority)?;
                let what = format!("hardware task `{task}`");
                let runs_in = self.vector(vector, interrupt, number(byte)?);
                self.add((Rank::Level, priority, 1), what, runs_in, &[]);
            }
            ["level", priority, vector, interrupt, byte] => {
                let priority = number(priority)?;
                let runs_in = self.vector(vector, interrupt, number(byte)?);
                self.add((Rank::Level, priority, 2), "software tasks".into(), runs_in, &[]);
            }
            ["ready", priority, bytes] => {
                let bytes = bytes.parse().context("the size of ready bits is no number")?;
                self.ready.insert(number(priority)?, bytes);
            }
            ["software", task, priority, form, capacity, instances, runner, level] => {
                let several = match (capacity, instances) {
                    ("1", "-") => String::new(),
                    (capacity, "-") => format!(", up to {capacity}"),
                    (_, count) => format!(", {count} instances"),
                };
                let what = format!("{form} `{task}`{several}");
                self.in_slot(task, what, number(priority)?, runner, number(level)?)?;
            }
            ["actor", task, priority, form, queue, instances, runner, level] => {
                let form = if form == "async" { "async actor" } else { "actor" };
                let each = match instances {
                    "-" => String::new(),
                    count => format!(", {count} instances"),
                };
                let what = format!("{form} `{task}`{each}, queue of {queue}");
                self.in_slot(task, what, number(priority)?, runner, number(level)?)?;
            }
            ["thread", function, priority, label, start, instance] => {
                let start = match start {
                    "manual" => Start::Manual,
                    place => Start::InOrder(place.parse().context("a thread starts nowhere")?),
                };
                self.thread(function, instance, number(priority)?, label).start = Some(start);
            }
            ["resource", name, place, priority, holds_off, bytes, users] => {
                let ceiling = match place {
                    "idle" => "idle".to_owned(),
                    _ => format!("{place} {priority}"),
                };
                self.resources.push(Resource {
                    name: name.to_owned(),
                    ceiling,
                    holds_off: holds_off.to_owned(),
                    users: users.split_whitespace().map(str::to_owned).collect(),
                    ram: bytes.parse().context("the size of a resource is no number")?,
                });
            }
            // `quintet deadlines` reads it.
            ["timing", _task, _period, _deadline] => {}
            _ => bail!("this lab doesn't know such a line: is it older than the firmware?"),
        }
        Ok(())
    }

    /// A thread, or one of its instances.
    fn thread(&mut self, function: &str, instance: &str, priority: u8, label: &str) -> &mut Entry {
        let (own, which) = match instance {
            "-" => (function.to_owned(), String::new()),
            number => (format!("{function}_instance_{number}"), format!(" {number}")),
        };
        let usual = format!("{function}{which}");
        let name = if label == usual { String::new() } else { format!(" \"{label}\"") };
        let part = |part: &str| variable(&own, part);
        let names = [part("thread"), part("arguments")];
        let stack = self.bytes(&[part("stack")]);
        let what = format!("thread `{function}`{which}{name}");
        let rank = (Rank::Thread, priority, 1);
        let entry = self.add(rank, what, "a stack of its own".into(), &names);
        entry.stack = stack;
        entry
    }

    /// Returns a vector of the application in words, and keeps its interrupt's name.
    fn vector(&mut self, vector: &str, interrupt: &str, byte: u8) -> String {
        if let Ok(number) = interrupt.parse() {
            self.vectors.insert(number, vector.to_owned());
        }
        vector_in_words(vector, interrupt, byte)
    }

    /// Adds an entry that runs in slots of a level, below the level's runner.
    fn in_slot(
        &mut self,
        task: &str,
        what: String,
        priority: u8,
        runner: &str,
        level: u8,
    ) -> anyhow::Result<()> {
        let (rank, runs_in) = match runner {
            "main" => (Rank::Idle, "idle"),
            "host" => (Rank::Thread, "its host"),
            "level" => (Rank::Level, "its level"),
            _ => bail!("this lab doesn't know what `{runner}` runs"),
        };
        let part = |part: &str| variable(task, part);
        let names = [part("cell"), part("queue"), part("control")];
        let entry = self.add((rank, level, 3), what, runs_in.into(), &names);
        entry.priority = Some(priority);
        entry.depth = 1;
        let host = (Rank::Thread, level, 2);
        if runner == "host" && !self.entries.iter().any(|entry| entry.rank == host) {
            let names = [format!("__quintet_host_{level}")];
            let stack = self.bytes(&[format!("__quintet_host_stack_{level}")]);
            let what = "host of software tasks".into();
            let entry = self.add(host, what, "a stack of its own".into(), &names);
            entry.stack = stack;
            entry.start = Some(Start::Host(level));
        }
        Ok(())
    }

    /// Adds an entry.
    fn add(
        &mut self,
        rank: (Rank, u8, u8),
        what: String,
        runs_in: String,
        variables: &[String],
    ) -> &mut Entry {
        let ram = self.bytes(variables);
        let priority = Some(rank.1);
        let (stack, depth, start) = (0, 0, None);
        self.entries.push(Entry { priority, what, runs_in, ram, stack, depth, start, rank });
        let last = self.entries.len() - 1;
        &mut self.entries[last]
    }

    /// Adds the entries without a line of their own.
    fn finish(&mut self, top: u8, priority_bits: u8) {
        if top > 0 {
            let lowest = 1_u16.checked_shl(8 - u32::from(priority_bits.min(8))).unwrap_or(1);
            let byte = u8::try_from(256 - lowest).unwrap_or(0);
            let names = SWITCH.map(str::to_owned);
            let runs_in = vector_in_words("PendSV", "-", byte);
            let what = "the switch of threads".to_owned();
            self.add((Rank::Switch, 0, 0), what, runs_in, &names).priority = None;
        }
        self.add((Rank::Idle, 0, 2), "idle".into(), "main, on the main stack".into(), &[]);
        for entry in self.entries.iter_mut().filter(|entry| entry.rank.2 == 2) {
            entry.ram += self.ready.get(&entry.rank.1).copied().unwrap_or(0);
        }
    }
}

/// Returns the name of a task's variable. If the task's name is a keyword, the variable's name has
/// no `r#`.
fn variable(task: &str, part: &str) -> String {
    format!("__quintet_{}_{part}", task.trim_start_matches("r#"))
}

/// A number below 256.
fn number(word: &str) -> anyhow::Result<u8> {
    word.parse().with_context(|| format!("\"{word}\" is no number below 256"))
}

/// Returns a vector in words, with the number of its interrupt if it is one, and its priority byte.
fn vector_in_words(vector: &str, interrupt: &str, byte: u8) -> String {
    match interrupt {
        "-" => format!("{vector}, hardware priority {byte:#04x}"),
        _ => format!("{vector} (interrupt {interrupt}), hardware priority {byte:#04x}"),
    }
}

/// Returns in words what a lock holds off: by BASEPRI, by the NVIC on cores without BASEPRI, or by
/// PRIMASK if neither works. `vectors` are the names of interrupts.
fn holds_off_in_words(words: &str, vectors: &BTreeMap<u32, String>) -> anyhow::Result<String> {
    let (basepri, sources) = match *words.split(' ').collect::<Vec<_>>() {
        ["BASEPRI", basepri] => (number(basepri)?, 0),
        ["BASEPRI", basepri, "NVIC", sources] => {
            (number(basepri)?, sources.parse().context("no interrupts of the NVIC")?)
        }
        _ => return Ok(words.to_owned()),
    };
    Ok(match (basepri, sources) {
        (0, 0) => "all interrupts, by PRIMASK".to_owned(),
        (0, sources) => format!("{}, in the NVIC", interrupts_in_words(sources, vectors)),
        (basepri, _) => format!("interrupts, BASEPRI {basepri:#04x}"),
    })
}

/// Returns the interrupts whose bits are set, by their names, or by their numbers if they have no
/// names.
fn interrupts_in_words(sources: u32, vectors: &BTreeMap<u32, String>) -> String {
    let set = (0..u32::BITS).filter(|number| sources & (1 << number) != 0);
    let name =
        |number| vectors.get(&number).cloned().unwrap_or_else(|| format!("interrupt {number}"));
    set.map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = "resource\tx\tlevel\t4\tBASEPRI 192\t4\tlow level\nready\t2\t1\n\
        thread\tlow\t1\tthe low one\tmanual\t-\nsoftware\thosted\t2\tasync\t2\t-\thost\t2\n\
        level\t4\tSSI0\t7\t192\nline\t3\tpreemptive\t3\nhardware\ttick\t5\tSysTick\t-\t160\n\
        software\tabove\t4\tfn\t1\t-\tlevel\t4\nthread\thigh\t3\thigh\t0\t-\n\
        software\tbackground\t0\tasync\t1\t-\tmain\t0\n";

    fn sizes() -> BTreeMap<String, u32> {
        let sizes = [
            ("__quintet_low_thread", 80),
            ("__quintet_low_arguments", 8),
            ("__quintet_low_stack", 512),
            ("__quintet_host_2", 80),
            ("__quintet_host_stack_2", 768),
            ("__quintet_hosted_cell", 12),
            ("core::record::scheduler::SCHEDULER", 100),
            ("core::record::scheduler::IDLE", 40),
            ("SCHEDULER", 1000),
        ];
        sizes.map(|(name, size)| (name.to_owned(), size)).into()
    }

    #[test]
    fn actors_stand_below_what_runs_them() {
        let facts = "line\t0\tpreemptive\t3\nlevel\t2\tSSI0\t7\t192\n\
            actor\tphilo\t2\tfn\t4\t5\tlevel\t2\nactor\tr#loop\t0\tasync\t2\t-\tmain\t0\n";
        let sizes = [("__quintet_philo_queue", 100), ("__quintet_loop_cell", 8)];
        let sizes = sizes.map(|(name, size)| (name.to_owned(), size)).into();
        let line = read(facts, &sizes).expect("the facts are complete");
        let entries: Vec<_> = line
            .entries
            .iter()
            .map(|entry| (entry.what.as_str(), entry.runs_in.as_str(), entry.ram, entry.depth))
            .collect();
        assert_eq!(
            entries,
            [
                ("software tasks", "SSI0 (interrupt 7), hardware priority 0xc0", 0, 0),
                ("actor `philo`, 5 instances, queue of 4", "its level", 100, 1),
                ("idle", "main, on the main stack", 0, 0),
                ("async actor `r#loop`, queue of 2", "idle", 8, 1),
            ]
        );
    }

    #[test]
    fn instances_are_told_apart() {
        let facts = "line\t2\tpreemptive\t3\nthread\tr#do\t2\tdo 0\t0\t0\n\
            thread\tr#do\t2\tdo 1\t1\t1\nthread\tpool\t1\tworkers 0\tmanual\t0\n\
            software\tblink\t3\tasync\t1\t4\tlevel\t3\n";
        let sizes = [
            ("__quintet_do_instance_1_stack", 512),
            ("__quintet_do_instance_1_thread", 56),
            ("__quintet_blink_cell", 32),
        ];
        let sizes = sizes.map(|(name, size)| (name.to_owned(), size)).into();
        let line = read(facts, &sizes).expect("the facts are complete");
        let entries = line.entries.iter().map(|one| (one.what.as_str(), one.ram, one.stack));
        let entries: Vec<_> = entries.filter(|(what, ..)| what.contains('`')).collect();
        assert_eq!(
            entries,
            [
                ("async `blink`, 4 instances", 32, 0),
                ("thread `r#do` 0 \"do 0\"", 0, 0),
                ("thread `r#do` 1 \"do 1\"", 56, 512),
                ("thread `pool` 0 \"workers 0\"", 0, 0),
            ]
        );
    }

    #[test]
    fn the_line_is_sorted_by_who_runs_above_whom() {
        let line = read(FACTS, &sizes()).expect("the facts are complete");
        let what: Vec<_> = line.entries.iter().map(|entry| entry.what.as_str()).collect();
        let expected = [
            "hardware task `tick`",
            "software tasks",
            "fn `above`",
            "the switch of threads",
            "thread `high`",
            "host of software tasks",
            "async `hosted`, up to 2",
            "thread `low` \"the low one\"",
            "idle",
            "async `background`",
        ];
        assert_eq!(what, expected);
    }

    #[test]
    fn everything_has_its_cost() {
        let line = read(FACTS, &sizes()).expect("the facts are complete");
        let cost = |what: &str| {
            let entry = line.entries.iter().find(|entry| entry.what.starts_with(what));
            entry.map(|entry| (entry.ram, entry.stack)).expect("it is there")
        };
        assert_eq!(cost("thread `low`"), (88, 512));
        assert_eq!((cost("host of"), cost("async `hosted`")), ((81, 768), (12, 0)));
        assert_eq!(cost("the switch"), (140, 0));
        let [x] = &line.resources[..] else { panic!("one resource") };
        assert_eq!((x.ceiling.as_str(), x.ram), ("level 4", 4));
        assert_eq!(x.holds_off, "interrupts, BASEPRI 0xc0");
        let runs_in: Vec<_> = line.entries.iter().map(|entry| entry.runs_in.as_str()).collect();
        assert_eq!(runs_in[0], "SysTick, hardware priority 0xa0");
        assert_eq!(runs_in[3], "PendSV, hardware priority 0xe0");
    }

    #[test]
    fn a_lock_says_what_masks() {
        let facts = |held: &str| {
            format!(
                "resource\tx\tlevel\t2\t{held}\t4\ta b\nline\t0\tpreemptive\t2\n\
                 level\t2\tSSI0\t7\t128\nhardware\tb\t2\tUART0\t5\t128\n"
            )
        };
        for (held, expected) in [
            ("BASEPRI 128 NVIC 0", "interrupts, BASEPRI 0x80"),
            ("BASEPRI 0 NVIC 160", "UART0, SSI0, in the NVIC"),
            ("BASEPRI 0 NVIC 129", "interrupt 0, SSI0, in the NVIC"),
            ("BASEPRI 0 NVIC 0", "all interrupts, by PRIMASK"),
            ("nothing", "nothing"),
        ] {
            let line = read(&facts(held), &BTreeMap::new()).expect("the facts are complete");
            assert_eq!(line.resources[0].holds_off, expected);
        }
        let error = read(&facts("BASEPRI 0 NVIC all"), &BTreeMap::new()).err();
        let message = format!("{:#}", error.expect("it is refused"));
        assert!(message.contains("no interrupts of the NVIC"), "{message}");
    }

    #[test]
    fn without_threads_nothing_switches_them() {
        let facts = "line\t0\tcooperative\t4\nsoftware\ta\t3\tfn\t1\t-\tmain\t0\n";
        let line = read(facts, &BTreeMap::new()).expect("the facts are complete");
        let what: Vec<_> = line.entries.iter().map(|entry| entry.what.as_str()).collect();
        assert_eq!((what, line.priority_bits), (vec!["idle", "fn `a`"], 4));
        assert_eq!(line.entries[1].priority, Some(3));
    }

    #[test]
    fn damage_is_said() {
        for (facts, expected) in [
            ("thread\ta\t1\ta\t0\t-\n", "no line that begins with"),
            ("thread\ta\t1\ta\tlast\t-\n", "a thread starts nowhere"),
            ("line\t0\tpreemptive\tthree\n", "\"three\" is no number"),
            ("line\t0\tpreemptive\t3\nprocess\ta\n", "older than the firmware"),
            ("line\t0\tpreemptive\t3\nsoftware\ta\t3\tfn\t1\t-\tmoon\t0\n", "`moon` runs"),
        ] {
            let error = read(facts, &BTreeMap::new()).err().expect("it is refused");
            let message = format!("{error:#}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
