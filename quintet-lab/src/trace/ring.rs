//! The ring of the framework's recorder: what a board has written, read from a dump of its memory.
//!
//! ```text
//!  dump ── Dump::read ──> events in order ── replay ──> Recording, as of a simulated run
//! ```
//! `docs/recorder.md` has the form of the ring. A dump is any piece of memory with the whole ring.

use super::record::exception_in_words;
use super::store::{Key, Limits, Store};
use super::units::Application;
use super::{Arrow, Group, Recording, Track};
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use anyhow::{Context, bail, ensure};
use quintet_sim::image::{MemoryRange, Symbol, SymbolKind};
use quintet_sim::machine::Machine;
use std::collections::BTreeMap;

/// The symbol of the ring.
pub const SYMBOL: &str = "__quintet_recorder";

/// The mark at its beginning, the version that is read, and the bytes before the events and of
/// each.
const MARK: &[u8; 4] = b"QREC";
const VERSION: u8 = 1;
const HEADER: usize = 16;
const EVENT: usize = 8;

/// No ring has more events.
const CAPACITY_MAX: usize = 1 << 16;

/// The end of the names of queues.
const QUEUE: &str = "_queue";

/// The bits of an event that say what it is about.
const ABOUT: u32 = 0x00ff_ffff;

/// What a board has written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    /// How many events were written, with those that newer ones replaced.
    pub written: u32,
    /// The events that are there, the oldest first.
    pub events: Vec<Event>,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When, by the cycle counter, which goes on behind 32 bits.
    pub cycle: u64,
    /// What.
    pub kind: Kind,
    /// What it is about.
    pub about: u32,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A job begins: its level's priority, and in the lower 16 bits its slot.
    JobBegins,
    /// It ends.
    JobEnds,
    /// The handler of a hardware task begins: its exception.
    HandlerBegins,
    /// It ends.
    HandlerEnds,
    /// A thread runs from now on: 24 bits of the address of its control block.
    Switched,
    /// A task of another executor begins: 24 bits of an address in its memory.
    TaskBegins,
    /// It ends.
    TaskEnds,
    /// It is woken.
    TaskReady,
    /// A job is made ready: as for its beginning.
    JobReady,
    /// So many events wait in a queue: their number, and in the lower 16 bits a part of the queue's
    /// address, without its lowest two bits.
    Queue,
    /// What a later version writes.
    Other,
}

impl Kind {
    const fn of(number: u32) -> Self {
        match number {
            1 => Self::JobBegins,
            2 => Self::JobEnds,
            3 => Self::HandlerBegins,
            4 => Self::HandlerEnds,
            5 => Self::Switched,
            6 => Self::TaskBegins,
            7 => Self::TaskEnds,
            8 => Self::TaskReady,
            9 => Self::JobReady,
            10 => Self::Queue,
            _ => Self::Other,
        }
    }
}

impl Dump {
    /// Finds the ring in a dump and reads it.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let mut places = bytes.windows(MARK.len()).enumerate().filter(|(_, there)| there == MARK);
        let Some((first, _)) = places.next() else {
            bail!(
                "there is no ring of the recorder in it (no mark \"QREC\"): is the feature \
                 `recorder` of quintet on, has `quintet::recorder::start()` been called, and is \
                 the memory at the symbol {SYMBOL} in the dump?"
            );
        };
        // The mark may stand elsewhere by chance. The error is that of the first place.
        let read = Self::read_at(&bytes[first..]);
        let mut others = || places.find_map(|(place, _)| Self::read_at(&bytes[place..]).ok());
        read.or_else(|error| others().ok_or(error))
    }

    fn read_at(ring: &[u8]) -> anyhow::Result<Self> {
        let word = |at: usize| -> Option<u32> {
            let bytes = ring.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let (version, event) = (ring.get(4).copied(), ring.get(5).copied());
        let (Some(version), Some(event), Some(capacity), Some(written)) =
            (version, event, word(8), word(12))
        else {
            bail!("the dump ends within the head of the recorder's ring");
        };
        ensure!(
            version == VERSION && usize::from(event) == EVENT,
            "the ring has the version {version} with events of {event} bytes, and this tool reads \
             version {VERSION} with {EVENT}: take the tool of the framework's version"
        );
        let capacity = capacity as usize;
        ensure!(
            capacity.is_power_of_two() && capacity <= CAPACITY_MAX,
            "the ring says that it holds {capacity} events, which no ring does: it is damaged"
        );
        let length = HEADER + EVENT * capacity;
        ensure!(
            ring.len() >= length,
            "the dump ends within the recorder's ring: it has {} of its {length} bytes",
            ring.len()
        );
        let count = (written as usize).min(capacity);
        let mut events = Vec::with_capacity(count);
        let mut time = 0_u64;
        for number in 0..count {
            let place = (written as usize).wrapping_sub(count).wrapping_add(number) % capacity;
            let at = HEADER + EVENT * place;
            let (Some(counter), Some(what)) = (word(at), word(at + 4)) else { break };
            // The counter begins anew behind 32 bits.
            let passed = counter.wrapping_sub(time as u32);
            time = if number == 0 { u64::from(counter) } else { time + u64::from(passed) };
            events.push(Event { cycle: time, kind: Kind::of(what >> 24), about: what & ABOUT });
        }
        Ok(Self { written, events })
    }
}

/// A handler that interrupts, or a job in one.
struct Running {
    key: Key,
    start: u64,
    own: u64,
}

/// Makes a recording of events.
pub struct Replay<'a> {
    firmware: &'a Firmware,
    application: &'a Application,
    facts: &'a str,
    /// The machine with the image, which has not run.
    machine: &'a Machine,
    store: Store,
    handlers: Vec<Running>,
    /// The jobs of each thread that runs jobs; 0 before a thread is known.
    hosted: BTreeMap<u32, Vec<Running>>,
    thread: Option<Running>,
    /// Who was made ready and has not begun yet: by whom, and when.
    woken: BTreeMap<Key, (Key, u64)>,
}

impl<'a> Replay<'a> {
    /// Of the firmware that has written the events.
    pub fn new(
        firmware: &'a Firmware,
        application: &'a Application,
        facts: &'a str,
        machine: &'a Machine,
    ) -> Self {
        let limits = Limits { from: 0, last: None, events: usize::MAX };
        Self {
            firmware,
            application,
            facts,
            machine,
            store: Store::new(limits, machine.board().clock_hz),
            handlers: Vec::new(),
            hosted: BTreeMap::new(),
            thread: None,
            woken: BTreeMap::new(),
        }
    }

    /// Replays the events. What began before the oldest of them is not shown.
    pub fn recording(mut self, dump: &Dump) -> anyhow::Result<Recording> {
        let (Some(first), Some(last)) = (dump.events.first(), dump.events.last()) else {
            bail!(
                "the recorder's ring is empty: nothing has run since `quintet::recorder::start()`"
            );
        };
        let (begin, end) = (first.cycle, last.cycle);
        let mut before = begin;
        for event in &dump.events {
            self.pass(event.cycle - before);
            before = event.cycle;
            self.event(*event)?;
        }
        while let Some(running) = self.handlers.pop() {
            self.slice(&running, end);
        }
        for running in std::mem::take(&mut self.hosted).into_values().flatten() {
            self.slice(&running, end);
        }
        if let Some(running) = self.thread.take() {
            self.slice(&running, end);
        }
        let mut recording = self.store.finish(end.saturating_add(1));
        recording.keep_window(begin, end.saturating_add(1));
        Ok(recording)
    }

    /// Time is that of whatever runs.
    fn pass(&mut self, cycles: u64) {
        if let Some(handler) = self.handlers.last_mut() {
            handler.own += cycles;
            return;
        }
        let control = self.control();
        if let Some(thread) = &mut self.thread {
            thread.own += cycles;
        }
        for job in self.hosted.get_mut(&control).into_iter().flatten() {
            job.own += cycles;
        }
    }

    fn control(&self) -> u32 {
        match self.thread.as_ref().map(|thread| &thread.key) {
            Some(Key::Thread(control)) => *control,
            _ => 0,
        }
    }

    fn event(&mut self, Event { cycle, kind, about }: Event) -> anyhow::Result<()> {
        match kind {
            Kind::JobBegins => {
                let (key, is_hosted) = self.job(about)?;
                self.begins(&key, cycle);
                let running = Running { key, start: cycle, own: 0 };
                if is_hosted {
                    self.hosted.entry(self.control()).or_default().push(running);
                } else {
                    self.handlers.push(running);
                }
            }
            Kind::JobEnds => {
                let (key, is_hosted) = self.job(about)?;
                let control = self.control();
                let open = if is_hosted {
                    self.hosted.entry(control).or_default()
                } else {
                    &mut self.handlers
                };
                let ended = take(open, &key);
                self.ended(ended, cycle);
            }
            Kind::HandlerBegins => {
                let key = Key::Exception(about as u16);
                self.handlers.push(Running { key, start: cycle, own: 0 });
            }
            Kind::HandlerEnds => {
                let ended = take(&mut self.handlers, &Key::Exception(about as u16));
                self.ended(ended, cycle);
            }
            Kind::Switched => {
                if let Some(thread) = self.thread.take() {
                    self.slice(&thread, cycle);
                }
                self.thread = Some(Running { key: Key::Thread(about), start: cycle, own: 0 });
            }
            Kind::TaskBegins => {
                let key = Key::Task(about);
                self.begins(&key, cycle);
                self.handlers.push(Running { key, start: cycle, own: 0 });
            }
            Kind::TaskEnds => {
                let ended = take(&mut self.handlers, &Key::Task(about));
                self.ended(ended, cycle);
            }
            Kind::TaskReady => self.wakes(Key::Task(about), cycle),
            Kind::JobReady => {
                let (key, _) = self.job(about)?;
                self.wakes(key, cycle);
            }
            Kind::Queue => {
                let (name, waiting) = (self.queue_of(about & 0xffff), about >> 16);
                self.store.sample(&name, cycle, waiting);
            }
            Kind::Other => {}
        }
        Ok(())
    }

    /// Notes that whoever runs wakes somebody. The first wake counts, and nobody wakes itself.
    fn wakes(&mut self, key: Key, cycle: u64) {
        let control = self.control();
        let hosted = self.hosted.get(&control).and_then(|jobs| jobs.last());
        let running = self.handlers.last().or(hosted).or(self.thread.as_ref());
        if let Some(by) = running.map(|running| running.key.clone()).filter(|by| *by != key) {
            self.woken.entry(key).or_insert((by, cycle));
        }
    }

    /// Draws the wake of somebody who begins now.
    fn begins(&mut self, key: &Key, cycle: u64) {
        if let Some((by, start)) = self.woken.remove(key) {
            let (from, to) = (self.track(&by), self.track(key));
            self.store.arrow(Arrow { from, start, to, end: cycle });
        }
    }

    fn ended(&mut self, running: Option<Running>, cycle: u64) {
        if let Some(running) = running {
            self.slice(&running, cycle);
        }
    }

    /// The unit of a job, and whether a thread runs it.
    fn job(&self, about: u32) -> anyhow::Result<(Key, bool)> {
        let (priority, slot) = (about >> 16, about & 0xffff);
        let levels = &self.application.levels;
        let level = levels.iter().find(|level| u32::from(level.priority) == priority);
        let unit = level.and_then(|level| Some((level, *level.slots.get(slot as usize)?)));
        let (level, unit) = unit.with_context(|| {
            format!(
                "the ring has a job of priority {priority}, slot {slot}, which {} doesn't have: \
                 give the file that runs on the board",
                self.firmware.path.display()
            )
        })?;
        Ok((Key::Unit(unit), level.exception == 0))
    }

    fn slice(&mut self, running: &Running, end: u64) {
        let track = self.track(&running.key);
        self.store.slice(track, None, (running.start, end), running.own);
    }

    fn track(&mut self, key: &Key) -> u32 {
        match self.store.known(key) {
            Some(track) => track,
            None => {
                let track = self.describe(key);
                self.store.add_track(key.clone(), track)
            }
        }
    }

    fn describe(&self, key: &Key) -> Track {
        match key {
            Key::Task(address) => {
                let name = self.task_of(*address);
                Track { group: Group::Tasks, name, order: u32::from(u8::MAX) }
            }
            Key::Exception(number) => Track {
                group: Group::Exceptions,
                name: exception_in_words(self.firmware, self.application, self.machine, *number),
                order: u32::from(*number),
            },
            Key::Unit(unit) => {
                let unit = &self.application.units[usize::from(*unit)];
                let order = 255 - u32::from(unit.priority.unwrap_or(0));
                Track { group: Group::Tasks, name: unit.title(), order }
            }
            Key::Thread(control) => {
                let (name, priority) = self.thread_of(*control);
                Track { group: Group::Threads, name, order: u32::MAX - priority }
            }
            // Nothing else is in a ring.
            _ => Track { group: Group::Processor, name: String::new(), order: 0 },
        }
    }

    /// The variable that has an address, of which 24 bits are known.
    fn variable(&self, address: u32) -> Option<&'a Symbol> {
        let memories = self.machine.board().memory_ranges();
        let is_variable = |address: u32| {
            let has = |range: &MemoryRange| address.wrapping_sub(range.start) < range.size;
            memories.iter().any(|range| range.writable && has(range))
        };
        let has = |symbol: &&Symbol| {
            let from = symbol.address & ABOUT;
            symbol.kind == SymbolKind::Data
                && (from..from + symbol.size.max(1)).contains(&address)
                && is_variable(symbol.address)
        };
        // The compiler may put several into one of its own, whose name says nothing.
        let symbols = self.firmware.image.symbols.iter().filter(has);
        symbols.min_by_key(|symbol| (symbol.name.starts_with(".L"), symbol.size))
    }

    /// The name of a task of another executor. Embassy's tasks are in a pool, the variable `POOL`
    /// of the function that the user wrote.
    fn task_of(&self, address: u32) -> String {
        let unknown = || format!("task {address:#08x}");
        let Some(symbol) = self.variable(address) else { return unknown() };
        let path = demangle(&symbol.name);
        let path = path.strip_suffix("::POOL").unwrap_or(&path);
        let own = path.rsplit("::").next().unwrap_or(path);
        own.strip_prefix("__embassy_").unwrap_or(own).to_owned()
    }

    /// The name of a queue's counter, by the part of its address.
    fn queue_of(&self, part: u32) -> String {
        let has = |symbol: &&Symbol| {
            let distance = part.wrapping_sub(symbol.address >> 2) & 0xffff;
            distance <= symbol.size / 4 && demangle(&symbol.name).ends_with(QUEUE)
        };
        let Some(symbol) = self.firmware.image.symbols.iter().find(has) else {
            return format!("events in the queue at ..{:05x}", part << 2);
        };
        let path = demangle(&symbol.name);
        let own = path.rsplit("::").next().unwrap_or(&path);
        let own = own.strip_prefix("__quintet_").unwrap_or(own);
        format!("events for {}", own.strip_suffix(QUEUE).unwrap_or(own).replace('_', " "))
    }

    /// The name and the priority of a thread, by the symbol of its control block.
    fn thread_of(&self, control: u32) -> (String, u32) {
        let unknown = || (format!("thread {control:#08x}"), 0);
        let Some(symbol) = self.variable(control) else { return unknown() };
        let path = demangle(&symbol.name);
        let own = path.rsplit("::").next().unwrap_or(&path);
        if own == "IDLE" {
            return ("idle".to_owned(), 0);
        }
        let Some(name) = own.strip_prefix("__quintet_") else { return (path, 0) };
        let lines = self.facts.split('\n').map(|line| line.split('\t').collect::<Vec<_>>());
        let function = name.strip_suffix("_thread").unwrap_or(name);
        let threads: Vec<_> = lines
            .filter(|words| words.first() == Some(&"thread") && words.get(1) == Some(&function))
            .collect();
        let each = symbol.size / (threads.len() as u32).max(1);
        let instance = (control - (symbol.address & ABOUT)) / each.max(1);
        match threads.get(instance as usize).map(Vec::as_slice) {
            Some(["thread", _, priority, label, ..]) => {
                ((*label).to_owned(), priority.parse().unwrap_or(0))
            }
            _ => (name.replace('_', " "), 0),
        }
    }
}

/// Takes the newest of a key, and drops what was open behind it: its end was not recorded.
fn take(open: &mut Vec<Running>, key: &Key) -> Option<Running> {
    let place = open.iter().rposition(|running| running.key == *key)?;
    open.truncate(place + 1);
    open.pop()
}

#[cfg(test)]
mod tests;
