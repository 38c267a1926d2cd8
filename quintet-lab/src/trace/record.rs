//! Follows a run, and notes what it does.

use super::frames::{Change, Context, Place};
use super::kernel::{Kernel, Woken};
use super::units::{Application, Kind, Map};
use super::{Arrow, Group, Mark, Recording, Sample, Slice, Track};
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
use crate::simulation::Follow;
use quintet_sim::machine::Machine;
use quintet_sim::processor::events::{Event, EventKind, Mask};
use std::collections::BTreeMap;

/// What was recorded is looked through, for what is too old, after so many events.
const PRUNE_EVENTS: usize = 1 << 16;
/// A longer line of output is shown in parts.
const LINE_MAX: usize = 400;

/// What is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From this cycle on.
    pub from: u64,
    /// Only the last so many cycles.
    pub last: Option<u64>,
    /// So many events at most.
    pub events: usize,
}

/// What a track is of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Sleep,
    Mask(u8),
    Exception(u16),
    Unit(u16),
    Thread(u32),
    Output(String),
}

/// A handler that has begun.
#[derive(Clone, Debug)]
struct Handler {
    exception: u16,
    start: u64,
    context: Context,
}

/// Follows a run.
pub struct Recorder<'a> {
    firmware: &'a Firmware,
    application: &'a Application,
    map: Map,
    kernel: Kernel,
    limits: Limits,
    /// What was seen up to now.
    pub recording: Recording,
    tracks: BTreeMap<Key, u32>,
    names: BTreeMap<String, u32>,
    counters: BTreeMap<String, u32>,
    /// Thread mode, for each thread by its control block; 0 before there are any.
    threads: BTreeMap<u32, Context>,
    running: u32,
    /// Since which cycle the thread runs, and which of its own.
    since: (u64, u64),
    handlers: Vec<Handler>,
    cycle: u64,
    asleep: Option<u64>,
    masks: [Option<(u64, u8)>; 3],
    woken: BTreeMap<Woken, (u32, u64)>,
    lines: BTreeMap<String, (u64, Vec<u8>)>,
    changes: Vec<Change>,
    pruned: usize,
}

impl<'a> Recorder<'a> {
    /// One that has seen nothing; lets the machine, which is in reset, tell what it needs.
    pub fn new(
        firmware: &'a Firmware,
        application: &'a Application,
        limits: Limits,
        machine: &mut Machine,
    ) -> Self {
        let kernel = Kernel::find(firmware, application);
        machine.observe(true);
        kernel.watch(machine);
        let clock_hz = machine.board().clock_hz;
        Self {
            firmware,
            application,
            map: Map::of(firmware, application),
            kernel,
            limits,
            recording: Recording { clock_hz, ..Recording::default() },
            tracks: BTreeMap::new(),
            names: BTreeMap::new(),
            counters: BTreeMap::new(),
            threads: BTreeMap::from([(0, Context::default())]),
            running: 0,
            since: (0, 0),
            handlers: Vec::new(),
            cycle: machine.cycle(),
            asleep: None,
            masks: [None; 3],
            woken: BTreeMap::new(),
            lines: BTreeMap::new(),
            changes: Vec::new(),
            pruned: 0,
        }
    }

    /// Whether any instruction belongs to the unit.
    pub fn has(&self, unit: u16) -> bool {
        self.map.has(unit)
    }

    /// Ends what goes on, at the end of the run.
    pub fn finish(&mut self, machine: &Machine) -> Recording {
        let cycle = machine.cycle();
        self.close_all(machine, cycle);
        for (channel, (start, bytes)) in std::mem::take(&mut self.lines) {
            self.mark(start, &channel, &bytes);
        }
        let from = match self.limits.last {
            Some(last) => self.limits.from.max(cycle.saturating_sub(last)),
            None => self.limits.from,
        };
        let mut recording = std::mem::take(&mut self.recording);
        recording.keep_window(from, cycle);
        recording
    }

    fn context(&mut self) -> &mut Context {
        match self.handlers.last_mut() {
            Some(handler) => &mut handler.context,
            None => self.threads.entry(self.running).or_default(),
        }
    }

    /// The track of what runs.
    fn here(&mut self, machine: &Machine) -> u32 {
        let unit = self.context().innermost();
        let key = match (unit, self.handlers.last()) {
            (Some(unit), _) => Key::Unit(unit),
            (None, Some(handler)) => Key::Exception(handler.exception),
            (None, None) => Key::Thread(self.running),
        };
        self.track(machine, key)
    }

    fn track(&mut self, machine: &Machine, key: Key) -> u32 {
        if let Some(track) = self.tracks.get(&key) {
            return *track;
        }
        let new = self.describe(machine, &key);
        let number = u32::try_from(self.recording.tracks.len()).unwrap_or(u32::MAX);
        self.recording.tracks.push(new);
        self.tracks.insert(key, number);
        number
    }

    /// A new track. More urgent ones come first.
    fn describe(&mut self, machine: &Machine, key: &Key) -> Track {
        let (group, name, order) = match key {
            Key::Sleep => (Group::Processor, "sleep".to_owned(), 1),
            Key::Mask(mask) => {
                let name = ["PRIMASK", "FAULTMASK", "BASEPRI"][usize::from(*mask).min(2)];
                (Group::Masks, name.to_owned(), u32::from(*mask))
            }
            Key::Exception(number) => {
                (Group::Exceptions, self.exception(machine, *number), u32::from(*number))
            }
            Key::Unit(unit) => {
                let unit = &self.application.units[usize::from(*unit)];
                let urgency = 255 - u32::from(unit.priority.unwrap_or(0));
                match unit.kind {
                    Kind::Function => (Group::Functions, unit.name.clone(), 0),
                    Kind::Whole => (Group::Tasks, unit.name.clone(), 256),
                    _ => (Group::Tasks, unit.title().to_owned(), urgency),
                }
            }
            Key::Thread(0) => (Group::Processor, "main".to_owned(), 0),
            Key::Thread(control) => {
                let known = self.kernel.thread(machine, *control);
                (Group::Threads, known.name, u32::MAX - known.priority)
            }
            Key::Output(channel) => (Group::Output, channel.clone(), 0),
        };
        Track { group, name, order }
    }

    /// An exception in words: an interrupt has the name of its vector, or of its handler.
    fn exception(&self, machine: &Machine, number: u16) -> String {
        let Some(interrupt) = number.checked_sub(16) else { return exception_name(number) };
        let level = self.application.levels.iter().find(|level| level.exception == number);
        let level = level.map(|level| format!(", level {}", level.priority)).unwrap_or_default();
        let vector = machine.vector_table().wrapping_add(4 * u32::from(number));
        let handler = || {
            let address = machine.read_word(vector)? & !1;
            self.firmware.function(address)
        };
        let name = self.application.vectors.get(&number).cloned().or_else(handler);
        match name {
            Some(name) => format!("{name} (IRQ {interrupt}{level})"),
            None => format!("IRQ {interrupt}{level}"),
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = u32::try_from(self.recording.names.len()).unwrap_or(u32::MAX);
        self.recording.names.push(name.to_owned());
        self.names.insert(name.to_owned(), number);
        number
    }

    /// Adds a slice with the track's name.
    fn slice(&mut self, machine: &Machine, key: Key, (start, end): (u64, u64), own: u64) {
        let track = self.track(machine, key);
        let name = self.recording.tracks[track as usize].name.clone();
        // What it is of; who it is stands in the track's name.
        let short = name.split(" (").next().unwrap_or(&name).to_owned();
        self.named_slice(track, &short, (start, end), own);
    }

    fn named_slice(&mut self, track: u32, name: &str, (start, end): (u64, u64), own: u64) {
        if end < self.limits.from {
            return;
        }
        let name = self.name(name);
        self.recording.slices.push(Slice { track, name, start, end, own });
    }

    fn sample(&mut self, name: &str, cycle: u64, value: u32) {
        if cycle < self.limits.from {
            return;
        }
        let next = u32::try_from(self.counters.len()).unwrap_or(u32::MAX);
        let counter = *self.counters.entry(name.to_owned()).or_insert(next);
        if counter == next {
            self.recording.counters.push(name.to_owned());
        }
        self.recording.samples.push(Sample { counter, cycle, value });
    }

    fn event(&mut self, machine: &Machine, event: Event) {
        let cycle = event.cycle;
        match event.kind {
            EventKind::Enter { exception, began, .. } => {
                // The entry is the handler's time.
                let taken = cycle.saturating_sub(began);
                let interrupted = self.context();
                let taken = taken.min(interrupted.cycles);
                interrupted.cycles -= taken;
                let context = Context::after(taken);
                self.handlers.push(Handler { exception, start: began, context });
            }
            EventKind::Exit { .. } => self.leave_handler(machine, cycle),
            EventKind::Sleep { .. } => self.asleep = Some(cycle),
            EventKind::Wake => self.wake_up(machine, cycle),
            EventKind::Reset => {
                self.close_all(machine, cycle);
                self.threads = BTreeMap::from([(0, Context::default())]);
                (self.running, self.since) = (0, (cycle, 0));
            }
            EventKind::MaskChange { mask, value, .. } => {
                let number = match mask {
                    Mask::Primask => 0,
                    Mask::Faultmask => 1,
                    Mask::Basepri => 2,
                };
                self.unmask(machine, number, cycle);
                self.masks[usize::from(number)] = (value != 0).then_some((cycle, value));
            }
        }
    }

    fn leave_handler(&mut self, machine: &Machine, cycle: u64) {
        let Some(mut handler) = self.handlers.pop() else { return };
        let mut changes = std::mem::take(&mut self.changes);
        handler.context.close(cycle, &mut changes);
        self.changes = changes;
        self.apply(machine);
        let times = (handler.start, cycle);
        self.slice(machine, Key::Exception(handler.exception), times, handler.context.cycles);
    }

    fn wake_up(&mut self, machine: &Machine, cycle: u64) {
        if let Some(start) = self.asleep.take() {
            self.slice(machine, Key::Sleep, (start, cycle), cycle - start);
        }
    }

    fn unmask(&mut self, machine: &Machine, number: u8, cycle: u64) {
        let Some((start, value)) = self.masks[usize::from(number)].take() else { return };
        let track = self.track(machine, Key::Mask(number));
        let name = match number {
            2 => format!("BASEPRI {value:#04x}"),
            _ => self.recording.tracks[track as usize].name.clone(),
        };
        self.named_slice(track, &name, (start, cycle), cycle - start);
    }

    fn close_all(&mut self, machine: &Machine, cycle: u64) {
        self.wake_up(machine, cycle);
        (0..3).for_each(|mask| self.unmask(machine, mask, cycle));
        while !self.handlers.is_empty() {
            self.leave_handler(machine, cycle);
        }
        self.leave_thread(machine, cycle);
        let mut changes = std::mem::take(&mut self.changes);
        for context in self.threads.values_mut() {
            context.close(cycle, &mut changes);
        }
        self.changes = changes;
        self.apply(machine);
    }

    /// The time of the running thread ends.
    fn leave_thread(&mut self, machine: &Machine, cycle: u64) {
        let (start, cycles) = self.since;
        let context = self.threads.entry(self.running).or_default();
        let own = context.cycles.saturating_sub(cycles);
        if cycle > start {
            self.slice(machine, Key::Thread(self.running), (start, cycle), own);
        }
    }

    /// The words of the kernel have changed.
    fn look_at_kernel(&mut self, machine: &Machine) {
        let ready = self.kernel.ready();
        let woken = self.kernel.look(machine);
        if !woken.is_empty() {
            let here = (self.here(machine), self.cycle);
            self.woken.extend(woken.into_iter().map(|woken| (woken, here)));
        }
        if let Some(now) = self.kernel.ready().filter(|now| ready != Some(*now)) {
            self.sample("ready threads", self.cycle, now);
        }
        let running = self.kernel.running;
        if running != self.running {
            self.switch(machine, running);
        }
    }

    fn switch(&mut self, machine: &Machine, running: u32) {
        self.leave_thread(machine, self.cycle);
        let known = self.kernel.thread(machine, self.running);
        let pointer = machine.processor.registers.process_stack_pointer();
        if (known.stack.0..=known.stack.1).contains(&pointer) && known.stack.0 < known.stack.1 {
            self.sample(&format!("stack of {}", known.name), self.cycle, known.stack.1 - pointer);
        }
        self.running = running;
        let context = self.threads.entry(running).or_default();
        self.since = (self.cycle, context.cycles);
        let key = Key::Thread(running);
        self.track(machine, key);
        self.arrive(machine, Woken::Thread(running));
    }

    /// Something begins to run that may have been woken.
    fn arrive(&mut self, machine: &Machine, woken: Woken) {
        let Some((from, start)) = self.woken.remove(&woken) else { return };
        let key = match woken {
            Woken::Unit(unit) => Key::Unit(unit),
            Woken::Thread(control) => Key::Thread(control),
        };
        let to = self.track(machine, key);
        if start >= self.limits.from && from != to {
            self.recording.arrows.push(Arrow { from, start, to, end: self.cycle });
        }
    }

    /// Notes which units have begun or ended.
    fn apply(&mut self, machine: &Machine) {
        for change in std::mem::take(&mut self.changes) {
            match change {
                Change::Begin(unit) => self.arrive(machine, Woken::Unit(unit)),
                Change::End { unit, start, end, own } => {
                    self.slice(machine, Key::Unit(unit), (start, end), own);
                }
            }
        }
    }

    fn mark(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        if cycle < self.limits.from {
            return;
        }
        let key = Key::Output(channel.to_owned());
        let next = u32::try_from(self.recording.tracks.len()).unwrap_or(u32::MAX);
        let track = *self.tracks.entry(key).or_insert(next);
        if track == next {
            let (group, name) = (Group::Output, channel.to_owned());
            self.recording.tracks.push(Track { group, name, order: 0 });
        }
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.recording.marks.push(Mark { track, cycle, text });
    }

    /// Forgets what is too old to be among the last.
    fn prune(&mut self) {
        let events = self.recording.events();
        let Some(last) = self.limits.last else { return };
        if events < self.pruned + PRUNE_EVENTS {
            return;
        }
        let from = self.cycle.saturating_sub(last);
        self.recording.slices.retain(|slice| slice.end >= from);
        self.recording.marks.retain(|mark| mark.cycle >= from);
        self.recording.arrows.retain(|arrow| arrow.start >= from);
        self.recording.samples.retain(|sample| sample.cycle >= from);
        self.pruned = self.recording.events();
    }
}

impl Follow for Recorder<'_> {
    fn step(&mut self, machine: &mut Machine, is_hit: bool) -> bool {
        let cycle = machine.cycle();
        let taken = cycle.saturating_sub(std::mem::replace(&mut self.cycle, cycle));
        self.context().cycles += taken;
        if is_hit {
            self.look_at_kernel(machine);
        }
        for event in machine.take_events() {
            self.event(machine, event);
        }
        let registers = &machine.processor.registers;
        let (stack, link) = (registers.r[13], registers.r[14]);
        let place = Place { pc: machine.pc(), stack, link, cycle };
        let context = match self.handlers.last_mut() {
            Some(handler) => &mut handler.context,
            None => self.threads.entry(self.running).or_default(),
        };
        context.look(&self.map, place, &mut self.changes);
        if !self.changes.is_empty() {
            self.apply(machine);
        }
        self.prune();
        let goes_on = self.recording.events() < self.limits.events;
        if !goes_on {
            self.recording.cut = Some(format!("the limit of {} events", self.limits.events));
        }
        goes_on
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        for byte in bytes {
            let line = self.lines.entry(channel.to_owned()).or_insert((cycle, Vec::new()));
            line.1.push(*byte);
            if *byte == b'\n' || line.1.len() >= LINE_MAX {
                let (start, line) = self.lines.remove(channel).unwrap_or_default();
                self.mark(start, channel, &line);
            }
        }
    }
}
