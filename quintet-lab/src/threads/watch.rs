//! What threads do while firmware runs: looked at after each instruction.
//!
//! - *Time* is the running thread's in thread mode, a handler's in handler mode. The handlers of
//!   the switch, PendSV and SVCall, are counted apart.
//! - A *switch* is a change of who runs. It is a preemption if a more urgent thread takes over from
//!   one that could go on, or an interrupt makes it; else the thread waits, yields or ends by
//!   itself. Threads of a cooperative scheduler are never preempted, only idle is.
//! - *Stack* is how far below its top a thread's stack pointer has been. From a switch on, the
//!   pointer is the new thread's as soon as it is in its stack, or set to where that thread was
//!   left; so a pointer that leaves its stack is an overflow, also where it comes to another
//!   thread's. What PendSV stores below the pointer counts too: that is where a thread was left.

use std::collections::BTreeMap;

use quintet_sim::machine::Machine;

use super::layout::{About, Layout};
use crate::main_stack;

const SVCALL: u16 = 11;
const PENDSV: u16 = 14;

/// What a thread has done.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What doesn't change.
    pub about: About,
    /// Cycles in thread mode.
    pub cycles: u64,
    /// How often it left the processor by itself.
    pub voluntary: u64,
    /// How often it had to.
    pub preempted: u64,
    /// The lowest value of its stack pointer; none while it had none.
    pub lowest: Option<u32>,
}

impl Thread {
    /// One that has done nothing.
    pub const fn new(about: About) -> Self {
        Self { about, cycles: 0, voluntary: 0, preempted: 0, lowest: None }
    }

    /// The bytes of its stack that it has used at most.
    pub fn high_water(&self) -> u32 {
        self.lowest.map_or(0, |lowest| self.about.top().saturating_sub(lowest))
    }

    /// Its stack is used down to there.
    fn reach(&mut self, pointer: u32) {
        self.lowest = Some(self.lowest.map_or(pointer, |lowest| lowest.min(pointer)));
    }

    /// Whether a pointer that nobody has set is this thread's: at the lowest address of its stack
    /// it may as well be at the top of the next one, which is empty.
    fn has(&self, pointer: u32) -> bool {
        self.about.stack < pointer && pointer <= self.about.top() && self.about.stack_size > 0
    }
}

/// Follows a run.
#[derive(Clone, Debug)]
pub struct Watch {
    layout: Layout,
    cooperative: bool,
    /// The threads that have been seen, idle included, by their control blocks.
    pub threads: BTreeMap<u32, Thread>,
    /// Cycles in the handlers of the switch.
    pub switching: u64,
    /// Cycles in all other handlers.
    pub interrupts: u64,
    /// Cycles before there were threads.
    pub startup: u64,
    now: Moment,
    pointer: u32,
    /// Whose stack the process stack pointer is in.
    owner: Option<u32>,
}

/// What the next instruction belongs to.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    cycle: u64,
    running: Option<u32>,
    priority: u8,
    exception: u16,
}

impl Watch {
    /// Before the run begins.
    pub fn new(layout: Layout, cooperative: bool) -> Self {
        Self {
            layout,
            cooperative,
            threads: BTreeMap::new(),
            switching: 0,
            interrupts: 0,
            startup: 0,
            now: Moment::default(),
            pointer: 0,
            owner: None,
        }
    }

    /// Looks at the machine after an instruction.
    pub fn look(&mut self, machine: &Machine) {
        let before = self.now;
        let cycle = machine.cycle();
        self.account(before, cycle - before.cycle);
        let exception = machine.processor.registers.ipsr;
        let running = self.layout.running(machine);
        self.now = Moment { cycle, running, exception, ..before };
        if running != before.running {
            self.note_switch(machine, before);
        }
        let pointer = machine.processor.registers.process_stack_pointer();
        if pointer != self.pointer || running != before.running {
            let is_left_there = |control| self.layout.left_at(machine, control) == Some(pointer);
            let is_set = pointer != self.pointer && running.is_some_and(is_left_there);
            self.pointer = pointer;
            self.note_stack(pointer, is_set);
        }
    }

    /// Finds the threads that wait for their first turn, after the run, and how those were left
    /// that don't run.
    pub fn finish(&mut self, machine: &Machine) {
        let all: Vec<u32> = self.threads.keys().copied().collect();
        all.into_iter().for_each(|control| self.note_left(machine, control));
        for control in self.layout.ready(machine) {
            self.meet(machine, control);
        }
    }

    /// Where everything is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn account(&mut self, moment: Moment, cycles: u64) {
        let thread = moment.running.and_then(|running| self.threads.get_mut(&running));
        let whose = match (moment.exception, thread) {
            (0, Some(thread)) => &mut thread.cycles,
            (0, None) => &mut self.startup,
            (SVCALL | PENDSV, _) => &mut self.switching,
            _ => &mut self.interrupts,
        };
        *whose += cycles;
    }

    fn note_switch(&mut self, machine: &Machine, before: Moment) {
        let Some(running) = self.now.running else { return };
        self.meet(machine, running);
        self.note_left(machine, running);
        let priority = self.layout.priorities(machine, running).map_or(0, |(_, priority)| priority);
        self.now.priority = priority;
        let from = before.running.and_then(|from| self.threads.get_mut(&from));
        if let Some(from) = from {
            let is_ready = |control| self.layout.ready(machine).contains(&control);
            let is_idle = from.about.stack_size == 0;
            let could_go_on = is_idle || before.running.is_some_and(is_ready);
            let is_taken = self.now.exception != 0 || could_go_on && priority > before.priority;
            let is_taken = is_taken && (is_idle || !self.cooperative);
            *(if is_taken { &mut from.preempted } else { &mut from.voluntary }) += 1;
        }
    }

    /// The pointer, and whether it was set to where the running thread was left: a stack that is
    /// full to its lowest address, or beyond, is found by that alone.
    fn note_stack(&mut self, pointer: u32, is_set: bool) {
        let is_its = |one: &Thread| one.has(pointer) || is_set && one.about.stack_size > 0;
        let has = |control: &u32| self.threads.get(control).is_some_and(is_its);
        if self.owner != self.now.running
            && let Some(running) = self.now.running.filter(has)
        {
            self.owner = Some(running);
        }
        let owner = self.owner.and_then(|owner| self.threads.get_mut(&owner));
        // Whoever is before its first instruction has the pointer of nobody.
        if let Some(owner) = owner.filter(|owner| pointer <= owner.about.top()) {
            owner.reach(pointer);
        }
    }

    /// Counts what was stored on a thread's stack when it was left last, if it has ever run.
    fn note_left(&mut self, machine: &Machine, control: u32) {
        // Main's stack may have gone through the control block.
        if main_stack::is_overflown(machine) {
            return;
        }
        let pointer = self.layout.left_at(machine, control);
        let thread = self.threads.get_mut(&control).filter(|one| one.lowest.is_some());
        if let Some((pointer, thread)) = pointer.zip(thread) {
            thread.reach(pointer);
        }
    }

    fn meet(&mut self, machine: &Machine, control: u32) {
        if self.threads.contains_key(&control) {
            return;
        }
        if let Some(about) = self.layout.about(machine, control) {
            self.threads.insert(control, Thread::new(about));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::layout::example;

    /// Control blocks, and the stacks of both, the first below the second.
    const LOWER: u32 = 0x2000_0100;
    const UPPER: u32 = 0x2000_0200;
    const START: u32 = 0x2000_1000;
    const MIDDLE: u32 = START + 512;
    const END: u32 = MIDDLE + 512;

    /// The high water of both stacks after pointers, each with who runs and whether it was set.
    fn high_waters(pointers: &[(u32, u32, bool)]) -> [u32; 2] {
        let mut watch = Watch::new(example(), false);
        for (control, stack) in [(LOWER, START), (UPPER, MIDDLE)] {
            let about = About { name: "it".into(), stack, stack_size: 512 };
            watch.threads.insert(control, Thread::new(about));
        }
        for &(running, pointer, is_set) in pointers {
            watch.now.running = Some(running);
            watch.note_stack(pointer, is_set);
        }
        [LOWER, UPPER].map(|control| watch.threads[&control].high_water())
    }

    #[test]
    fn an_empty_stack_is_not_the_end_of_the_one_above_it() {
        // The upper one runs from where the lower one's stack is still in use, which pushes.
        let switch = [
            (LOWER, MIDDLE - 40, true),
            (LOWER, MIDDLE, false),
            (UPPER, MIDDLE, false),
            (UPPER, MIDDLE - 36, false),
            (UPPER, END - 36, true),
            (UPPER, END - 64, false),
        ];
        assert_eq!(high_waters(&switch), [40, 64]);
    }

    #[test]
    fn a_full_stack_is_its_own() {
        // The lower one was left with nothing of its stack, and overflows.
        let full = [(UPPER, END - 36, true), (LOWER, START, true), (LOWER, START - 8, false)];
        assert_eq!(high_waters(&full), [520, 36]);
        // The upper one was left with nothing of its stack, or less: in the lower one's.
        for beyond in [0, 16] {
            let pointer = MIDDLE - beyond;
            let back = [(LOWER, MIDDLE - 40, true), (UPPER, pointer, true)];
            assert_eq!(high_waters(&back), [40, 512 + beyond]);
        }
    }
}
