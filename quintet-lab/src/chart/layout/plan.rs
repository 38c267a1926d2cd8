//! The home region of each transition, and the items that the transition joins there.

use super::SignKind;
use crate::chart::{Drawing, Initial, Kind, words};

/// A line: all transitions of one kind between the same ends, or an initial transition.
#[derive(Clone, Debug)]
pub struct Arc {
    pub from: End,
    pub to: End,
    pub kind: Kind,
    /// The transition's label.
    pub lines: Vec<String>,
    /// The home of the transition.
    pub home: Home,
}

/// An end of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum End {
    State(usize),
    /// A sign in the region.
    Sign(Region, SignKind),
}

/// The inside of a state, or of the machine.
pub type Region = Option<usize>;

/// An item of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Item {
    Sign(SignKind),
    State(usize),
}

/// The innermost region around both ends, and the region's items that contain them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// From one item of the region to another.
    Between(Region, Item, Item),
    /// From the border of the region's own state to an item inside.
    Inward(usize, Item),
    /// From an item inside to that border.
    Outward(usize, Item),
    /// From a state to itself.
    Itself(usize),
}

/// The lines of a drawing.
pub fn of(drawing: &Drawing) -> Vec<Arc> {
    let mut arcs: Vec<Arc> = Vec::new();
    let regions = std::iter::once(None).chain((0..drawing.states.len()).map(Some));
    for region in regions {
        let initial = match region {
            Some(state) => &drawing.states[state].initial,
            None => &drawing.initial,
        };
        if let Some(Initial { target, action }) = initial {
            let action = action.as_ref().map(|action| format!("/ {action}"));
            let lines = words::lines(&action.unwrap_or_default());
            let from = End::Sign(region, SignKind::Initial);
            add(drawing, &mut arcs, (from, End::State(*target), Kind::External), lines);
        }
    }
    for edge in &drawing.edges {
        let to = match edge.kind {
            Kind::External | Kind::Local => End::State(edge.to),
            Kind::History => End::Sign(Some(edge.to), SignKind::History),
            Kind::DeepHistory => End::Sign(Some(edge.to), SignKind::DeepHistory),
        };
        let note = if edge.kind == Kind::Local { "(local)" } else { "" };
        let lines = words::label(edge.reaction.parts(), note);
        add(drawing, &mut arcs, (End::State(edge.from), to, edge.kind), lines);
    }
    arcs
}

fn add(drawing: &Drawing, arcs: &mut Vec<Arc>, ends: (End, End, Kind), lines: Vec<String>) {
    if let Some(arc) = arcs.iter_mut().find(|arc| (arc.from, arc.to, arc.kind) == ends) {
        arc.lines.extend(lines);
        return;
    }
    let (from, to, kind) = ends;
    arcs.push(Arc { from, to, kind, lines, home: home(drawing, from, to) });
}

/// Returns the regions around an end, from the machine's to the end's own.
fn around(drawing: &Drawing, end: End) -> Vec<Region> {
    let inner = match end {
        End::State(state) => drawing.states[state].parent,
        End::Sign(region, _) => region,
    };
    let states = inner.map_or_else(Vec::new, |state| drawing.path(state));
    std::iter::once(None).chain(states.into_iter().map(Some)).collect()
}

/// Returns, for each region around an end, the item that contains the end or is the end.
pub fn items(drawing: &Drawing, end: End) -> Vec<(Region, Item)> {
    let regions = around(drawing, end);
    let itself = match end {
        End::State(state) => Item::State(state),
        End::Sign(_, kind) => Item::Sign(kind),
    };
    let inner = regions.iter().skip(1).flatten().map(|&state| Item::State(state));
    let items = inner.chain([itself]).collect::<Vec<_>>();
    regions.into_iter().zip(items).collect()
}

fn home(drawing: &Drawing, from: End, to: End) -> Home {
    if let (End::State(state), true) = (from, from == to) {
        return Home::Itself(state);
    }
    let (from, to) = (items(drawing, from), items(drawing, to));
    let common = from.iter().zip(&to).take_while(|(from, to)| from.0 == to.0).count();
    let (region, [first, second]) = (from[common - 1].0, [from[common - 1].1, to[common - 1].1]);
    match (first, second, from.get(common), to.get(common)) {
        // One end is the state that the other one lies in.
        (Item::State(state), Item::State(other), None, Some(&(_, item))) if state == other => {
            Home::Inward(state, item)
        }
        (Item::State(state), Item::State(other), Some(&(_, item)), None) if state == other => {
            Home::Outward(state, item)
        }
        _ => Home::Between(region, first, second),
    }
}
