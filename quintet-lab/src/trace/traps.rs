//! Notes the events of a run on a RISC-V core: the program, handlers by what raised their trap,
//! sleep, times without interrupts, and output.
//!
//! A trap is a level: what it interrupts goes on when its MRET has come. Tasks and threads of a
//! kernel have no tracks here.

use std::collections::BTreeMap;

use quintet_sim::cores::Core;
use quintet_sim::riscv::machine::Machine;
use quintet_sim::riscv::trap::{handler_name, handler_number};

use super::store::{Key, Limits, Store};
use super::{Group, Recording, Track, load};
use crate::masks::Masks;
use crate::simulation::Follow;

/// The most bytes of a line of output; a longer one is shown in parts.
const LINE_MAX: usize = 400;

/// The track of `mstatus.MIE`, behind those of a Cortex-M's registers.
const MASK: u8 = 3;

/// Follows a run.
pub struct Recorder {
    store: Store,
    masks: Masks,
    /// The handlers that have not returned, the innermost last.
    open: Vec<Open>,
    /// The cycles of the program itself, without handlers and sleep.
    program: u64,
    asleep: Option<u64>,
    /// The instruction and the cycle of the next step.
    next: (u32, u64),
    start: u64,
    lines: BTreeMap<String, (u64, Vec<u8>)>,
}

/// A handler that has not returned.
struct Open {
    handler: u16,
    start: u64,
    own: u64,
}

impl Recorder {
    /// Before the first step.
    pub fn new(limits: Limits, machine: &Machine) -> Self {
        Self {
            store: Store::new(limits, machine.board().clock_hz),
            masks: Masks::default(),
            open: Vec::new(),
            program: 0,
            asleep: None,
            next: (machine.pc(), machine.cycle()),
            start: machine.cycle(),
            lines: BTreeMap::new(),
        }
    }

    /// Ends everything that has not ended, at the end of the run.
    pub fn finish(&mut self, machine: &Machine) -> Recording {
        let cycle = machine.cycle();
        self.wake(cycle);
        while !self.open.is_empty() {
            self.leave(cycle);
        }
        let (times, own) = ((self.start, cycle), self.program);
        let track = self.track(Key::Thread(0), Group::Processor, "main", 0);
        self.store.slice(track, None, times, own);
        for (channel, (start, bytes)) in std::mem::take(&mut self.lines) {
            self.line(&channel, start, &bytes);
        }
        let mut recording = self.store.finish(cycle);
        load::add(&mut recording);
        recording
    }

    fn track(&mut self, key: Key, group: Group, name: &str, order: u32) -> u32 {
        self.store.known(&key).unwrap_or_else(|| {
            self.store.add_track(key, Track { group, name: name.to_owned(), order })
        })
    }

    fn wake(&mut self, cycle: u64) {
        let Some(start) = self.asleep.take() else { return };
        let track = self.track(Key::Sleep, Group::Processor, "sleep", 1);
        self.store.slice(track, None, (start, cycle), cycle - start);
    }

    fn leave(&mut self, cycle: u64) {
        let Some(Open { handler, start, own }) = self.open.pop() else { return };
        let (key, name) = (Key::Exception(handler), handler_name(handler));
        let track = self.track(key, Group::Exceptions, &name, handler.into());
        self.store.slice(track, None, (start, cycle), own);
    }

    fn line(&mut self, channel: &str, start: u64, bytes: &[u8]) {
        let track = self.track(Key::Output(channel.to_owned()), Group::Output, channel, 0);
        self.store.mark(track, start, bytes);
    }
}

impl Follow<Machine> for Recorder {
    fn step(&mut self, machine: &mut Machine, _: bool) -> bool {
        let cycle = machine.cycle();
        let (from, before) = std::mem::replace(&mut self.next, (machine.pc(), cycle));
        let was_asleep = self.asleep.is_some();
        match (was_asleep, machine.hart.is_asleep()) {
            (false, true) => self.asleep = Some(cycle),
            (true, false) => self.wake(cycle),
            _ => {}
        }
        let traps = machine.hart.open_traps();
        if traps.len() > self.open.len() {
            // The entry is the handler's time.
            for trap in &traps[self.open.len()..] {
                let handler = handler_number(trap.cause);
                self.open.push(Open { handler, start: trap.cycle, own: 0 });
            }
        }
        if !was_asleep {
            let spent = self.open.last_mut().map_or(&mut self.program, |open| &mut open.own);
            *spent += cycle - before;
        }
        let depth = machine.hart.open_traps().len();
        while self.open.len() > depth {
            self.leave(cycle);
        }
        if let Some(mask) = self.masks.look_riscv(machine, from) {
            let track = self.track(Key::Mask(MASK), Group::Masks, "mstatus.MIE", MASK.into());
            self.store.slice(track, None, (mask.start, cycle), mask.cycles);
        }
        self.store.has_room(cycle)
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        for byte in bytes {
            let line = self.lines.entry(channel.to_owned()).or_insert((cycle, Vec::new()));
            line.1.push(*byte);
            if *byte == b'\n' || line.1.len() >= LINE_MAX {
                let (start, line) = self.lines.remove(channel).unwrap_or_default();
                self.line(channel, start, &line);
            }
        }
    }
}
