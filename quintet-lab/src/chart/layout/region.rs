//! A region: its layers, and the places of its items.

use super::coordinates::{APART, Chain, Offsets, bands, spread};
use super::layers::{Layers, Near, Wanted};
use super::plan::{self, Arc, End, Home, Item, Region};
use super::rank::{self, Ranks};
use super::{DOT, HISTORY, LOOP, NAME_LINE, NAME_SIZE, PAD, Point, SignKind};
use super::{TEXT_LINE, TEXT_SIZE, order, text_size};
use crate::chart::{Drawing, words};
use std::collections::{BTreeMap, BTreeSet};

/// The least distance of two lines at the border of a box.
const PORT_APART: f64 = 16.0;
/// The distance of a label from its line.
pub const LABEL_APART: f64 = 6.0;

/// The content of a place in a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Heading,
    /// The place where a line passes the border: above, below.
    Top(usize),
    Bottom(usize),
    Item(Item),
    /// The place where a line crosses a layer.
    Bend,
    /// The same, with the line's label.
    Label(usize),
}

/// A place of a layer. Its `x` is the middle of the place, or of its line.
#[derive(Clone, Debug)]
pub struct Place {
    pub what: What,
    pub x: f64,
    pub y: f64,
    pub left: f64,
    pub right: f64,
    pub height: f64,
    pub layer: usize,
}

/// A region with all places, from its upper left corner.
#[derive(Debug, Default)]
pub struct Inside {
    pub width: f64,
    pub height: f64,
    pub places: Vec<Place>,
    /// The corners of each piece of a line, from the upper end to the lower one.
    pub pieces: BTreeMap<usize, Vec<Point>>,
    /// The places where lines pass the upper and the lower border.
    pub ports: [BTreeMap<usize, f64>; 2],
    /// The lines that go up between two of the region's items.
    pub up: BTreeSet<usize>,
}

/// All regions of a drawing.
pub fn all(drawing: &Drawing, arcs: &[Arc]) -> BTreeMap<Region, Inside> {
    let homes: Vec<Home> = arcs.iter().map(|arc| arc.home).collect();
    let mut regions: BTreeMap<Region, (Vec<Item>, Ranks)> = BTreeMap::new();
    for region in std::iter::once(None).chain((0..drawing.states.len()).map(Some)) {
        let items = items(drawing, arcs, region);
        if region.is_none() || !items.is_empty() {
            let ranks = rank::of(region, &items, &homes);
            regions.insert(region, (items, ranks));
        }
    }
    let up = regions.values().flat_map(|(_, ranks)| ranks.up.iter().copied()).collect();
    let ends: Vec<_> = arcs
        .iter()
        .map(|arc| [plan::items(drawing, arc.from), plan::items(drawing, arc.to)].map(by_region))
        .collect();
    let mut inside = BTreeMap::new();
    // The deepest regions come first: a region needs the sizes of the regions inside.
    let mut order: Vec<Region> = regions.keys().copied().collect();
    order.sort_by_key(|region| {
        std::cmp::Reverse(region.map_or(0, |state| drawing.path(state).len()))
    });
    for region in order {
        let Some((_, ranks)) = regions.remove(&region) else { continue };
        let builder = Builder { drawing, arcs, ends: &ends, up: &up, region, inside: &inside };
        let done = builder.build(ranks);
        inside.insert(region, done);
    }
    inside
}

fn by_region(items: Vec<(Region, Item)>) -> BTreeMap<Region, Item> {
    items.into_iter().collect()
}

/// Returns the items of a region: signs, then states.
fn items(drawing: &Drawing, arcs: &[Arc], region: Region) -> Vec<Item> {
    let ends = arcs.iter().flat_map(|arc| [arc.from, arc.to]);
    let signs: BTreeSet<SignKind> = ends
        .filter_map(|end| match end {
            End::Sign(own, kind) if own == region => Some(kind),
            _ => None,
        })
        .collect();
    let states = drawing.children(region).map(Item::State);
    signs.into_iter().map(Item::Sign).chain(states).collect()
}

/// The size of the transitions of a state to itself: how far they reach out, and how high they are.
pub fn loops(arcs: &[Arc], state: usize) -> (f64, f64) {
    let own = arcs.iter().filter(|arc| arc.home == Home::Itself(state));
    own.fold((0.0, 0.0), |(width, height), arc| {
        let (label, lines) = label_size(arc);
        (f64::max(width, LOOP + LABEL_APART + label), height + loop_height(lines))
    })
}

/// Returns the height of a state's transition to itself, from the height of its label.
pub fn loop_height(label: f64) -> f64 {
    label.max(TEXT_LINE) + 14.0
}

/// The width and height of a label.
pub fn label_size(arc: &Arc) -> (f64, f64) {
    let widest = arc.lines.iter().map(|line| words::width(line, TEXT_SIZE)).fold(0.0, f64::max);
    (widest, arc.lines.len() as f64 * TEXT_LINE)
}

struct Builder<'a> {
    drawing: &'a Drawing,
    arcs: &'a [Arc],
    /// For each line, the items that contain its two ends.
    ends: &'a [[BTreeMap<Region, Item>; 2]],
    up: &'a BTreeSet<usize>,
    region: Region,
    /// The regions below.
    inside: &'a BTreeMap<Region, Inside>,
}

impl Builder<'_> {
    fn build(&self, ranks: Ranks) -> Inside {
        let wanted = self.wanted();
        let layers = Layers::new(&ranks, &wanted);
        let heading = self.region.map_or_else(
            || (words::width(&self.drawing.name, NAME_SIZE) + 2.0 * PAD, PAD + NAME_LINE),
            |state| text_size(self.drawing, state),
        );
        let mut places = vec![place(What::Heading, 0, [0.0, heading.0], heading.1)];
        let mut at = BTreeMap::new();
        for (&item, &rank) in &ranks.of {
            at.insert(item, places.len());
            places.push(self.item(item, layers.of_rank(rank)));
        }
        let mut chains = Vec::new();
        for piece in &wanted {
            chains.push((piece.arc, layers.chain(piece, &at, &mut places, self.arcs)));
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers.count];
        for (index, place) in places.iter().enumerate() {
            rows[place.layer].push(index);
        }
        let lines: Vec<(usize, usize)> = chains
            .iter()
            .flat_map(|(_, chain)| chain.windows(2).map(|two| (two[0], two[1])))
            .collect();
        order::sort(&mut rows, &lines, Some(0));
        let offsets = self.offsets(&mut places, &chains, &rows);
        spread(&mut places, &rows, &chains, &offsets);
        self.finish(places, &rows, &chains, &offsets, ranks.up)
    }

    /// The pieces of lines in this region.
    fn wanted(&self) -> Vec<Wanted> {
        let wanted = (0..self.arcs.len()).filter_map(|arc| self.piece(arc));
        wanted.collect()
    }

    fn piece(&self, arc: usize) -> Option<Wanted> {
        let line = &self.arcs[arc];
        let [from, to] = [0, 1].map(|end| self.ends[arc][end].get(&self.region).copied());
        let up = self.up.contains(&arc);
        let is_here = match line.home {
            Home::Between(region, ..) => region == self.region,
            Home::Inward(state, _) | Home::Outward(state, _) => Some(state) == self.region,
            Home::Itself(_) => return None,
        };
        let is_border = |end| self.region.is_some_and(|state| end == End::State(state));
        let ends = match (from, to) {
            (Some(from), Some(to)) if is_here => [Near::Item(from), Near::Item(to)],
            (Some(from), None) => [Near::Item(from), Near::Border],
            (None, Some(to)) => [Near::Border, Near::Item(to)],
            // The line begins or ends at the border, and comes from outside.
            (None, None) if is_border(line.from) => [Near::Nothing, Near::Border],
            (None, None) if is_border(line.to) => [Near::Border, Near::Nothing],
            _ => return None,
        };
        let [upper, lower] = if up { [ends[1], ends[0]] } else { ends };
        Some(Wanted { arc, upper, lower, labelled: is_here && !line.lines.is_empty(), up })
    }

    fn item(&self, item: Item, layer: usize) -> Place {
        let (width, height, out) = match item {
            Item::Sign(SignKind::Initial) => (2.0 * DOT, 2.0 * DOT, 0.0),
            Item::Sign(_) => (2.0 * HISTORY, 2.0 * HISTORY, 0.0),
            Item::State(state) => {
                let (out, high) = loops(self.arcs, state);
                let (width, height) = match self.inside.get(&Some(state)) {
                    Some(inside) => (inside.width, inside.height),
                    None => text_size(self.drawing, state),
                };
                let least = if high > 0.0 { high + PAD } else { 0.0 };
                (width, f64::max(height, least), out)
            }
        };
        place(What::Item(item), layer, [width / 2.0, width / 2.0 + out], height)
    }

    /// Returns the distances from the middle of their places at which lines begin and end. A
    /// composite's lines end where its inside has them. A state's lines are evenly spread, in the
    /// order of their other ends.
    fn offsets(
        &self,
        places: &mut [Place],
        chains: &[(usize, Vec<usize>)],
        rows: &[Vec<usize>],
    ) -> BTreeMap<(usize, usize), [f64; 2]> {
        let mut position = vec![0; places.len()];
        for row in rows {
            for (index, &place) in row.iter().enumerate() {
                position[place] = index;
            }
        }
        // By place and side, the lines there with the positions of their neighbours.
        let mut sides: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (arc, chain) in chains {
            if let [first, second, ..] = chain[..] {
                sides.entry((first, 1)).or_default().push((position[second], *arc));
                let (last, before) = (chain[chain.len() - 1], chain[chain.len() - 2]);
                sides.entry((last, 0)).or_default().push((position[before], *arc));
            }
        }
        let mut offsets: BTreeMap<(usize, usize), [f64; 2]> = BTreeMap::new();
        for ((index, side), mut lines) in sides {
            let What::Item(Item::State(state)) = places[index].what else { continue };
            lines.sort_unstable();
            let inside = self.inside.get(&Some(state));
            let least = PORT_APART * (lines.len() + 1) as f64;
            let place = &mut places[index];
            if inside.is_none() && 2.0 * place.left < least {
                place.right += least / 2.0 - place.left;
                place.left = least / 2.0;
            }
            let width = 2.0 * place.left;
            let step = width / (lines.len() + 1) as f64;
            for (order, (_, arc)) in lines.into_iter().enumerate() {
                let at = match inside {
                    Some(inside) => inside.ports[side].get(&arc).copied().unwrap_or(width / 2.0),
                    None => step * (order + 1) as f64,
                };
                offsets.entry((index, arc)).or_default()[side] = at - width / 2.0;
            }
        }
        offsets
    }

    fn finish(
        &self,
        mut places: Vec<Place>,
        rows: &[Vec<usize>],
        chains: &[Chain],
        offsets: &Offsets,
        up: BTreeSet<usize>,
    ) -> Inside {
        let border = if self.region.is_some() { PAD + 4.0 } else { 0.0 };
        put_heading(&mut places);
        let left = places.iter().map(|place| place.x - place.left).fold(f64::MAX, f64::min);
        for place in &mut places {
            place.x += border - left;
        }
        // The heading is written from the left border on.
        let width = places.iter().map(|place| place.x + place.right).fold(0.0, f64::max) + border;
        let bands = bands(&mut places, rows, chains, offsets);
        let least = self.region.map_or(0.0, |state| {
            let (_, high) = loops(self.arcs, state);
            if high > 0.0 { high + PAD } else { 0.0 }
        });
        let height = f64::max(bands.last().map_or(0.0, |band| band.1) + border, least);
        let mut inside = Inside { width, height, up, ..Inside::default() };
        for (arc, chain) in chains {
            let mut points = Vec::new();
            for (index, &at) in chain.iter().enumerate() {
                let place = &places[at];
                let (top, bottom) = bands[place.layer];
                let [above, below] = offsets.get(&(at, *arc)).copied().unwrap_or_default();
                let (x_above, x_below) = (place.x + above, place.x + below);
                let (first, last) = (index == 0, index + 1 == chain.len());
                let point = |x, y| Point { x, y };
                match place.what {
                    What::Top(_) => {
                        inside.ports[0].insert(*arc, place.x);
                        points.extend([point(place.x, 0.0), point(place.x, bottom)]);
                    }
                    What::Bottom(_) => {
                        inside.ports[1].insert(*arc, place.x);
                        points.extend([point(place.x, top), point(place.x, height)]);
                    }
                    _ if first => points
                        .extend([point(x_below, place.y + place.height), point(x_below, bottom)]),
                    _ if last => points.extend([point(x_above, top), point(x_above, place.y)]),
                    _ => points.extend([point(place.x, top), point(place.x, bottom)]),
                }
            }
            // A line that only ends at the border has nothing inside.
            if chain.len() > 1 {
                inside.pieces.insert(*arc, points);
            }
        }
        inside.places = places;
        inside
    }
}

/// Puts the heading, which is the first place, to the left border, before all of its layer.
fn put_heading(places: &mut [Place]) {
    let Some((heading, others)) = places.split_first_mut() else { return };
    let room = heading.right + APART;
    let most = |other: &Place| {
        let left = other.x - other.left;
        if other.layer == heading.layer { left - room } else { left }
    };
    if let Some(x) = others.iter().map(most).reduce(f64::min) {
        heading.x = x;
    }
}

/// A place that has not been found yet.
pub fn place(what: What, layer: usize, [left, right]: [f64; 2], height: f64) -> Place {
    Place { what, x: 0.0, y: 0.0, left, right, height, layer }
}
