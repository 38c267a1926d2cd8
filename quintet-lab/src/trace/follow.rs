//! Follows a run: who runs, which tasks begin and end, and who made whom ready.
//!
//! [`Follower::step`] looks at the machine after each step, and leaves what has happened in a list,
//! in order. What that means for a picture or for deadlines is for others to say.

use super::causes::{self, Pending};
use super::frames::{Change, Context, Place};
use super::kernel::{Kernel, Who};
use super::map::Map;
use super::units::Application;
use crate::firmware::Firmware;
use quintet_sim::machine::Machine;
use quintet_sim::processor::events::{Event, EventKind, Mask};
use std::collections::BTreeMap;

/// The exception of system calls.
const SVCALL: u16 = 11;

/// A register that masks.
pub type MaskNumber = u8;

/// Something that has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening {
    /// The handler of an exception has begun.
    Entered {
        /// Which.
        exception: u16,
        /// The first cycle of the entry.
        began: u64,
        /// The cycles of the entry.
        entry: u64,
    },
    /// A handler has returned.
    Left {
        /// Of which exception.
        exception: u16,
        /// What it did, where that is known.
        what: Option<String>,
        /// From the first cycle of the entry to the return.
        times: (u64, u64),
        /// The cycles of its own, the entry's among them.
        own: u64,
    },
    /// A unit has begun.
    Began {
        /// Which.
        unit: u16,
        /// When.
        cycle: u64,
    },
    /// A unit has ended.
    Ended {
        /// Which.
        unit: u16,
        /// From when to when.
        times: (u64, u64),
        /// The cycles of its context between.
        own: u64,
        /// The cycles that its context has had up to now.
        context: u64,
    },
    /// Another thread runs.
    Switched {
        /// Which did, by its control block.
        from: u32,
        /// Which does.
        to: u32,
        /// Since when the first one ran, and until when.
        times: (u64, u64),
        /// How many of these cycles were its own.
        own: u64,
    },
    /// Something has been made ready.
    Woken {
        /// What.
        who: Who,
        /// What ran meanwhile.
        by: Who,
        /// When.
        cycle: u64,
        /// `true` if the instruction did it, and not a device.
        is_asked: bool,
    },
    /// So many threads are ready.
    Ready {
        /// How many.
        threads: u32,
        /// Since when.
        cycle: u64,
    },
    /// The processor has slept.
    Slept {
        /// From when to when.
        times: (u64, u64),
    },
    /// A register held interrupts off.
    Masked {
        /// Which.
        mask: MaskNumber,
        /// What it was.
        value: u8,
        /// From when to when.
        times: (u64, u64),
    },
    /// The machine was reset.
    Reset,
}

/// A handler that has begun.
#[derive(Clone, Debug)]
struct Handler {
    exception: u16,
    what: Option<String>,
    start: u64,
    context: Context,
}

/// Follows a run.
pub struct Follower<'a> {
    application: &'a Application,
    map: Map,
    /// Who schedules thread mode.
    pub kernel: Kernel,
    /// What has happened, and was not taken yet.
    pub happenings: Vec<Happening>,
    /// Thread mode, for each thread by its control block; 0 before there are any.
    threads: BTreeMap<u32, Context>,
    running: u32,
    /// Since which cycle the thread runs, and which of its own.
    since: (u64, u64),
    handlers: Vec<Handler>,
    cycle: u64,
    asleep: Option<u64>,
    masks: [Option<(u64, u8)>; 3],
    changes: Vec<Change>,
    pending: Pending,
}

impl<'a> Follower<'a> {
    /// One that has seen nothing; lets the machine, which is in reset, tell what it needs.
    pub fn new(firmware: &Firmware, application: &'a Application, machine: &mut Machine) -> Self {
        let kernel = Kernel::find(firmware, application);
        machine.observe(true);
        kernel.watch(machine);
        Self {
            application,
            map: Map::of(firmware, application),
            kernel,
            happenings: Vec::new(),
            threads: BTreeMap::from([(0, Context::default())]),
            running: 0,
            since: (0, 0),
            handlers: Vec::new(),
            cycle: machine.cycle(),
            asleep: None,
            masks: [None; 3],
            changes: Vec::new(),
            pending: Pending::default(),
        }
    }

    /// Returns `true` if any instruction belongs to the unit.
    pub fn has(&self, unit: u16) -> bool {
        self.map.has(unit)
    }

    /// What runs: a unit, or else a handler, or else a thread.
    pub fn here(&self) -> Who {
        let unit = self.present().and_then(Context::innermost);
        match (unit, self.handlers.last()) {
            (Some(unit), _) => Who::Unit(unit),
            (None, Some(handler)) => Who::Exception(handler.exception),
            (None, None) => Who::Thread(self.running),
        }
    }

    /// The handler that runs; none in thread mode.
    pub fn handler(&self) -> Option<u16> {
        self.handlers.last().map(|handler| handler.exception)
    }

    /// The thread that runs, or was interrupted: its control block; 0 before there are any.
    pub const fn thread(&self) -> u32 {
        self.running
    }

    /// The cycles that a thread has had in thread mode.
    pub fn thread_cycles(&self, control: u32) -> u64 {
        self.threads.get(&control).map_or(0, |context| context.cycles)
    }

    /// Looks at the machine after a step; `is_hit`: one of its watches has seen something.
    pub fn step(&mut self, machine: &mut Machine, is_hit: bool) {
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
            let cycles = context.cycles;
            self.apply(cycles);
        }
    }

    /// Ends what goes on, at the end of the run.
    pub fn finish(&mut self, machine: &Machine) {
        self.close_all(machine.cycle());
    }

    fn present(&self) -> Option<&Context> {
        match self.handlers.last() {
            Some(handler) => Some(&handler.context),
            None => self.threads.get(&self.running),
        }
    }

    fn context(&mut self) -> &mut Context {
        match self.handlers.last_mut() {
            Some(handler) => &mut handler.context,
            None => self.threads.entry(self.running).or_default(),
        }
    }

    fn event(&mut self, machine: &Machine, event: Event) {
        let cycle = event.cycle;
        match event.kind {
            EventKind::Enter { exception, began, return_address, .. } => {
                self.enter(machine, (exception, return_address), (began, cycle));
            }
            EventKind::Exit { .. } => self.leave_handler(cycle),
            EventKind::Sleep { .. } => self.asleep = Some(cycle),
            EventKind::Wake => self.wake_up(cycle),
            EventKind::Reset => {
                self.close_all(cycle);
                self.threads = BTreeMap::from([(0, Context::default())]);
                (self.running, self.since) = (0, (cycle, 0));
                self.happenings.push(Happening::Reset);
            }
            EventKind::MaskChange { mask, value, .. } => {
                let number = match mask {
                    Mask::Primask => 0,
                    Mask::Faultmask => 1,
                    Mask::Basepri => 2,
                };
                self.unmask(number, cycle);
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
        self.happenings.push(Happening::Entered { exception, began, entry: taken });
    }

    fn leave_handler(&mut self, cycle: u64) {
        let Some(mut handler) = self.handlers.pop() else { return };
        handler.context.close(cycle, &mut self.changes);
        let own = handler.context.cycles;
        self.apply(own);
        let Handler { exception, what, start, .. } = handler;
        self.happenings.push(Happening::Left { exception, what, times: (start, cycle), own });
    }

    fn wake_up(&mut self, cycle: u64) {
        if let Some(start) = self.asleep.take() {
            self.happenings.push(Happening::Slept { times: (start, cycle) });
        }
    }

    fn unmask(&mut self, mask: MaskNumber, cycle: u64) {
        if let Some((start, value)) = self.masks[usize::from(mask)].take() {
            self.happenings.push(Happening::Masked { mask, value, times: (start, cycle) });
        }
    }

    fn close_all(&mut self, cycle: u64) {
        self.wake_up(cycle);
        (0..3).for_each(|mask| self.unmask(mask, cycle));
        while !self.handlers.is_empty() {
            self.leave_handler(cycle);
        }
        self.switch(self.running, cycle);
        for mut context in std::mem::take(&mut self.threads).into_values() {
            context.close(cycle, &mut self.changes);
            self.apply(context.cycles);
        }
    }

    /// The words of the kernel have changed.
    fn look_at_kernel(&mut self, machine: &Machine) {
        let cycle = self.cycle;
        let ready = self.kernel.ready();
        let woken = self.kernel.look(machine);
        let by = self.here();
        let woken = woken.into_iter();
        self.happenings.extend(woken.map(|who| Happening::Woken {
            who,
            by,
            cycle,
            is_asked: true,
        }));
        if let Some(threads) = self.kernel.ready().filter(|now| ready != Some(*now)) {
            self.happenings.push(Happening::Ready { threads, cycle });
        }
        if self.kernel.running != self.running {
            self.switch(self.kernel.running, cycle);
        }
    }

    /// The time of the running thread ends, and that of another one begins.
    fn switch(&mut self, to: u32, cycle: u64) {
        let from = std::mem::replace(&mut self.running, to);
        let (start, before) = self.since;
        let own = self.threads.entry(from).or_default().cycles.saturating_sub(before);
        self.since = (cycle, self.threads.entry(to).or_default().cycles);
        self.happenings.push(Happening::Switched { from, to, times: (start, cycle), own });
    }

    /// Notes which interrupts have been pended, but for those of levels: what was woken there is
    /// known.
    fn look_at_pending(&mut self, machine: &Machine, from: u32) {
        for exception in self.pending.look_at_system(machine) {
            let (who, by) = (Who::Exception(exception), self.here());
            let woken = Happening::Woken { who, by, cycle: self.cycle, is_asked: false };
            self.happenings.push(woken);
        }
        let (pended, is_asked) = self.pending.look(machine, from);
        for exception in pended {
            if !self.application.levels.iter().any(|level| level.exception == exception) {
                let (who, by) = (Who::Exception(exception), self.here());
                self.happenings.push(Happening::Woken { who, by, cycle: self.cycle, is_asked });
            }
        }
    }

    /// Notes which units have begun or ended in a context that has had so many cycles.
    fn apply(&mut self, context: u64) {
        for change in std::mem::take(&mut self.changes) {
            self.happenings.push(match change {
                Change::Begin(unit) => Happening::Began { unit, cycle: self.cycle },
                Change::End { unit, start, end, own } => {
                    Happening::Ended { unit, times: (start, end), own, context }
                }
            });
        }
    }
}
