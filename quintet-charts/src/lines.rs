//! A machine described in lines. The macro leaves the lines in the image, and the lab draws them.
//!
//! ```text
//! chart  machine   NAME
//! chart  initial   TARGET  ACTION
//! chart  state     NAME    SUPERSTATE  ENTRY  EXIT
//! chart  start     STATE   TARGET  ACTION
//! chart  storage   STATE   NAME: TYPE
//! chart  after     STATE   TIME        TIMER
//! chart  final     STATE
//! chart  defer     STATE   EVENT
//! chart  internal  STATE   EVENT   GUARD   ACTION
//! chart  edge      KIND    SOURCE  TARGET  EVENT  GUARD  ACTION
//! ```
//!
//! Tabs separate the words. An empty word means that there is none. In a word, `\t`, `\n` and `\\`
//! stand for a tab, a new line and a backslash.

use syn::ext::IdentExt;
use syn::{Pat, Type};

use crate::model::{After, Arm, Call, Handler, Initial, Kind, Machine, What};
use crate::text::{event_text, text};

/// How many letters of an action are shown.
const ACTION_MAX: usize = 64;

/// The description of a machine.
pub fn of(machine: &Machine) -> String {
    of_draft(machine, true)
}

/// Describes the known part of a machine that may be refused, with its first state if `begins`.
pub fn of_draft(machine: &Machine, begins: bool) -> String {
    let mut lines = Lines { machine, text: String::new() };
    lines.all(begins);
    lines.text
}

/// Returns the name of a machine's type.
pub fn name(own: &Type) -> String {
    match own {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.unraw().to_string()),
        _ => None,
    }
    .unwrap_or_else(|| text(own))
}

struct Lines<'a> {
    machine: &'a Machine,
    text: String,
}

impl Lines<'_> {
    fn line(&mut self, words: &[&str]) {
        self.text.push_str("chart");
        for word in words {
            self.text.push('\t');
            self.text.push_str(&escaped(word));
        }
        self.text.push('\n');
    }

    fn all(&mut self, begins: bool) {
        let machine = self.machine;
        self.line(&["machine", &name(&machine.own)]);
        for (index, state) in machine.states.iter().enumerate() {
            // In a draft, superstates may form a circle.
            let chain = machine.chain(index);
            let has_end = chain.last().is_some_and(|last| machine.states[*last].parent.is_none());
            let parent = state.parent.filter(|_| has_end);
            let parent = parent.map_or_else(String::new, |parent| self.name(parent));
            let name = self.name(index);
            self.line(&["state", &name, &parent, &named(&state.entry), &named(&state.exit)]);
        }
        if begins {
            let (target, action) = self.initial(&machine.initial);
            self.line(&["initial", &target, &action]);
        }
        for (index, state) in machine.states.iter().enumerate() {
            let name = self.name(index);
            if let Some(initial) = &state.initial {
                let (target, action) = self.initial(initial);
                self.line(&["start", &name, &target, &action]);
            }
            for (variable, kind) in &state.storage {
                self.line(&["storage", &name, &format!("{variable}: {}", text(kind))]);
            }
            if let Some(After { timer, delay }) = &state.after {
                let (delay, timer) = (text(delay), text(timer));
                self.line(&["after", &name, &shortened(&delay), &shortened(&timer)]);
            }
            if state.completes.is_some() {
                self.line(&["final", &name]);
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
            let guard = guard(arm);
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
        self.machine.states[state].name.unraw().to_string()
    }
}

fn named(call: &Option<Call>) -> String {
    call.as_ref().map_or_else(String::new, |call| call.name.unraw().to_string())
}

fn event(arm: &Arm) -> String {
    match &arm.event {
        None => "any event".to_owned(),
        Some(Pat::Wild(_)) => "any other event".to_owned(),
        Some(Pat::Ident(name)) if is_variable(name) => "any other event".to_owned(),
        Some(pattern) => event_text(pattern),
    }
}

/// Returns `true` if a pattern takes everything, by a name of its own.
fn is_variable(name: &syn::PatIdent) -> bool {
    name.subpat.is_none() && name.ident.unraw().to_string().starts_with(char::is_lowercase)
}

/// Joins the conditions of an arm.
fn guard(arm: &Arm) -> String {
    let several = arm.guards.len() > 1;
    let parts = arm.guards.iter().map(|guard| match guard.contains(" || ") && several {
        true => format!("({guard})"),
        false => guard.clone(),
    });
    parts.collect::<Vec<_>>().join(" && ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_the_line_has_for_itself() {
        assert_eq!(escaped("a\tb\\c"), "a\\tb\\\\c");
    }
}
