//! The threads of Zephyr, RIOT, NuttX and ChibiOS: where they are, what their control blocks say,
//! and what each waits for.
//!
//! The variables are found by their symbols. Where a control block has its fields depends on how
//! the kernel was configured, so debug information has to tell: without it, there is
//! [a reason](Missing) to give, and no guess.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::cores::Core;
use quintet_sim::image::{Image, Symbol, SymbolKind};

use crate::debug::types::Types;
use crate::debug::types::parts::Member;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;

/// Longer lists, and longer names, are none.
const THREADS_MAX: usize = 256;
const NAME_MAX: u32 = 32;

/// The bits of a thread's state in Zephyr.
const DUMMY: u64 = 1;
const PENDING: u64 = 1 << 1;
const SLEEPING: u64 = 1 << 2;
const DEAD: u64 = 1 << 3;
const SUSPENDED: u64 = 1 << 4;
/// What Zephyr's macros put in front of the names of threads.
const ZEPHYR_PREFIX: &str = "_k_thread_obj_";

/// The states of ChibiOS, by their numbers.
const CHIBIOS: [&str; 16] = [
    "READY",
    "CURRENT",
    "WTSTART",
    "SUSPENDED",
    "QUEUED",
    "WTSEM",
    "WTMTX",
    "WTCOND",
    "SLEEPING",
    "WTEXIT",
    "WTOREVT",
    "WTANDEVT",
    "SNDMSGQ",
    "SNDMSG",
    "WTMSG",
    "FINAL",
];

/// A kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Zephyr,
    Riot,
    Nuttx,
    Chibios,
}

/// What the search needs to know about a kernel.
struct About {
    kind: Kind,
    name: &'static str,
    /// A variable that no other firmware has.
    variable: &'static str,
    /// The structure of a control block.
    structure: &'static str,
    /// What to configure so that the image has the debug information.
    how: &'static str,
}

const KERNELS: [About; 4] = [
    About {
        kind: Kind::Zephyr,
        name: "Zephyr",
        variable: "_kernel",
        structure: "k_thread",
        how: "take zephyr.elf, not a stripped or converted image",
    },
    About {
        kind: Kind::Riot,
        name: "RIOT",
        variable: "sched_threads",
        structure: "_thread",
        how: "take the ELF file, and build with DEVELHELP=1 for the names of threads",
    },
    About {
        kind: Kind::Nuttx,
        name: "NuttX",
        variable: "g_readytorun",
        structure: "tcb_s",
        how: "build with CONFIG_DEBUG_SYMBOLS=y",
    },
    About {
        kind: Kind::Chibios,
        name: "ChibiOS",
        variable: "ch",
        structure: "ch_thread",
        how: "build with -ggdb, and with CH_CFG_USE_REGISTRY",
    },
];

/// Why the threads of a kernel that is there can't be shown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it has {kernel}, but no debug information for `struct {structure}`: {how}")]
pub struct Missing {
    kernel: &'static str,
    structure: &'static str,
    how: &'static str,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Others {
    kind: Kind,
    /// The word with the control block of the running thread.
    current: u32,
    all: All,
    fields: Fields,
    /// The names of functions and variables by their addresses: a thread without a name of its own
    /// has that of its control block, or of the function in which it begins.
    names: BTreeMap<u32, String>,
}

/// How all threads are found.
#[derive(Clone, Debug)]
enum All {
    /// An array: the first element, how many, and how far apart. Each begins with a pointer.
    Array { start: u32, count: u32, stride: u32 },
    /// The first of a list, which a word points to, and what ends it besides 0.
    List { first: u32, end: u32 },
    /// Variables.
    Variables(Vec<u32>),
}

/// Where a control block has its fields.
#[derive(Clone, Debug)]
struct Fields {
    priority: Field,
    state: Field,
    /// The name, and whether it is a pointer.
    name: Option<(u32, bool)>,
    next: Option<u32>,
    /// A pointer to the object for which the thread waits.
    object: Option<u32>,
    /// A pointer to the function in which the thread begins.
    entry: Option<u32>,
    /// Of Zephyr: whether the thread waits for a time, a word that isn't 0.
    timeout: Option<u32>,
}

/// A number of up to 4 bytes.
#[derive(Clone, Copy, Debug)]
struct Field {
    member: Member,
    size: u32,
}

/// What a thread does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It can run.
    Ready,
    /// It waits for what the words say.
    Waits(String),
    /// It was never started, or has ended.
    Ended,
}

impl Others {
    /// The kernel of an image; none for other firmware, and why not where it can't be shown.
    pub fn find(firmware: &Firmware) -> Option<Result<Self, Missing>> {
        let image = &firmware.image;
        let is_there = |about: &&About| variable(image, about.variable).is_some();
        let about = KERNELS.iter().find(is_there)?;
        let types = firmware.debug.types();
        let found = Self::of(about.kind, image, types);
        // A variable of that name alone may be anybody's.
        if found.is_none() && about.kind == Kind::Chibios && variable(image, "ch_debug").is_none() {
            return None;
        }
        let missing = Missing { kernel: about.name, structure: about.structure, how: about.how };
        Some(found.ok_or(missing))
    }

    fn of(kind: Kind, image: &Image, types: &Types) -> Option<Self> {
        let place = |name: &str| variable(image, name).map(|symbol| symbol.address);
        let offset = |structure: &str, path: &str| Some(types.within(structure, path)?.offset);
        let (current, all, fields) = match kind {
            Kind::Zephyr => {
                let kernel = place("_kernel")?;
                let current = ["cpus.current", "current"].into_iter();
                let mut current = current.filter_map(|path| offset("z_kernel", path));
                let threads = offset("z_kernel", "threads");
                let all = match threads {
                    Some(threads) => All::List { first: kernel + threads, end: 0 },
                    None => All::Variables(types.variables_of("k_thread")),
                };
                (kernel + current.next()?, all, Fields::of_zephyr(types)?)
            }
            Kind::Riot => {
                let threads = variable(image, "sched_threads")?;
                let current = place("sched_active_thread");
                let all = All::Array { start: threads.address, count: threads.size / 4, stride: 4 };
                (current?, all, Fields::of(types, "_thread", ["priority", "status"])?)
            }
            Kind::Nuttx => {
                let table = variable(image, "g_pidhash")?;
                let stride = offset("pidhash_s", "pid").map_or(4, |_| 8);
                let all = All::Array { start: table.address, count: table.size / stride, stride };
                let fields = Fields::of(types, "tcb_s", ["sched_priority", "task_state"])?;
                (place("g_readytorun")?, all, fields)
            }
            Kind::Chibios => {
                let ready = place("ch")? + offset("ch_system", "rlist")?;
                let (current, newer) =
                    (offset("ch_system", "rlist.current")?, offset("ch_system", "rlist.newer")?);
                let start = place("ch")?;
                let all = All::List { first: start + newer, end: ready };
                (start + current, all, Fields::of(types, "ch_thread", ["prio", "state"])?)
            }
        };
        Some(Self { kind, current, all, fields, names: names(image) })
    }

    /// The control block of the thread that runs; none before there are threads.
    pub fn running(&self, machine: &impl Core) -> Option<u32> {
        let control = machine.read_word(self.current).filter(|control| *control != 0)?;
        // Zephyr's start-up code stands in for a thread.
        let state = number(machine, control, self.fields.state);
        let is_dummy = self.kind == Kind::Zephyr && state.is_some_and(|state| state & DUMMY != 0);
        (!is_dummy).then_some(control)
    }

    /// The control blocks of all threads that are known to the kernel.
    pub fn all(&self, machine: &impl Core) -> BTreeSet<u32> {
        let word = |address: u32| machine.read_word(address).filter(|word| *word != 0);
        let mut all: BTreeSet<u32> = match &self.all {
            All::Array { start, count, stride } => {
                let count = (*count).min(THREADS_MAX as u32);
                (0..count).filter_map(|index| word(start.wrapping_add(index * stride))).collect()
            }
            All::List { first, end } => {
                let next = |one: &u32| word(one.checked_add(self.fields.next?)?);
                let list = std::iter::successors(word(*first), next).take(THREADS_MAX);
                list.take_while(|one| one != end).collect()
            }
            All::Variables(variables) => {
                // Before it is initialised, all of it is 0.
                let is_used = |one: &u32| number(machine, *one, self.fields.state) != Some(0);
                let is_used = |one: &u32| is_used(one) || self.waits_for_time(machine, *one);
                variables.iter().copied().filter(is_used).collect()
            }
        };
        all.extend(self.running(machine));
        all
    }

    /// Returns `true` if the thread can run now or later.
    pub fn lives(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> bool {
        // Without a list, a thread that has run is known by its control block alone.
        let is_known =
            matches!(self.all, All::Variables(_)) || self.all(machine).contains(&control);
        is_known && self.doing(firmware, machine, control) != Doing::Ended
    }

    /// A thread's name and priority.
    pub fn about(&self, machine: &impl Core, control: u32) -> (String, i64) {
        let priority = number(machine, control, self.fields.priority).unwrap_or(0);
        // Zephyr's are signed.
        let priority = match self.kind {
            Kind::Zephyr => i64::from(priority as u8 as i8),
            _ => priority as i64,
        };
        let entry = || {
            let entry = machine.read_word(control.checked_add(self.fields.entry?)?)?;
            self.names.get(&(entry & !1)).cloned()
        };
        // The control blocks of NuttX are seldom variables. All of Zephyr's work queues begin in
        // one function.
        let name = self.name(machine, control);
        let name = name.or_else(|| entry().filter(|_| self.kind == Kind::Nuttx));
        let name = name.or_else(|| self.variable(control)).or_else(entry);
        (name.unwrap_or_else(|| format!("thread at {control:#010x}")), priority)
    }

    /// What a thread does that doesn't run.
    pub fn doing(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> Doing {
        let state = number(machine, control, self.fields.state).unwrap_or(0);
        let types = firmware.debug.types();
        match self.kind {
            Kind::Zephyr if state & DEAD != 0 => Doing::Ended,
            Kind::Zephyr if state & PENDING != 0 => {
                Doing::Waits(self.object(firmware, machine, control))
            }
            // Up to Zephyr 3.6, a thread that sleeps is suspended too.
            Kind::Zephyr if state & SLEEPING != 0 || self.waits_for_time(machine, control) => {
                Doing::Waits("a time".into())
            }
            Kind::Zephyr if state & SUSPENDED != 0 => Doing::Waits("to be resumed".into()),
            Kind::Zephyr => Doing::Ready,
            Kind::Riot => {
                let name = types.enumerator(self.fields.state.member.kind, state);
                riot(name.unwrap_or_default())
            }
            Kind::Nuttx => match types.enumerator_of("tstate_e", state).unwrap_or_default() {
                name if name.starts_with("TSTATE_TASK_INACTIVE") => Doing::Ended,
                name if name.starts_with("TSTATE_TASK") => Doing::Ready,
                "TSTATE_WAIT_SEM" => Doing::Waits(self.object(firmware, machine, control)),
                "TSTATE_WAIT_SIG" => Doing::Waits("a signal or a time".into()),
                "TSTATE_WAIT_MQNOTEMPTY" => Doing::Waits("a message".into()),
                "TSTATE_WAIT_MQNOTFULL" => Doing::Waits("room for a message".into()),
                _ => Doing::Waits(format!("what state {state} stands for")),
            },
            Kind::Chibios => match CHIBIOS.get(state as usize).copied().unwrap_or_default() {
                "READY" | "CURRENT" => Doing::Ready,
                "FINAL" => Doing::Ended,
                "WTSTART" => Doing::Waits("its start".into()),
                "SLEEPING" => Doing::Waits("a time".into()),
                "WTOREVT" | "WTANDEVT" => Doing::Waits("events".into()),
                "WTEXIT" => Doing::Waits("the end of a thread".into()),
                "WTMSG" => Doing::Waits("a message".into()),
                "SNDMSGQ" | "SNDMSG" => Doing::Waits("the answer to a message".into()),
                _ => Doing::Waits(self.object(firmware, machine, control)),
            },
        }
    }

    fn waits_for_time(&self, machine: &impl Core, control: u32) -> bool {
        let word = |offset: u32| machine.read_word(control.checked_add(offset)?);
        self.fields.timeout.and_then(word).is_some_and(|word| word != 0)
    }

    /// The object for which a thread waits, by the variable that contains it.
    fn object(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> String {
        let word = |offset: u32| machine.read_word(control.checked_add(offset)?);
        let object = self.fields.object.and_then(word).filter(|object| *object != 0);
        let Some(object) = object else { return "an object".into() };
        let holder = holder(&firmware.image, object);
        holder.map_or_else(|| format!("the object at {object:#010x}"), |one| demangle(&one.name))
    }

    fn name(&self, machine: &impl Core, control: u32) -> Option<String> {
        let (offset, is_pointer) = self.fields.name?;
        let place = control.checked_add(offset)?;
        let place = if is_pointer { machine.read_word(place)? } else { place };
        let letter = |index: u32| {
            let mut byte = [0];
            machine.read_memory(place.checked_add(index)?, &mut byte).ok()?;
            Some(byte[0]).filter(|byte| byte.is_ascii_graphic() || *byte == b' ')
        };
        let name: String = (0..NAME_MAX).map_while(letter).map(char::from).collect();
        (!name.is_empty()).then_some(name)
    }

    /// The name of the variable that is the control block.
    fn variable(&self, control: u32) -> Option<String> {
        let name = self.names.get(&control)?;
        Some(match (self.kind, &**name) {
            (Kind::Zephyr, "z_main_thread") => "main".into(),
            (Kind::Zephyr, "z_idle_threads") => "idle".into(),
            _ => name.strip_prefix(ZEPHYR_PREFIX).unwrap_or(name).to_owned(),
        })
    }
}

/// A number in a control block.
fn number(machine: &impl Core, control: u32, field: Field) -> Option<u64> {
    let mut bytes = [0; 4];
    let size = (field.size as usize).min(bytes.len());
    let address = control.checked_add(field.member.offset)?;
    machine.read_memory(address, &mut bytes[..size]).ok()?;
    Some(u64::from(u32::from_le_bytes(bytes)))
}

/// The names of functions and variables by their addresses, the best of each.
fn names(image: &Image) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    let is_name = |symbol: &&Symbol| symbol.kind != SymbolKind::Label && !symbol.absolute;
    for symbol in image.symbols.iter().filter(is_name) {
        names.entry(symbol.address).or_insert_with(|| demangle(&symbol.name));
    }
    names
}

impl Fields {
    fn of_zephyr(types: &Types) -> Option<Self> {
        let mut fields = Self::of(types, "k_thread", ["base.prio", "base.thread_state"])?;
        let offset = |path: &str| types.within("k_thread", path).map(|member| member.offset);
        fields.next = offset("next_thread");
        fields.object = offset("base.pended_on");
        fields.entry = offset("entry.pEntry");
        // A node of a list: it is in none if it has zeros.
        fields.timeout = offset("base.timeout.node").or_else(|| offset("base.timeout"));
        Some(fields)
    }

    fn of(types: &Types, structure: &str, [priority, state]: [&str; 2]) -> Option<Self> {
        let offset = |path: &str| types.within(structure, path).map(|member| member.offset);
        let field = |path: &str| {
            let member = types.within(structure, path)?;
            let size = types.size_meant(member.kind).clamp(1, 4);
            Some(Field { member, size })
        };
        let name = types.within(structure, "name");
        Some(Self {
            priority: field(priority)?,
            state: field(state)?,
            name: name.map(|name| (name.offset, types.is_pointer(name.kind))),
            next: offset("newer"),
            object: offset("waitsem").or_else(|| offset("u")),
            entry: offset("entry"),
            timeout: None,
        })
    }
}

/// What a thread of RIOT does, by the name of its status.
fn riot(status: &str) -> Doing {
    let waits = |what: &str| Doing::Waits(what.to_owned());
    match status.trim_start_matches("STATUS_") {
        "RUNNING" | "PENDING" => Doing::Ready,
        "STOPPED" | "ZOMBIE" | "NOT_FOUND" => Doing::Ended,
        "SLEEPING" => waits("a wake-up"),
        "MUTEX_BLOCKED" => waits("a mutex"),
        "RECEIVE_BLOCKED" => waits("a message"),
        "SEND_BLOCKED" => waits("that its message is taken"),
        "REPLY_BLOCKED" => waits("a reply"),
        "FLAG_BLOCKED_ANY" => waits("any of its flags"),
        "FLAG_BLOCKED_ALL" => waits("all of its flags"),
        "MBOX_BLOCKED" => waits("a mailbox"),
        "COND_BLOCKED" => waits("a condition variable"),
        _ => waits("something"),
    }
}

/// A variable with this name.
fn variable<'a>(image: &'a Image, name: &str) -> Option<&'a Symbol> {
    image.symbols.iter().find(|symbol| symbol.name == name && symbol.kind != SymbolKind::Function)
}

/// The variable that contains an address.
fn holder(image: &Image, address: u32) -> Option<&Symbol> {
    let contains = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Data && address.wrapping_sub(symbol.address) < symbol.size
    };
    image.symbols.iter().find(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_riot_have_words() {
        assert_eq!(riot("STATUS_PENDING"), Doing::Ready);
        assert_eq!(riot("STATUS_ZOMBIE"), Doing::Ended);
        assert_eq!(riot("STATUS_MUTEX_BLOCKED"), Doing::Waits("a mutex".into()));
        assert_eq!(riot(""), Doing::Waits("something".into()));
    }
}
