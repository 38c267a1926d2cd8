//! The known parts of machines that are refused.

use proc_macro2::TokenStream;

use crate::{Draft, draft};

/// The lines of a machine that is refused with this message.
#[track_caller]
fn lines(arguments: &str, functions: &str, message: &str) -> String {
    let block = format!("impl M {{ {functions} }}");
    let tokens = |text: &str| text.parse::<TokenStream>().expect("it is Rust");
    let draft: Draft = draft(tokens(arguments), tokens(&block));
    let error = draft.refusal.as_ref().expect("it is refused");
    assert_eq!(error.clone().into_iter().count(), 1, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    draft.lines().replace("chart\t", "").replace('\t', " ")
}

const A: &str = "#[state] fn a(&mut self, event: &E) -> Outcome<State> { match event { \
                 E::X => Transition(State::b()), E::Y => Transition(State::a()), _ => Super } }";

#[test]
fn a_transition_to_nowhere_is_left_out() {
    let lines = lines("initial = State::a()", A, "there is no state `b`");
    assert_eq!(lines, "machine M\nstate a   \ninitial a \nedge external a a Y  \n");
}

#[test]
fn a_machine_without_a_beginning_has_its_states() {
    let handled = "#[state] fn a(event: &E) -> Outcome<State> { Handled }";
    let states = "machine M\nstate a   \ninternal a any event  \n";
    assert_eq!(lines("", handled, "the machine's first state is missing"), states);
    assert_eq!(lines("initial = State::c()", handled, "there is no state `c`"), states);
    assert_eq!(lines("initially = State::a()", handled, "no argument `initially`"), states);
    let named = handled.replace("Handled", "Transition(Stages::a())");
    let lines = lines("initially = Stages::a(), state(name = \"Stages\")", &named, "no argument");
    assert!(lines.contains("edge external a a any event"), "{lines}");
    let nothing = draft(TokenStream::new(), "impl M {}".parse().expect("it is Rust"));
    assert!(nothing.machine.is_none() && nothing.refusal.is_some());
    assert_eq!(nothing.lines(), "");
}

#[test]
fn an_action_that_is_still_missing_is_named() {
    let functions = "#[state(entry_action = begin)] fn a(event: &E) -> Outcome<State> { Super }";
    let lines = lines("initial = State::a()", functions, "there is no function `begin`");
    assert_eq!(lines, "machine M\nstate a  begin \ninitial a \n");
}

#[test]
fn superstates_in_a_circle_are_beside_one_another() {
    let functions = "#[superstate(superstate = c)] fn b(event: &E) -> Outcome<State> { Super } \
                     #[superstate(superstate = b)] fn c(event: &E) -> Outcome<State> { Super } \
                     #[state(superstate = b)] fn a(event: &E) -> Outcome<State> { Super }";
    let block: TokenStream = format!("impl M {{ {functions} }}").parse().expect("it is Rust");
    let lines = draft("initial = State::a()".parse().expect("the same"), block).lines();
    assert!(lines.contains("state\tb\t\t") && lines.contains("state\ta\t\t"), "{lines}");
}

#[test]
fn a_handler_that_cannot_be_called_is_read() {
    let functions = "#[state] fn a((x, y): (u8, u8), event: &E) -> Outcome<State> { Handled }";
    let lines = lines("initial = State::a()", functions, "known by their names");
    assert!(lines.contains("internal a any event"), "{lines}");
    let functions = "#[state] fn a(self, event: &E) -> Outcome<State> { Handled }";
    assert!(super::read("initial = State::a()", functions).is_err());
}
