//! The units that have begun in a context, and not ended.
//!
//! A context is thread mode, a thread, or a handler. Code of a unit may be a function of its own
//! or be inlined into another one, the body. What begins and ends is seen from the program
//! counter, without the stack's content:
//!
//! ```text
//!                 code of it                     a call, by the link register
//!   (not there) ──────────────> inside the body ───────────────────────────> in a called function
//!        ^                            │  ^                                            │
//!        └────────────────────────────┘  └────────────────────────────────────────────┘
//!          left without a call, or other                 in the body again
//!          code of the body, for a while
//! ```
//!
//! A body may end with a jump to the first instruction of a function, which returns for it: a tail
//! call. What is open then goes on until that function returns.
//!
//! Compilers move instructions, so code of the body within that of a unit doesn't end it before
//! there are [`GAP_MAX`] instructions in a row.

use super::map::Map;

/// The most instructions of the body in a row that don't end a unit which goes on behind them.
pub const GAP_MAX: u8 = 8;

/// The most bodies at once: more are recursion, or code that leaves them in other ways.
const DEPTH_MAX: usize = 64;

/// An event of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The unit began.
    Begin(u16),
    /// The unit ended.
    End {
        /// The unit.
        unit: u16,
        /// The unit's first cycle.
        start: u64,
        /// The cycle behind the unit's last one.
        end: u64,
        /// The cycles of its context between.
        own: u64,
    },
}

/// The place of a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The next instruction.
    pub pc: u32,
    /// The stack pointer.
    pub stack: u32,
    /// The link register.
    pub link: u32,
    /// The cycle.
    pub cycle: u64,
}

/// A unit that has begun.
#[derive(Clone, Copy, Debug)]
struct Open {
    unit: u16,
    start: u64,
    own: u64,
}

/// A function that has code of units, and has begun.
#[derive(Clone, Debug)]
struct Body {
    body: u16,
    stack: u32,
    /// The stack pointer and the link register of the function that it jumped to at its end.
    tail: Option<(u32, u32)>,
    is_inside: bool,
    open: Vec<Open>,
    gap: Option<Gap>,
}

/// Code that does not belong to all that is open.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The first cycle, and the context's own cycles by then.
    since: (u64, u64),
    /// The number of instructions.
    count: u8,
    /// The fewest open units that the code belonged to.
    same: usize,
}

/// A context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The context's cycles.
    pub cycles: u64,
    /// The instruction that it executes next, as far as is known.
    pc: u32,
    list: u16,
    body: u16,
    in_gap: bool,
    bodies: Vec<Body>,
}

impl Context {
    /// Makes a context that has had so many cycles before its first instruction.
    pub fn after(cycles: u64) -> Self {
        Self { cycles, ..Self::default() }
    }

    /// Returns the instruction that the context executes next, as far as is known.
    pub fn next(&self) -> u32 {
        self.pc
    }

    /// Returns the unit that began last.
    pub fn innermost(&self) -> Option<u16> {
        self.bodies.last()?.open.last().map(|open| open.unit)
    }

    /// Looks at the context's place after one of its instructions, or before the first one.
    #[inline]
    pub fn look(&mut self, map: &Map, place: Place, changes: &mut Vec<Change>) {
        let cell = map.cell(place.pc);
        let from = std::mem::replace(&mut self.pc, place.pc);
        if cell.list == self.list && cell.body == self.body && !self.in_gap {
            return;
        }
        (self.list, self.body) = (cell.list, cell.body);
        self.moved(map, from, place, changes);
    }

    fn moved(&mut self, map: &Map, from: u32, place: Place, changes: &mut Vec<Change>) {
        while let Some(top) = self.bodies.last_mut() {
            if top.body == self.body {
                (top.is_inside, top.tail) = (true, None);
                top.update(map.units(self.list), (place.cycle, self.cycles), changes);
                self.in_gap = top.gap.is_some();
                if top.open.is_empty() {
                    self.bodies.pop();
                }
                return;
            }
            let returns_to = place.link & !1;
            let is_call = returns_to == from.wrapping_add(4) || returns_to == from.wrapping_add(2);
            if top.is_inside && !is_call && map.is_start(place.pc) {
                top.tail = Some((place.stack, place.link));
                top.is_inside = false;
            }
            let is_left = match top.is_inside {
                true => !is_call,
                false => top.is_left(&place),
            };
            if !is_left {
                top.is_inside = false;
                top.close_gap(changes);
                if top.open.is_empty() {
                    self.bodies.pop();
                    continue;
                }
                break;
            }
            top.close_gap(changes);
            top.end(0, (place.cycle, self.cycles), changes);
            self.bodies.pop();
        }
        self.in_gap = false;
        let units = map.units(self.list);
        if !units.is_empty() && self.bodies.len() < DEPTH_MAX {
            let mut body = Body {
                body: self.body,
                stack: place.stack,
                tail: None,
                is_inside: true,
                open: Vec::new(),
                gap: None,
            };
            body.update(units, (place.cycle, self.cycles), changes);
            self.bodies.push(body);
        }
    }

    /// Ends everything: the context has ended.
    pub fn close(&mut self, cycle: u64, changes: &mut Vec<Change>) {
        while let Some(mut body) = self.bodies.pop() {
            body.close_gap(changes);
            body.end(0, (cycle, self.cycles), changes);
        }
        (self.list, self.body, self.in_gap) = (0, 0, false);
    }
}

impl Body {
    /// Returns `true` if the function that it called or jumped to has returned.
    fn is_left(&self, place: &Place) -> bool {
        match self.tail {
            None => place.stack > self.stack,
            Some((stack, link)) => {
                place.stack > stack || (place.stack, place.pc) == (stack, link & !1)
            }
        }
    }

    /// Begins and ends units, for an instruction that belongs to `units`.
    fn update(&mut self, units: &[u16], now: (u64, u64), changes: &mut Vec<Change>) {
        let same = self.open.iter().zip(units).take_while(|(open, unit)| open.unit == **unit);
        let same = same.count();
        if same == units.len() && same < self.open.len() {
            let gap = self.gap.get_or_insert(Gap { since: now, count: 0, same });
            gap.count += 1;
            gap.same = gap.same.min(same);
            if gap.count > GAP_MAX {
                self.close_gap(changes);
            }
            return;
        }
        let ended = self.gap.take().map_or(now, |gap| gap.since);
        self.end(same, ended, changes);
        for unit in units.iter().skip(same) {
            self.open.push(Open { unit: *unit, start: now.0, own: now.1 });
            changes.push(Change::Begin(*unit));
        }
    }

    /// The body is left where code doesn't belong to all that is open: none of that goes on.
    fn close_gap(&mut self, changes: &mut Vec<Change>) {
        if let Some(gap) = self.gap.take() {
            self.end(gap.same, gap.since, changes);
        }
    }

    /// Ends all from the number `first` on, the innermost first.
    fn end(&mut self, first: usize, (cycle, cycles): (u64, u64), changes: &mut Vec<Change>) {
        while self.open.len() > first {
            let Some(Open { unit, start, own }) = self.open.pop() else { break };
            let own = cycles.saturating_sub(own);
            changes.push(Change::End { unit, start, end: cycle.max(start), own });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit 0 is inlined into the body 1 at 0x104 to 0x107 and 0x10a to 0x10b; the body 2, from
    /// 0x120 on, belongs to unit 1; the body 3, from 0x130 on, to nothing.
    fn map() -> Map {
        let mut cells = vec![(0, 1); 16];
        for inlined in [2, 3, 5] {
            cells[inlined].0 = 1;
        }
        cells.extend([(2, 2); 8]);
        cells.extend([(0, 3); 8]);
        Map::at(0x100, &cells, &[&[], &[0], &[1]])
    }

    /// What changes after instructions of ten cycles, each with its link register and stack.
    fn after(places: &[(u32, u32, u32)]) -> (Vec<String>, Context) {
        let (mut context, mut changes) = (Context::default(), Vec::new());
        let map = map();
        for (index, (pc, link, stack)) in places.iter().enumerate() {
            let cycle = 10 * index as u64;
            context.cycles = cycle;
            let place = Place { pc: *pc, link: *link, stack: *stack, cycle };
            context.look(&map, place, &mut changes);
        }
        let words = changes.iter().map(|change| match change {
            Change::Begin(unit) => format!("+{unit}"),
            Change::End { unit, start, end, .. } => format!("-{unit} {start}..{end}"),
        });
        (words.collect(), context)
    }

    #[test]
    fn an_inlined_unit_goes_on_in_what_it_calls_and_ends_with_the_body() {
        let (words, context) = after(&[
            (0x100, 0, 80),
            (0x104, 0, 80),
            (0x130, 0x109, 80),
            (0x132, 0x109, 60),
            (0x10a, 0x109, 80),
            (0x13e, 0x109, 90),
        ]);
        assert_eq!(words, ["+0", "-0 10..50"]);
        assert_eq!(context.innermost(), None);
    }

    #[test]
    fn a_few_instructions_of_the_body_between_dont_end_it_but_more_do() {
        let (words, _) = after(&[(0x104, 0, 80), (0x108, 0, 80), (0x10a, 0, 80)]);
        assert_eq!(words, ["+0"]);
        let mut long = vec![(0x104, 0, 80)];
        long.extend([(0x10c, 0, 80); 10]);
        long.push((0x104, 0, 80));
        assert_eq!(after(&long).0, ["+0", "-0 0..10", "+0"]);
    }

    #[test]
    fn a_unit_that_another_calls_is_within_it() {
        let calls = [(0x104, 0, 80), (0x120, 0x109, 80), (0x122, 0x109, 60), (0x108, 0x109, 80)];
        let (words, context) = after(&calls);
        assert_eq!(words, ["+0", "+1", "-1 10..30"]);
        assert_eq!(context.innermost(), Some(0));
    }

    #[test]
    fn a_unit_goes_on_in_what_it_jumps_to_at_its_end() {
        // Its body is a function of its own, called at 0x130 by the body 3.
        let (call, tail) = ((0x120, 0x135, 80), (0x106, 0x135, 80));
        let (words, context) = after(&[(0x130, 0, 80), call, (0x100, 0x135, 80), tail]);
        assert_eq!(words, ["+1", "+0"]);
        assert_eq!(context.innermost(), Some(0));
        let (words, _) = after(&[(0x130, 0, 80), call, (0x100, 0x135, 80), (0x134, 0x135, 80)]);
        assert_eq!(words, ["+1", "-1 10..30"]);
        // With what it has saved taken from the stack before.
        let (words, _) = after(&[(0x130, 0, 80), (0x120, 0x135, 60), (0x100, 0x135, 80), tail]);
        assert_eq!(words, ["+1", "+0"]);
        // The middle of a function is none to jump to.
        let (words, _) = after(&[(0x130, 0, 80), call, (0x102, 0x135, 80)]);
        assert_eq!(words, ["+1", "-1 10..20"]);
    }

    #[test]
    fn what_a_context_leaves_behind_ends_with_it() {
        let (_, mut context) = after(&[(0x104, 0, 80), (0x120, 0x109, 70)]);
        let mut changes = Vec::new();
        context.close(90, &mut changes);
        assert_eq!(changes.len(), 2);
        assert_eq!(context.innermost(), None);
    }

    #[test]
    fn a_stack_above_the_bodys_ends_what_called() {
        let lost = [(0x104, 0, 80), (0x130, 0x109, 60), (0x132, 0, 60), (0x120, 0, 100)];
        assert_eq!(after(&lost).0, ["+0", "-0 0..30", "+1"]);
    }
}
