//! A drawing as plain text: the tree of states, each with its actions and transitions.

use super::{Drawing, Edge, Initial, Kind, Reaction};

/// The outline, with a line at its end.
pub fn text(drawing: &Drawing) -> String {
    let mut text = format!("{}\n", drawing.heading());
    if let Some(initial) = &drawing.initial {
        text.push_str(&format!("  {}\n", start(drawing, initial)));
    }
    for state in drawing.children(None) {
        branch(drawing, state, 1, &mut text);
    }
    text
}

fn branch(drawing: &Drawing, state: usize, depth: usize, text: &mut String) {
    let own = &drawing.states[state];
    text.push_str(&format!("{}{}\n", "  ".repeat(depth), drawing.title(state)));
    let mut line = |words: String| text.push_str(&format!("{}{words}\n", "  ".repeat(depth + 2)));
    for words in facts(drawing, state) {
        line(words);
    }
    for edge in drawing.edges.iter().filter(|edge| edge.from == state) {
        line(transition(drawing, edge));
    }
    if let Some(initial) = &own.initial {
        line(start(drawing, initial));
    }
    for child in drawing.children(Some(state)) {
        branch(drawing, child, depth + 1, text);
    }
}

/// Returns a state's facts besides its transitions: entry, exit, timer, completion of the
/// superstate, internal transitions, deferred events.
pub fn facts(drawing: &Drawing, state: usize) -> Vec<String> {
    let own = &drawing.states[state];
    let action = |word: &str, action: &Option<String>| {
        action.as_ref().map(|action| format!("{word} / {action}"))
    };
    let mut facts: Vec<String> =
        [action("entry", &own.entry), action("exit", &own.exit)].into_iter().flatten().collect();
    facts.extend(own.after.iter().map(|[time, timer]| format!("after {time} / {timer}")));
    if let Some(parent) = own.parent.filter(|_| own.is_final) {
        facts.push(format!("completes {}", drawing.states[parent].name));
    }
    facts.extend(own.internal.iter().map(Reaction::text).filter(|text| !text.is_empty()));
    if own.machine.is_some() {
        facts.push("a machine of its own".to_owned());
    }
    if !own.defer.is_empty() {
        facts.push(format!("defer / {}", own.defer.join(", ")));
    }
    facts
}

fn start(drawing: &Drawing, initial: &Initial) -> String {
    let action = initial.action.as_ref().map_or_else(String::new, |action| format!(" / {action}"));
    format!("initial -> {}{action}", drawing.states[initial.target].name)
}

fn transition(drawing: &Drawing, edge: &Edge) -> String {
    let [head, action] = edge.reaction.parts();
    let target = &drawing.states[edge.to].name;
    let target = match edge.kind {
        Kind::External => target.clone(),
        Kind::Local => format!("{target} (local)"),
        Kind::History => format!("history of {target}"),
        Kind::DeepHistory => format!("deep history of {target}"),
    };
    let head = if edge.reaction.event.is_none() {
        format!("on completion {head}").trim_end().to_owned()
    } else {
        head
    };
    format!("{head} -> {target} {action}").trim_end().to_owned()
}
