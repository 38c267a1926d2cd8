//! A placed drawing as SVG: one file that needs no other, for screens, light or dark, and paper.

use super::layout::{
    self, DOT, HISTORY, Label, Layout, NAME_LINE, NAME_SIZE, PAD, Placed, Point, Rect, Route, Sign,
    SignKind, TEXT_LINE, TEXT_SIZE,
};
use super::{Drawing, outline};
use crate::report::markup::escaped;

/// The distance of letters behind the middle of their line of text, as a share of their size.
const BASELINE: f64 = 0.35;
/// The length of an arrow's head, and half of its width.
const HEAD: [f64; 2] = [9.0, 4.0];

/// Colours by name. Paper has those of light screens.
const STYLE: &str = "\
text{font-family:ui-monospace,'SFMono-Regular','DejaVu Sans Mono',Menlo,Consolas,monospace;\
white-space:pre;fill:#1b1f24}
.page{fill:#fff}
.box{fill:#eef3fb;stroke:#3b5b92;stroke-width:1.2}
.outer{fill:#fff;stroke:#8594a8;stroke-width:1.2}
.inner{fill:#f7f9fc;stroke:#8594a8;stroke-width:1.2}
.rule{stroke:#3b5b92;stroke-width:.8}
.name{font-weight:600}
.fact{fill:#4a5563}
.line{fill:none;stroke:#4a5563;stroke-width:1.3}
.head,.dot{fill:#4a5563}
.label{stroke:#fff;stroke-width:3;stroke-linejoin:round;paint-order:stroke}
.sign{fill:#fff;stroke:#4a5563;stroke-width:1.2}
@media screen and (prefers-color-scheme:dark){
text{fill:#e6e9ee}
.page{fill:#14171c}
.box{fill:#24324a;stroke:#7fa3dd}
.outer{fill:#181c22;stroke:#6d7989}
.inner{fill:#1e232b;stroke:#6d7989}
.rule{stroke:#7fa3dd}
.fact{fill:#aeb7c3}
.line{stroke:#aeb7c3}
.head,.dot{fill:#aeb7c3}
.label{stroke:#14171c}
.sign{fill:#14171c;stroke:#aeb7c3}
}";

/// The same for machines in fields, which most drawings lack.
const PART_STYLE: &str = "\
.part{fill:#fff;stroke:#3b5b92;stroke-width:1.2;stroke-dasharray:5 3}
@media screen and (prefers-color-scheme:dark){.part{fill:#181c22;stroke:#7fa3dd}}";

/// The file.
pub fn text(drawing: &Drawing) -> String {
    let layout = layout::of(drawing);
    let mut svg = Writer { drawing, text: String::new() };
    svg.page(&layout);
    svg.text
}

struct Writer<'a> {
    drawing: &'a Drawing,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn page(&mut self, layout: &Layout) {
        let (width, height) = (number(layout.width.ceil()), number(layout.height.ceil()));
        let name = escaped(&self.drawing.heading());
        self.line(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
             aria-labelledby=\"title desc\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">"
        ));
        self.line(&format!("<title id=\"title\">State machine {name}</title>"));
        let outline = escaped(&outline::text(self.drawing));
        self.line(&format!("<desc id=\"desc\">{outline}</desc>"));
        let has_part = self.drawing.states.iter().any(|state| state.machine.is_some());
        let parts = if has_part { format!("\n{PART_STYLE}") } else { String::new() };
        self.line(&format!("<style>{STYLE}{parts}</style>"));
        self.line(&format!("<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>"));
        let margin = layout::MARGIN;
        self.words([margin, margin + NAME_LINE / 2.0], NAME_SIZE, "name", &self.drawing.heading());
        for placed in layout.boxes.iter().filter(|placed| placed.composite) {
            self.state(placed);
        }
        for route in &layout.routes {
            self.route(route);
        }
        for placed in layout.boxes.iter().filter(|placed| !placed.composite) {
            self.state(placed);
        }
        for sign in &layout.signs {
            self.sign(sign);
        }
        for label in layout.routes.iter().filter_map(|route| route.label.as_ref()) {
            self.label(label);
        }
        self.line("</svg>");
    }

    fn state(&mut self, placed: &Placed) {
        let Rect { x, y, width, height } = placed.area;
        let facts = layout::fact_lines(self.drawing, placed.state);
        let depth = self.drawing.path(placed.state).len();
        let is_part = self.drawing.states[placed.state].machine.is_some();
        let class = match (placed.composite, depth % 2) {
            (false, _) if is_part => "part",
            (false, _) => "box",
            (true, 1) => "inner",
            (true, _) => "outer",
        };
        self.line(&format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
            number(x),
            number(y),
            number(width),
            number(height)
        ));
        let title = self.drawing.title(placed.state);
        // The name of a state alone in its box stands in the middle.
        let alone = facts.is_empty() && !placed.composite;
        let name = super::words::width(&title, NAME_SIZE);
        let left = if placed.composite { x + PAD } else { x + (width - name) / 2.0 };
        let middle = y + if alone { height / 2.0 } else { (PAD + NAME_LINE) / 2.0 };
        self.words([left, middle], NAME_SIZE, "name", &title);
        if !facts.is_empty() && !placed.composite {
            let rule = number(y + PAD / 2.0 + NAME_LINE + 1.0);
            let (x, right) = (number(x), number(x + width));
            self.line(&format!(
                "<line class=\"rule\" x1=\"{x}\" y1=\"{rule}\" x2=\"{right}\" y2=\"{rule}\"/>"
            ));
        }
        for (index, fact) in facts.iter().enumerate() {
            let middle = y + PAD + NAME_LINE + (index as f64 + 0.5) * TEXT_LINE;
            self.words([x + PAD, middle], TEXT_SIZE, "fact", fact);
        }
    }

    fn words(&mut self, [x, middle]: [f64; 2], size: f64, class: &str, words: &str) {
        let baseline = number(middle + size * BASELINE);
        self.line(&format!(
            "<text class=\"{class}\" x=\"{}\" y=\"{baseline}\" font-size=\"{size}\">{}</text>",
            number(x),
            escaped(words)
        ));
    }

    fn sign(&mut self, sign: &Sign) {
        let Point { x, y } = sign.centre;
        let circle = |class: &str, radius: f64| {
            let (x, y) = (number(x), number(y));
            format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>")
        };
        let letters = match sign.kind {
            SignKind::Initial => {
                let dot = circle("dot", DOT);
                return self.line(&dot);
            }
            SignKind::History => "H",
            SignKind::DeepHistory => "H*",
        };
        self.line(&circle("sign", HISTORY));
        let left = x - super::words::width(letters, TEXT_SIZE) / 2.0;
        self.words([left, y], TEXT_SIZE, "name", letters);
    }

    fn label(&mut self, label: &Label) {
        for (index, line) in label.lines.iter().enumerate() {
            let middle = label.area.y + (index as f64 + 0.5) * TEXT_LINE;
            self.words([label.area.x, middle], TEXT_SIZE, "label", line);
        }
    }

    fn route(&mut self, route: &Route) {
        let [.., before, end] = route.points[..] else { return };
        let first = route.points[0];
        let mut path = format!("M{} {}", number(first.x), number(first.y));
        // The head's direction: into the state, along the last piece.
        let direction = if route.sideways {
            Point { x: -1.0, y: 0.0 }
        } else {
            Point { x: 0.0, y: if end.y >= before.y { 1.0 } else { -1.0 } }
        };
        let [length, half] = HEAD;
        // The line ends in the head, not at its tip.
        let base = Point { x: end.x - direction.x * length, y: end.y - direction.y * length };
        if let (true, [from, out, to]) = (route.sideways, &route.points[..]) {
            let far = number(out.x + (out.x - from.x) / 3.0);
            path.push_str(&format!(
                "C{far} {} {far} {} {} {}",
                number(from.y),
                number(to.y),
                number(base.x),
                number(base.y)
            ));
        } else {
            path.push_str(&curves(&route.points, base));
        }
        self.line(&format!("<path class=\"line\" d=\"{path}\"/>"));
        let side = |by: f64| {
            format!("{} {}", number(base.x + direction.y * by), number(base.y + direction.x * by))
        };
        self.line(&format!(
            "<path class=\"head\" d=\"M{} {}L{}L{}Z\"/>",
            number(end.x),
            number(end.y),
            side(half),
            side(-half)
        ));
    }
}

/// Returns the path behind its first point. The path ends at `base`, shortly before the last point.
fn curves(points: &[Point], base: Point) -> String {
    let mut path = String::new();
    for (index, two) in points.windows(2).enumerate() {
        let (from, last) = (two[0], index + 2 == points.len());
        let to = if last { base } else { two[1] };
        let (x, y) = (number(to.x), number(to.y));
        if from.x == to.x {
            path.push_str(&format!("L{x} {y}"));
        } else {
            let middle = number((from.y + to.y) / 2.0);
            path.push_str(&format!("C{} {middle} {x} {middle} {x} {y}", number(from.x)));
        }
    }
    path
}

/// A coordinate, to a tenth.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}
