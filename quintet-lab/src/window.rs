//! The part of a run that counts: from one place to another, each time.
//!
//! A window opens when the instruction at its beginning executes, and closes when the instruction
//! at its end does. An edge may be a time too, which comes once. Without a beginning, the window is
//! open from the start. Without an end, it stays open to the end of the run.

use quintet_sim::cores::Core;

/// Where a window opens or closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The address of an instruction, each time that it executes.
    Place(u32),
    /// A cycle.
    Time(u64),
}

/// Follows a run. [`Window::look`] follows each step.
#[derive(Clone, Debug)]
pub struct Window {
    from: Option<Edge>,
    to: Option<Edge>,
    is_open: bool,
    /// The beginning of each time, and the end of those that are over; in order.
    times: Vec<(u64, u64)>,
    cycle: u64,
    instructions: u64,
}

impl Window {
    /// Before the first step.
    pub fn new(from: Option<Edge>, to: Option<Edge>) -> Self {
        let times = if from.is_none() { vec![(0, u64::MAX)] } else { Vec::new() };
        Self { from, to, is_open: from.is_none(), times, cycle: 0, instructions: 0 }
    }

    /// Looks at the machine after the step at `from`.
    pub fn look(&mut self, machine: &impl Core, from: u32) {
        self.note(from, machine.cycle(), machine.instructions());
    }

    fn note(&mut self, from: u32, cycle: u64, instructions: u64) {
        let began = std::mem::replace(&mut self.cycle, cycle);
        // If an exception came before the instruction, the instruction was not executed.
        if std::mem::replace(&mut self.instructions, instructions) == instructions {
            return;
        }
        if self.is_open && is_at(self.to, from, began) {
            self.is_open = false;
            if let Some((_, end)) = self.times.last_mut() {
                *end = began;
            }
        }
        // A time comes once, and no window opens behind a time that is its end.
        let is_new = match (self.from, self.to) {
            (_, Some(Edge::Time(end))) if began >= end => false,
            (Some(Edge::Time(_)), _) => self.times.is_empty(),
            _ => true,
        };
        if !self.is_open && is_new && is_at(self.from, from, began) {
            self.is_open = true;
            self.times.push((began, u64::MAX));
        }
    }

    /// Returns `true` if the window was open in a past cycle.
    pub fn holds(&self, cycle: u64) -> bool {
        let last = self.times.partition_point(|(start, _)| *start <= cycle).checked_sub(1);
        last.is_some_and(|last| self.times[last].1 > cycle)
    }

    /// Returns how often the window was open.
    pub fn times(&self) -> u64 {
        self.times.len() as u64
    }

    /// Returns for how many cycles the window was open until `now`.
    pub fn cycles(&self, now: u64) -> u64 {
        self.times.iter().map(|(start, end)| end.min(&now).saturating_sub(*start)).sum()
    }
}

/// Returns `true` if the instruction at `place`, in this cycle, is at the edge.
fn is_at(edge: Option<Edge>, place: u32, cycle: u64) -> bool {
    match edge {
        Some(Edge::Place(address)) => address == place,
        Some(Edge::Time(time)) => cycle >= time,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_comes_once() {
        let after = |from, to, steps: &[u32]| {
            let mut window = Window::new(from, to);
            for (index, step) in steps.iter().enumerate() {
                window.note(*step, 10 * (index as u64 + 1), index as u64 + 1);
            }
            (window.times(), window.cycles(10 * steps.len() as u64))
        };
        let (time, place) = (|cycle| Some(Edge::Time(cycle)), |at| Some(Edge::Place(at)));
        let steps = [1, 2, 3, 1, 2, 3];
        assert_eq!(after(time(15), None, &steps), (1, 40), "it opens in cycle 20");
        assert_eq!(after(time(15), time(40), &steps), (1, 20));
        assert_eq!(after(time(15), place(3), &steps), (1, 30));
        assert_eq!(after(time(5), place(3), &steps), (1, 10), "and no second time");
        assert_eq!(after(place(2), time(20), &steps), (1, 10));
        assert_eq!(after(None, time(30), &steps), (1, 30));
    }

    /// Runs steps of ten cycles each. If an address comes twice, the first is an exception's entry.
    fn after(from: Option<u32>, to: Option<u32>, steps: &[u32]) -> Window {
        let mut window = Window::new(from.map(Edge::Place), to.map(Edge::Place));
        let mut instructions = 0;
        for (index, step) in steps.iter().enumerate() {
            instructions += u64::from(steps.get(index + 1) != Some(step));
            window.note(*step, 10 * (index as u64 + 1), instructions);
        }
        window
    }

    #[test]
    fn a_window_is_open_from_place_to_place_each_time() {
        let window = after(Some(2), Some(3), &[1, 2, 1, 3, 2, 2, 1]);
        assert_eq!((window.times(), window.cycles(70)), (2, 20 + 20));
        let open: Vec<u64> = (0..70).step_by(10).filter(|cycle| window.holds(*cycle)).collect();
        assert_eq!(open, [10, 20, 50, 60]);
        assert!(!window.holds(9) && window.holds(29) && !window.holds(30));
    }

    #[test]
    fn either_end_may_be_left_out() {
        let ends = |from, to| {
            let window = after(from, to, &[1, 2, 3, 2, 3]);
            (window.times(), window.cycles(50))
        };
        assert_eq!(ends(None, None), (1, 50));
        assert_eq!(ends(Some(2), None), (1, 40));
        assert_eq!(ends(None, Some(3)), (1, 20));
        assert_eq!(ends(Some(9), None), (0, 0));
        assert_eq!(ends(Some(2), Some(2)), (2, 40), "its end is its next beginning");
    }
}
