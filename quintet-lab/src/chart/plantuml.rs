//! A drawing in the language of PlantUML.

use super::{Drawing, Edge, Initial, Kind, outline};

/// The diagram, with a line at its end.
pub fn text(drawing: &Drawing) -> String {
    let mut text = format!("@startuml\ntitle {}\n", escaped(&drawing.heading()));
    region(drawing, None, &mut text);
    for edge in &drawing.edges {
        text.push_str(&format!("{}\n", transition(edge)));
    }
    for state in 0..drawing.states.len() {
        for fact in outline::facts(drawing, state) {
            text.push_str(&format!("s{state} : {}\n", escaped(&fact)));
        }
    }
    text.push_str("@enduml\n");
    text
}

fn region(drawing: &Drawing, parent: Option<usize>, text: &mut String) {
    let depth = parent.map_or(0, |state| drawing.path(state).len());
    let indent = "  ".repeat(depth);
    let initial = match parent {
        Some(state) => &drawing.states[state].initial,
        None => &drawing.initial,
    };
    for state in drawing.children(parent) {
        let title = escaped(&drawing.title(state));
        text.push_str(&format!("{indent}state \"{title}\" as s{state}"));
        if drawing.is_composite(state) {
            text.push_str(" {\n");
            region(drawing, Some(state), text);
            text.push_str(&format!("{indent}}}\n"));
        } else {
            text.push('\n');
        }
    }
    for state in drawing.children(parent).filter(|state| drawing.states[*state].is_final) {
        text.push_str(&format!("{indent}s{state} --> [*]\n"));
    }
    if let Some(Initial { target, action }) = initial {
        let action =
            action.as_ref().map_or_else(String::new, |action| format!(" : / {}", escaped(action)));
        text.push_str(&format!("{indent}[*] --> s{target}{action}\n"));
    }
}

fn transition(edge: &Edge) -> String {
    let history = match edge.kind {
        Kind::External | Kind::Local => "",
        Kind::History => "[H]",
        Kind::DeepHistory => "[H*]",
    };
    let mut label = edge.reaction.text();
    if edge.kind == Kind::Local {
        label.push_str(" (local)");
    }
    let label = escaped(label.trim());
    let label = if label.is_empty() { label } else { format!(" : {label}") };
    format!("s{} --> s{}{history}{label}", edge.from, edge.to)
}

/// Escapes signs of the language by their numbers: PlantUML writes `<U+NUMBER>`. Some signs mean
/// something only if they stand twice.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => escaped.push(' '),
            '\\' | '"' | '<' | '>' | '~' | '&' | '|' => {
                escaped.push_str(&format!("<U+{:04X}>", u32::from(letter)));
            }
            '*' | '_' | '/' | '-' | '=' | '\'' if letter == before => {
                escaped.push_str(&format!("<U+{:04X}>", u32::from(letter)));
            }
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
        before = letter;
    }
    escaped
}
