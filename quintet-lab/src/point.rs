//! A point of a run, as `--from` and `--to` name it in every command: a time, or a place in code.
//!
//! ```text
//!  10ms, 2.5s, 1200            a time: with a unit, or in cycles
//!  main, Sensor::read+0x12     a place: the run is there when the instruction executes
//!  0x1a4                       a place, by its address
//! ```
//! A run passes a place each time that it comes there, and a time once. Commands that need one
//! stretch of time, such as a timeline, take the first time that the run comes to a place.

use std::collections::BTreeMap;

use anyhow::{Context, bail};

use crate::commands::measure::place;
use crate::commands::options::MachineOptions;
use crate::firmware::Firmware;
use crate::simulated::{Simulated, has_trapped};
use crate::simulation::{Follow, Simulation, Sink};
use crate::trace::span::{Span, in_words};
use crate::window::Edge;

/// A point of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Point {
    /// A time since the start.
    Time(Span),
    /// A place, as people write it.
    Place(String),
}

impl Point {
    /// Reads a point.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_number = text.starts_with(|first: char| first.is_ascii_digit());
        if !is_number || text.starts_with("0x") || text.starts_with("0X") {
            return Ok(Self::Place(text.to_owned()));
        }
        let place = "; a place is a symbol, symbol+offset, or an address as 0x1a4";
        Span::parse(text).map(Self::Time).map_err(|error| error + place)
    }

    /// Returns the place, for a command that needs one which the run passes again and again.
    pub fn place(&self) -> anyhow::Result<&str> {
        match self {
            Self::Place(text) => Ok(text),
            Self::Time(_) => bail!(
                "that is a time, which a run passes once, and here it is a place that counts: \
                 write a symbol, symbol+offset, or an address as 0x1a4"
            ),
        }
    }

    /// Finds the place or the cycle.
    pub fn edge(&self, firmware: &Firmware, clock_hz: u64) -> anyhow::Result<Edge> {
        Ok(match self {
            Self::Time(span) => Edge::Time(span.cycles(clock_hz)),
            Self::Place(text) => Edge::Place(place(firmware, text)?),
        })
    }

    /// The point as people write it.
    pub fn text(&self) -> String {
        match self {
            Self::Time(Span::Cycles(cycles)) => cycles.to_string(),
            Self::Time(Span::Seconds(seconds)) => format!("{seconds}s"),
            Self::Place(text) => text.clone(),
        }
    }
}

/// Finds the edges of `--from` and `--to`. A second has `clock` cycles.
pub fn edges(
    firmware: &Firmware,
    clock: u64,
    [from, to]: [Option<&Point>; 2],
) -> anyhow::Result<[Option<Edge>; 2]> {
    let edge = |point: Option<&Point>| point.map(|point| point.edge(firmware, clock)).transpose();
    Ok([edge(from).context("--from")?, edge(to).context("--to")?])
}

/// Returns the cycles of `--from` and `--to`. If one of them is a place, the firmware runs once to
/// see when it comes there first; the end is looked for behind the beginning. An end that the run
/// doesn't come to is none.
pub fn cycles<M: Simulated>(
    firmware: &Firmware,
    options: &MachineOptions,
    points: [Option<&Point>; 2],
) -> anyhow::Result<[Option<u64>; 2]> {
    let edges = edges(firmware, M::clock_of(options, firmware)?, points)?;
    let mut passing = Passing { edges, cycles: [None, None], next: (0, 0, 0, 0) };
    passing.settle();
    if !passing.edges.iter().flatten().any(|edge| matches!(edge, Edge::Place(_))) {
        return Ok(passing.cycles);
    }
    let mut simulation = Simulation::<M>::new(firmware, options, Sink::Keep(BTreeMap::new()))?;
    passing.next.0 = simulation.machine.pc();
    simulation.advance_following(&mut passing)?;
    if let ([None, _], Some(from)) = (passing.cycles, points[0]) {
        let end = simulation.machine.cycle();
        let clock = simulation.machine.clock_hz();
        bail!("--from: {} was never reached in {}", from.text(), in_words(end, clock));
    }
    Ok(passing.cycles)
}

/// Looks when a run comes to places first.
struct Passing {
    edges: [Option<Edge>; 2],
    cycles: [Option<u64>; 2],
    /// The next instruction, its cycle, how many were executed before, and the handler.
    next: (u32, u64, u64, u16),
}

impl Passing {
    /// Takes times as what they are.
    fn settle(&mut self) {
        for (edge, cycle) in self.edges.iter().zip(&mut self.cycles) {
            if let Some(Edge::Time(time)) = edge {
                *cycle = Some(*time);
            }
        }
    }

    /// The instruction at `pc` was executed in this cycle.
    fn pass(&mut self, pc: u32, cycle: u64) {
        let is_at = |edge: Option<Edge>| edge == Some(Edge::Place(pc));
        let [from, to] = self.edges;
        let began = match from {
            None => Some(0),
            Some(_) => self.cycles[0],
        };
        if self.cycles[1].is_none() && is_at(to) && began.is_some_and(|began| cycle >= began) {
            self.cycles[1] = Some(cycle);
        }
        if self.cycles[0].is_none() && is_at(from) {
            self.cycles[0] = Some(cycle);
        }
    }

    fn is_done(&self) -> bool {
        self.edges.iter().zip(self.cycles).all(|(edge, cycle)| edge.is_none() || cycle.is_some())
    }
}

impl<M: Simulated> Follow<M> for Passing {
    fn step(&mut self, machine: &mut M, _is_hit: bool) -> bool {
        let next = (machine.pc(), machine.cycle(), machine.instructions(), machine.handler());
        let (pc, cycle, executed, handler) = std::mem::replace(&mut self.next, next);
        if executed != machine.instructions() || has_trapped(machine, handler) {
            self.pass(pc, cycle);
        }
        !self.is_done()
    }

    fn printed(&mut self, _: u64, _: &str, _: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_a_time_or_a_place() {
        let parse = |text: &str| Point::parse(text);
        let place = |text: &str| Ok(Point::Place(text.to_owned()));
        assert_eq!(parse("10ms"), Ok(Point::Time(Span::Seconds(0.01))));
        assert_eq!(parse("1_200"), Ok(Point::Time(Span::Cycles(1200))));
        for text in ["main", "app::step+0x12", "0x1a4", "<T as U>::f", "_start"] {
            assert_eq!(parse(text), place(text), "{text}");
        }
        let refused = parse("10min").unwrap_err();
        assert!(refused.contains("write 10ms") && refused.contains("as 0x1a4"), "{refused}");
        let time = parse("5ms").unwrap();
        assert!(time.place().unwrap_err().to_string().contains("which a run passes once"));
        assert_eq!(parse("main").unwrap().place().unwrap(), "main");
    }

    #[test]
    fn a_place_is_passed_first_behind_the_beginning() {
        let passed = |edges: [Option<Edge>; 2], places: &[u32]| {
            let mut passing = Passing { edges, cycles: [None, None], next: (0, 0, 0, 0) };
            passing.settle();
            for (cycle, place) in (0..).step_by(10).zip(places) {
                passing.pass(*place, cycle);
            }
            passing.cycles
        };
        let place = |place| Some(Edge::Place(place));
        assert_eq!(passed([place(2), place(3)], &[1, 3, 2, 1, 3, 2, 3]), [Some(20), Some(40)]);
        assert_eq!(passed([place(2), place(2)], &[1, 2, 1, 2]), [Some(10), Some(30)]);
        assert_eq!(passed([None, place(1)], &[1, 2]), [None, Some(0)]);
        assert_eq!(passed([Some(Edge::Time(15)), place(1)], &[1, 1, 1]), [Some(15), Some(20)]);
        assert_eq!(passed([place(9), None], &[1, 2]), [None, None]);
    }
}
