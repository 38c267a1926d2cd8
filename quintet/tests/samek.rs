//! The test chart of "Practical UML Statecharts in C/C++" (M. Samek, second edition, figure 2.11):
//! six states whose transitions are of every shape, and a guard on `foo`.
//!
//! `samek/expected.txt` has the chart, the rules, and what has to be logged, derived by hand.
//! In the book's diagram an action belongs to its transition. QP, like this file, runs it before
//! the exits. Transitions between a state and one inside it are local there.

use quintet::chart::prelude::*;

/// The events; nobody takes the last one.
#[derive(Clone, Copy, Debug)]
enum Event {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    I,
    J,
}

/// The machine's variable, and what was logged.
struct Samek {
    foo: bool,
    log: Vec<&'static str>,
}

#[quintet::state_machine(initial = State::s2(), state(derive(Debug, PartialEq, Eq)))]
impl Samek {
    #[superstate(
        initial = State::s11(),
        initial_action = s_initial,
        entry_action = s_entry,
        exit_action = s_exit,
    )]
    fn s(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                self.log("s-E");
                Local(State::s11())
            }
            Event::I if self.foo => {
                self.log("s-I");
                self.foo = false;
                Handled
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s,
        initial = State::s11(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.log("s1-A");
                Transition(State::s1())
            }
            Event::B => {
                self.log("s1-B");
                Local(State::s11())
            }
            Event::C => {
                self.log("s1-C");
                Transition(State::s2())
            }
            Event::D if !self.foo => {
                self.log("s1-D");
                self.foo = true;
                Local(State::s())
            }
            Event::F => {
                self.log("s1-F");
                Transition(State::s211())
            }
            Event::I => {
                self.log("s1-I");
                Handled
            }
            _ => Super,
        }
    }

    #[state(superstate = s1, entry_action = s11_entry, exit_action = s11_exit)]
    fn s11(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D if self.foo => {
                self.log("s11-D");
                self.foo = false;
                Local(State::s1())
            }
            Event::G => {
                self.log("s11-G");
                Transition(State::s211())
            }
            Event::H => {
                self.log("s11-H");
                Local(State::s())
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s,
        initial = State::s211(),
        initial_action = s2_initial,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                self.log("s2-C");
                Transition(State::s1())
            }
            Event::F => {
                self.log("s2-F");
                Transition(State::s11())
            }
            Event::I if !self.foo => {
                self.log("s2-I");
                self.foo = true;
                Handled
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s2,
        initial = State::s211(),
        initial_action = s21_initial,
        entry_action = s21_entry,
        exit_action = s21_exit,
    )]
    fn s21(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.log("s21-A");
                Transition(State::s21())
            }
            Event::B => {
                self.log("s21-B");
                Local(State::s211())
            }
            Event::G => {
                self.log("s21-G");
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[state(superstate = s21, entry_action = s211_entry, exit_action = s211_exit)]
    fn s211(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                self.log("s211-D");
                Local(State::s21())
            }
            Event::H => {
                self.log("s211-H");
                Local(State::s())
            }
            _ => Super,
        }
    }

    #[action]
    fn s_entry(&mut self) {
        self.log("s-ENTRY");
    }

    #[action]
    fn s_exit(&mut self) {
        self.log("s-EXIT");
    }

    #[action]
    fn s_initial(&mut self) {
        self.log("s-INIT");
    }

    #[action]
    fn s1_entry(&mut self) {
        self.log("s1-ENTRY");
    }

    #[action]
    fn s1_exit(&mut self) {
        self.log("s1-EXIT");
    }

    #[action]
    fn s1_initial(&mut self) {
        self.log("s1-INIT");
    }

    #[action]
    fn s11_entry(&mut self) {
        self.log("s11-ENTRY");
    }

    #[action]
    fn s11_exit(&mut self) {
        self.log("s11-EXIT");
    }

    #[action]
    fn s2_entry(&mut self) {
        self.log("s2-ENTRY");
    }

    #[action]
    fn s2_exit(&mut self) {
        self.log("s2-EXIT");
    }

    #[action]
    fn s2_initial(&mut self) {
        self.log("s2-INIT");
    }

    #[action]
    fn s21_entry(&mut self) {
        self.log("s21-ENTRY");
    }

    #[action]
    fn s21_exit(&mut self) {
        self.log("s21-EXIT");
    }

    #[action]
    fn s21_initial(&mut self) {
        self.log("s21-INIT");
    }

    #[action]
    fn s211_entry(&mut self) {
        self.log("s211-ENTRY");
    }

    #[action]
    fn s211_exit(&mut self) {
        self.log("s211-EXIT");
    }
}

impl Samek {
    fn log(&mut self, what: &'static str) {
        self.log.push(what);
    }
}

fn event(name: &str) -> Event {
    match name {
        "A" => Event::A,
        "B" => Event::B,
        "C" => Event::C,
        "D" => Event::D,
        "E" => Event::E,
        "F" => Event::F,
        "G" => Event::G,
        "H" => Event::H,
        "I" => Event::I,
        "J" => Event::J,
        other => panic!("there is no event {other}"),
    }
}

/// The lines of the expected log: an event, and what it leads to.
fn expected() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("samek/expected.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(':').unwrap())
}

#[test]
fn every_event_does_what_the_rules_say() {
    let mut machine = Samek { foo: false, log: Vec::new() }.machine();
    let mut count = 0;
    for (name, expected) in expected() {
        if name == "start" {
            machine.start();
        } else {
            machine.dispatch(&event(name));
        }
        assert_eq!(machine.log.join(" "), expected.trim(), "{name}, line {count}");
        machine.log.clear();
        count += 1;
    }
    assert_eq!(count, 38);
    assert_eq!(machine.state(), &State::S11);
    assert!(machine.is_in(Within::S1) && machine.is_in(Within::S) && !machine.is_in(Within::S2));
    assert!(!machine.foo);
}

/// The log above leaves nothing out: it takes every transition of the chart.
#[test]
fn every_transition_is_taken() {
    let source = include_str!("samek.rs");
    let logged: Vec<&str> = expected().flat_map(|(_, log)| log.split(' ')).collect();
    let said = source.split("self.log(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let missing: Vec<_> = said.filter(|name| !logged.contains(name)).collect();
    // Nothing ever leaves the outermost state.
    assert_eq!(missing, ["s-EXIT"]);
}
