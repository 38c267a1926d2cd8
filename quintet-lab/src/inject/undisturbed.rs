//! The run without injections: the points of possible injections, and the expected end.

use super::check::{End, Rules};
use super::exceptions::{Chooser, Source};
use super::moment::{Moment, Walker};
use super::windows::{WindowText, Windows};
use crate::ctrl_c;
use crate::firmware::Firmware;
use crate::main_stack::Overflow;
use crate::output;
use crate::progress::Progress;
use crate::report::death::examine;
use crate::report::table::grouped;
use crate::simulation::dead_loop;
use anyhow::bail;
use quintet_sim::machine::{Machine, Stop};

/// The number of steps between two checks for Ctrl-C.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 16;

/// A place in the undisturbed run before which exceptions are pended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// When.
    pub moment: Moment,
    /// The next instruction. For a sleeping processor, the instruction behind its WFI.
    pub pc: u32,
    /// `true` if the processor has just fallen asleep.
    pub asleep: bool,
    /// The windows that were open before the instruction.
    pub open: u64,
    /// The index among [`Undisturbed::sets`] of the exceptions to pend here.
    pub set: usize,
}

/// The run without injections.
pub struct Undisturbed {
    /// The points, in their order.
    pub points: Vec<Point>,
    /// Sets of exceptions.
    pub sets: Vec<Vec<u16>>,
    /// Every exception of any set.
    pub sources: Vec<Source>,
    /// The end of the run.
    pub end: End,
    /// The instructions executed.
    pub instructions: u64,
}

/// Follows a run and says at each boundary whether exceptions are to be pended there.
pub struct Path<'a> {
    windows: &'a Windows,
    open: u64,
    inside: u64,
    was_asleep: bool,
}

impl<'a> Path<'a> {
    /// A path on which the windows in `open` are open.
    pub fn new(windows: &'a Windows, open: u64) -> Self {
        Self { windows, open, inside: 0, was_asleep: false }
    }

    /// Visits the boundary where the machine stands. Returns the windows that contain it: before an
    /// instruction, or if the processor has just fallen asleep behind an instruction of theirs;
    /// else 0.
    pub fn look(&mut self, machine: &mut Machine) -> u64 {
        if machine.processor.is_asleep() {
            let has_just = !std::mem::replace(&mut self.was_asleep, true);
            return if has_just { self.inside } else { 0 };
        }
        self.was_asleep = false;
        if !machine.processor.is_instruction_next() {
            return 0;
        }
        self.inside = self.windows.visit(machine.pc(), &mut self.open);
        self.inside
    }
}

/// The settings of an undisturbed run.
pub struct Setting<'a> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// The windows as people wrote them, for messages.
    pub texts: &'a [WindowText],
    /// The windows.
    pub windows: &'a Windows,
    /// The limit of cycles, where there is one.
    pub limit: Option<u64>,
    /// The longest masked time that is allowed.
    pub max_mask: Option<u64>,
}

impl Setting<'_> {
    /// Runs `machine`, which has been reset, and notes every point. `None` after Ctrl-C.
    pub fn run(
        &self,
        machine: Machine,
        mut chooser: Chooser<'_>,
    ) -> anyhow::Result<Option<Undisturbed>> {
        let mut walker = Walker::new(machine, self.max_mask.is_some());
        let mut path = Path::new(self.windows, 0);
        let mut points: Vec<Point> = Vec::new();
        let (mut reached, mut first_point) = (0, None);
        let mut progress = Progress::new("undisturbed run", "cycles", self.limit);
        let limit = self.limit.unwrap_or(u64::MAX);
        let mut steps: u64 = 0;
        let stop = loop {
            steps += 1;
            if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
                progress.at(walker.machine.cycle());
                walker.meter();
                if ctrl_c::is_pressed() {
                    return Ok(None);
                }
                if dead_loop(&walker.machine).is_some() {
                    break Stop::CycleLimit;
                }
            }
            let open = path.open;
            let inside = path.look(&mut walker.machine);
            if inside != 0 {
                reached |= inside;
                let set = chooser.choose(&walker.machine);
                let asleep = walker.machine.processor.is_asleep();
                let (moment, pc) = (walker.at(), walker.machine.pc());
                points.push(Point { moment, pc, asleep, open, set });
                if first_point.is_none() {
                    // Start-up code may mask as long as it needs.
                    walker.forget_masked();
                    first_point = Some(walker.machine.snapshot());
                }
            }
            if walker.machine.cycle() >= limit {
                break Stop::CycleLimit;
            }
            if let Some(stop) = walker.step() {
                break stop;
            }
        };
        progress.finish();
        let instructions = walker.machine.instructions();
        let end = self.judge(&mut walker.machine, stop)?;
        self.check_masks(&mut walker)?;
        self.check_reached(reached)?;
        if let Some(first) = first_point {
            walker.machine.restore(&first);
        }
        chooser.check_found(&walker.machine)?;
        let sets = chooser.into_sets();
        let mut all: Vec<u16> = sets.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        let source = |e| Source::describe(self.firmware, &walker.machine, e);
        let sources = all.into_iter().map(source).collect();
        Ok(Some(Undisturbed { points, sets, sources, end, instructions }))
    }

    fn judge(&self, machine: &mut Machine, stop: Stop) -> anyhow::Result<End> {
        let end = End::of(machine, stop);
        if let Some(cause) = dead_loop(machine) {
            let report = examine(self.firmware, machine, &cause);
            bail!(
                "the firmware fails without any injection: {}; `quintet run` shows more",
                report.what
            );
        }
        if stop == Stop::CycleLimit {
            bail!(
                "the firmware does not end by itself: not within {} cycles, even undisturbed; it \
                 must end with exit code 0 by semihosting once all has happened (or needs a higher \
                 --max-cycles)",
                grouped(self.limit.unwrap_or(end.cycle()))
            );
        }
        if let Some(problem) = end.bad_stop() {
            bail!(
                "the firmware fails without any injection: {}; `quintet run` shows more",
                problem.describe(self.firmware)
            );
        }
        if let Some(overflow) = Overflow::find(self.firmware, machine) {
            if overflow.is_harmful {
                bail!(
                    "the firmware fails without any injection: {}; {}",
                    overflow.text(),
                    overflow.advice()
                );
            }
            output::complain(&format!("already undisturbed, {}", overflow.text()));
        }
        Ok(end)
    }

    fn check_masks(&self, walker: &mut Walker) -> anyhow::Result<()> {
        let now = walker.machine.cycle();
        let problem = self.max_mask.and_then(|limit| walker.meter()?.problem(now, limit));
        match problem {
            None => Ok(()),
            Some(problem) => bail!("already undisturbed, {}", problem.describe(self.firmware)),
        }
    }

    /// Checks that the run has reached every window. A window that it hasn't reached is not the one
    /// that the user meant.
    fn check_reached(&self, reached: u64) -> anyhow::Result<()> {
        let never = self.texts.iter().enumerate().find(|(index, _)| reached >> index & 1 == 0);
        match never {
            None => Ok(()),
            Some((_, text)) => bail!(
                "nothing executes in the window \"{}\": the firmware ends without reaching it",
                text.describe()
            ),
        }
    }
}

/// The rules of a run's comparison: the expected end, and the permitted differences.
pub struct Expectation<'a> {
    /// The end of the undisturbed run.
    pub end: &'a End,
    /// The comparisons.
    pub rules: &'a Rules,
    /// Runs end here.
    pub limit: u64,
    /// The longest masked time that is allowed.
    pub max_mask: Option<u64>,
}
