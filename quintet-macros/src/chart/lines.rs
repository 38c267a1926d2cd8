//! The chart as data, which the lab draws from an image. Nothing of it is loaded.
//!
//! Lines of words, separated by tabs; an empty word is none. In a word, `\\`, `\t` and `\n` stand
//! for a backslash, a tab and a new line.
//!
//! ```text
//! chart  machine   name
//! chart  state     name  superstate  entry  exit
//! chart  initial   target  action
//! chart  start     superstate  target  action
//! chart  storage   state  name: type
//! chart  defer     state  event
//! chart  internal  state  event  guard  action
//! chart  edge      external|local|history|deep  source  target  event  guard  action
//! ```

use proc_macro2::TokenStream;
use quintet_charts::model::{Arm, Call, Handler, Kind, Machine, State, What};
use quote::{ToTokens, quote};

use super::emit::Output;

impl Output<'_> {
    /// The machine's lines.
    pub fn lines(&self) -> TokenStream {
        let (machine, quintet) = (self.machine, &self.quintet);
        let states = &machine.states;
        let name = |state: usize| states[state].name.to_string();
        let mut text = line(&["machine", &plain(&machine.own)]);
        // States before what names them.
        for state in states {
            let parent = state.parent.map(name).unwrap_or_default();
            let (entry, exit) = (action(state.entry.as_ref()), action(state.exit.as_ref()));
            text += &line(&["state", &state.name.to_string(), &parent, &entry, &exit]);
        }
        let initial = &machine.initial;
        text += &line(&["initial", &name(initial.target), &action(initial.action.as_ref())]);
        for state in states {
            text += &of_state(machine, state);
        }
        // The assembler's own characters, and those of its templates.
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
        let text = text.replace('\n', "\\n").replace('{', "{{").replace('}', "}}");
        quote!(#quintet::__chart_lines! { #text })
    }
}

fn of_state(machine: &Machine, state: &State) -> String {
    let own = state.name.to_string();
    let mut text = String::new();
    if let Some(initial) = &state.initial {
        let target = machine.states[initial.target].name.to_string();
        text += &line(&["start", &own, &target, &action(initial.action.as_ref())]);
    }
    for (name, kind) in &state.storage {
        text += &line(&["storage", &own, &format!("{name}: {}", plain(kind))]);
    }
    for event in &state.defer {
        text += &line(&["defer", &own, &plain(event)]);
    }
    for handler in std::iter::once(&state.handler).chain(&state.completion) {
        for arm in &handler.arms {
            text += &of_arm(machine, &own, handler, arm);
        }
    }
    text
}

fn of_arm(machine: &Machine, own: &str, handler: &Handler, arm: &Arm) -> String {
    let event = arm.event.as_ref().map(plain).unwrap_or_default();
    let guard = arm.guards.iter().map(plain).collect::<Vec<_>>().join(" && ");
    match handler.outcomes[arm.outcome].what {
        What::Handled => line(&["internal", own, &event, &guard, ""]),
        What::To(kind, target) => {
            let kind = match kind {
                Kind::External => "external",
                Kind::Local => "local",
                Kind::History => "history",
                Kind::DeepHistory => "deep",
            };
            let target = machine.states[target].name.to_string();
            line(&["edge", kind, own, &target, &event, &guard, ""])
        }
        What::Super | What::Deferred => String::new(),
    }
}

fn action(call: Option<&Call>) -> String {
    call.map(|call| call.name.to_string()).unwrap_or_default()
}

fn line(words: &[&str]) -> String {
    let escaped = words
        .iter()
        .map(|word| word.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"));
    let words: Vec<_> = std::iter::once("chart".to_owned()).chain(escaped).collect();
    words.join("\t") + "\n"
}

/// Tokens without the spaces that they are printed with.
fn plain(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(" :: ", "::")
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" . ", ".")
        .replace("& ", "&")
        .replace("* * ", "**")
}
