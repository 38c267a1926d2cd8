//! The way back: states of the past, and all that a debugger did since.
//!
//! ```text
//!  steps   0 ──────── 65536 ──────── 131072 ─────── now
//!  states  [0]         [1]             [2]
//!                                       └── restored, then the steps are made again ──> any place
//! ```
//! A run repeats exactly, so a place in the past is a number of steps. The nearest state before the
//! place is restored, and the steps from there are made again. States are dense near the present
//! and sparse far from it: a run of any length keeps at most `STATES_MAX`.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use quintet_sim::bus::WatchedRange;

use super::halting::Halting;

/// The number of steps between two new states.
const INTERVAL: u64 = 1 << 16;

/// The most states that are kept.
const STATES_MAX: usize = 96;

/// The steps between two questions whether to go on.
const CHUNK: u64 = 20_000;

/// What a debugger does between two steps and the run must repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It halted the core.
    Halt,
    /// It went on behind a breakpoint instruction.
    Skip,
    /// The next step was made with interrupts held off.
    Mask,
}

/// The past of a machine.
#[derive(Clone)]
pub struct History<M: Halting> {
    /// The number of steps made.
    now: u64,
    /// The first is the beginning.
    states: Vec<(u64, M::State)>,
    acts: Vec<(u64, Act)>,
    /// So far the output was taken.
    printed_to: u64,
}

impl<M: Halting> History<M> {
    /// The history that begins now.
    pub fn new(machine: &mut M) -> Self {
        Self { now: 0, states: vec![(0, machine.save())], acts: Vec::new(), printed_to: 0 }
    }

    /// Forgets the past: someone has changed the machine by hand.
    pub fn begin_anew(&mut self, machine: &mut M) {
        *self = Self::new(machine);
    }

    /// The number of steps since the beginning.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Notes a step, which has been made.
    #[inline]
    pub fn step(&mut self, machine: &mut M) {
        self.now += 1;
        if self.now.is_multiple_of(INTERVAL) {
            self.keep(machine);
        }
        if self.now == self.printed_to {
            drop(machine.take_output());
        }
    }

    /// Notes an act at the present place.
    pub fn act(&mut self, act: Act) {
        self.acts.push((self.now, act));
    }

    /// Returns `true` if what the program prints now was printed before.
    pub fn is_past(&self) -> bool {
        self.now < self.printed_to
    }

    /// Notes that all output so far was taken.
    pub fn printed(&mut self) {
        self.printed_to = self.printed_to.max(self.now);
    }

    fn keep(&mut self, machine: &mut M) {
        if self.states.last().is_some_and(|(at, _)| *at >= self.now) {
            return;
        }
        self.states.push((self.now, machine.save()));
        if self.states.len() > STATES_MAX {
            let now = self.now;
            // The one whose neighbours are nearest to each other, as seen from now.
            let gap = |index: &usize| {
                let (before, after) = (self.states[index - 1].0, self.states[index + 1].0);
                (after - before) as f64 / (now - self.states[*index].0 + INTERVAL) as f64
            };
            let candidates = 1..self.states.len() - 1;
            let least = candidates.min_by(|left, right| gap(left).total_cmp(&gap(right)));
            least.map(|index| self.states.remove(index));
        }
    }

    /// Restores the state with a number, and makes the steps from there to `end` again. Before
    /// each of them, and at `end`, `visit` sees the machine and the place; it may break off.
    fn repeat(
        &self,
        machine: &mut M,
        (state, end): (usize, u64),
        watches: &[WatchedRange],
        visit: &mut dyn FnMut(&mut M, Seen) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut accessed = None;
        let (mut at, ref state) = self.states[state];
        machine.go_back(state);
        let mut next = self.acts.partition_point(|(place, _)| *place < at);
        // A state is kept before the acts at its place.
        loop {
            let mut masks = false;
            while let Some((_, act)) = self.acts.get(next).filter(|(place, _)| *place == at) {
                match act {
                    Act::Halt => machine.halt(),
                    Act::Skip if at < end => machine.skip_breakpoint(),
                    Act::Mask if at < end => masks = true,
                    Act::Skip | Act::Mask => {}
                }
                next += 1;
            }
            visit(machine, Seen { at, end, accessed })?;
            if at >= end {
                return ControlFlow::Continue(());
            }
            machine.mask_interrupts(masks);
            accessed = machine.step_watching(watches).1;
            machine.mask_interrupts(false);
            at += 1;
        }
    }

    /// Goes to a place that is not after the present one.
    pub fn go_to(&mut self, machine: &mut M, place: u64) {
        let state = self.states.partition_point(|(at, _)| *at <= place).saturating_sub(1);
        let _ = self.repeat(machine, (state, place), &[], &mut |_, _| ControlFlow::Continue(()));
        drop(machine.take_output());
        // The future is another one now.
        self.states.truncate(state + 1);
        self.acts.retain(|(at, act)| *at < place || *at == place && *act == Act::Halt);
        self.printed_to = self.printed_to.max(self.now);
        self.now = place;
    }

    /// Goes to the last place of the past that the search returns, or to the beginning if there is
    /// none. The search sees the machine at all places from some place up to the present one, in
    /// order, and begins anew for each such series. Returns the place; `None` inside of `Some` is
    /// the beginning. `None`: `go_on` has broken off, and the machine is where it was.
    pub fn search<S: Search<M>>(
        &mut self,
        machine: &mut M,
        search: &mut S,
        watches: &[WatchedRange],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Option<u64>> {
        let now = self.now;
        let mut first = self.states.partition_point(|(at, _)| *at < now).saturating_sub(1);
        let mut more = 1;
        loop {
            search.begin(first == 0);
            let mut found = None;
            let broken = self.repeat(machine, (first, now), watches, &mut |machine, seen| {
                if seen.at.is_multiple_of(CHUNK) && !go_on() {
                    return ControlFlow::Break(());
                }
                found = search.see(machine, seen).or(found);
                ControlFlow::Continue(())
            });
            if broken.is_break() {
                self.go_to(machine, now);
                return None;
            }
            if found.is_some() || first == 0 {
                self.go_to(machine, found.unwrap_or(self.states[0].0));
                return Some(found);
            }
            first = first.saturating_sub(more);
            more *= 2;
        }
    }
}

/// A moment of the past, as a search sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The place.
    pub at: u64,
    /// The last place of the series, which is the present.
    pub end: u64,
    /// The watched range that the step to this place has accessed.
    pub accessed: Option<WatchedRange>,
}

/// Looks for a place in the past.
pub trait Search<M> {
    /// A series of places begins. `is_whole` if nothing is before it.
    fn begin(&mut self, is_whole: bool);

    /// Sees a place of the series. Returns a place to go to, before the last one.
    fn see(&mut self, machine: &mut M, seen: Seen) -> Option<u64>;
}

/// Looks for the last stop: a breakpoint, or the instruction of an access that is watched.
pub struct Stops<'a> {
    /// The breakpoints.
    pub breakpoints: &'a BTreeSet<u32>,
    /// The watched range of the access that was seen last.
    pub accessed: Option<WatchedRange>,
}

impl<M: Halting> Search<M> for Stops<'_> {
    fn begin(&mut self, _: bool) {
        self.accessed = None;
    }

    fn see(&mut self, machine: &mut M, seen: Seen) -> Option<u64> {
        let is_here = seen.at < seen.end && self.breakpoints.contains(&machine.pc());
        if is_here && machine.is_instruction_next() {
            self.accessed = None;
            return Some(seen.at);
        }
        self.accessed = Some(seen.accessed?);
        // Back before the instruction that made the access.
        seen.at.checked_sub(1)
    }
}
