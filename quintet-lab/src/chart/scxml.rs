//! A drawing as SCXML, the W3C's notation of state machines.
//!
//! Conditions are attributes `cond`, and actions are `<script>`, both in Rust as the source has
//! them. SCXML has no deferred events: these are comments.

use super::{Drawing, Edge, Initial, Kind, Reaction, State};

/// The document, with a line at its end.
pub fn text(drawing: &Drawing) -> String {
    let initial = drawing.initial.as_ref().map_or_else(String::new, |initial| {
        format!(" initial=\"{}\"", escaped(&drawing.states[initial.target].name))
    });
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scxml \
         xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"rust\" \
         name=\"{}\"{initial}>\n",
        escaped(&drawing.name)
    );
    if let Some(action) = drawing.initial.as_ref().and_then(|initial| initial.action.as_ref()) {
        text.push_str(&format!("  {}\n", script(action)));
    }
    for state in drawing.children(None) {
        branch(drawing, state, 1, &mut text);
    }
    text.push_str("</scxml>\n");
    text
}

fn branch(drawing: &Drawing, state: usize, depth: usize, text: &mut String) {
    let (own, indent) = (&drawing.states[state], "  ".repeat(depth));
    let word = if is_final(drawing, state) { "final" } else { "state" };
    text.push_str(&format!("{indent}<{word} id=\"{}\">\n", escaped(&own.name)));
    let mut line = |words: &str| text.push_str(&format!("{indent}  {words}\n"));
    for variable in &own.storage {
        line(&comment(&format!("variable {variable}")));
    }
    for event in &own.defer {
        line(&comment(&format!("defers {event}")));
    }
    if let Some(Initial { target, action }) = &own.initial {
        let target = escaped(&drawing.states[*target].name);
        let script = action.as_deref().map_or_else(String::new, script);
        line(&format!("<initial><transition target=\"{target}\">{script}</transition></initial>"));
    }
    let [send, cancel] = timer(own);
    for (word, timer, action) in [("onentry", send, &own.entry), ("onexit", cancel, &own.exit)] {
        let action = action.as_deref().map_or_else(String::new, script);
        if !timer.is_empty() || !action.is_empty() {
            line(&format!("<{word}>{timer}{action}</{word}>"));
        }
    }
    for reaction in &own.internal {
        line(&transition(reaction, ""));
    }
    for edge in drawing.edges.iter().filter(|edge| edge.from == state) {
        line(&transition(&completed(drawing, edge), &target(drawing, edge)));
    }
    for kind in [Kind::History, Kind::DeepHistory] {
        if drawing.edges.iter().any(|edge| (edge.to, edge.kind) == (state, kind)) {
            line(&history(drawing, state, kind));
        }
    }
    for child in drawing.children(Some(state)) {
        branch(drawing, child, depth + 1, text);
    }
    text.push_str(&format!("{indent}</{word}>\n"));
}

/// Whether a state is final for SCXML, where a final state has no transitions.
fn is_final(drawing: &Drawing, state: usize) -> bool {
    let own = &drawing.states[state];
    own.is_final && own.internal.is_empty() && drawing.edges.iter().all(|edge| edge.from != state)
}

/// The cause of an edge. The completion of a composite is an event here.
fn completed(drawing: &Drawing, edge: &Edge) -> Reaction {
    let mut reaction = edge.reaction.clone();
    if reaction.event.is_none() && drawing.is_composite(edge.from) {
        reaction.event = Some(format!("done.state.{}", drawing.states[edge.from].name));
    }
    reaction
}

/// What sends the event of a state's timer, and what cancels it. The event has the timer's name.
fn timer(state: &State) -> [String; 2] {
    let Some([time, timer]) = &state.after else { return [String::new(), String::new()] };
    let (time, event) = (escaped(time), escaped(timer));
    let id = escaped(&format!("{}.after", state.name));
    [
        format!("<send id=\"{id}\" event=\"{event}\" delayexpr=\"{time}\"/>"),
        format!("<cancel sendid=\"{id}\"/>"),
    ]
}

/// The attributes of a transition to a state.
fn target(drawing: &Drawing, edge: &Edge) -> String {
    let name = &drawing.states[edge.to].name;
    match edge.kind {
        Kind::External => format!(" target=\"{}\"", escaped(name)),
        Kind::Local => format!(" type=\"internal\" target=\"{}\"", escaped(name)),
        kind => format!(" target=\"{}\"", escaped(&history_name(name, kind))),
    }
}

fn history_name(state: &str, kind: Kind) -> String {
    let word = if kind == Kind::History { "history" } else { "deep_history" };
    format!("{state}.{word}")
}

/// The history of a composite, with the transition for the first time.
fn history(drawing: &Drawing, state: usize, kind: Kind) -> String {
    let own = &drawing.states[state];
    let word = if kind == Kind::History { "shallow" } else { "deep" };
    let first = own.initial.as_ref().map_or_else(String::new, |initial| {
        let target = escaped(&drawing.states[initial.target].name);
        let script = initial.action.as_deref().map_or_else(String::new, script);
        format!("<transition target=\"{target}\">{script}</transition>")
    });
    let name = escaped(&history_name(&own.name, kind));
    format!("<history id=\"{name}\" type=\"{word}\">{first}</history>")
}

fn transition(reaction: &Reaction, target: &str) -> String {
    let event = reaction
        .event
        .as_deref()
        .map_or_else(String::new, |event| format!(" event=\"{}\"", escaped(&descriptors(event))));
    let guard = reaction
        .guard
        .as_deref()
        .map_or_else(String::new, |guard| format!(" cond=\"{}\"", escaped(guard)));
    match reaction.action.as_deref() {
        Some(action) => {
            format!("<transition{event}{guard}{target}>{}</transition>", script(action))
        }
        None => format!("<transition{event}{guard}{target}/>"),
    }
}

/// The names of events in a pattern: `Event::Blocked(force) | Event::Tick` has two.
fn descriptors(pattern: &str) -> String {
    if pattern.starts_with("any ") || pattern == "_" {
        return "*".to_owned();
    }
    let mut depth = 0_usize;
    let alternatives = pattern.split(|letter| {
        match letter {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == '|' && depth == 0
    });
    let names = alternatives.map(|one| {
        let path = one.split(['(', '{', '[', '@']).next().unwrap_or(one).trim();
        let name = path.rsplit("::").next().unwrap_or(path).trim();
        name.split_whitespace().collect::<String>()
    });
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

fn script(action: &str) -> String {
    format!("<script>{}</script>", escaped(action))
}

/// A comment, which can't contain two hyphens.
fn comment(text: &str) -> String {
    format!("<!-- {} -->", text.replace('-', "\u{2010}"))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}
