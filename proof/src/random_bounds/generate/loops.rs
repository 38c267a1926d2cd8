//! Random loops.

use super::{DEPTH, Maker};
use crate::random_bounds::program::{Counted, Counter, Kind, Rounds, Stmt, Until};

impl Maker<'_> {
    /// A loop around a body; none if there is no room.
    pub fn repeat(&mut self, kind: Kind, depth: u32) -> Stmt {
        let room = self.left / self.times.max(1);
        if depth >= DEPTH || room < 6 {
            return self.plain(DEPTH);
        }
        let most = (room / 4).clamp(2, if kind == Kind::Nested { 12 } else { 40 });
        let rounds = self.rounds(kind, most);
        let id = self.next;
        self.next += 1;
        let outer = (self.times, self.in_loop);
        self.times = self.times.saturating_mul(most);
        self.in_loop = true;
        self.counters.push(id);
        let mut body = self.block(depth);
        if kind == Kind::Nested && depth + 1 < DEPTH {
            let kind = if self.random.one_in(3) { kind } else { Kind::Counted };
            body.push(self.repeat(kind, depth + 1));
        }
        self.counters.pop();
        (self.times, self.in_loop) = outer;
        Stmt::Loop { id, rounds, body }
    }

    fn rounds(&mut self, kind: Kind, most: u32) -> Rounds {
        match kind {
            Kind::Data => match self.random.below(7) {
                0 => Rounds::Bits(self.expr(1)),
                1 => Rounds::Shifts(self.expr(1), 1 + self.random.below(3)),
                2 => Rounds::Search(most),
                3 => Rounds::Pointer(1 + self.random.below(most.min(24))),
                4 => Rounds::Steps(most, self.expr(1), [1, 2 + self.random.below(3)]),
                _ => Rounds::Clamped(self.expr(1), most),
            },
            Kind::Traps => match self.random.below(3) {
                0 => Rounds::Skips(self.counted(most), self.expr(1)),
                1 => Rounds::Resets(self.counted(most), self.expr(1), 1 + self.random.below(3)),
                _ => Rounds::Steps(most, self.expr(1), [1, 3]),
            },
            Kind::Nested => match self.counters.last() {
                Some(outer) if self.random.one_in(4) => Rounds::Triangle(*outer),
                _ => Rounds::Counted(self.counted(most)),
            },
            _ => Rounds::Counted(self.counted(most)),
        }
    }

    /// The limits of a loop with at most so many rounds, which may wrap around.
    fn counted(&mut self, most: u32) -> Counted {
        let all = [Counter::U32, Counter::U32, Counter::I32, Counter::U8, Counter::U16];
        let counter = self.random.pick(&all);
        let all = [
            Until::Less,
            Until::Less,
            Until::NotMore,
            Until::NotEqual,
            Until::More,
            Until::NotLess,
            Until::DownNotEqual,
        ];
        let until = self.random.pick(&all);
        let step = 1 + self.random.below(3) * self.random.below(3);
        let rounds = 1 + self.random.below(most);
        let low = match self.random.below(4) {
            0 if counter == Counter::I32 => 0_u32.wrapping_sub(step * (rounds / 2)),
            0 => 1 + self.random.below(30),
            _ => 0,
        };
        let mut high = low.wrapping_add(step * rounds);
        let exact = matches!(until, Until::NotEqual | Until::DownNotEqual);
        if !exact && step > 1 {
            high = high.wrapping_sub(self.random.below(step));
        }
        if counter == Counter::U8 && high > 250 {
            high = 250 - if exact { 250 % step } else { 0 };
        }
        let low = if exact && counter == Counter::U8 { high % step } else { low };
        let is_down = matches!(until, Until::More | Until::NotLess | Until::DownNotEqual);
        // Down to zero while it isn't less than zero, an unsigned number never ends.
        let until = match until {
            Until::NotLess if low < step => Until::More,
            other => other,
        };
        let (from, to) = if is_down { (high, low) } else { (low, high) };
        Counted { counter, from, to, step, until, tests_last: self.random.one_in(4) }
    }
}
