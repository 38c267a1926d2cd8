//! Second injections: behind each first one, before the instructions that come then.
//!
//! The run of a first injection is walked twice: to count the places for a second one, and, when
//! it is known which of all are chosen, to make these.

use std::ops::Range;

use quintet_sim::machine::Stop;
use quintet_sim::riscv::machine::Machine;

use super::super::sample::Stride;
use super::super::windows::Windows;
use super::{End, LINES, Question, Struck, Tally, Task};
use crate::ctrl_c;
use crate::progress::Progress;

/// Which second injections are made.
pub struct Pairs {
    /// The most of them; all if there is no number.
    pub most: Option<u64>,
    /// Up to so many points behind the first.
    pub distance: Option<u64>,
    /// The code and the marks; those of the first injections if there are none.
    pub windows: Option<Windows>,
}

/// The runs of first injections, and how many seconds each has.
pub struct Firsts {
    all: Vec<(Task, Range<u64>)>,
    possible: u64,
}

impl Firsts {
    /// None yet.
    pub const fn new() -> Self {
        Self { all: Vec::new(), possible: 0 }
    }

    /// How many seconds there are in all.
    pub const fn possible(&self) -> u64 {
        self.possible
    }
}

impl Question<'_> {
    /// Counts the places for a second injection behind a first one, which has been made.
    pub(super) fn count_seconds(
        &self,
        firsts: &mut Firsts,
        task: Task,
        machine: Machine,
        pairs: &Pairs,
        limit: u64,
    ) {
        let mut count = 0;
        self.walk_seconds(machine, pairs, limit, &mut |_, _| {
            count += 1;
            true
        });
        let end = firsts.possible + count;
        firsts.all.push((task, firsts.possible..end));
        firsts.possible = end;
    }

    /// Makes the chosen pairs. `start` has run nothing yet.
    pub(super) fn strike_seconds(
        &self,
        (firsts, pairs): (&Firsts, &Pairs),
        start: &Machine,
        (expected, limit): (&End, u64),
        tally: &mut Tally,
    ) -> Vec<super::Failure> {
        let groups = LINES.len() as u64;
        let stride = Stride::new(firsts.possible, pairs.most, groups, self.seed);
        let all = stride.count(0..firsts.possible);
        let mut progress = Progress::new("pairs", "runs", Some(all));
        let mut failures = Vec::new();
        let mut walker = start.clone();
        for ((before, line), range) in &firsts.all {
            if ctrl_c::is_pressed() {
                break;
            }
            if stride.count(range.clone()) == 0 {
                continue;
            }
            super::go_to(&mut walker, *before);
            let first = Struck::at(&walker, *line, self.firmware);
            let mut machine = walker.clone();
            machine.pulse(LINES.get(*line).map_or(0, |(_, bit)| *bit));
            let mut index = range.start;
            self.walk_seconds(machine, pairs, limit, &mut |machine, second| {
                let is_chosen = stride.takes(index);
                index += 1;
                if is_chosen {
                    let (at_once, problems) = self.run_struck(machine, second, expected, limit);
                    tally.note(at_once, !problems.is_empty());
                    progress.at(tally.runs);
                    if !problems.is_empty() {
                        let second = Struck::at(machine, second, self.firmware);
                        failures.push(first.clone().failure(Some(second), problems));
                    }
                }
                index < range.end && !ctrl_c::is_pressed()
            });
        }
        progress.finish();
        failures
    }

    /// Walks the run of a first injection, and visits each place for a second one: the machine
    /// before the instruction, and the line. The walk ends when the visitor returns `false`.
    fn walk_seconds(
        &self,
        mut machine: Machine,
        pairs: &Pairs,
        limit: u64,
        visit: &mut dyn FnMut(&Machine, usize) -> bool,
    ) {
        let windows = pairs.windows.as_ref().or(self.windows.as_ref());
        let mut open = 0;
        let mut points = 0;
        while machine.hart.cycle() < limit {
            let lines = self.lines_at(&mut machine, windows, &mut open);
            if lines != 0 {
                points += 1;
                if pairs.distance.is_some_and(|most| points > most) {
                    return;
                }
                for (line, _) in LINES.iter().enumerate().filter(|(_, (_, bit))| lines & bit != 0) {
                    if !visit(&machine, line) {
                        return;
                    }
                }
            }
            match machine.step() {
                None | Some(Stop::Watch(_)) => {}
                Some(_) => return,
            }
        }
    }
}
