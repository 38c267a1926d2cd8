//! The layout of a drawing.
//!
//! A *region* is the inside of a composite, or of the machine. From the top down it has *layers*: a
//! heading with the ports of lines that come from above, then states and labels in turn, then the
//! ports of lines that leave below. Each line is cut where it passes the border of a composite, so
//! that a region only has to place *pieces*, from a layer to a lower one:
//!
//! 1. `plan` finds the home region of a transition, and cuts its line;
//! 2. `rank` gives each state its layer, so that most lines go down;
//! 3. `order` sorts each layer so that few lines cross;
//! 4. `place` finds coordinates, from the inner regions outwards;
//! 5. `routes` puts the pieces of each line together.
//!
//! A line crosses a layer only in a place of its own and moves sideways only between layers, and a
//! label is a place like a state. So no line goes through a foreign box or through a label. The
//! same drawing always gives the same picture.

mod coordinates;
mod layers;
mod order;
mod place;
mod plan;
mod rank;
mod region;
mod routes;

use super::{Drawing, outline, words};

/// Sizes of letters, and the height of a line of text.
pub const NAME_SIZE: f64 = 14.0;
/// The size of everything else's letters.
pub const TEXT_SIZE: f64 = 12.0;
/// The height of a name's line.
pub const NAME_LINE: f64 = 20.0;
/// The height of a line of other text.
pub const TEXT_LINE: f64 = 16.0;
/// The free space between text and its border.
pub const PAD: f64 = 10.0;
/// The room around the whole picture.
pub const MARGIN: f64 = 16.0;
/// The radius of an initial state's dot, and of the circle of a history.
pub const DOT: f64 = 6.0;
/// The radius of a history's circle.
pub const HISTORY: f64 = 12.0;
/// The width of a transition of a state to itself.
pub const LOOP: f64 = 26.0;

/// A place, from the picture's upper left corner.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// A state with its place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The number of the state in the drawing.
    pub state: usize,
    /// The state's box.
    pub area: Rect,
    /// `true` if others stand inside.
    pub composite: bool,
}

/// A sign without a name.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// The sign's centre.
    pub centre: Point,
    /// The kind of the sign.
    pub kind: SignKind,
}

/// The kinds of signs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SignKind {
    /// The beginning of a region.
    Initial,
    /// The state that was active last.
    History,
    /// The same through all levels.
    DeepHistory,
}

/// A transition, or several between the same ends.
#[derive(Clone, Debug)]
pub struct Route {
    /// The line's corners, from the source to the target. If two corners have different `x`, the
    /// line leaves and arrives vertically between them, or horizontally if
    /// [`sideways`](Self::sideways).
    pub points: Vec<Point>,
    /// `true` if the line leaves its state on the right and comes back there.
    pub sideways: bool,
    /// The line's label.
    pub label: Option<Label>,
}

/// Text with its place.
#[derive(Clone, Debug)]
pub struct Label {
    /// The label's area.
    pub area: Rect,
    /// The label's lines.
    pub lines: Vec<String>,
}

/// A drawing with places.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The picture's width.
    pub width: f64,
    /// The picture's height.
    pub height: f64,
    /// The boxes. A composite comes before the boxes inside.
    pub boxes: Vec<Placed>,
    /// Initial states and histories.
    pub signs: Vec<Sign>,
    /// The lines.
    pub routes: Vec<Route>,
}

impl Rect {
    /// Returns the right side.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Returns the lower side.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// Places a drawing that has been [checked](Drawing::check).
pub fn of(drawing: &Drawing) -> Layout {
    let plan = plan::of(drawing);
    routes::of(drawing, &plan, &region::all(drawing, &plan))
}

/// The width and height of a state's own text, with the room around it.
pub(super) fn text_size(drawing: &Drawing, state: usize) -> (f64, f64) {
    let facts = fact_lines(drawing, state);
    let name = words::width(&drawing.title(state), NAME_SIZE);
    let widest = facts.iter().map(|line| words::width(line, TEXT_SIZE)).fold(name, f64::max);
    let facts_height = if facts.is_empty() { 0.0 } else { PAD + facts.len() as f64 * TEXT_LINE };
    (widest + 2.0 * PAD, PAD + NAME_LINE + facts_height)
}

/// The lines below a state's name.
pub(super) fn fact_lines(drawing: &Drawing, state: usize) -> Vec<String> {
    outline::facts(drawing, state).iter().flat_map(|fact| words::lines(fact)).collect()
}
