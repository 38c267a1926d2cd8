//! The coordinates of a region's places: first across, then down.

use super::place::{self, Wish};
use super::region::{Place, What};
use std::collections::BTreeMap;

/// The free space between two places of a layer.
pub const APART: f64 = 12.0;
/// The room between two layers, at least and at most.
const BETWEEN: [f64; 2] = [22.0, 60.0];
/// The number of passes that improve the places of all layers.
const SWEEPS: usize = 16;

/// A line with its places, from the upper end to the lower one.
pub type Chain = (usize, Vec<usize>);
/// For a place and a line: the distances from the place's middle at which the line comes in above
/// and goes out below.
pub type Offsets = BTreeMap<(usize, usize), [f64; 2]>;

/// From a place to one of the next layer, with the offsets of the line's ends.
struct Tie {
    upper: usize,
    lower: usize,
    /// The distance by which the line's end is further right at the lower place than at the upper
    /// one.
    offset: f64,
}

fn ties(chains: &[Chain], offsets: &Offsets) -> Vec<Tie> {
    let offset = |place, arc, side: usize| {
        offsets.get(&(place, arc)).map_or(0.0, |sides: &[f64; 2]| sides[side])
    };
    let tie = |arc: usize, upper: usize, lower: usize| Tie {
        upper,
        lower,
        offset: offset(lower, arc, 0) - offset(upper, arc, 1),
    };
    let pairs = |(arc, chain): &Chain| {
        let arc = *arc;
        chain.windows(2).map(|two| tie(arc, two[0], two[1])).collect::<Vec<_>>()
    };
    chains.iter().flat_map(pairs).collect()
}

/// Moves places to the left and right until the lines between them are as straight as they get.
pub fn spread(places: &mut [Place], rows: &[Vec<usize>], chains: &[Chain], offsets: &Offsets) {
    let ties = ties(chains, offsets);
    let (mut above, mut below) = (vec![Vec::new(); places.len()], vec![Vec::new(); places.len()]);
    for tie in &ties {
        above[tie.lower].push((tie.upper, tie.offset));
        below[tie.upper].push((tie.lower, -tie.offset));
    }
    for row in rows {
        set(places, row, |place| Wish { at: 0.0, weight: weight(place), apart: 0.0 });
    }
    for sweep in 0..SWEEPS {
        let (down, last) = (sweep % 2 == 0, sweep + 2 >= SWEEPS);
        for step in 0..rows.len() {
            let row = &rows[if down { step } else { rows.len() - 1 - step }];
            let wishes: BTreeMap<usize, Wish> = row
                .iter()
                .map(|&index| {
                    let sides = [(&above[index], down || last), (&below[index], !down || last)];
                    let near = sides.into_iter().filter(|side| side.1).flat_map(|side| side.0);
                    let wants: Vec<f64> =
                        near.map(|&(other, offset)| places[other].x - offset).collect();
                    let place = &places[index];
                    let count = wants.len() as f64;
                    let wish = if wants.is_empty() {
                        Wish { at: place.x, weight: 0.1, apart: 0.0 }
                    } else {
                        let at = wants.iter().sum::<f64>() / count;
                        Wish { at, weight: weight(place), apart: 0.0 }
                    };
                    (index, wish)
                })
                .collect();
            let mut wishes = wishes.into_iter().collect::<BTreeMap<_, _>>();
            let mut next = row.iter().filter_map(|index| wishes.remove(index));
            set(places, row, |place| {
                next.next().unwrap_or(Wish { at: place.x, weight: 1.0, apart: 0.0 })
            });
        }
    }
}

/// Keeping a line straight has more weight than keeping a box in its place.
fn weight(place: &Place) -> f64 {
    match place.what {
        What::Bend | What::Label(_) => 4.0,
        _ => 1.0,
    }
}

fn set(places: &mut [Place], row: &[usize], mut wish: impl FnMut(&Place) -> Wish) {
    let mut right = 0.0;
    let mut wishes = Vec::new();
    for &index in row {
        let place = &places[index];
        let apart = right + APART + place.left;
        right = place.right;
        wishes.push(Wish { apart, ..wish(place) });
    }
    for (&index, x) in row.iter().zip(place::row(&wishes)) {
        places[index].x = x;
    }
}

/// Gives each layer its height, and all places theirs. Returns the beginning and the end of each
/// layer.
pub fn bands(
    places: &mut [Place],
    rows: &[Vec<usize>],
    chains: &[Chain],
    offsets: &Offsets,
) -> Vec<(f64, f64)> {
    // The sideways distance of the lines below each layer.
    let mut sideways: Vec<Option<f64>> = vec![None; rows.len()];
    for tie in ties(chains, offsets) {
        let far = (places[tie.lower].x + tie.offset - places[tie.upper].x).abs();
        let most = &mut sideways[places[tie.upper].layer];
        *most = Some(most.map_or(far, |most| most.max(far)));
    }
    let mut bands = Vec::new();
    let mut y = 0.0;
    for (layer, row) in rows.iter().enumerate() {
        let height = row.iter().map(|&index| places[index].height).fold(0.0, f64::max);
        for &index in row {
            let place = &mut places[index];
            // A heading stands at the top, everything else in the middle.
            let free = height - place.height;
            place.y = if place.what == What::Heading { y } else { y + free / 2.0 };
        }
        bands.push((y, y + height));
        y += height;
        if layer + 1 < rows.len() {
            y += match sideways[layer] {
                Some(far) => (16.0 + far * 0.14).clamp(BETWEEN[0], BETWEEN[1]),
                // Only the heading, or nothing below.
                None if layer + 2 == rows.len() => 0.0,
                None => 10.0,
            };
        }
    }
    bands
}
