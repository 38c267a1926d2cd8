//! The places of outcomes: the events, conditions and actions of a handler, as a picture shows
//! them.

use super::read;

/// The lines about the outcomes of the state `a`, whose handler has this body.
fn lines(body: &str) -> Vec<String> {
    let functions = format!(
        "#[state] fn a(&mut self, event: &E) -> Outcome<State> {{ {body} }} \
         #[state] fn b(event: &E) -> Outcome<State> {{ Transition(State::a()) }}"
    );
    // Each of them reaches `b`.
    let machine = match read("initial = State::b(), deferred = 1", &functions) {
        Ok(machine) => machine,
        Err(error) => panic!("{error}"),
    };
    let text = crate::lines::of(&machine);
    let about = |line: &&str| line.starts_with("chart\tedge\texternal\ta") || is_fact(line);
    text.lines().filter(about).map(short).collect()
}

fn is_fact(line: &str) -> bool {
    line.starts_with("chart\tinternal\ta") || line.starts_with("chart\tdefer\ta")
}

/// `EVENT [GUARD] / ACTION -> TARGET` of a line.
fn short(line: &str) -> String {
    let words: Vec<_> = line.split('\t').skip(1).collect();
    let (mut text, guard, action, target) = match words[..] {
        ["edge", _, _, target, event, guard, action] => (event.to_owned(), guard, action, target),
        ["internal", _, event, guard, action] => (event.to_owned(), guard, action, "handled"),
        ["defer", _, event] => (event.to_owned(), "", "", "deferred"),
        _ => panic!("{line}"),
    };
    for (word, sign) in [(guard, [" [", "]"]), (action, [" / ", ""])] {
        if !word.is_empty() {
            text += &format!("{}{word}{}", sign[0], sign[1]);
        }
    }
    format!("{text} -> {target}")
}

#[track_caller]
fn shows(body: &str, expected: &[&str]) {
    assert_eq!(lines(body), expected, "{body}");
}

#[test]
fn a_pattern_behind_if_is_the_event() {
    shows(
        "if let E::X(n) = event { self.n = *n; Transition(State::b()) } else { Handled }",
        &["X(n) / self.n = *n -> b", "any other event -> handled"],
    );
    shows(
        "if let E::X = event { return Handled; } if let E::Y = event { Deferred } \
         else if let E::Z = *event && self.ok { Transition(State::b()) } else { Handled }",
        &["X -> handled", "Y -> deferred", "Z [self.ok] -> b", "any other event -> handled"],
    );
    shows(
        "if matches!(event, E::X | E::Y if self.a || self.b) { return Transition(State::b()); } \
         Handled",
        &["X | Y [self.a || self.b] -> b", "any event -> handled"],
    );
}

#[test]
fn a_pattern_of_something_else_is_a_guard() {
    shows(
        "match event { E::X => if let Some(n) = self.n && n > 1 { Handled } \
         else { Transition(State::b()) }, _ => Super }",
        &["X [self.n is Some(n) && n > 1] -> handled", "X [else] -> b"],
    );
    shows(
        "match event { E::X if let Some(n) = self.n => Handled, E::X if self.a || self.b => \
         match self.c { 1 => Handled, _ => Super }, other => Transition(State::b()) }",
        &[
            "X [self.n is Some(n)] -> handled",
            "X [(self.a || self.b) && self.c is 1] -> handled",
            "any other event -> b",
        ],
    );
}

#[test]
fn let_with_an_else_says_which_event_goes_on() {
    shows(
        "let E::X(n) = event else { return Handled }; self.n = *n; Transition(State::b())",
        &["any other event -> handled", "X(n) / self.n = *n -> b"],
    );
    shows(
        "let Some(n) = self.n else { return Handled }; Transition(State::b())",
        &["any event [self.n is not Some(n)] -> handled", "any event -> b"],
    );
    shows(
        "let n = match event { E::X(n) => *n, E::Y => return Handled, _ => return Super }; \
         Transition(State::b())",
        &["Y -> handled", "X(n) -> b"],
    );
}

#[test]
fn a_second_match_is_of_the_events_that_the_first_leaves() {
    shows(
        "match event { E::X => return Handled, _ => {} } \
         match event { E::Y => Transition(State::b()), _ => Handled }",
        &["X -> handled", "Y -> b", "any other event -> handled"],
    );
}

#[test]
fn what_returns_in_the_middle_is_a_choice() {
    shows(
        "if self.a { self.n = 1; return Handled; } \
         else if self.b { return Transition(State::b()) } else { self.n = 2; } \
         if !self.c { return Deferred; } Transition(State::b())",
        &[
            "any event [self.a] / self.n = 1 -> handled",
            "any event [self.b] -> b",
            "any event [else && !self.c] -> deferred",
            "any event [else] / self.n = 2 -> b",
        ],
    );
    shows(
        "match self.n { 1 => return Handled, 2 => self.go(), _ => {} } Transition(State::b())",
        &["any event [self.n is 1] -> handled", "any event -> b"],
    );
    shows(
        "if self.a { if self.b { return Handled; } } loop { return Transition(State::b()); }",
        &["any event [self.a && self.b] -> handled", "any event [at times] -> b"],
    );
}

#[test]
fn long_conditions_and_actions_end_somewhere() {
    let body = "if self.a { return Handled; } ".repeat(2_000) + "Transition(State::b())";
    let lines = lines(&body);
    assert_eq!(lines.len(), 2_001);
    assert_eq!(lines[2_000], "any event [else] -> b");
    let body = "self.say(\"something rather long, and once more\"); ".repeat(500) + "Handled";
    assert!(shows_cut(&body));
}

fn shows_cut(body: &str) -> bool {
    let lines = lines(&format!("if self.a {{ return Transition(State::b()) }} {body}"));
    lines[1].len() < 100 && lines[1].ends_with("... -> handled")
}
