//! Drawings of state machines: what is placed stands apart, and what is written can be read.

use quintet_lab::chart::layout::{self, Layout, Point, Rect, Route};
use quintet_lab::chart::{Drawing, Edge, Initial, Kind, Reaction, State, svg};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    fn word(&mut self) -> String {
        let letters = self.below(14) + 1;
        (0..letters).map(|_| ["a", "B", "_", "<", "&", "状"][self.below(6)]).collect()
    }
}

fn state(name: &str, parent: Option<usize>) -> State {
    State { name: name.into(), parent, ..State::default() }
}

fn initial(target: usize) -> Option<Initial> {
    Some(Initial { target, action: None })
}

fn edge(from: usize, to: usize, event: &str) -> Edge {
    let reaction = Reaction { event: Some(event.into()), ..Reaction::default() };
    Edge { from, to, kind: Kind::External, reaction }
}

/// The best known test chart: s { s1 { s11 }, s2 { s21 { s211 } } }.
fn nested() -> Drawing {
    let mut states = vec![
        state("s", None),
        state("s1", Some(0)),
        state("s11", Some(1)),
        state("s2", Some(0)),
        state("s21", Some(3)),
        state("s211", Some(4)),
    ];
    for (composite, target) in [(0, 2), (1, 2), (3, 5), (4, 5)] {
        states[composite].initial = initial(target);
    }
    for state in &mut states {
        state.entry = Some(format!("{}_entry", state.name));
        state.exit = Some(format!("{}_exit", state.name));
    }
    let guarded = |text: &str, guard: &str| Reaction {
        event: Some(text.into()),
        guard: Some(guard.into()),
        action: Some("self.foo = true".into()),
    };
    states[0].internal = vec![guarded("I", "self.foo")];
    states[1].internal = vec![Reaction { event: Some("I".into()), ..Reaction::default() }];
    let mut edges = vec![
        edge(0, 2, "E"),
        edge(1, 1, "A"),
        edge(1, 2, "B"),
        edge(1, 3, "C"),
        edge(1, 0, "D [!self.foo]"),
        edge(1, 5, "F"),
        edge(2, 1, "D [self.foo]"),
        edge(2, 5, "G"),
        edge(2, 0, "H"),
        edge(3, 1, "C"),
        edge(3, 2, "F"),
        edge(4, 4, "A"),
        edge(4, 5, "B"),
        edge(4, 2, "G"),
        edge(5, 4, "D"),
        edge(5, 0, "H"),
    ];
    edges[2].kind = Kind::Local;
    Drawing { name: "Hsm".into(), initial: initial(3), states, edges, ..Drawing::default() }
}

fn door() -> Drawing {
    let mut states = vec![
        state("operational", None),
        state("opened", Some(0)),
        state("closed", Some(0)),
        state("moving", Some(0)),
        state("opening", Some(3)),
        state("closing", Some(3)),
        state("fault", None),
    ];
    states[0].initial = initial(2);
    states[3].initial = initial(4);
    states[0].defer = vec!["Event::Test".into()];
    states[3].entry = Some("motor_on".into());
    states[3].exit = Some("motor_off".into());
    states[4].storage = vec!["left: u8".into()];
    states[4].internal = vec![Reaction {
        event: Some("Tick".into()),
        guard: None,
        action: Some("*left -= 1".into()),
    }];
    let mut edges = vec![
        edge(2, 4, "Button"),
        edge(4, 1, "End"),
        edge(1, 5, "Button"),
        edge(1, 5, "Timeout"),
        edge(5, 2, "End"),
        edge(5, 4, "Blocked"),
        edge(0, 6, "Overcurrent"),
        edge(6, 0, "Reset"),
        edge(6, 6, "Button"),
    ];
    edges[7].kind = Kind::DeepHistory;
    edges[5].reaction.guard = Some("self.tries < TRIES_MAX".into());
    edges[5].reaction.action = Some("self.tries += 1".into());
    Drawing { name: "Door".into(), initial: initial(0), states, edges, ..Drawing::default() }
}

/// A machine with any shape: up to 30 states, 6 levels, 60 transitions of any kind.
fn random(seed: u64) -> Drawing {
    let mut numbers = Numbers(seed);
    let mut states: Vec<State> = Vec::new();
    let mut depths = Vec::new();
    for index in 0..numbers.below(30) + 1 {
        let parent = (index > 0 && numbers.below(3) > 0).then(|| numbers.below(index));
        let parent = parent.filter(|&parent| depths[parent] < 6);
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        let mut state = state(&numbers.word(), parent);
        state.entry = (numbers.below(3) == 0).then(|| numbers.word());
        state.defer = (0..numbers.below(3)).map(|_| numbers.word()).collect();
        states.push(state);
    }
    let count = states.len();
    for composite in 0..count {
        let child = (0..count).find(|&child| states[child].parent == Some(composite));
        states[composite].initial = child.map(|target| Initial {
            target,
            action: (numbers.below(2) == 0).then(|| numbers.word()),
        });
    }
    let composites: Vec<bool> =
        (0..count).map(|state| states.iter().any(|other| other.parent == Some(state))).collect();
    let mut edges = Vec::new();
    for _ in 0..numbers.below(2 * count + 1) {
        let mut edge = edge(numbers.below(count), numbers.below(count), &numbers.word());
        edge.kind = match numbers.below(6) {
            0 if composites[edge.to] => Kind::History,
            1 if composites[edge.to] => Kind::DeepHistory,
            2 => Kind::Local,
            _ => Kind::External,
        };
        edge.reaction.action = (numbers.below(3) == 0).then(|| numbers.word().repeat(4));
        if numbers.below(8) == 0 {
            edge.reaction.event = None;
        }
        edges.push(edge);
    }
    let target = numbers.below(count);
    Drawing { name: numbers.word(), initial: initial(target), states, edges, ..Drawing::default() }
        .check()
        .unwrap()
}

fn overlap(one: &Rect, other: &Rect) -> bool {
    one.x < other.right()
        && other.x < one.right()
        && one.y < other.bottom()
        && other.y < one.bottom()
}

fn within(inner: &Rect, outer: &Rect) -> bool {
    inner.x >= outer.x
        && inner.right() <= outer.right()
        && inner.y >= outer.y
        && inner.bottom() <= outer.bottom()
}

/// Points along a line, as it is drawn, without its ends.
fn along(route: &Route) -> Vec<Point> {
    let mut points = Vec::new();
    for two in route.points.windows(2) {
        let [from, to] = [two[0], two[1]];
        for step in 1..16 {
            let t = f64::from(step) / 16.0;
            // The curve leaves and comes vertically.
            let (s, middle) = (1.0 - t, (from.y + to.y) / 2.0);
            let share = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
            let x = (share[0] + share[1]) * from.x + (share[2] + share[3]) * to.x;
            let y = share[0] * from.y + (share[1] + share[2]) * middle + share[3] * to.y;
            points.push(Point { x, y });
        }
    }
    points
}

fn has(area: &Rect, point: &Point) -> bool {
    let slack = 0.01;
    point.x > area.x + slack
        && point.x < area.right() - slack
        && point.y > area.y + slack
        && point.y < area.bottom() - slack
}

/// All that a picture promises.
fn check(drawing: &Drawing, layout: &Layout, name: &str) {
    let page = Rect { x: 0.0, y: 0.0, width: layout.width, height: layout.height };
    assert_eq!(layout.boxes.len(), drawing.states.len(), "{name}: a box for each state");
    let area =
        |state: usize| layout.boxes.iter().find(|placed| placed.state == state).unwrap().area;
    for state in 0..drawing.states.len() {
        assert!(within(&area(state), &page), "{name}: state {state} on the page");
        let parent = drawing.states[state].parent;
        if let Some(parent) = parent {
            assert!(within(&area(state), &area(parent)), "{name}: {state} in {parent}");
        }
        for other in (0..state).filter(|&other| drawing.states[other].parent == parent) {
            assert!(!overlap(&area(state), &area(other)), "{name}: {state} and {other} overlap");
        }
    }
    let leaves: Vec<Rect> =
        layout.boxes.iter().filter(|placed| !placed.composite).map(|placed| placed.area).collect();
    let labels: Vec<Rect> = layout
        .routes
        .iter()
        .filter_map(|route| route.label.as_ref())
        .map(|label| label.area)
        .collect();
    for (index, label) in labels.iter().enumerate() {
        assert!(within(label, &page), "{name}: label {index} on the page");
        assert!(!leaves.iter().any(|leaf| overlap(leaf, label)), "{name}: label {index} in a box");
        let others = labels[..index].iter();
        assert!(!others.clone().any(|other| overlap(other, label)), "{name}: labels overlap");
    }
    for (index, route) in layout.routes.iter().enumerate() {
        assert!(route.points.len() >= 2, "{name}: route {index} goes somewhere");
        if route.sideways {
            continue;
        }
        for point in along(route) {
            let leaf = leaves.iter().find(|leaf| has(leaf, &point));
            assert!(leaf.is_none(), "{name}: route {index} at {point:?} through {leaf:?}");
            let label = labels.iter().find(|label| has(label, &point));
            assert!(label.is_none(), "{name}: route {index} at {point:?} through {label:?}");
        }
    }
}

/// A reader of XML that knows elements, attributes and the five entities: what it takes is valid.
fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some((text, tag)) = rest.split_once('<') {
        assert!(!text.contains('>'), "{text}");
        entities(text);
        let (tag, behind) = tag.split_once('>').expect("each tag ends");
        rest = behind;
        assert!(!tag.contains('<'), "{tag}");
        entities(tag);
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    let odd = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    assert!(!xml.contains(odd));
}

fn entities(text: &str) {
    for behind in text.split('&').skip(1) {
        let name = behind.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "apos"].contains(&name), "&{name}");
    }
}

fn draw(drawing: &Drawing, name: &str) {
    let text = svg::text(drawing);
    if let Some(directory) = std::env::var_os("QUINTET_DRAWINGS") {
        std::fs::write(std::path::Path::new(&directory).join(format!("{name}.svg")), &text)
            .unwrap();
    }
    check(drawing, &layout::of(drawing), name);
    well_formed(&text);
    assert_eq!(text, svg::text(drawing), "{name}: the same again");
}

#[test]
fn charts_as_people_draw_them_stand_apart() {
    draw(&nested().check().unwrap(), "nested");
    draw(&door().check().unwrap(), "door");
}

#[test]
fn machines_of_any_shape_stand_apart() {
    for seed in 0..400 {
        draw(&random(seed), &format!("random{seed}"));
    }
}
