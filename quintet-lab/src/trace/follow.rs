//! Follows a run: who runs, which tasks begin and end, and who made whom ready.
//!
//! [`Follower::step`] looks at the machine after each step, and adds events to a list, in order.
//! The recorder of a trace and the analysis of deadlines read this list.

use super::causes::{self, Pending};
use super::frames::{Change, Context, Place};
use super::kernel::{Kernel, Who};
use super::map::Map;
use super::units::Application;
use crate::firmware::Firmware;
use crate::simulated::Simulated;
use crate::simulated::events::{Event, MACHINE_STATUS, MASKS, Seen};
use crate::threads::jumps::Jumps;
use quintet_sim::machine::Machine;
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
        /// The exception.
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
        /// What the handler did, where that is known.
        what: Option<String>,
        /// From the first cycle of the entry to the return.
        times: (u64, u64),
        /// The handler's own cycles, with those of the entry.
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
        /// The cycles of the unit's context between the two.
        own: u64,
        /// The cycles of the unit's context up to now.
        context: u64,
    },
    /// Another thread runs.
    Switched {
        /// The thread before, by its control block.
        from: u32,
        /// The thread from now on.
        to: u32,
        /// The time of the thread before, from when to when.
        times: (u64, u64),
        /// The own cycles of the thread before, in that time.
        own: u64,
    },
    /// Something has been made ready.
    Woken {
        /// The thing that is ready now.
        who: Who,
        /// The running code.
        by: Who,
        /// When.
        cycle: u64,
        /// `true` if an instruction made it ready, `false` if a device did.
        is_asked: bool,
    },
    /// The number of ready threads has changed.
    Ready {
        /// The number.
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
        /// The register's value.
        value: u8,
        /// From when to when.
        times: (u64, u64),
        /// The cycles of it that count.
        own: u64,
    },
    /// The machine was reset.
    Reset,
}

/// A handler that has not returned yet.
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
    /// The kernel that schedules thread mode.
    pub kernel: Kernel,
    /// The events that were not taken yet.
    pub happenings: Vec<Happening>,
    /// Thread mode, for each thread by its control block; 0 before there are any.
    threads: BTreeMap<u32, Context>,
    running: u32,
    /// The cycle since which the thread runs, and the thread's own cycles by then.
    since: (u64, u64),
    handlers: Vec<Handler>,
    cycle: u64,
    pc: u32,
    asleep: Option<u64>,
    masks: [Option<(u64, u8)>; MASKS.len()],
    seen: Seen,
    jumps: Jumps,
    changes: Vec<Change>,
    pending: Pending,
}

impl<'a> Follower<'a> {
    /// Makes a follower for a machine in reset, and lets the machine watch what the follower reads.
    pub fn new(
        firmware: &Firmware,
        application: &'a Application,
        machine: &mut impl Simulated,
    ) -> Self {
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
            pc: machine.pc(),
            asleep: None,
            masks: [None; MASKS.len()],
            seen: Seen::default(),
            jumps: Jumps::default(),
            changes: Vec::new(),
            pending: Pending::default(),
        }
    }

    /// Returns `true` if any instruction belongs to the unit.
    pub fn has(&self, unit: u16) -> bool {
        self.map.has(unit)
    }

    /// Returns who runs: a unit, or else a handler, or else a thread.
    pub fn here(&self) -> Who {
        let unit = self.present().and_then(Context::innermost);
        match (unit, self.handlers.last()) {
            (Some(unit), _) => Who::Unit(unit),
            (None, Some(handler)) => Who::Exception(handler.exception),
            (None, None) => Who::Thread(self.running),
        }
    }

    /// Returns the running handler; `None` in thread mode.
    pub fn handler(&self) -> Option<u16> {
        self.handlers.last().map(|handler| handler.exception)
    }

    /// Returns the control block of the running or interrupted thread; 0 before there are threads.
    pub const fn thread(&self) -> u32 {
        self.running
    }

    /// Returns the cycles of a thread in thread mode.
    pub fn thread_cycles(&self, control: u32) -> u64 {
        self.threads.get(&control).map_or(0, |context| context.cycles)
    }

    /// Looks at the machine after a step. `is_hit` says that one of the machine's watches was hit.
    pub fn step(&mut self, machine: &mut impl Simulated, is_hit: bool) {
        let cycle = machine.cycle();
        let taken = cycle.saturating_sub(std::mem::replace(&mut self.cycle, cycle));
        let context = self.context();
        context.cycles += taken;
        let from = context.next();
        if let Some(machine) = machine.cortex_m() {
            self.look_at_pending(machine, from);
        }
        if is_hit {
            self.look_at_kernel(machine);
        }
        if let Some(layout) = self.kernel.layout() {
            let running = Some(self.kernel.running).filter(|running| *running != 0);
            self.jumps.look(machine, layout, running);
        }
        let start = std::mem::replace(&mut self.pc, machine.pc());
        for event in machine.take_events(&mut self.seen, start) {
            self.event(machine, event);
        }
        let link = machine.register(machine.unwinding().link.into()).unwrap_or(0);
        let stack = machine.stack_pointer();
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

    /// Ends everything that has not ended, at the end of the run.
    pub fn finish(&mut self, machine: &impl Simulated) {
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

    fn event(&mut self, machine: &impl Simulated, event: Event) {
        match event {
            Event::Entered { handler, began, cycle, from } => {
                self.enter(machine, (handler, from), (began, cycle));
            }
            Event::Left { cycle } => self.leave_handler(cycle),
            Event::Slept { cycle } => self.asleep = Some(cycle),
            Event::Woke { cycle } => self.wake_up(cycle),
            Event::Reset { cycle } => {
                self.close_all(cycle);
                self.threads = BTreeMap::from([(0, Context::default())]);
                (self.running, self.since) = (0, (cycle, 0));
                self.happenings.push(Happening::Reset);
            }
            Event::Masked { mask, value, cycle } => {
                self.unmask(mask, cycle);
                self.masks[usize::from(mask)] = (value != 0).then_some((cycle, value));
            }
            Event::Held { times, own } => {
                let (mask, value) = (MACHINE_STATUS, 0);
                self.happenings.push(Happening::Masked { mask, value, times, own });
            }
        }
    }

    fn enter(
        &mut self,
        machine: &impl Simulated,
        (exception, return_address): (u16, u32),
        (began, cycle): (u64, u64),
    ) {
        // The entry is the handler's time.
        let interrupted = self.context();
        let taken = cycle.saturating_sub(began).min(interrupted.cycles);
        interrupted.cycles -= taken;
        let context = Context::after(taken);
        let core = machine.cortex_m().filter(|_| exception == SVCALL);
        let what = core.and_then(|machine| causes::system_call(machine, return_address));
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
            let (times, own) = ((start, cycle), cycle - start);
            self.happenings.push(Happening::Masked { mask, value, times, own });
        }
    }

    fn close_all(&mut self, cycle: u64) {
        self.wake_up(cycle);
        (0..MASKS.len() as u8).for_each(|mask| self.unmask(mask, cycle));
        while !self.handlers.is_empty() {
            self.leave_handler(cycle);
        }
        self.switch(self.running, cycle);
        for mut context in std::mem::take(&mut self.threads).into_values() {
            context.close(cycle, &mut self.changes);
            self.apply(context.cycles);
        }
    }

    /// Handles a change of the kernel's words.
    fn look_at_kernel(&mut self, machine: &impl Simulated) {
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

    /// Ends the time of the running thread, and begins the time of another thread.
    fn switch(&mut self, to: u32, cycle: u64) {
        let from = std::mem::replace(&mut self.running, to);
        let (start, before) = self.since;
        let own = self.threads.entry(from).or_default().cycles.saturating_sub(before);
        self.since = (cycle, self.threads.entry(to).or_default().cycles);
        self.happenings.push(Happening::Switched { from, to, times: (start, cycle), own });
    }

    /// Notes the interrupts that were pended, without those of levels: the jobs that were woken
    /// there are known.
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

    /// Notes the units that began or ended in a context, which has had `context` cycles so far.
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
