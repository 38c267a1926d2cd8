//! The time for which a run holds interrupts off, without the handlers that run meanwhile.
//!
//! A handler above the ceiling may interrupt code that has raised BASEPRI. The handler's time is
//! not masked time of that code. So an interval belongs to the level of nesting in which it began,
//! and nested intervals are subtracted.

use super::check::Problem;
use quintet_sim::machine::Machine;
use quintet_sim::processor::events::{Event, EventKind, Mask};

/// The registers, with their names.
const MASKS: [(Mask, &str); 3] =
    [(Mask::Primask, "PRIMASK"), (Mask::Faultmask, "FAULTMASK"), (Mask::Basepri, "BASEPRI")];

/// The cycles from a handler's return to the interrupted code, without wait states. With slower
/// memory, the rest counts as masked.
const UNSTACKING: u64 = 10;

/// An interval in which a register masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interval {
    start: u64,
    pc: u32,
    /// Cycles of handlers inside.
    nested: u64,
}

/// A level of nesting: thread mode, or a handler.
#[derive(Clone, Debug)]
struct Level {
    began: u64,
    /// The masks at the interval's beginning.
    entry: [u8; 3],
    open: [Option<Interval>; 3],
}

/// The longest interval of a register so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Longest {
    cycles: u64,
    pc: u32,
}

/// Measures masked time from the machine's events.
#[derive(Clone, Debug)]
pub struct MaskMeter {
    masks: [u8; 3],
    levels: Vec<Level>,
    longest: [Longest; 3],
}

impl MaskMeter {
    /// Starts with a machine that has just been reset.
    pub fn start(machine: &mut Machine) -> Self {
        machine.observe(true);
        let thread = Level { began: machine.cycle(), entry: [0; 3], open: [None; 3] };
        Self { masks: [0; 3], levels: vec![thread], longest: [Longest::default(); 3] }
    }

    /// Reads the events since the last call.
    pub fn read(&mut self, machine: &mut Machine) {
        for event in machine.take_events() {
            self.note(&event);
        }
    }

    /// Forgets the intervals that have ended.
    pub fn forget(&mut self) {
        self.longest = [Longest::default(); 3];
    }

    /// Returns a problem if an interval is longer than `limit` cycles.
    pub fn problem(&self, now: u64, limit: u64) -> Option<Problem> {
        let mut longest = self.longest;
        for level in &self.levels {
            for (longest, open) in longest.iter_mut().zip(level.open) {
                longest.add(open, now);
            }
        }
        let too_long = |longest: &&(Longest, &'static str)| longest.0.cycles > limit;
        let named: Vec<_> = longest.into_iter().zip(MASKS.map(|(_, name)| name)).collect();
        let (longest, register) = *named.iter().filter(too_long).max_by_key(|(l, _)| l.cycles)?;
        Some(Problem::Masked { register, cycles: longest.cycles, limit, pc: longest.pc })
    }

    fn note(&mut self, event: &Event) {
        match event.kind {
            EventKind::Enter { began, tail_chained, .. } => {
                if let (true, Some(level)) = (tail_chained, self.levels.last_mut()) {
                    for open in level.open.iter_mut().flatten() {
                        open.nested = open.nested.saturating_sub(UNSTACKING);
                    }
                }
                self.levels.push(Level { began, entry: self.masks, open: [None; 3] });
            }
            EventKind::Exit { .. } => self.leave(event.cycle),
            EventKind::MaskChange { mask, value, pc } => self.change(event.cycle, mask, value, pc),
            EventKind::Reset => {
                self.masks = [0; 3];
                self.levels.truncate(1);
                if let Some(thread) = self.levels.first_mut() {
                    thread.open = [None; 3];
                }
            }
            EventKind::Sleep { .. } | EventKind::Wake => {}
        }
    }

    fn change(&mut self, cycle: u64, mask: Mask, value: u8, pc: u32) {
        let Some(index) = MASKS.iter().position(|(known, _)| *known == mask) else { return };
        self.masks[index] = value;
        let Some(level) = self.levels.last_mut() else { return };
        let masks_more = value != 0 && value != level.entry[index];
        match (masks_more, level.open[index]) {
            (true, None) => level.open[index] = Some(Interval { start: cycle, pc, nested: 0 }),
            (false, Some(_)) => {
                self.longest[index].add(level.open[index].take(), cycle);
            }
            _ => {}
        }
    }

    /// A handler returns. Masks that it has left set go on in the code to which it returns.
    fn leave(&mut self, cycle: u64) {
        if self.levels.len() < 2 {
            return;
        }
        let Some(left) = self.levels.pop() else { return };
        let Some(level) = self.levels.last_mut() else { return };
        let taken = cycle.saturating_sub(left.began) + UNSTACKING;
        for index in 0..MASKS.len() {
            if let Some(open) = &mut level.open[index] {
                open.nested += taken;
            } else if self.masks[index] != level.entry[index] {
                level.open[index] = left.open[index];
            }
            let masks_more = self.masks[index] != 0 && self.masks[index] != level.entry[index];
            if !masks_more {
                self.longest[index].add(level.open[index].take(), cycle);
            }
        }
    }
}

impl Longest {
    fn add(&mut self, interval: Option<Interval>, end: u64) {
        let Some(interval) = interval else { return };
        let cycles = end.saturating_sub(interval.start).saturating_sub(interval.nested);
        if cycles > self.cycles {
            *self = Self { cycles, pc: interval.pc };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(events: &[(u64, EventKind)]) -> MaskMeter {
        let thread = Level { began: 0, entry: [0; 3], open: [None; 3] };
        let mut meter =
            MaskMeter { masks: [0; 3], levels: vec![thread], longest: [Longest::default(); 3] };
        for &(cycle, kind) in events {
            meter.note(&Event { cycle, kind });
        }
        meter
    }

    fn set(value: u8, pc: u32) -> EventKind {
        EventKind::MaskChange { mask: Mask::Basepri, value, pc }
    }

    fn enter(began: u64) -> EventKind {
        entry(began, false)
    }

    fn entry(began: u64, tail_chained: bool) -> EventKind {
        EventKind::Enter {
            exception: 16,
            began,
            tail_chained,
            late_arrival_over: None,
            return_address: 0,
        }
    }

    const EXIT: EventKind = EventKind::Exit { exception: 16, exc_return: 0 };

    #[track_caller]
    fn longest(events: &[(u64, EventKind)], cycles: u64, pc: u32) {
        let meter = meter(events);
        assert_eq!(meter.problem(1000, cycles), None);
        let problem = meter.problem(1000, cycles - 1).unwrap();
        let limit = cycles - 1;
        assert_eq!(problem, Problem::Masked { register: "BASEPRI", cycles, limit, pc });
    }

    #[test]
    fn handlers_inside_are_taken_off() {
        longest(&[(10, set(0x40, 1)), (30, set(0, 2))], 20, 1);
        let nested = [(10, set(0x40, 1)), (22, enter(15)), (25, EXIT), (50, set(0, 2))];
        longest(&nested, 20, 1);
    }

    #[test]
    fn handlers_that_follow_at_once_are_unstacked_once() {
        longest(
            &[
                (10, set(0x40, 1)),
                (22, enter(15)),
                (25, EXIT),
                (31, entry(25, true)),
                (40, EXIT),
                (60, set(0, 2)),
            ],
            60 - 10 - (40 - 15 + 10),
            1,
        );
    }

    #[test]
    fn a_handlers_own_lock_is_an_interval_of_its_own() {
        let events = [
            (10, set(0x40, 1)),
            (20, enter(20)),
            (30, set(0x20, 3)),
            (37, set(0x40, 4)),
            (50, EXIT),
            (62, set(0, 2)),
        ];
        longest(&events, 12, 1);
        let mut meter = meter(&events);
        assert_eq!(meter.longest[2], Longest { cycles: 12, pc: 1 });
        meter.forget();
        assert_eq!(meter.problem(1000, 0), None);
    }

    #[test]
    fn a_mask_that_outlives_its_handler_goes_on() {
        longest(&[(10, enter(10)), (20, set(0x20, 3)), (30, EXIT), (70, set(0, 9))], 50, 3);
        longest(&[(10, set(0x20, 5))], 990, 5);
    }
}
