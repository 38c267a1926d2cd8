//! A drawing as JSON.

use super::{Found, Hidden, Initial, Reaction, Refusal};
use serde_json::{Value, json};

/// The machine with the names of its states in place of numbers.
pub fn value(found: &Found) -> Value {
    let drawing = &found.drawing;
    let name = |state: usize| drawing.states[state].name.as_str();
    let initial = |initial: &Option<Initial>| match initial {
        Some(Initial { target, action }) => json!({"target": name(*target), "action": action}),
        None => Value::Null,
    };
    let parts = drawing.states.iter().filter_map(|state| {
        let machine = state.machine.as_ref()?;
        Some(json!({"field": state.name, "machine": machine}))
    });
    let states = drawing.states.iter().enumerate().filter(|(_, state)| state.machine.is_none());
    let states = states.map(|(index, state)| {
        json!({
            "name": state.name,
            "superstate": state.parent.map(name),
            "composite": drawing.is_composite(index),
            "entry": state.entry,
            "exit": state.exit,
            "initial": initial(&state.initial),
            "storage": state.storage,
            "after": after(&state.after),
            "completes": state.is_final,
            "defer": state.defer,
            "internal": state.internal.iter().map(reaction).collect::<Vec<_>>(),
        })
    });
    let transitions = drawing.edges.iter().map(|edge| {
        json!({
            "source": name(edge.from),
            "target": name(edge.to),
            "kind": edge.kind.word(),
            "event": edge.reaction.event,
            "guard": edge.reaction.guard,
            "action": edge.reaction.action,
        })
    });
    json!({
        "name": drawing.name,
        "draft": drawing.is_draft,
        "refusals": found.refusals.iter().map(refusal).collect::<Vec<_>>(),
        "initial": initial(&drawing.initial),
        "states": states.collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
        "transitions": transitions.collect::<Vec<_>>(),
    })
}

/// The place of a machine that a macro writes.
pub fn hidden(hidden: &Hidden) -> Value {
    json!({"line": hidden.line, "column": hidden.column, "macro": hidden.name})
}

fn after(after: &Option<[String; 2]>) -> Value {
    after.as_ref().map_or(Value::Null, |[time, timer]| json!({"time": time, "timer": timer}))
}

fn reaction(reaction: &Reaction) -> Value {
    json!({"event": reaction.event, "guard": reaction.guard, "action": reaction.action})
}

fn refusal(refusal: &Refusal) -> Value {
    json!({"line": refusal.line, "column": refusal.column, "message": refusal.message})
}
