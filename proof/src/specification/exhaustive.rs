//! All short schedules of a few shapes, and an interrupt before every instruction of some.
//!
//! They come in families: the operations on one object, and the disturbances.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};

use super::Amount;
use super::families::{FAMILIES, Family};
use super::interpreter::Interpreter;
use super::model::Entry;
use super::operation::Operation as Op;
use super::schedule::{ACTOR, CLOCK, IDLE, INTERRUPTS, Injection, LINES, Schedule, TASK};
use super::trial::Trial;

/// The line above the kernel.
const ABOVE: usize = LINES.len() - 1;

/// The share of the possible schedules that is made: all, or every n-th.
#[derive(Clone, Copy, Debug)]
pub struct Strides {
    /// Of the schedules of two threads.
    pub schedules: usize,
    /// The stride of the instructions before which an interrupt comes.
    pub instructions: usize,
}

/// The runs of a family.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The family's name.
    pub name: &'static str,
    /// Schedules of two threads without interrupts.
    pub short: Amount,
    /// The same with an interrupt.
    pub interrupted: Amount,
}

/// Runs the families whose names contain `only`, on all processors.
pub fn run(interpreter: &Interpreter, only: &str, strides: Strides) -> Result<Vec<Done>> {
    let families: Vec<_> = FAMILIES.iter().filter(|family| family.name.contains(only)).collect();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        let mut interpreter = interpreter.clone();
        while let Some(family) = families.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = family.run(&mut interpreter, strides);
            done.lock().map_err(|_| anyhow!("another family has panicked"))?.push(result?);
        }
        Ok(())
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Result<()>>| {
            worker.join().unwrap_or_else(|_| Err(anyhow!("a family has panicked")))
        };
        workers.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<()>>()?;
    let mut done = done.into_inner().unwrap_or_default();
    let place = |done: &Done| FAMILIES.iter().position(|family| family.name == done.name);
    done.sort_by_key(place);
    Ok(done)
}

impl Family {
    fn run(&self, interpreter: &mut Interpreter, strides: Strides) -> Result<Done> {
        let mut done =
            Done { name: self.name, short: Amount::default(), interrupted: Amount::default() };
        for act in self.of_interrupts {
            let lines: &[usize] =
                if let Op::Wake(_) | Op::WakeTask(_) = act { &[CLOCK, ABOVE] } else { &[CLOCK] };
            for line in lines {
                let amount = &mut done.interrupted;
                self.run_interrupted(interpreter, amount, (*line, *act), strides.instructions)?;
            }
        }
        self.run_short(interpreter, &mut done.short, strides.schedules)?;
        Ok(done)
    }

    /// Two threads with two operations each.
    fn run_short(
        &self,
        interpreter: &mut Interpreter,
        amount: &mut Amount,
        stride: usize,
    ) -> Result<()> {
        let count = self.operations.len();
        for index in (0..count.pow(4)).step_by(stride) {
            let operation = |digit| self.operations[index / count.pow(digit) % count];
            let [first, second, third, fourth] = [0, 1, 2, 3].map(operation);
            amount.add(interpreter, &self.schedule([first, second], [third, fourth]))?;
        }
        Ok(())
    }

    /// Runs each operation of one thread, and the disturbances. An interrupt that does `act` comes
    /// before every `stride`-th instruction that can be interrupted.
    fn run_interrupted(
        &self,
        interpreter: &mut Interpreter,
        amount: &mut Amount,
        (line, act): (usize, Op),
        stride: usize,
    ) -> Result<()> {
        for first in self.operations {
            let mut schedule = self.schedule([*first, Op::Yield], self.other);
            schedule.scripts[INTERRUPTS + line] = vec![act];
            let logged = of_first(&interpreter.run(&schedule)?.log, self.before.len());
            let mut seen = HashSet::new();
            for at in interpreter.open_to(&schedule, line, logged)?.into_iter().step_by(stride) {
                schedule.injections = vec![Injection { at, line }];
                amount.add_new(interpreter, &schedule, &mut seen)?;
            }
        }
        Ok(())
    }

    /// Returns the schedule of three threads. One is there before the others. The more urgent of
    /// these begins between the two operations of the less urgent.
    fn schedule(&self, low: [Op; 2], high: [Op; 2]) -> Schedule {
        let mut schedule = Schedule { cooperative: self.cooperative, ..Schedule::default() };
        let [first, last] = self.idle;
        schedule.scripts[IDLE] =
            [first, &[Op::Start(2), Op::Start(0), Op::Start(1)], last].concat();
        schedule.scripts[0] = [self.before, &[low[0], Op::Start(1), low[1]]].concat();
        schedule.scripts[1] = high.to_vec();
        schedule.scripts[2] = self.third.to_vec();
        for (script, other) in schedule.scripts[3..].iter_mut().zip(self.others) {
            *script = other.to_vec();
        }
        for (script, task) in schedule.scripts[TASK..].iter_mut().zip(self.tasks) {
            *script = task.to_vec();
        }
        for (script, actor) in schedule.scripts[ACTOR..].iter_mut().zip(self.actors) {
            *script = actor.to_vec();
        }
        schedule
    }
}

/// Returns the number of entries during the first operation of the thread that idle starts second,
/// up to the end of the operation behind `before` others.
fn of_first(log: &[Entry], before: usize) -> RangeInclusive<usize> {
    let starts = |entry: &Entry| entry.context == IDLE && entry.operation == Op::Start(0).number();
    let first = log.iter().position(starts).map_or(0, |started| started + 1);
    let own = log.iter().enumerate().filter(|(_, entry)| entry.context == 0);
    let last = own.map(|(index, _)| index).nth(before);
    first..=last.unwrap_or(log.len())
}
