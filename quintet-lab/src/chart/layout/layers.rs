//! The numbers of a region's layers, and the places that a line takes in them.

use super::plan::{Arc, Item};
use super::rank::Ranks;
use super::region::{LABEL_APART, Place, What, label_size, place};
use std::collections::BTreeMap;

/// The free space on both sides of a line.
const LINE_APART: f64 = 9.0;

/// The end of a piece of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Near {
    Item(Item),
    /// The border of the region: the upper one of an upper end.
    Border,
    /// The piece is only a port, with nothing inside.
    Nothing,
}

/// A piece of a line, as it is requested.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub arc: usize,
    pub upper: Near,
    pub lower: Near,
    /// `true` if the piece has the line's label.
    pub labelled: bool,
    /// `true` if the piece's target is above its source.
    pub up: bool,
}

/// The numbers of the layers. The layer of labels exists only where there are labels.
pub struct Layers {
    /// The layer of each rank, from 0.
    ranks: Vec<usize>,
    /// The layer of labels below each rank, and first that below the heading.
    labels: Vec<Option<usize>>,
    /// The number of layers. The last one has the ports below.
    pub count: usize,
}

impl Layers {
    /// Those that these items and pieces need.
    pub fn new(ranks: &Ranks, wanted: &[Wanted]) -> Self {
        let count = ranks.of.values().max().map_or(0, |most| most + 1);
        let mut used = vec![false; count + 1];
        for piece in wanted.iter().filter(|piece| piece.labelled) {
            // Next to the source.
            let gap = match (piece.up, piece.upper, piece.lower) {
                (true, _, Near::Item(item)) => ranks.of[&item],
                (false, Near::Item(item), _) => ranks.of[&item] + 1,
                (true, ..) => count,
                (false, ..) => 0,
            };
            used[gap] = true;
        }
        let mut layers = Self { ranks: Vec::new(), labels: Vec::new(), count: 1 };
        for (index, used) in used.into_iter().enumerate() {
            layers.labels.push(used.then_some(layers.count));
            layers.count += usize::from(used);
            if index < count {
                layers.ranks.push(layers.count);
                layers.count += 1;
            }
        }
        layers.count += 1;
        layers
    }

    /// The layer of a rank.
    pub fn of_rank(&self, rank: usize) -> usize {
        self.ranks[rank]
    }

    /// Makes the places of a piece, and returns them from the upper end to the lower one.
    pub fn chain(
        &self,
        piece: &Wanted,
        at: &BTreeMap<Item, usize>,
        places: &mut Vec<Place>,
        arcs: &[Arc],
    ) -> Vec<usize> {
        let mut end = |near: Near, what: What, layer: usize| match near {
            Near::Nothing => None,
            Near::Item(item) => Some(at[&item]),
            Near::Border => {
                places.push(place(what, layer, [LINE_APART; 2], 0.0));
                Some(places.len() - 1)
            }
        };
        let upper = end(piece.upper, What::Top(piece.arc), 0);
        let lower = end(piece.lower, What::Bottom(piece.arc), self.count - 1);
        let (Some(upper), Some(lower)) = (upper, lower) else {
            return upper.or(lower).into_iter().collect();
        };
        let (from, to) = (places[upper].layer, places[lower].layer);
        let mut between = self.labels.iter().flatten().filter(|&&layer| layer > from && layer < to);
        let label = if piece.up { between.next_back() } else { between.next() };
        let label = label.filter(|_| piece.labelled);
        let mut chain = vec![upper];
        for layer in from + 1..to {
            chain.push(places.len());
            places.push(if Some(&layer) == label {
                let (width, height) = label_size(&arcs[piece.arc]);
                let right = LABEL_APART + width + 4.0;
                place(What::Label(piece.arc), layer, [LINE_APART, right], height)
            } else {
                place(What::Bend, layer, [LINE_APART; 2], 0.0)
            });
        }
        chain.push(lower);
        chain
    }
}
