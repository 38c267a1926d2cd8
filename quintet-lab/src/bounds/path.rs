//! The longest path from a function's entry to its return: loops, the inner ones first, are
//! replaced by the cycles of all their rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::loops::Loops;

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

/// The most cycles from the entry to the return. `None` if the function doesn't return, a loop has
/// no count, or what looks like a loop is none.
pub fn longest(
    entry: u32,
    ways: &Ways,
    loops: &Loops,
    count: impl Fn(u32) -> Option<u64>,
) -> Option<u64> {
    let mut ways = ways.clone();
    // The block that stands for one that is within a loop that was replaced.
    let mut stands: BTreeMap<u32, u32> = BTreeMap::new();
    for one in &loops.loops {
        let inside = |block: u32| one.blocks.contains(&block) && !stands.contains_key(&block);
        let blocks: BTreeSet<u32> = one.blocks.iter().copied().filter(|&one| inside(one)).collect();
        let rounds = count(one.head)?.saturating_sub(1);
        ways = replaced(&ways, one.head, &blocks, rounds)?;
        for block in blocks.into_iter().filter(|block| *block != one.head) {
            stands.insert(block, one.head);
        }
    }
    let distances = distances(entry, &ways.edges)?;
    let ends = ways
        .returns
        .iter()
        .filter_map(|(block, cycles)| Some(distances.get(block)?.saturating_add(*cycles)));
    ends.max()
}

/// The ways with a loop replaced by its head. It goes `rounds` times back to the head.
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
        Loop { head, blocks, latches: BTreeSet::from([latch]), count: None }
    }

    #[test]
    fn of_two_ways_the_longer_one_counts() {
        let ways = ways(&[(1, 2, 5), (1, 3, 7), (2, 4, 1), (3, 4, 1)], &[(4, 2)]);
        assert_eq!(longest(1, &ways, &Loops::default(), |_| None), Some(10));
    }

    #[test]
    fn loops_in_loops_multiply() {
        let edges = [(1, 2, 1), (2, 3, 10), (3, 3, 4), (3, 2, 3), (2, 4, 2)];
        let ways = ways(&edges, &[(4, 1)]);
        let inner = one(3, &[3], 3);
        let outer = one(2, &[2, 3], 3);
        let loops = Loops { loops: vec![inner, outer], ..Loops::default() };
        let count = |head: u32| Some(if head == 3 { 5 } else { 11 });
        // Ten rounds of 10 + 4 x 4 + 3, once in, and out from the head.
        assert_eq!(longest(1, &ways, &loops, count), Some(1 + 10 * 29 + 2 + 1));
        let open = |head: u32| (head == 3).then_some(5);
        assert_eq!(longest(1, &ways, &loops, open), None);
    }

    #[test]
    fn a_circle_without_a_head_has_no_longest_way() {
        let ways = ways(&[(1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 2, 1), (3, 4, 1)], &[(4, 1)]);
        assert_eq!(longest(1, &ways, &Loops::default(), |_| None), None);
    }

    #[test]
    fn what_never_returns_is_left_out() {
        let ways = ways(&[(1, 2, 1), (1, 3, 100), (3, 3, 1), (5, 2, 1)], &[(2, 4)]);
        let left = ways.that_return(1);
        assert_eq!(left.edges.keys().copied().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(longest(1, &left, &Loops::default(), |_| None), Some(5));
        let endless = super::tests::ways(&[(1, 1, 1)], &[]);
        assert!(endless.that_return(1).returns.is_empty());
        assert_eq!(endless.reached(1, |_| true), BTreeSet::from([1]));
        assert_eq!(longest(1, &endless.that_return(1), &Loops::default(), |_| None), None);
    }
}
