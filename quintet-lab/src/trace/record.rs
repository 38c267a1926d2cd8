//! Notes the events of a run, for pictures.

use super::fill::Fill;
use super::follow::{Follower, Happening};
use super::kernel::Who;
use super::load;
use super::machines::{Machines, Moved};
use super::registers;
use super::states::{States, Stood};
use super::store::{Key, Limits, Store};
use super::units::{Application, Kind};
use super::{Arrow, Group, Recording, Track};
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
use crate::simulated::Simulated;
use crate::simulated::events::{BASEPRI, MASKS};
use crate::simulation::Follow;
use quintet_sim::machine::{Machine, WatchHit};
use std::collections::BTreeMap;

/// The most bytes of a line of output; a longer one is shown in parts.
const LINE_MAX: usize = 400;

/// The name of FreeRTOS' task that runs when no other one does.
const IDLE: &str = "IDLE";

/// Follows a run.
pub struct Recorder<'a> {
    firmware: &'a Firmware,
    application: &'a Application,
    follower: Follower<'a>,
    store: Store,
    states: States,
    fill: Fill,
    machines: Machines,
    /// The event that an actor has taken, by the actor's unit.
    events: BTreeMap<u16, String>,
    woken: BTreeMap<Who, (u32, u64)>,
    lines: BTreeMap<String, (u64, Vec<u8>)>,
}

impl<'a> Recorder<'a> {
    /// Makes a recorder for a machine in reset, and lets the machine watch what the recorder reads.
    pub fn new(
        firmware: &'a Firmware,
        application: &'a Application,
        limits: Limits,
        machine: &mut impl Simulated,
    ) -> Self {
        let clock_hz = machine.clock_hz();
        let machines = Machines::find(firmware);
        machines.watch(machine);
        let fill = Fill::find(firmware, application);
        fill.watch(machine);
        registers::watch(firmware, machine);
        Self {
            firmware,
            application,
            follower: Follower::new(firmware, application, machine),
            store: Store::new(limits, clock_hz),
            states: States::default(),
            fill,
            machines,
            events: BTreeMap::new(),
            woken: BTreeMap::new(),
            lines: BTreeMap::new(),
        }
    }

    /// Returns `true` if any instruction belongs to the unit.
    pub fn has(&self, unit: u16) -> bool {
        self.follower.has(unit)
    }

    /// Returns `true` if the firmware has state machines, but none was found in memory.
    pub fn lacks_machines(&self) -> bool {
        self.machines.are_missing()
    }

    /// Ends everything that has not ended, at the end of the run.
    pub fn finish(&mut self, machine: &impl Simulated) -> Recording {
        let cycle = machine.cycle();
        self.follower.finish(machine);
        self.note_all(machine);
        for stood in self.states.finish(cycle) {
            self.stood(machine, &stood);
        }
        for (number, state, since) in self.machines.finish() {
            let track = self.track(machine, Key::Machine(number));
            self.store.slice(track, Some(&state), (since, cycle), cycle - since);
        }
        for (channel, (start, bytes)) in std::mem::take(&mut self.lines) {
            let track = self.output_track(&channel);
            self.store.mark(track, start, &bytes);
        }
        let mut recording = self.store.finish(cycle);
        load::add(&mut recording);
        recording
    }

    /// Returns the track of the running code.
    fn track_of(&mut self, machine: &impl Simulated, who: Who) -> u32 {
        let key = match who {
            Who::Unit(unit) => Key::Unit(unit),
            Who::Thread(control) => Key::Thread(control),
            Who::Exception(exception) => Key::Exception(exception),
        };
        self.track(machine, key)
    }

    fn track(&mut self, machine: &impl Simulated, key: Key) -> u32 {
        if let Key::Thread(control) | Key::State(control) = key
            && self.follower.kernel.is_another(machine, control)
        {
            self.store.forget(&Key::Thread(control));
            self.store.forget(&Key::State(control));
            self.follower.kernel.thread(machine, control);
        }
        if let Some(track) = self.store.known(&key) {
            return track;
        }
        let new = self.describe(machine, &key);
        self.store.add_track(key, new)
    }

    fn output_track(&mut self, channel: &str) -> u32 {
        self.named_track(Key::Output(channel.to_owned()), Group::Output, channel)
    }

    fn named_track(&mut self, key: Key, group: Group, name: &str) -> u32 {
        if let Some(track) = self.store.known(&key) {
            return track;
        }
        self.store.add_track(key, Track { group, name: name.to_owned(), order: 0 })
    }

    /// Adds a track. The more urgent tracks come first.
    fn describe(&mut self, machine: &impl Simulated, key: &Key) -> Track {
        let (group, name, order) = match key {
            Key::Sleep => (Group::Processor, "sleep".to_owned(), 1),
            Key::Mask(mask) => {
                let name = MASKS[usize::from(*mask).min(MASKS.len() - 1)];
                (Group::Masks, name.to_owned(), u32::from(*mask))
            }
            Key::Exception(number) => {
                (Group::Exceptions, self.handler_in_words(machine, *number), u32::from(*number))
            }
            Key::Unit(unit) => {
                let unit = &self.application.units[usize::from(*unit)];
                let urgency = 255 - u32::from(unit.priority.unwrap_or(0));
                match unit.kind {
                    Kind::Function => (Group::Functions, unit.name.clone(), 0),
                    Kind::Whole => (Group::Tasks, unit.name.clone(), 256),
                    _ => (Group::Tasks, unit.title(), urgency),
                }
            }
            Key::Thread(0) if self.follower.kernel.has_threads() => {
                (Group::Processor, "before the threads".to_owned(), 0)
            }
            Key::Thread(0) => (Group::Processor, "main".to_owned(), 0),
            Key::Thread(control) | Key::State(control) => {
                let known = self.follower.kernel.thread(machine, *control);
                let is_state = matches!(key, Key::State(_));
                let group = if is_state { Group::States } else { Group::Threads };
                (group, known.name, u32::MAX - known.priority)
            }
            Key::Machine(number) => {
                (Group::Machines, self.machines.name(*number).to_owned(), u32::from(*number))
            }
            // Those of a ring alone.
            Key::Task(address) => (Group::Tasks, format!("task {address:#08x}"), 0),
            Key::Registers(peripheral) => (Group::Registers, peripheral.clone(), 0),
            Key::Output(channel) => (Group::Output, channel.clone(), 0),
        };
        Track { group, name, order }
    }

    fn handler_in_words<M: Simulated>(&self, machine: &M, number: u16) -> String {
        let (firmware, application) = (self.firmware, self.application);
        let words = |machine| exception_in_words(firmware, application, machine, number);
        machine.cortex_m().map_or_else(|| M::handler_name(number), words)
    }

    fn slice(&mut self, machine: &impl Simulated, key: Key, times: (u64, u64), own: u64) {
        let track = self.track(machine, key);
        self.store.slice(track, None, times, own);
    }

    /// Adds a state of a thread.
    fn stood(&mut self, machine: &impl Simulated, stood: &Stood) {
        let kernel = &mut self.follower.kernel;
        let known = kernel.thread(machine, stood.control);
        let is_idle = kernel.layout().is_some() || known.name == IDLE;
        // Idle can always run.
        if is_idle && known.priority == 0 {
            return;
        }
        let track = self.track(machine, Key::State(stood.control));
        let (start, end) = stood.times;
        self.store.slice(track, Some(&stood.state), stood.times, end - start);
    }

    /// Notes the tasks of FreeRTOS that became ready.
    fn look_at_tasks(&mut self, machine: &impl Simulated) {
        let (before, cycle) = (self.states.ready(), machine.cycle());
        for control in self.states.look(machine, &self.follower.kernel) {
            let by = self.follower.here();
            let by = self.track_of(machine, by);
            self.woken.insert(Who::Thread(control), (by, cycle));
            self.states.woken(control, self.follower.thread(), cycle);
        }
        if self.states.ready() != before {
            self.store.sample("ready threads", cycle, self.states.ready());
        }
    }

    /// Notes the follower's events.
    fn note_all(&mut self, machine: &impl Simulated) {
        for happening in std::mem::take(&mut self.follower.happenings) {
            self.note(machine, happening);
        }
    }

    fn note(&mut self, machine: &impl Simulated, happening: Happening) {
        match happening {
            Happening::Entered { exception, began, .. } => {
                self.arrive(machine, Who::Exception(exception), began);
            }
            Happening::Left { exception, what, times, own } => {
                let track = self.track(machine, Key::Exception(exception));
                self.store.slice(track, what.as_deref(), times, own);
            }
            Happening::Began { unit, cycle } => self.arrive(machine, Who::Unit(unit), cycle),
            Happening::Ended { unit, times, own, .. } => {
                let track = self.track(machine, Key::Unit(unit));
                let title = self.application.units[usize::from(unit)].title();
                let name = self.events.remove(&unit).map(|event| format!("{title}: {event}"));
                self.store.slice(track, name.as_deref(), times, own);
            }
            Happening::Switched { from, to, times, own } => {
                if times.1 > times.0 {
                    self.slice(machine, Key::Thread(from), times, own);
                }
                if from != to {
                    self.switch(machine, from, to, times.1);
                }
            }
            Happening::Woken { is_asked: false, .. } | Happening::Reset => {}
            Happening::Woken { who, by, cycle, .. } => {
                if let Who::Thread(control) = who {
                    self.states.woken(control, self.follower.thread(), cycle);
                }
                let by = self.track_of(machine, by);
                self.woken.insert(who, (by, cycle));
            }
            Happening::Ready { threads, cycle } => {
                self.store.sample("ready threads", cycle, threads);
            }
            Happening::Slept { times } => {
                self.slice(machine, Key::Sleep, times, times.1 - times.0);
            }
            Happening::Masked { mask, value, times, own } => {
                let track = self.track(machine, Key::Mask(mask));
                let name = (mask == BASEPRI).then(|| format!("BASEPRI {value:#04x}"));
                self.store.slice(track, name.as_deref(), times, own);
            }
        }
    }

    /// An actor has taken an event.
    fn took(&mut self, (actor, instance, event): (String, usize, String)) {
        let units = &self.application.units;
        // An instance has a unit of its own behind that of all.
        let unit = units.iter().rposition(|unit| unit.is_actor(&actor, instance));
        let unit = unit.and_then(|unit| u16::try_from(unit).ok());
        self.events.extend(unit.map(|unit| (unit, event)));
    }

    /// A state machine has changed its state.
    fn moved(&mut self, machine: &impl Simulated, moved: &Moved) {
        let cycle = machine.cycle();
        let by = self.follower.here();
        let event = match by {
            Who::Unit(unit) => self.events.get(&unit).map(String::as_str),
            _ => None,
        };
        let text = moved.text(event);
        let track = self.track_of(machine, by);
        self.store.mark(track, cycle, text.as_bytes());
        let track = self.track(machine, Key::Machine(moved.machine));
        if let Some((state, since)) = &moved.from {
            self.store.slice(track, Some(state), (*since, cycle), cycle - since);
        }
    }

    fn switch(&mut self, machine: &impl Simulated, from: u32, to: u32, cycle: u64) {
        let known = self.follower.kernel.thread(machine, from);
        let pointer = machine.thread_pointer();
        if (known.stack.0..=known.stack.1).contains(&pointer) && known.stack.0 < known.stack.1 {
            let used = known.stack.1 - pointer;
            self.store.sample(&format!("stack of {}", known.name), cycle, used);
        }
        self.track(machine, Key::Thread(to));
        let places = (self.firmware, machine, &self.follower.kernel);
        for stood in self.states.switched(places, (from, to), cycle) {
            self.stood(machine, &stood);
        }
        self.arrive(machine, Who::Thread(to), cycle);
    }

    /// Draws the arrow of a wake, if somebody woke what begins now.
    fn arrive(&mut self, machine: &impl Simulated, who: Who, end: u64) {
        let Some((from, start)) = self.woken.remove(&who) else { return };
        let to = self.track_of(machine, who);
        self.store.arrow(Arrow { from, start, to, end });
    }
}

/// Returns an exception in words. An interrupt has the name of its vector, or of its handler.
pub fn exception_in_words(
    firmware: &Firmware,
    application: &Application,
    machine: &Machine,
    number: u16,
) -> String {
    let Some(interrupt) = number.checked_sub(16) else { return exception_name(number) };
    let level = application.levels.iter().find(|level| level.exception == number);
    let mut level = level.map(|level| format!(", level {}", level.priority)).unwrap_or_default();
    let vector = machine.vector_table().wrapping_add(4 * u32::from(number));
    let handler = || {
        let address = machine.read_word(vector)? & !1;
        firmware.function(address)
    };
    let name = application.vectors.get(&number).cloned().or_else(handler);
    if name.as_ref().is_some_and(|name| application.dispatchers.contains(name)) {
        level = ", dispatcher".to_owned();
    }
    match name {
        Some(name) => format!("{name} (IRQ {interrupt}{level})"),
        None => format!("IRQ {interrupt}{level}"),
    }
}

impl<M: Simulated> Follow<M> for Recorder<'_> {
    fn step(&mut self, machine: &mut M, is_hit: bool) -> bool {
        if is_hit && self.follower.kernel.freertos().is_some() {
            self.look_at_tasks(machine);
        }
        self.follower.step(machine, is_hit);
        if is_hit {
            for (counter, value) in self.fill.look(machine, &self.follower.kernel) {
                self.store.sample(&counter, machine.cycle(), value);
            }
        }
        if let Some(taken) = self.fill.taken(machine) {
            self.took(taken);
        }
        if is_hit {
            for moved in self.machines.look(machine) {
                self.moved(machine, &moved);
            }
        }
        if !self.follower.happenings.is_empty() {
            self.note_all(machine);
        }
        self.store.has_room(machine.cycle())
    }

    fn accessed(&mut self, hit: &WatchHit) {
        let Some(written) = registers::written(self.firmware, hit) else { return };
        let key = Key::Registers(written.peripheral.clone());
        let track = self.named_track(key, Group::Registers, &written.peripheral);
        self.store.mark(track, hit.cycle, written.text.as_bytes());
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        for byte in bytes {
            let line = self.lines.entry(channel.to_owned()).or_insert((cycle, Vec::new()));
            line.1.push(*byte);
            if *byte == b'\n' || line.1.len() >= LINE_MAX {
                let (start, line) = self.lines.remove(channel).unwrap_or_default();
                let track = self.output_track(channel);
                self.store.mark(track, start, &line);
            }
        }
    }
}
