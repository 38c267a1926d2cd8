//! The chart as lines in the image, beside those of the map: the lab draws it from them.
//!
//! ```text
//! chart  machine   NAME
//! chart  initial   TARGET  ACTION
//! chart  state     NAME    SUPERSTATE  ENTRY  EXIT
//! chart  start     STATE   TARGET  ACTION
//! chart  storage   STATE   NAME: TYPE
//! chart  defer     STATE   EVENT
//! chart  internal  STATE   EVENT   GUARD   ACTION
//! chart  edge      KIND    SOURCE  TARGET  EVENT  GUARD  ACTION
//! ```
//!
//! Tabs are between words, and an empty word is none. In a word `\t`, `\n` and `\\` stand for a
//! tab, a new line and a backslash.

use proc_macro2::TokenStream;
use quintet_charts::model::{Arm, Call, Handler, Initial, Kind, Machine, What};
use quintet_charts::text::{event_text, text};
use quote::quote;
use syn::{Pat, Type};

use super::emit::Output;

/// How many letters of an action are shown.
const ACTION_MAX: usize = 64;

/// The lines, which take no memory.
pub fn emit(output: &Output<'_>) -> TokenStream {
    let mut lines = Lines { machine: output.machine, text: String::new() };
    lines.all();
    let (quintet, text) = (&output.quintet, lines.text);
    quote!(#quintet::__chart_lines!(#text);)
}

struct Lines<'a> {
    machine: &'a Machine,
    /// As the assembler's directives have it.
    text: String,
}

impl Lines<'_> {
    fn line(&mut self, words: &[&str]) {
        self.text.push_str(".ascii \"chart");
        for word in words {
            self.text.push_str("\\t");
            self.text.push_str(&for_assembler(&escaped(word)));
        }
        self.text.push_str("\\n\"\n");
    }

    fn all(&mut self) {
        let machine = self.machine;
        let own = match &machine.own {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.line(&["machine", &own.unwrap_or_else(|| text(&machine.own))]);
        for state in &machine.states {
            let parent = state.parent.map_or_else(String::new, |parent| self.name(parent));
            let name = state.name.to_string();
            self.line(&["state", &name, &parent, &named(&state.entry), &named(&state.exit)]);
        }
        let (target, action) = self.initial(&machine.initial);
        self.line(&["initial", &target, &action]);
        for state in &machine.states {
            let name = state.name.to_string();
            if let Some(initial) = &state.initial {
                let (target, action) = self.initial(initial);
                self.line(&["start", &name, &target, &action]);
            }
            for (variable, kind) in &state.storage {
                self.line(&["storage", &name, &format!("{variable}: {}", text(kind))]);
            }
            for pattern in &state.defer {
                self.line(&["defer", &name, &event_text(pattern)]);
            }
            self.handler(&name, &state.handler, true);
            if let Some(handler) = &state.completion {
                self.handler(&name, handler, false);
            }
        }
    }

    fn handler(&mut self, name: &str, handler: &Handler, has_event: bool) {
        for arm in &handler.arms {
            let event = if has_event { event(arm) } else { String::new() };
            let guard = arm.guards.join(" && ");
            let action = shortened(&arm.actions.join("; "));
            match handler.outcomes[arm.outcome].what {
                What::Handled if has_event => {
                    self.line(&["internal", name, &event, &guard, &action]);
                }
                What::Deferred if guard.is_empty() => self.line(&["defer", name, &event]),
                What::Deferred => self.line(&["defer", name, &format!("{event} [{guard}]")]),
                What::Handled | What::Super => {}
                What::To(kind, target) => {
                    let target = self.name(target);
                    self.line(&["edge", word(kind), name, &target, &event, &guard, &action]);
                }
            }
        }
    }

    fn initial(&self, initial: &Initial) -> (String, String) {
        (self.name(initial.target), named(&initial.action))
    }

    fn name(&self, state: usize) -> String {
        self.machine.states[state].name.to_string()
    }
}

fn named(call: &Option<Call>) -> String {
    call.as_ref().map_or_else(String::new, |call| call.name.to_string())
}

fn event(arm: &Arm) -> String {
    match &arm.event {
        None => "any event".to_owned(),
        Some(Pat::Wild(_)) => "any other event".to_owned(),
        Some(pattern) => event_text(pattern),
    }
}

const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::External => "external",
        Kind::Local => "local",
        Kind::History => "history",
        Kind::DeepHistory => "deep",
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= ACTION_MAX {
        return text.to_owned();
    }
    format!("{}...", text.chars().take(ACTION_MAX).collect::<String>().trim_end())
}

/// A word of a line.
fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

/// A string of the assembler, in a template in which braces have a meaning.
fn for_assembler(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_the_line_and_the_assembler_have_for_themselves() {
        assert_eq!(escaped("a\tb\\c"), "a\\tb\\\\c");
        assert_eq!(for_assembler("say(\"{n}\", '\\t')"), "say(\\\"{{n}}\\\", '\\\\t')");
    }
}
