//! Refusals, each at the right word.

mod draft;
mod places;
mod ui;

use proc_macro2::TokenStream;

use crate::lower::{Step, start, transition};
use crate::model::Kind;
use crate::tree::Tree;

/// The machine of these arguments and functions.
fn read(arguments: &str, functions: &str) -> syn::Result<crate::model::Machine> {
    let block = format!("impl M {{ {functions} }}");
    let tokens = |text: &str| text.parse::<TokenStream>().expect("it is Rust");
    crate::read(tokens(arguments), tokens(&block))
}

/// Checks the first message about a machine, and its word.
#[track_caller]
fn refused(functions: &str, word: &str, message: &str) {
    refused_with("initial = State::a()", functions, word, message);
}

#[track_caller]
fn refused_with(arguments: &str, functions: &str, word: &str, message: &str) {
    let error = read(arguments, functions).err().expect("it is refused");
    let text = error.to_string();
    assert!(text.contains(message), "{text}");
    assert!(text.contains(&format!("`{word}`")) || word.is_empty(), "{text}");
}

const A: &str = "#[state] fn a(&mut self, event: &E) -> Outcome<State> { match event { \
                 E::X => Transition(State::b()), _ => Super } }";

#[test]
fn a_target_that_does_not_exist_is_refused_with_a_suggestion() {
    let functions = "#[state] fn alpha(event: &E) -> Outcome<State> { Transition(State::alpa()) }";
    refused_with("initial = State::alpha()", functions, "alpa", "did you mean `alpha`?");
}

#[test]
fn an_unreachable_state_is_refused() {
    let other = "#[state] fn b(event: &E) -> Outcome<State> { Super } \
                 #[state] fn c(event: &E) -> Outcome<State> { Super }";
    refused(&format!("{A} {other}"), "c", "can't be reached");
}

#[test]
fn a_composite_without_initial_transition_is_refused_where_it_is_entered() {
    let other = "#[superstate] fn b(event: &E) -> Outcome<State> { Transition(State::c()) } \
                 #[state(superstate = b)] fn c(event: &E) -> Outcome<State> { Super }";
    refused(&format!("{A} {other}"), "b", "has no initial transition");
}

#[test]
fn an_initial_transition_to_outside_is_refused() {
    let other = "#[superstate(initial = State::a())] \
                 fn b(event: &E) -> Outcome<State> { Super }";
    refused(&format!("{A} {other}"), "b", "is not inside of");
}

#[test]
fn a_cycle_of_superstates_is_refused() {
    let other = "#[superstate(superstate = c)] fn b(event: &E) -> Outcome<State> { Super } \
                 #[superstate(superstate = b)] fn c(event: &E) -> Outcome<State> { Super }";
    refused(&format!("{A} {other}"), "b", "is inside of itself");
}

#[test]
fn a_variable_that_a_leaf_lacks_is_refused() {
    let functions = "#[superstate] fn s(n: &mut u8, event: &E) -> Outcome<State> { Super } \
                     #[state(superstate = s)] fn a(event: &E) -> Outcome<State> { Super }";
    refused(functions, "n", "is no variable of `a`");
}

#[test]
fn an_entry_of_a_superstate_takes_a_variable_that_is_made_before() {
    let a = "#[state] fn a(event: &E) -> Outcome<State> { Transition(State::b(1)) }";
    let others = "#[superstate(entry_action = f, exit_action = f)] \
                  fn s(event: &E) -> Outcome<State> { Transition(State::a()) } \
                  #[state(superstate = s)] fn b(n: &mut u8, event: &E) -> Outcome<State> { Super } \
                  fn f(n: &mut u8) {}";
    assert!(read("initial = State::a()", &format!("{a} {others}")).is_ok());
    let others = others.replace("superstate(", "superstate(initial = State::b(2), ");
    assert!(read("initial = State::a()", &format!("{a} {others}")).is_ok());
    let a = a.replace("b(1)", "s()");
    refused(&format!("{a} {others}"), "n", "is not there yet where `f` runs");
}

#[test]
fn history_of_a_leaf_is_refused() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { History(State::a()) }";
    refused(functions, "a", "so it has no history");
}

#[test]
fn two_arms_of_one_pattern_are_refused() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { match event { \
                     E::X => Handled, E::X => Super, _ => Super } }";
    refused(functions, "E::X", "is never reached");
}

#[test]
fn two_handlers_of_one_state_are_refused() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { Super } \
                     #[state] fn a(event: &E) -> Outcome<State> { Super }";
    refused(functions, "a", "has two handlers");
}

#[test]
fn a_computed_target_is_refused() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { Transition(self.next) }";
    refused(functions, "", "a target is named");
}

#[test]
fn a_computed_outcome_is_refused() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { decide(event) }";
    refused(functions, "Handled", "a handler's value is named where it ends");
}

#[test]
fn a_cycle_of_completions_is_refused() {
    let functions = "#[state(on_completion = next)] fn a(event: &E) -> Outcome<State> { Super } \
                     fn next(&mut self) -> Outcome<State> { Transition(State::a()) }";
    refused(functions, "a", "back to `a`");
}

#[test]
fn events_that_are_kept_need_a_bound() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { Deferred }";
    refused(functions, "", "say how many it has room for");
}

#[test]
fn a_missing_initial_is_refused() {
    refused_with("", A, "", "there is no state `b`");
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { Super }";
    refused_with("", functions, "", "the machine's first state is missing");
}

#[test]
fn a_transition_leaves_and_enters_in_the_order_of_uml() {
    let functions = "#[superstate(initial = State::a())] \
                     fn s(event: &E) -> Outcome<State> { Transition(State::s()) } \
                     #[state(superstate = s)] fn a(event: &E) -> Outcome<State> { Super }";
    let machine = read("initial = State::s()", functions).expect("it is a machine");
    let tree = Tree::of(&machine);
    let from_outside = [
        Step::Entry(0),
        Step::InitialValues(Some(0)),
        Step::InitialAction(Some(0)),
        Step::Entry(1),
    ];
    let mut expected = vec![Step::Exit(1), Step::Exit(0), Step::Action];
    expected.extend(from_outside.clone());
    expected.push(Step::Arrive(1, false));
    assert_eq!(transition(&tree, 1, 0, Kind::External, 0), expected);
    let mut expected = vec![Step::InitialAction(None)];
    expected.extend(from_outside);
    expected.push(Step::Arrive(1, true));
    assert_eq!(start(&tree), expected);
}

#[test]
fn a_return_that_may_not_happen_hides_nothing_behind_it() {
    let functions = "#[state] fn a(event: &E) -> Outcome<State> { match event { \
                     E::X => { let Some(_) = self.x else { return Super }; Handled } \
                     E::Y => { while self.y { return Super; } Transition(State::a()) } \
                     _ => Super } }";
    let machine = read("initial = State::a()", functions).expect("it is a machine");
    let guards: Vec<_> = machine.states[0].handler.arms.iter().map(|arm| &arm.guards).collect();
    assert_eq!(guards[0], &["self.x is not Some(_)"]);
    assert!(guards[1].is_empty() && !guards[2].is_empty() && guards[3].is_empty());
}

#[test]
fn a_raw_name_is_a_state() {
    let other = "#[state] fn r#type(event: &E) -> Outcome<State> { Handled }";
    assert!(read("initial = State::r#type()", other).is_ok());
}

#[test]
fn a_state_without_a_letter_is_refused() {
    let other = "#[state] fn _1(event: &E) -> Outcome<State> { Handled }";
    refused_with("initial = State::_1()", other, "_1", "has no letter to begin");
}

#[test]
fn a_state_under_a_condition_is_refused() {
    let other = "#[state] #[cfg(test)] fn b(event: &E) -> Outcome<State> { Handled }";
    refused(&format!("{A} {other}"), "#[cfg]", "a state is there in every build");
}

#[test]
fn a_return_within_a_condition_or_a_value_is_an_outcome() {
    let one = "#[state] fn a(event: &E) -> Outcome<State> { \
               if match event { E::X => true, _ => return Deferred } { drop(1); } \
               Transition(State::b(match event { E::Y(y) => y, _ => return Super })) } \
               #[state] fn b(y: &mut u8, event: &E) -> Outcome<State> { Handled }";
    let machine = read("initial = State::a(), deferred = 1", one).expect("it is a machine");
    let said: Vec<_> = machine.states[0].handler.outcomes.iter().map(|one| &one.word).collect();
    assert_eq!(said, ["Deferred", "Super", "b"]);
}

#[test]
fn an_outcome_that_ends_a_loop_is_refused() {
    let one = "#[state] fn a(event: &E) -> Outcome<State> { loop { break Handled } }";
    refused(one, "Handled", "is the value of a handler");
}

#[test]
fn a_superstate_has_a_greater_number_than_what_is_inside() {
    let functions = "#[superstate] fn s(event: &E) -> Outcome<State> { Super } \
                     #[superstate(superstate = s)] fn t(event: &E) -> Outcome<State> { Super } \
                     #[state(superstate = t)] fn a(event: &E) -> Outcome<State> { \
                     Transition(State::b()) } \
                     #[superstate] fn u(event: &E) -> Outcome<State> { Super } \
                     #[state(superstate = s)] fn b(event: &E) -> Outcome<State> { \
                     Transition(State::c()) } \
                     #[state(superstate = u)] fn c(event: &E) -> Outcome<State> { Super }";
    let machine = read("initial = State::a()", functions).expect("it is a machine");
    let tree = crate::tree::Tree::of(&machine);
    let numbers = crate::numbers::Numbers::of(&tree);
    let all: Vec<_> = (0..6).map(|state| numbers.number(Some(state))).collect();
    // Leaves in the order of the text, then the inner superstate, then the outer ones.
    assert_eq!(all, [4, 3, 0, 5, 1, 2]);
    assert_eq!((numbers.states(), numbers.number(None)), ([2, 4, 5, 1, 0, 3].as_slice(), 6));
}

#[test]
fn the_form_is_said_or_left_to_the_build() {
    let form = |argument: &str| {
        let arguments = format!("initial = State::a(){argument}");
        read(&arguments, A_ALONE).expect("it is a machine").compact
    };
    assert_eq!(form(""), None);
    assert_eq!(form(", compact = true"), Some(true));
    assert_eq!(form(", compact = false"), Some(false));
}

/// A machine with one state.
const A_ALONE: &str = "#[state] fn a(event: &E) -> Outcome<State> { Handled }";
