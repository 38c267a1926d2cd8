//! Follows a run, and notes what it does.

use super::causes::{self, Pending};
use super::frames::{Change, Context, Place};
use super::kernel::{Kernel, Woken};
use super::load;
use super::store::{Key, Limits, Store};
use super::units::{Application, Kind, Map};
use super::{Arrow, Group, Recording, Track};
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
use crate::simulation::Follow;
use quintet_sim::machine::Machine;
use quintet_sim::processor::events::{Event, EventKind, Mask};
use std::collections::BTreeMap;

/// A longer line of output is shown in parts.
const LINE_MAX: usize = 400;

/// The exception of system calls.
const SVCALL: u16 = 11;

/// A handler that has begun.
#[derive(Clone, Debug)]
struct Handler {
    exception: u16,
    /// What it does, where that is known.
    what: Option<String>,
    start: u64,
    context: Context,
}

/// Follows a run.
pub struct Recorder<'a> {
    firmware: &'a Firmware,
    application: &'a Application,
    map: Map,
    kernel: Kernel,
    store: Store,
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
    pending: Pending,
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
            store: Store::new(limits, clock_hz),
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
            pending: Pending::default(),
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
            let track = self.output_track(&channel);
            self.store.mark(track, start, &bytes);
        }
        let mut recording = self.store.finish(cycle);
        load::add(&mut recording);
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
        if let Some(track) = self.store.known(&key) {
            return track;
        }
        let new = self.describe(machine, &key);
        self.store.add_track(key, new)
    }

    fn output_track(&mut self, channel: &str) -> u32 {
        let key = Key::Output(channel.to_owned());
        if let Some(track) = self.store.known(&key) {
            return track;
        }
        let (group, name) = (Group::Output, channel.to_owned());
        self.store.add_track(key, Track { group, name, order: 0 })
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

    fn slice(&mut self, machine: &Machine, key: Key, times: (u64, u64), own: u64) {
        let track = self.track(machine, key);
        self.store.slice(track, None, times, own);
    }

    fn event(&mut self, machine: &Machine, event: Event) {
        let cycle = event.cycle;
        match event.kind {
            EventKind::Enter { exception, began, return_address, .. } => {
                self.enter(machine, (exception, return_address), (began, cycle));
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

    fn enter(
        &mut self,
        machine: &Machine,
        (exception, return_address): (u16, u32),
        (began, cycle): (u64, u64),
    ) {
        // The entry is the handler's time.
        let interrupted = self.context();
        let taken = cycle.saturating_sub(began).min(interrupted.cycles);
        interrupted.cycles -= taken;
        let context = Context::after(taken);
        let what =
            (exception == SVCALL).then(|| causes::system_call(machine, return_address)).flatten();
        self.handlers.push(Handler { exception, what, start: began, context });
        self.arrive(machine, Woken::Exception(exception), began);
    }

    fn leave_handler(&mut self, machine: &Machine, cycle: u64) {
        let Some(mut handler) = self.handlers.pop() else { return };
        let mut changes = std::mem::take(&mut self.changes);
        handler.context.close(cycle, &mut changes);
        self.changes = changes;
        self.apply(machine);
        let times = (handler.start, cycle);
        let track = self.track(machine, Key::Exception(handler.exception));
        self.store.slice(track, handler.what.as_deref(), times, handler.context.cycles);
    }

    fn wake_up(&mut self, machine: &Machine, cycle: u64) {
        if let Some(start) = self.asleep.take() {
            self.slice(machine, Key::Sleep, (start, cycle), cycle - start);
        }
    }

    fn unmask(&mut self, machine: &Machine, number: u8, cycle: u64) {
        let Some((start, value)) = self.masks[usize::from(number)].take() else { return };
        let track = self.track(machine, Key::Mask(number));
        let name = (number == 2).then(|| format!("BASEPRI {value:#04x}"));
        self.store.slice(track, name.as_deref(), (start, cycle), cycle - start);
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
            self.store.sample("ready threads", self.cycle, now);
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
            self.store.sample(
                &format!("stack of {}", known.name),
                self.cycle,
                known.stack.1 - pointer,
            );
        }
        self.running = running;
        let context = self.threads.entry(running).or_default();
        self.since = (self.cycle, context.cycles);
        let key = Key::Thread(running);
        self.track(machine, key);
        self.arrive(machine, Woken::Thread(running), self.cycle);
    }

    /// Something begins to run that may have been woken.
    fn arrive(&mut self, machine: &Machine, woken: Woken, end: u64) {
        let Some((from, start)) = self.woken.remove(&woken) else { return };
        let key = match woken {
            Woken::Unit(unit) => Key::Unit(unit),
            Woken::Thread(control) => Key::Thread(control),
            Woken::Exception(exception) => Key::Exception(exception),
        };
        let to = self.track(machine, key);
        self.store.arrow(Arrow { from, start, to, end });
    }

    /// Notes which interrupts the instruction at `from` has pended, but for those of levels: what
    /// it has woken there is known.
    fn look_at_pending(&mut self, machine: &Machine, from: u32) {
        for exception in self.pending.look(machine, from) {
            if !self.application.levels.iter().any(|level| level.exception == exception) {
                let here = (self.here(machine), self.cycle);
                self.woken.insert(Woken::Exception(exception), here);
            }
        }
    }

    /// Notes which units have begun or ended.
    fn apply(&mut self, machine: &Machine) {
        for change in std::mem::take(&mut self.changes) {
            match change {
                Change::Begin(unit) => self.arrive(machine, Woken::Unit(unit), self.cycle),
                Change::End { unit, start, end, own } => {
                    self.slice(machine, Key::Unit(unit), (start, end), own);
                }
            }
        }
    }
}

impl Follow for Recorder<'_> {
    fn step(&mut self, machine: &mut Machine, is_hit: bool) -> bool {
        let cycle = machine.cycle();
        let taken = cycle.saturating_sub(std::mem::replace(&mut self.cycle, cycle));
        let context = self.context();
        context.cycles += taken;
        let from = context.next();
        self.look_at_pending(machine, from);
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
        self.store.has_room(cycle)
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
