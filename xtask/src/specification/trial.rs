//! Schedules that run and are compared, whatever the specification is of. One that goes wrong is
//! made as small as possible.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::ops::AddAssign;

use anyhow::{Result, bail};
use quintet_lab::report::table::grouped;

use super::follow::Wrong;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<E> {
    /// What was logged.
    pub log: Vec<E>,
    /// Anything but sleep: a fault, a panic, no end.
    pub failure: Option<String>,
    /// The instructions until everything slept.
    pub instructions: u64,
}

/// An interpreter, with the specification of what it does.
pub trait Trial {
    /// What it is given.
    type Schedule: Clone + fmt::Display;
    /// What it logs.
    type Entry: Clone + Eq + Hash + fmt::Display;

    /// Runs a schedule until everything sleeps.
    ///
    /// # Errors
    /// What cannot be written into the machine, or read there.
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

    /// How many interrupts a schedule has.
    fn interrupts(schedule: &Self::Schedule) -> usize;

    /// Schedules that have less than this one.
    fn smaller(schedule: &Self::Schedule) -> Vec<Self::Schedule>;

    /// What is wrong with a schedule, and its log; none, if it is right.
    fn judge(&mut self, schedule: &Self::Schedule) -> Result<Option<(Vec<Self::Entry>, String)>> {
        let run = self.run(schedule)?;
        let wrong = match run.failure {
            Some(failure) => Some(failure),
            None => self.check(schedule, &run.log).err().map(|wrong| wrong.to_string()),
        };
        Ok(wrong.map(|wrong| (run.log, wrong)))
    }

    /// Leaves out what isn't needed for a schedule to go wrong.
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

/// How much was run.
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
    /// Runs a schedule and compares it. If it is wrong, the error has the smallest one that is.
    pub fn add<T: Trial>(&mut self, trial: &mut T, schedule: &T::Schedule) -> Result<()> {
        self.add_new(trial, schedule, &mut HashSet::new())
    }

    /// The same, unless it comes to a log that is among those that were `seen`, of schedules that
    /// differ in when interrupts come only.
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
