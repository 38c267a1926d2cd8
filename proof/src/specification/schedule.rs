//! Schedules: the operations of each context, and the interrupts.

use std::fmt;

use super::operation::Operation;
use super::operation_mix::OperationMix;
use crate::random::Random;

/// Threads; their numbers are their contexts.
pub const THREADS: usize = 5;
/// Their priorities.
pub const PRIORITIES: [u8; THREADS] = [1, 2, 2, 3, 4];
/// The context that runs when no thread can.
pub const IDLE: usize = THREADS;
/// The first context of an interrupt.
pub const INTERRUPTS: usize = IDLE + 1;
/// The hardware's priorities of the interrupts: less is more urgent. The last one is above the
/// kernel, and may only wake.
pub const LINES: [u8; 4] = [0xc0, 0x80, 0x40, 0x00];
/// Their exceptions.
pub const EXCEPTIONS: [u16; 4] = [16, 17, 18, 16 + 14];
/// The interrupt that comes last, and its exception.
pub const LAST: usize = INTERRUPTS + LINES.len();
/// The exception of that.
pub const LAST_EXCEPTION: u16 = 19;
/// The line at the kernel's ceiling, which may move the clock on: the timer's interrupt comes
/// behind it.
pub const CLOCK: usize = 2;
/// The first task's context.
pub const TASK: usize = LAST + 1;
/// Tasks: those that a thread hosts, and behind them those of a level of interrupts.
pub const TASKS: usize = HOSTED + 2;
/// The tasks that a thread hosts.
pub const HOSTED: usize = 3;
/// The thread that hosts them.
pub const HOST: usize = 2;
/// The hardware's priority of the level that has tasks: that of the first line, so that neither
/// interrupts the other.
pub const LEVEL_HARDWARE: u8 = LINES[0];
/// The priority of the level's tasks among waiters.
pub const LEVEL_PRIORITY: u8 = 20;
/// The first actor's context.
pub const ACTOR: usize = TASK + TASKS;
/// The places of each actor's queue: of the actor that the thread hosts, and of the level's.
pub const QUEUES: [usize; 2] = [3, 2];
/// All contexts.
const CONTEXTS: usize = ACTOR + QUEUES.len();
/// Semaphores.
pub const SEMAPHORES: usize = 3;
/// Mutexes.
pub const MUTEXES: usize = 6;
/// The mutexes' ceilings; 0 for those with inheritance. Threads may be above one.
pub const CEILINGS: [u8; MUTEXES] = [0, 0, 6, 3, 0, 6];
/// How often a thread may have each mutex. Where this is more than one, no further lock is tried.
pub const DEPTHS: [u8; MUTEXES] = [1, 1, 1, 1, 3, 3];
/// The ceilings of resources of threads: the last one is above all.
pub const SECTIONS: [u8; 2] = [3, PRIORITY_MAX + 1];
/// The blocks of the pool.
pub const BLOCKS: usize = 3;
/// The messages that the channel has room for.
pub const ROOM_FOR: u16 = 2;
/// The number of threads that meet at the barrier.
pub const PARTIES: u8 = 3;
/// The priority whose threads take turns when that is asked for, and how long one lasts.
pub const SLICED: u8 = 2;
/// In ticks.
pub const SLICE_TICKS: u32 = 3;
/// The highest priority that a thread is given.
pub const PRIORITY_MAX: u8 = 6;
/// The most operations of a script.
const LENGTH_MAX: u32 = 7;

/// An interrupt that comes before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The number of instructions after the beginning.
    pub at: u64,
    /// The index of the interrupt's line.
    pub line: usize,
}

/// The events of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// By context: threads, idle, interrupts, tasks, actors.
    pub scripts: [Vec<Operation>; CONTEXTS],
    /// In the order of time.
    pub injections: Vec<Injection>,
    /// `true` if threads run until they wait.
    pub cooperative: bool,
}

impl Schedule {
    /// A random one, whose interrupts come within the first `span` instructions.
    pub fn random(random: &mut Random, span: u32) -> Self {
        let mix = OperationMix::random(random);
        let mut schedule = Self { cooperative: random.one_in(4), ..Self::default() };
        let mut order: Vec<u8> = (0..THREADS as u8).collect();
        while !order.is_empty() {
            let thread = order.swap_remove(random.below(order.len() as u32) as usize);
            if !random.one_in(4) {
                schedule.scripts[IDLE].push(Operation::Start(thread));
            }
        }
        for thread in 0..THREADS {
            let length = random.below(LENGTH_MAX + 1);
            let script = &mut schedule.scripts[thread];
            script.extend((0..length).map(|_| mix.of_thread(random)));
            if random.one_in(2) {
                script.push(Operation::End);
                script.extend((0..random.below(4)).map(|_| mix.of_thread(random)));
            }
        }
        for task in schedule.scripts[TASK..ACTOR].iter_mut().filter(|_| mix.has_tasks()) {
            task.extend((0..random.below(LENGTH_MAX + 1)).map(|_| mix.of_task(random)));
        }
        for actor in schedule.scripts[ACTOR..].iter_mut().filter(|_| mix.has_actors()) {
            actor.extend((0..random.below(LENGTH_MAX + 1)).map(|_| mix.of_all(random)));
        }
        if mix.has_tasks() || mix.has_actors() {
            schedule.scripts[HOST].push(Operation::Host);
        }
        if mix.takes_turns() {
            schedule.scripts[IDLE].insert(0, Operation::TakeTurns);
        }
        let idles = random.below(6);
        schedule.scripts[IDLE].extend((0..idles).map(|_| mix.of_all(random)));
        for (line, hardware) in LINES.iter().enumerate() {
            for _ in 0..random.below(4) {
                let operation = if *hardware == 0 {
                    mix.above(random)
                } else if line == CLOCK && mix.has_time() && !random.one_in(3) {
                    Operation::Tick(1 + random.below(6) as u8)
                } else {
                    mix.of_all(random)
                };
                schedule.scripts[INTERRUPTS + line].push(operation);
                let at = u64::from(random.below(span));
                schedule.injections.push(Injection { at, line });
            }
        }
        schedule.injections.sort_by_key(|injection| injection.at);
        schedule
    }

    /// Returns the number of operations and interrupts.
    pub fn size(&self) -> usize {
        self.scripts.iter().map(Vec::len).sum::<usize>() + self.injections.len()
    }

    /// Returns the number of tasks in the schedule; with the actors, if the schedule has them.
    pub fn tasks(&self) -> usize {
        let about = |operation: &Operation| match operation {
            Operation::PostEvent { .. }
            | Operation::PostFront { .. }
            | Operation::PostMargin { .. }
            | Operation::StartActorWith { .. }
            | Operation::RestartActorWith { .. } => TASKS + QUEUES.len(),
            Operation::WakeTask(slot) if usize::from(*slot) >= TASKS => TASKS + QUEUES.len(),
            Operation::Spawn(task) if usize::from(*task) >= HOSTED => TASKS,
            Operation::Host | Operation::Spawn(_) | Operation::WakeTask(_) => HOSTED,
            _ => 0,
        };
        self.scripts.iter().flatten().map(about).max().unwrap_or(0)
    }

    /// All schedules that lack one thing of this one.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for index in 0..self.injections.len() {
            let mut less = self.clone();
            less.injections.remove(index);
            all.push(less);
        }
        for context in 0..self.scripts.len() {
            for index in 0..self.scripts[context].len() {
                let mut less = self.clone();
                less.scripts[context].remove(index);
                all.push(less);
            }
        }
        all
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cooperative {
            writeln!(formatter, "  the scheduler is cooperative")?;
        }
        for (context, script) in self.scripts.iter().enumerate() {
            if !script.is_empty() {
                writeln!(formatter, "  {:12} {script:?}", name(context))?;
            }
        }
        for Injection { at, line } in &self.injections {
            writeln!(formatter, "  {} comes before instruction {at}", name(INTERRUPTS + line))?;
        }
        Ok(())
    }
}

/// A context, for people.
pub fn name(context: usize) -> String {
    match context {
        0..THREADS => {
            let letter = char::from(b'A' + context as u8);
            format!("{context} = {letter}, {}", PRIORITIES[context])
        }
        IDLE => "idle".into(),
        LAST => "last".into(),
        TASK..ACTOR => format!("task {}", context - TASK),
        ACTOR.. => format!("actor {}", context - ACTOR),
        _ => format!("irq {:#04x}", LINES[context - INTERRUPTS]),
    }
}
