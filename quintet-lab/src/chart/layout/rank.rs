//! The layer of each state.

use super::plan::{Home, Item, Region};
use std::collections::{BTreeMap, BTreeSet};

/// The least number of states without lines in a layer, if there are as many.
const ALONE_MIN: usize = 4;

/// The items of a region by layer, and the lines that go up.
#[derive(Debug, Default)]
pub struct Ranks {
    /// The layer of each item, from 0.
    pub of: BTreeMap<Item, usize>,
    /// The lines between two items whose target stands above their source.
    pub up: BTreeSet<usize>,
}

/// Sorts the items of a region, which are in the order of the text, into layers.
pub fn of(region: Region, items: &[Item], homes: &[Home]) -> Ranks {
    let mut next: BTreeMap<Item, Vec<(usize, Item)>> = BTreeMap::new();
    for (arc, home) in homes.iter().enumerate() {
        match *home {
            Home::Between(own, from, to) if own == region => {
                next.entry(from).or_default().push((arc, to));
            }
            _ => {}
        }
    }
    let (up, sorted) = walk(items, &next);
    let joined: BTreeSet<Item> =
        next.iter().flat_map(|(&from, to)| to.iter().map(|to| to.1).chain([from])).collect();
    let mut ranks = Ranks { up, of: items.iter().map(|&item| (item, 0)).collect() };
    // Lines that go up count in the other direction. In this order, all items above an item come
    // before it.
    let mut lines: BTreeMap<Item, Vec<Item>> = BTreeMap::new();
    for (&from, targets) in &next {
        for &(arc, to) in targets {
            let (upper, lower) = if ranks.up.contains(&arc) { (to, from) } else { (from, to) };
            lines.entry(upper).or_default().push(lower);
        }
    }
    for item in sorted {
        let below = ranks.of[&item] + 1;
        for lower in lines.get(&item).into_iter().flatten() {
            ranks.of.entry(*lower).and_modify(|rank| *rank = below.max(*rank));
        }
    }
    let alone = items.iter().filter(|item| !joined.contains(item)).copied();
    spread(&mut ranks, &alone.collect::<Vec<_>>());
    ranks
}

/// States that no line here joins to another one stand in a block, not all in one layer.
fn spread(ranks: &mut Ranks, alone: &[Item]) {
    let wide = (1..).find(|wide| wide * wide >= alone.len()).unwrap_or(1).max(ALONE_MIN);
    for (index, item) in alone.iter().enumerate() {
        ranks.of.insert(*item, index / wide);
    }
}

/// Walks through the items in depth. A line to an item of the present path closes a circle, so this
/// line goes up. Returns the items in an order in which all other lines go from an earlier item to
/// a later one.
fn walk(items: &[Item], next: &BTreeMap<Item, Vec<(usize, Item)>>) -> (BTreeSet<usize>, Vec<Item>) {
    let mut up = BTreeSet::new();
    let mut done: Vec<Item> = Vec::new();
    let (mut open, mut closed) = (BTreeSet::new(), BTreeSet::new());
    // Signs stand first, so that the walk begins where the machine does.
    let signs = items.iter().filter(|item| matches!(item, Item::Sign(_)));
    let states = items.iter().filter(|item| matches!(item, Item::State(_)));
    for &root in signs.chain(states) {
        let mut stack = vec![(root, 0)];
        while let Some((item, place)) = stack.pop() {
            if place == 0 && (closed.contains(&item) || !open.insert(item)) {
                continue;
            }
            match next.get(&item).and_then(|targets| targets.get(place)) {
                Some(&(arc, to)) => {
                    stack.push((item, place + 1));
                    if open.contains(&to) {
                        up.insert(arc);
                    } else {
                        stack.push((to, 0));
                    }
                }
                None => {
                    open.remove(&item);
                    closed.insert(item);
                    done.push(item);
                }
            }
        }
    }
    done.reverse();
    (up, done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_down_but_those_that_close_a_circle() {
        let state = Item::State;
        let between = |from, to| Home::Between(None, state(from), state(to));
        let homes = [
            Home::Between(None, Item::Sign(crate::chart::layout::SignKind::Initial), state(2)),
            between(2, 0),
            between(0, 1),
            between(1, 2),
            between(2, 1),
        ];
        let items =
            [Item::Sign(crate::chart::layout::SignKind::Initial), state(0), state(1), state(2)];
        let ranks = of(None, &items, &homes);
        assert_eq!(ranks.up, BTreeSet::from([3]));
        let of = |index| ranks.of[&state(index)];
        assert_eq!((of(2), of(0), of(1)), (1, 2, 3));
    }
}
