//! Schedules of processes: their calls, the acts of other contexts, and the interrupts.

use std::fmt;

use super::call::{Act, Call};
use super::layout::PROCESSES;
use super::operation_mix::OperationMix;
use crate::random::Random;

/// The first thread's context.
pub const THREAD: usize = PROCESSES;
/// Threads.
pub const THREADS: usize = 2;
/// The priorities of the processes and the threads.
pub const PRIORITIES: [usize; IDLE] = [1, 2, 2, 1, 3];
/// The context that runs when no other can.
pub const IDLE: usize = THREAD + THREADS;
/// The first context of an interrupt.
pub const INTERRUPTS: usize = IDLE + 1;
/// Interrupts, each more urgent than the one before.
pub const LINES: usize = 3;
/// Their exceptions.
pub const EXCEPTIONS: [u16; LINES] = [16, 17, 18];
/// The interrupt that comes last, and its exception.
pub const LAST: usize = INTERRUPTS + LINES;
/// The exception of that.
pub const LAST_EXCEPTION: u16 = 19;
/// All contexts.
pub const CONTEXTS: usize = LAST + 1;
/// The most calls of a process.
const CALLS_MAX: u32 = 12;
/// The most acts of a thread, or of idle.
const ACTS_MAX: u32 = 8;
/// The most interrupts of a line.
const INTERRUPTS_MAX: u32 = 4;

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
    /// The calls of processes, over all their lives.
    pub calls: [Vec<Call>; PROCESSES],
    /// The acts of others, by context.
    pub acts: [Vec<Act>; CONTEXTS],
    /// In the order of time.
    pub injections: Vec<Injection>,
    /// For each process, `true` if it starts again after a forbidden thing.
    pub restarts: [bool; PROCESSES],
}

impl Schedule {
    /// A random one, whose interrupts come within the first `span` instructions.
    pub fn random(random: &mut Random, span: u32) -> Self {
        let operation_mix = OperationMix::random(random);
        let mut schedule = Self::default();
        for process in 0..PROCESSES {
            let length = random.below(CALLS_MAX + 1);
            schedule.calls[process] =
                (0..length).map(|_| operation_mix.call(random, process as u8)).collect();
            schedule.restarts[process] = random.one_in(2);
        }
        for thread in THREAD..IDLE {
            schedule.acts[thread] =
                (0..random.below(ACTS_MAX + 1)).map(|_| operation_mix.of_thread(random)).collect();
        }
        schedule.acts[IDLE] =
            (0..random.below(ACTS_MAX + 1)).map(|_| operation_mix.act(random)).collect();
        for line in 0..LINES {
            for _ in 0..random.below(INTERRUPTS_MAX + 1) {
                schedule.acts[INTERRUPTS + line].push(operation_mix.act(random));
                let at = u64::from(random.below(span));
                schedule.injections.push(Injection { at, line });
            }
        }
        schedule.injections.sort_by_key(|injection| injection.at);
        schedule
    }

    /// All schedules that lack one thing of this one.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut less = self.clone();
            change(&mut less);
            all.push(less);
        };
        for index in 0..self.injections.len() {
            add(&|less| {
                less.injections.remove(index);
            });
        }
        for (context, acts) in self.acts.iter().enumerate() {
            for index in 0..acts.len() {
                add(&|less| {
                    less.acts[context].remove(index);
                });
            }
        }
        for (process, calls) in self.calls.iter().enumerate() {
            for index in 0..calls.len() {
                add(&|less| {
                    less.calls[process].remove(index);
                });
            }
        }
        all
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (process, calls) in self.calls.iter().enumerate() {
            let anew = if self.restarts[process] { ", anew behind a fault" } else { "" };
            writeln!(formatter, "  {:14} {calls:?}{anew}", name(process))?;
        }
        for (context, acts) in self.acts.iter().enumerate().filter(|(_, acts)| !acts.is_empty()) {
            writeln!(formatter, "  {:14} {acts:?}", name(context))?;
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
        0..PROCESSES => format!("process {context}, {}", PRIORITIES[context]),
        THREAD..IDLE => format!("thread {}, {}", context - THREAD, PRIORITIES[context]),
        IDLE => "idle".into(),
        LAST => "last".into(),
        _ => format!("interrupt {}", context - INTERRUPTS),
    }
}
