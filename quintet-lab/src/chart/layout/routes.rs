//! From regions with places of their own to one picture.

use super::plan::{Arc, End, Home, Item, Region};
use super::region::{self, Inside, LABEL_APART, Place, What};
use super::{DOT, LOOP, Label, Layout, MARGIN, PAD, Placed, Point, Rect, Route, Sign};
use crate::chart::Drawing;
use std::collections::BTreeMap;

/// Puts the regions into each other.
pub fn of(drawing: &Drawing, arcs: &[Arc], inside: &BTreeMap<Region, Inside>) -> Layout {
    let mut layout = Layout::default();
    let mut corners = BTreeMap::new();
    let mut labels: BTreeMap<usize, Label> = BTreeMap::new();
    let mut regions = vec![(None, Point { x: MARGIN, y: MARGIN })];
    while let Some((region, corner)) = regions.pop() {
        let Some(own) = inside.get(&region) else { continue };
        corners.insert(region, corner);
        for place in &own.places {
            match place.what {
                What::Item(Item::State(state)) => {
                    let area = moved(area(place), corner);
                    let composite = inside.contains_key(&Some(state));
                    layout.boxes.push(Placed { state, area, composite });
                    regions.push((Some(state), Point { x: area.x, y: area.y }));
                }
                What::Item(Item::Sign(kind)) => {
                    let centre =
                        Point { x: corner.x + place.x, y: corner.y + place.y + place.height / 2.0 };
                    layout.signs.push(Sign { centre, kind });
                }
                What::Label(arc) => {
                    let (width, height) = region::label_size(&arcs[arc]);
                    let (x, y) = (place.x + LABEL_APART, place.y);
                    let area = moved(Rect { x, y, width, height }, corner);
                    labels.insert(arc, Label { area, lines: arcs[arc].lines.clone() });
                }
                What::Heading | What::Top(_) | What::Bottom(_) | What::Bend => {}
            }
        }
    }
    layout.boxes.sort_by_key(|placed| (drawing.path(placed.state).len(), placed.state));
    for (index, arc) in arcs.iter().enumerate() {
        if !matches!(arc.home, Home::Itself(_)) {
            let points = joined(drawing, arc, index, inside, &corners);
            let label = labels.remove(&index);
            layout.routes.push(Route { points, sideways: false, label });
        }
    }
    for placed in layout.boxes.clone() {
        layout.routes.extend(loops(arcs, &placed));
    }
    let root = inside.get(&None).map_or((0.0, 0.0), |root| (root.width, root.height));
    layout.width = root.0 + 2.0 * MARGIN;
    layout.height = root.1 + 2.0 * MARGIN;
    layout
}

fn area(place: &Place) -> Rect {
    Rect { x: place.x - place.left, y: place.y, width: 2.0 * place.left, height: place.height }
}

fn moved(area: Rect, by: Point) -> Rect {
    Rect { x: area.x + by.x, y: area.y + by.y, ..area }
}

/// Returns the corners of a line: its pieces from the source outwards, the piece at home, and the
/// pieces inwards.
fn joined(
    drawing: &Drawing,
    arc: &Arc,
    index: usize,
    inside: &BTreeMap<Region, Inside>,
    corners: &BTreeMap<Region, Point>,
) -> Vec<Point> {
    let home: Region = match arc.home {
        Home::Between(region, ..) => region,
        Home::Inward(state, _) | Home::Outward(state, _) | Home::Itself(state) => Some(state),
    };
    let depth = home.map_or(0, |state| drawing.path(state).len());
    let around = |end: End| {
        let inner = match end {
            End::State(state) => drawing.states[state].parent,
            End::Sign(region, _) => region,
        };
        inner.map_or_else(Vec::new, |state| drawing.path(state)).into_iter().skip(depth)
    };
    let outwards = around(arc.from).rev().map(Some);
    let inwards = around(arc.to).map(Some);
    let up = inside.get(&home).is_some_and(|own| own.up.contains(&index));
    let mut points: Vec<Point> = Vec::new();
    for region in outwards.chain([home]).chain(inwards) {
        let (Some(own), Some(corner)) = (inside.get(&region), corners.get(&region)) else {
            continue;
        };
        let mut piece: Vec<Point> = own.pieces.get(&index).cloned().unwrap_or_default();
        if up {
            piece.reverse();
        }
        for point in piece {
            let point = Point { x: point.x + corner.x, y: point.y + corner.y };
            if points.last() != Some(&point) {
                points.push(point);
            }
        }
    }
    straightened(points)
}

/// Leaves out corners in the middle of a straight line.
fn straightened(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if let [.., before, last] = kept[..]
            && before.x == last.x
            && last.x == point.x
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

/// The transitions of a state to itself, from its upper right corner down.
fn loops(arcs: &[Arc], placed: &Placed) -> Vec<Route> {
    let own = arcs.iter().filter(|arc| arc.home == Home::Itself(placed.state));
    let (right, mut y) = (placed.area.right(), placed.area.y + PAD / 2.0);
    let route = |arc: &Arc| {
        let (width, height) = region::label_size(arc);
        let high = region::loop_height(height);
        let middle = y + high / 2.0;
        let reach = (high / 2.0 - 2.0).min(DOT * 2.0);
        let points = vec![
            Point { x: right, y: middle - reach },
            Point { x: right + LOOP, y: middle },
            Point { x: right, y: middle + reach },
        ];
        y += high;
        let area = Rect { x: right + LOOP + LABEL_APART, y: middle - height / 2.0, width, height };
        let label = (!arc.lines.is_empty()).then(|| Label { area, lines: arc.lines.clone() });
        Route { points, sideways: true, label }
    };
    own.map(route).collect()
}
