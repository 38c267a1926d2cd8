//! The longest path from a function's entry to its return: loops, the inner ones first, are
//! replaced by the cycles of all their rounds.
//!
//! A circle with several entries, its heads, is cut at these: each time that a head is executed, a
//! way begins that leads to a head again, or out. So the circle takes no more than the longest such
//! way of each head, as often as the head is executed, and one way out.

use std::collections::{BTreeMap, BTreeSet};

use super::loops::{Knot, Loop, Loops};

/// The ways through a function, with the most cycles of each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ways {
    /// From block to block.
    pub edges: BTreeMap<(u32, u32), u64>,
    /// From a block to the function's return.
    pub returns: BTreeMap<u32, u64>,
}

impl Ways {
    /// Adds a way from block to block; of two, the longer one counts.
    pub fn add(&mut self, from: u32, to: u32, cycles: u64) {
        let known = self.edges.entry((from, to)).or_default();
        *known = cycles.max(*known);
    }

    /// Adds a way to the return.
    pub fn add_return(&mut self, from: u32, cycles: u64) {
        let known = self.returns.entry(from).or_default();
        *known = cycles.max(*known);
    }

    /// The blocks from which the function can still return.
    pub fn returning(&self) -> BTreeSet<u32> {
        let mut before: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(from, to) in self.edges.keys() {
            before.entry(to).or_default().push(from);
        }
        let mut left: Vec<u32> = self.returns.keys().copied().collect();
        let mut returning = BTreeSet::new();
        while let Some(block) = left.pop() {
            if returning.insert(block) {
                left.extend(before.get(&block).into_iter().flatten());
            }
        }
        returning
    }

    /// The blocks that the entry leads to, through blocks that are `wanted`.
    pub fn reached(&self, entry: u32, wanted: impl Fn(u32) -> bool) -> BTreeSet<u32> {
        let mut after: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(from, to) in self.edges.keys() {
            after.entry(from).or_default().push(to);
        }
        let (mut reached, mut left) = (BTreeSet::new(), vec![entry]);
        while let Some(block) = left.pop() {
            if wanted(block) && reached.insert(block) {
                left.extend(after.get(&block).into_iter().flatten());
            }
        }
        reached
    }

    /// Without the blocks from which the function never returns, and those that are never reached.
    #[must_use]
    pub fn that_return(&self, entry: u32) -> Self {
        let returning = self.returning();
        let reached = self.reached(entry, |block| returning.contains(&block));
        let keeps = |from: &u32, to: &u32| reached.contains(from) && reached.contains(to);
        let edges = self.edges.iter().filter(|((from, to), _)| keeps(from, to));
        let returns = self.returns.iter().filter(|(from, _)| reached.contains(from));
        Self {
            edges: edges.map(|(edge, cycles)| (*edge, *cycles)).collect(),
            returns: returns.map(|(from, cycles)| (*from, *cycles)).collect(),
        }
    }
}

/// A loop or a knot.
#[derive(Clone, Copy)]
enum Circle<'a> {
    Loop(&'a Loop),
    Knot(&'a Knot),
}

impl Circle<'_> {
    fn blocks(&self) -> &BTreeSet<u32> {
        match self {
            Self::Loop(one) => &one.blocks,
            Self::Knot(one) => &one.blocks,
        }
    }

    fn is_head(&self, block: u32) -> bool {
        match self {
            Self::Loop(one) => one.head == block,
            Self::Knot(one) => one.heads.contains(&block),
        }
    }
}

/// The most cycles from the entry to the return. `None` if the function doesn't return, a loop has
/// no count, or what looks like a loop is none. `count` tells how often a head is executed each
/// time that its circle is entered, and whether that is one with several heads.
pub fn longest(
    entry: u32,
    ways: &Ways,
    loops: &Loops,
    count: impl Fn(u32, bool) -> Option<u64>,
) -> Option<u64> {
    let mut ways = ways.clone();
    // Blocks within a circle that was replaced, but for its heads.
    let mut gone: BTreeSet<u32> = BTreeSet::new();
    let mut circles: Vec<Circle<'_>> = loops.loops.iter().map(Circle::Loop).collect();
    circles.extend(loops.knots.iter().map(Circle::Knot));
    circles.sort_by_key(|one| one.blocks().len());
    for circle in circles {
        let blocks: BTreeSet<u32> = circle.blocks().difference(&gone).copied().collect();
        ways = match circle {
            Circle::Loop(one) => {
                let rounds = count(one.head, false)?.saturating_sub(1);
                replaced(&ways, one.head, &blocks, rounds)?
            }
            Circle::Knot(one) => {
                let counts = one.heads.iter().map(|head| Some((*head, count(*head, true)?)));
                untied(&ways, &blocks, &counts.collect::<Option<BTreeMap<u32, u64>>>()?)?
            }
        };
        gone.extend(blocks.into_iter().filter(|block| !circle.is_head(*block)));
    }
    let distances = distances(entry, &ways.edges)?;
    let ends = ways
        .returns
        .iter()
        .filter_map(|(block, cycles)| Some(distances.get(block)?.saturating_add(*cycles)));
    ends.max()
}

/// The most cycles of a round of a loop that has none within.
pub fn round(ways: &Ways, one: &Loop) -> u64 {
    let is_inside = |block: &u32| one.blocks.contains(block);
    let of_round = ways.edges.iter().filter(|((from, to), _)| is_inside(from) && is_inside(to));
    let (back, inner): (Vec<_>, Vec<_>) = of_round.partition(|((_, to), _)| *to == one.head);
    let inner = inner.into_iter().map(|(edge, cycles)| (*edge, *cycles)).collect();
    let distances = distances(one.head, &inner).unwrap_or_default();
    let rounds = back
        .into_iter()
        .filter_map(|((from, _), cycles)| Some(distances.get(from)?.saturating_add(*cycles)));
    rounds.max().unwrap_or(0)
}

/// The ways with a circle replaced by its heads, each of which is executed so often.
fn untied(ways: &Ways, blocks: &BTreeSet<u32>, counts: &BTreeMap<u32, u64>) -> Option<Ways> {
    let is_inside = |block: &u32| blocks.contains(block);
    let inner: BTreeMap<(u32, u32), u64> = ways
        .edges
        .iter()
        .filter(|((from, to), _)| is_inside(from) && is_inside(to) && !counts.contains_key(to))
        .map(|(edge, cycles)| (*edge, *cycles))
        .collect();
    let (mut farthest, mut all_rounds) = (BTreeMap::<u32, u64>::new(), 0_u64);
    for (&head, &count) in counts {
        let distances = distances(head, &inner)?;
        let to_heads = ways.edges.iter().filter(|((_, to), _)| counts.contains_key(to));
        let rounds = to_heads.filter_map(|((from, _), cycles)| {
            let distance = distances.get(from).filter(|_| is_inside(from))?;
            Some(distance.saturating_add(*cycles))
        });
        all_rounds = all_rounds.saturating_add(rounds.max().unwrap_or(0).saturating_mul(count));
        for (block, distance) in distances {
            let known = farthest.entry(block).or_default();
            *known = distance.max(*known);
        }
    }
    let mut rest = Ways::default();
    for (&(from, to), &cycles) in &ways.edges {
        if !is_inside(&from) {
            rest.add(from, to, cycles);
        } else if !is_inside(&to)
            && let Some(distance) = farthest.get(&from)
        {
            let cycles = all_rounds.saturating_add(*distance).saturating_add(cycles);
            counts.keys().for_each(|head| rest.add(*head, to, cycles));
        }
    }
    for (&from, &cycles) in &ways.returns {
        if !is_inside(&from) {
            rest.add_return(from, cycles);
        } else if let Some(distance) = farthest.get(&from) {
            let cycles = all_rounds.saturating_add(*distance).saturating_add(cycles);
            counts.keys().for_each(|head| rest.add_return(*head, cycles));
        }
    }
    Some(rest)
}

/// The ways with a loop replaced by its head. Execution goes back to the head `rounds` times.
fn replaced(ways: &Ways, head: u32, blocks: &BTreeSet<u32>, rounds: u64) -> Option<Ways> {
    let is_inside = |block: &u32| blocks.contains(block);
    let inner: BTreeMap<(u32, u32), u64> = ways
        .edges
        .iter()
        .filter(|((from, to), _)| is_inside(from) && is_inside(to) && *to != head)
        .map(|(edge, cycles)| (*edge, *cycles))
        .collect();
    let distances = distances(head, &inner)?;
    let back = ways.edges.iter().filter(|((from, to), _)| is_inside(from) && *to == head);
    let back =
        back.filter_map(|((from, _), cycles)| Some(distances.get(from)?.saturating_add(*cycles)));
    let all_rounds = back.max().unwrap_or(0).saturating_mul(rounds);
    let mut rest = Ways::default();
    for (&(from, to), &cycles) in &ways.edges {
        if !is_inside(&from) {
            rest.add(from, to, cycles);
        } else if !is_inside(&to)
            && let Some(distance) = distances.get(&from)
        {
            rest.add(head, to, all_rounds.saturating_add(*distance).saturating_add(cycles));
        }
    }
    for (&from, &cycles) in &ways.returns {
        if !is_inside(&from) {
            rest.add_return(from, cycles);
        } else if let Some(distance) = distances.get(&from) {
            rest.add_return(head, all_rounds.saturating_add(*distance).saturating_add(cycles));
        }
    }
    Some(rest)
}

/// The longest way from a block to each one behind it; `None` if there is a circle.
fn distances(from: u32, edges: &BTreeMap<(u32, u32), u64>) -> Option<BTreeMap<u32, u64>> {
    let mut graph = petgraph::graphmap::DiGraphMap::<u32, u64>::new();
    graph.add_node(from);
    for (&(from, to), &cycles) in edges {
        graph.add_edge(from, to, cycles);
    }
    let order = petgraph::algo::toposort(&graph, None).ok()?;
    let mut distances = BTreeMap::from([(from, 0_u64)]);
    for block in order {
        let Some(&distance) = distances.get(&block) else { continue };
        for (_, to, &cycles) in graph.edges(block) {
            let known = distances.entry(to).or_default();
            *known = distance.saturating_add(cycles).max(*known);
        }
    }
    Some(distances)
}

#[cfg(test)]
mod tests {
    use super::super::loops::Loop;
    use super::*;

    fn ways(edges: &[(u32, u32, u64)], returns: &[(u32, u64)]) -> Ways {
        let mut ways = Ways::default();
        edges.iter().for_each(|&(from, to, cycles)| ways.add(from, to, cycles));
        returns.iter().for_each(|&(from, cycles)| ways.add_return(from, cycles));
        ways
    }

    fn one(head: u32, blocks: &[u32], latch: u32) -> Loop {
        let blocks = blocks.iter().copied().collect();
        let latches = BTreeSet::from([latch]);
        Loop { head, blocks, latches, count: None, retries: false }
    }

    #[test]
    fn of_two_ways_the_longer_one_counts() {
        let ways = ways(&[(1, 2, 5), (1, 3, 7), (2, 4, 1), (3, 4, 1)], &[(4, 2)]);
        assert_eq!(longest(1, &ways, &Loops::default(), |_, _| None), Some(10));
    }

    #[test]
    fn loops_in_loops_multiply() {
        let edges = [(1, 2, 1), (2, 3, 10), (3, 3, 4), (3, 2, 3), (2, 4, 2)];
        let ways = ways(&edges, &[(4, 1)]);
        let inner = one(3, &[3], 3);
        let outer = one(2, &[2, 3], 3);
        let loops = Loops { loops: vec![inner, outer], ..Loops::default() };
        let count = |head: u32, _| Some(if head == 3 { 5 } else { 11 });
        // Ten rounds of 10 + 4 x 4 + 3, once in, and out from the head.
        assert_eq!(longest(1, &ways, &loops, count), Some(1 + 10 * 29 + 2 + 1));
        let open = |head: u32, _| (head == 3).then_some(5);
        assert_eq!(longest(1, &ways, &loops, open), None);
    }

    #[test]
    fn a_circle_without_a_head_has_no_longest_way() {
        let ways = ways(&[(1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 2, 1), (3, 4, 1)], &[(4, 1)]);
        assert_eq!(longest(1, &ways, &Loops::default(), |_, _| None), None);
    }

    #[test]
    fn a_circle_is_bounded_by_the_counts_of_all_its_heads() {
        let edges = [(1, 2, 1), (1, 3, 1), (2, 3, 5), (3, 5, 3), (5, 2, 4), (3, 4, 1)];
        let ways = ways(&edges, &[(4, 1)]);
        let knot = Knot { blocks: BTreeSet::from([2, 3, 5]), heads: BTreeSet::from([2, 3]) };
        let loops = Loops { knots: vec![knot], ..Loops::default() };
        // In by one edge; 4 x 5 from 2, 6 x 7 from 3, and out from 3.
        let count = |head: u32, _| Some(if head == 2 { 4 } else { 6 });
        assert_eq!(longest(1, &ways, &loops, count), Some(1 + 20 + 42 + 1 + 1));
        let open = |head: u32, _| (head == 2).then_some(4);
        assert_eq!(longest(1, &ways, &loops, open), None);
    }

    #[test]
    fn what_never_returns_is_left_out() {
        let ways = ways(&[(1, 2, 1), (1, 3, 100), (3, 3, 1), (5, 2, 1)], &[(2, 4)]);
        let left = ways.that_return(1);
        assert_eq!(left.edges.keys().copied().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(longest(1, &left, &Loops::default(), |_, _| None), Some(5));
        let endless = super::tests::ways(&[(1, 1, 1)], &[]);
        assert!(endless.that_return(1).returns.is_empty());
        assert_eq!(endless.reached(1, |_| true), BTreeSet::from([1]));
        assert_eq!(longest(1, &endless.that_return(1), &Loops::default(), |_, _| None), None);
    }
}
