//! The threads of running firmware, followed after each instruction.
//!
//! - *Time* belongs to the running thread in thread mode, and to the handler in handler mode. The
//!   handlers of the switch, PendSV and SVCall, are counted apart.
//! - A *switch* is a change of the running thread. The switch is a preemption if a more urgent
//!   thread takes over from a thread that could go on, or if an interrupt makes the switch.
//!   Otherwise the thread waits, yields or ends by itself. In a cooperative scheduler, only idle is
//!   preempted.
//! - *Stack* is the greatest distance of a thread's stack pointer from the top of its stack. After
//!   a switch, the pointer belongs to the new thread as soon as it is in this thread's stack, or
//!   has the value from the last switch away from the thread. So a pointer that leaves its stack is
//!   an overflow, even if it comes into another thread's stack. Words that PendSV stores below the
//!   pointer count too: the thread's saved pointer is there.

use std::collections::BTreeMap;

use crate::simulated::Simulated;

use super::jumps::Jumps;
use super::layout::{About, Layout};

/// The counts of a thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The constant part.
    pub about: About,
    /// Cycles in thread mode.
    pub cycles: u64,
    /// The number of times that the thread left the processor by itself.
    pub voluntary: u64,
    /// The number of times that it was preempted.
    pub preempted: u64,
    /// The lowest value of the thread's stack pointer; `None` before it has one.
    pub lowest: Option<u32>,
}

impl Thread {
    /// One that has done nothing.
    pub const fn new(about: About) -> Self {
        Self { about, cycles: 0, voluntary: 0, preempted: 0, lowest: None }
    }

    /// Returns the most bytes of its stack that the thread has used.
    pub fn high_water(&self) -> u32 {
        self.lowest.map_or(0, |lowest| self.about.top().saturating_sub(lowest))
    }

    /// Notes that the stack is used down to `pointer`.
    fn reach(&mut self, pointer: u32) {
        self.lowest = Some(self.lowest.map_or(pointer, |lowest| lowest.min(pointer)));
    }

    /// Returns `true` if a pointer that no instruction has set belongs to this thread. At the
    /// lowest address of its stack, the pointer may as well be at the top of the next stack, which
    /// is empty.
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
    jumps: Jumps,
    pointer: u32,
    /// The thread whose stack contains the process stack pointer.
    owner: Option<u32>,
}

/// The owner of the next instruction.
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
            jumps: Jumps::default(),
            pointer: 0,
            owner: None,
        }
    }

    /// Looks at the machine after an instruction.
    pub fn look<M: Simulated>(&mut self, machine: &mut M) {
        let running = self.layout.running(machine);
        self.jumps.look(machine, &self.layout, running);
        let before = self.now;
        let cycle = machine.cycle();
        self.account::<M>(before, cycle - before.cycle);
        let exception = machine.handler();
        self.now = Moment { cycle, running, exception, ..before };
        if running != before.running {
            self.note_switch(machine, before);
        }
        let pointer = machine.thread_pointer();
        if pointer != self.pointer || running != before.running {
            let is_left_there = |control| self.layout.left_at(machine, control) == Some(pointer);
            let is_set = pointer != self.pointer && running.is_some_and(is_left_there);
            self.pointer = pointer;
            self.note_stack(pointer, is_set);
        }
    }

    /// After the run, finds the threads that wait for their first turn, and the stack pointers of
    /// the threads that don't run.
    pub fn finish(&mut self, machine: &impl Simulated) {
        let all: Vec<u32> = self.threads.keys().copied().collect();
        all.into_iter().for_each(|control| self.note_left(machine, control));
        for control in self.layout.ready(machine) {
            self.meet(machine, control);
        }
    }

    /// Returns the places of the scheduler's parts.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn account<M: Simulated>(&mut self, moment: Moment, cycles: u64) {
        let thread = moment.running.and_then(|running| self.threads.get_mut(&running));
        let whose = match (moment.exception, thread) {
            (0, Some(thread)) => &mut thread.cycles,
            (0, None) => &mut self.startup,
            (handler, _) if M::is_switch(handler) => &mut self.switching,
            _ => &mut self.interrupts,
        };
        *whose += cycles;
    }

    fn note_switch(&mut self, machine: &impl Simulated, before: Moment) {
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

    /// Notes the stack pointer. `is_set` is `true` if the pointer was set to the saved value of the
    /// running thread: only this tells about a stack that is full to its lowest address, or beyond.
    fn note_stack(&mut self, pointer: u32, is_set: bool) {
        let is_its = |one: &Thread| one.has(pointer) || is_set && one.about.stack_size > 0;
        let has = |control: &u32| self.threads.get(control).is_some_and(is_its);
        if self.owner != self.now.running
            && let Some(running) = self.now.running.filter(has)
        {
            self.owner = Some(running);
        }
        let owner = self.owner.and_then(|owner| self.threads.get_mut(&owner));
        // A thread before its first instruction has no pointer of its own.
        if let Some(owner) = owner.filter(|owner| pointer <= owner.about.top()) {
            owner.reach(pointer);
        }
    }

    /// Counts the words that were stored on a thread's stack at the last switch away from it, if it
    /// has ever run.
    fn note_left(&mut self, machine: &impl Simulated, control: u32) {
        // Main's stack may have gone through the control block.
        if machine.is_main_stack_overflown() {
            return;
        }
        let pointer = self.layout.left_at(machine, control);
        let thread = self.threads.get_mut(&control).filter(|one| one.lowest.is_some());
        if let Some((pointer, thread)) = pointer.zip(thread) {
            thread.reach(pointer);
        }
    }

    fn meet(&mut self, machine: &impl Simulated, control: u32) {
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

    /// Returns the high water of both stacks after pointers, each with the running thread, and
    /// `true` if the pointer was set.
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
        // The upper thread runs from the place where the lower thread's stack is still in use, and
        // pushes.
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
        // The lower thread was left with nothing of its stack free, and overflows.
        let full = [(UPPER, END - 36, true), (LOWER, START, true), (LOWER, START - 8, false)];
        assert_eq!(high_waters(&full), [520, 36]);
        // The upper thread was left with nothing of its stack free, or less: in the lower thread's
        // stack.
        for beyond in [0, 16] {
            let pointer = MIDDLE - beyond;
            let back = [(LOWER, MIDDLE - 40, true), (UPPER, pointer, true)];
            assert_eq!(high_waters(&back), [40, 512 + beyond]);
        }
    }
}
