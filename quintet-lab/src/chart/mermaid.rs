//! A drawing in the language of Mermaid, which many viewers of Markdown draw.

use super::{Drawing, Edge, Initial, Kind, outline};

/// The diagram, with a line at its end.
pub fn text(drawing: &Drawing) -> String {
    let mut text = format!("---\ntitle: {}\n---\nstateDiagram-v2\n", quoted(&drawing.heading()));
    region(drawing, None, &mut text);
    // Mermaid takes the ends of a transition only where both have been declared.
    for edge in &drawing.edges {
        text.push_str(&format!("    {}\n", transition(drawing, edge)));
    }
    for state in 0..drawing.states.len() {
        let facts = outline::facts(drawing, state);
        if !facts.is_empty() {
            text.push_str(&format!("    note right of s{state}\n"));
            for fact in facts {
                text.push_str(&format!("        {}\n", escaped(&fact)));
            }
            text.push_str("    end note\n");
        }
    }
    text
}

fn region(drawing: &Drawing, parent: Option<usize>, text: &mut String) {
    let depth = parent.map_or(0, |state| drawing.path(state).len());
    let indent = "    ".repeat(depth + 1);
    let initial = match parent {
        Some(state) => &drawing.states[state].initial,
        None => &drawing.initial,
    };
    for state in drawing.children(parent) {
        let title = escaped(&drawing.title(state));
        text.push_str(&format!("{indent}state \"{title}\" as s{state}\n"));
        if drawing.is_composite(state) {
            text.push_str(&format!("{indent}state s{state} {{\n"));
            region(drawing, Some(state), text);
            text.push_str(&format!("{indent}}}\n"));
        }
        // A history is a state of its own here, because Mermaid has no sign for history.
        for kind in [Kind::History, Kind::DeepHistory] {
            if drawing.edges.iter().any(|edge| (edge.to, edge.kind) == (state, kind)) {
                let name = history(state, kind);
                let words = format!("{} of {title}", kind.word());
                text.push_str(&format!("{indent}state \"{words}\" as {name}\n"));
            }
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

fn history(state: usize, kind: Kind) -> String {
    format!("{}{state}", if kind == Kind::History { 'h' } else { 'd' })
}

fn transition(drawing: &Drawing, edge: &Edge) -> String {
    let target = match edge.kind {
        Kind::External | Kind::Local => format!("s{}", edge.to),
        kind => history(edge.to, kind),
    };
    let mut label = edge.reaction.text();
    if edge.kind == Kind::Local {
        label.push_str(" (local)");
    }
    let label = escaped(label.trim());
    let label = if label.is_empty() { label } else { format!(" : {label}") };
    debug_assert!(edge.from < drawing.states.len());
    format!("s{} --> {target}{label}", edge.from)
}

/// Escapes signs of the language by their numbers: Mermaid writes `#NUMBER;`.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => escaped.push(' '),
            '#' | ';' | ':' | '"' | '<' | '>' | '{' | '}' | '%' | '&' | '\\' | '`' => {
                escaped.push_str(&format!("#{};", u32::from(letter)));
            }
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A text of YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
