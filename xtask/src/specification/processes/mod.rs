//! The interpreter is a kernel with three processes that make the calls of scripts, beside two
//! threads, interrupts and idle that bring them upcalls and change their lives. What each call
//! answers, which functions are called, and in which order, is compared with the [model].

pub mod call;
pub mod check;
pub mod interpreter;
pub mod layout;
pub mod model;
mod operation_mix;
pub mod schedule;
pub mod short;

use std::collections::HashSet;

use anyhow::{Result, bail};

use super::{Amount, SPANS};
use crate::cross::random::Random;
use check::check;
use interpreter::Interpreter;
use model::Entry;
use schedule::Schedule;

/// The schedule with a number.
pub fn random(seed: u64, index: u64) -> Schedule {
    let mut random = Random::of_item(seed, index);
    let span = random.pick(&SPANS);
    Schedule::random(&mut random, span)
}

impl Amount {
    /// Runs a schedule of processes and compares it. If it is wrong, the error has the smallest one
    /// that is.
    pub fn add_processes(
        &mut self,
        interpreter: &mut Interpreter,
        schedule: &Schedule,
    ) -> Result<()> {
        self.add_new_of_processes(interpreter, schedule, &mut HashSet::new())
    }

    /// The same, unless it comes to a log that is among those that were `seen`, of schedules that
    /// differ in when interrupts come only.
    fn add_new_of_processes(
        &mut self,
        interpreter: &mut Interpreter,
        schedule: &Schedule,
        seen: &mut HashSet<Vec<Entry>>,
    ) -> Result<()> {
        let run = interpreter.run(schedule)?;
        self.schedules += 1;
        self.operations += run.log.len() as u64;
        self.interrupts += schedule.injections.len() as u64;
        self.instructions += run.instructions;
        let is_right = |log: &Vec<Entry>| {
            seen.contains(log) || check(schedule, &interpreter.world, log).is_ok()
        };
        if run.failure.is_none() && is_right(&run.log) {
            seen.insert(run.log);
            return Ok(());
        }
        let smallest = shrink(interpreter, schedule)?;
        let (log, wrong) = judge(interpreter, &smallest)?.unwrap_or_default();
        let mut text = format!("{wrong}\n{smallest}  the log:\n");
        for (index, entry) in log.iter().enumerate() {
            text += &format!("  {index:4} {entry}\n");
        }
        bail!(text)
    }
}

/// Whether a schedule goes wrong.
pub fn goes_wrong(interpreter: &mut Interpreter, schedule: &Schedule) -> Result<bool> {
    Ok(judge(interpreter, schedule)?.is_some())
}

/// What is wrong with a schedule, and its log.
fn judge(
    interpreter: &mut Interpreter,
    schedule: &Schedule,
) -> Result<Option<(Vec<Entry>, String)>> {
    let run = interpreter.run(schedule)?;
    let wrong = match run.failure {
        Some(failure) => Some(failure),
        None => check(schedule, &interpreter.world, &run.log).err().map(|wrong| wrong.to_string()),
    };
    Ok(wrong.map(|wrong| (run.log, wrong)))
}

/// Leaves out what isn't needed for a schedule to go wrong.
fn shrink(interpreter: &mut Interpreter, schedule: &Schedule) -> Result<Schedule> {
    let mut smallest = schedule.clone();
    'smaller: loop {
        for less in smallest.smaller() {
            if judge(interpreter, &less)?.is_some() {
                smallest = less;
                continue 'smaller;
            }
        }
        return Ok(smallest);
    }
}
