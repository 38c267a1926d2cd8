//! Runs schedules and compares them, for every specification. A schedule that goes wrong is made as
//! small as possible.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::ops::AddAssign;

use anyhow::{Result, bail};
use quintet_lab::report::table::grouped;

use super::follow::Wrong;

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<E> {
    /// The log.
    pub log: Vec<E>,
    /// Anything but sleep: a fault, a panic, no end.
    pub failure: Option<String>,
    /// The instructions until everything slept.
    pub instructions: u64,
}

/// An interpreter, with the specification of its behaviour.
pub trait Trial {
    /// The input of the interpreter.
    type Schedule: Clone + fmt::Display;
    /// An entry of the log.
    type Entry: Clone + Eq + Hash + fmt::Display;

    /// Runs a schedule until everything sleeps.
    ///
    /// # Errors
    /// A part can't be written into the machine, or read there.
    fn run(&mut self, schedule: &Self::Schedule) -> Result<Run<Self::Entry>>;

    /// Compares a log with the specification.
    ///
    /// # Errors
    /// [`Wrong`].
    fn check(
        &self,
        schedule: &Self::Schedule,
        log: &[Self::Entry],
    ) -> Result<(), Wrong<Self::Entry>>;

    /// Returns the number of a schedule's interrupts.
    fn interrupts(schedule: &Self::Schedule) -> usize;

    /// Schedules that have less than this one.
    fn smaller(schedule: &Self::Schedule) -> Vec<Self::Schedule>;

    /// Returns the log of a schedule, with its error; `None` if the schedule is right.
    fn judge(&mut self, schedule: &Self::Schedule) -> Result<Option<(Vec<Self::Entry>, String)>> {
        let run = self.run(schedule)?;
        let wrong = match run.failure {
            Some(failure) => Some(failure),
            None => self.check(schedule, &run.log).err().map(|wrong| wrong.to_string()),
        };
        Ok(wrong.map(|wrong| (run.log, wrong)))
    }

    /// Leaves out parts that a schedule doesn't need to go wrong.
    fn shrink(&mut self, schedule: &Self::Schedule) -> Result<Self::Schedule> {
        let mut smallest = schedule.clone();
        'smaller: loop {
            for less in Self::smaller(&smallest) {
                if self.judge(&less)?.is_some() {
                    smallest = less;
                    continue 'smaller;
                }
            }
            return Ok(smallest);
        }
    }
}

/// The amount of runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Amount {
    /// Schedules.
    pub schedules: u64,
    /// Operations that were compared.
    pub operations: u64,
    /// Interrupts.
    pub interrupts: u64,
    /// Instructions.
    pub instructions: u64,
}

impl Amount {
    /// Runs a schedule and compares it. If it is wrong, the error has the smallest wrong schedule.
    pub fn add<T: Trial>(&mut self, trial: &mut T, schedule: &T::Schedule) -> Result<()> {
        self.add_new(trial, schedule, &mut HashSet::new())
    }

    /// The same, unless the log is among those in `seen`, which belong to schedules that differ
    /// only in the times of their interrupts.
    pub fn add_new<T: Trial>(
        &mut self,
        trial: &mut T,
        schedule: &T::Schedule,
        seen: &mut HashSet<Vec<T::Entry>>,
    ) -> Result<()> {
        let run = trial.run(schedule)?;
        self.schedules += 1;
        self.operations += run.log.len() as u64;
        self.interrupts += T::interrupts(schedule) as u64;
        self.instructions += run.instructions;
        let is_right = seen.contains(&run.log) || trial.check(schedule, &run.log).is_ok();
        if run.failure.is_none() && is_right {
            seen.insert(run.log);
            return Ok(());
        }
        let smallest = trial.shrink(schedule)?;
        let (log, wrong) = trial.judge(&smallest)?.unwrap_or_default();
        let mut text = format!("{wrong}\n{smallest}  the log:\n");
        for (index, entry) in log.iter().enumerate() {
            text += &format!("  {index:4} {entry}\n");
        }
        bail!(text)
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.operations += other.operations;
        self.interrupts += other.interrupts;
        self.instructions += other.instructions;
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedules, operations, interrupts, instructions } = *self;
        let [schedules, operations, interrupts, instructions] =
            [schedules, operations, interrupts, instructions].map(grouped);
        write!(
            formatter,
            "{schedules} schedules, {operations} operations, {interrupts} interrupts, \
             {instructions} instructions"
        )
    }
}
