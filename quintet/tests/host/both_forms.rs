//! A machine with most of the language takes the same steps in the fast form and in the compact
//! form. It has more transitions than the compact form writes out, so that ways are looked up.

use quintet::chart::{Step, Test};

/// What both are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Next,
    Far,
    Back,
    Deep,
    Own,
    Inner,
    Put,
    Late,
    Nothing,
}

/// All events, a few of them more often.
const EVENTS: [Event; 12] = [
    Event::Next,
    Event::Far,
    Event::Back,
    Event::Deep,
    Event::Own,
    Event::Inner,
    Event::Put,
    Event::Late,
    Event::Nothing,
    Event::Next,
    Event::Far,
    Event::Next,
];

// Formatting moves the attribute in the macro further to the right each time.
#[rustfmt::skip]
macro_rules! machine {
    ($module:ident, $compact:tt) => {
        mod $module {
            use quintet::chart::prelude::*;

            use super::Event;

            /// What actions and hooks write down.
            #[derive(Default)]
            pub struct Both {
                pub log: Vec<String>,
            }

            /// A timer that writes down what it is told.
            struct Timer<'a>(&'a mut Vec<String>);

            impl Timer<'_> {
                fn arm(self, time: u32) {
                    self.0.push(format!("arm {time}"));
                }

                fn disarm(self) {
                    self.0.push("disarm".to_owned());
                }
            }

            #[quintet::state_machine(
                initial = State::left(),
                initial_action = begins,
                compact = $compact,
                deferred = 2,
                state(derive(Debug, PartialEq, Eq)),
                unhandled = Self::nobody,
                before_transition = Self::before,
                after_transition = Self::after
            )]
            impl Both {
                #[superstate(initial = State::one(), entry_action = enter, exit_action = exit)]
                fn left(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Far => Transition(State::right()),
                        Event::Inner => Local(State::two(5)),
                        Event::Own => Transition(State::left(), |this| this.log.push("on".into())),
                        _ => Super,
                    }
                }

                #[state(superstate = left, entry_action = enter, exit_action = exit)]
                fn one(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next => Transition(State::two(1)),
                        Event::Deep => DeepHistory(State::right()),
                        _ => Super,
                    }
                }

                #[state(superstate = left, entry_action = grow, exit_action = shrink)]
                fn two(left: &mut u8, event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next if *left > 1 => {
                            *left -= 1;
                            Handled
                        }
                        Event::Next => Transition(State::three(2, 7)),
                        Event::Late => Deferred,
                        _ => Super,
                    }
                }

                #[state(superstate = left, entry_action = grow, exit_action = shrink)]
                fn three(left: &mut u8, more: &mut u32, event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next => {
                            *more += u32::from(*left);
                            Transition(State::one(), |this| this.log.push("back".into()))
                        }
                        _ => Super,
                    }
                }

                #[superstate(
                    initial = State::calm(),
                    initial_action = begins,
                    entry_action = enter,
                    exit_action = exit,
                    after = (Timer(&mut self.log), 10)
                )]
                fn right(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Far => Transition(State::left()),
                        Event::Own => Local(State::right()),
                        _ => Super,
                    }
                }

                #[state(superstate = right, entry_action = enter, defer = [Event::Put])]
                fn calm(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next => Transition(State::rough()),
                        Event::Back => History(State::right()),
                        _ => Super,
                    }
                }

                #[superstate(superstate = right, initial = State::wave(), exit_action = exit)]
                fn rough() -> Outcome<State> {
                    Super
                }

                #[state(superstate = rough, entry_action = enter)]
                fn wave(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next => Transition(State::storm()),
                        Event::Back => Transition(State::one()),
                        _ => Super,
                    }
                }

                #[state(superstate = rough, exit_action = exit)]
                fn storm(event: &Event) -> Outcome<State> {
                    match event {
                        Event::Next => Transition(State::passes()),
                        Event::Back => Transition(State::two(3)),
                        Event::Deep => Transition(State::left()),
                        _ => Super,
                    }
                }

                #[state(entry_action = enter, on_completion = passed)]
                fn passes() -> Outcome<State> {
                    Super
                }

                fn passed(&mut self) -> Outcome<State> {
                    if self.log.len() % 2 == 0 { History(State::right()) } else { Handled }
                }

                #[action]
                fn enter(&mut self) {
                    self.log.push("enter".into());
                }

                #[action]
                fn exit(&mut self) {
                    self.log.push("exit".into());
                }

                #[action]
                fn begins(&mut self) {
                    self.log.push("begins".into());
                }

                #[action]
                fn grow(&mut self, left: &mut u8) {
                    *left += 1;
                    self.log.push(format!("left {left}"));
                }

                #[action]
                fn shrink(&mut self, left: &mut u8) {
                    self.log.push(format!("had {left}"));
                }

                fn nobody(&mut self, event: &Event) {
                    self.log.push(format!("nobody {event:?}"));
                }

                fn before(&mut self, from: Within, to: Within) {
                    self.log.push(format!("from {from:?} to {to:?}"));
                }

                fn after(&mut self, from: Within, to: Within) {
                    self.log.push(format!("gone {from:?} to {to:?}"));
                }
            }
        }
    };
}

machine!(fast, false);
machine!(compact, true);

/// The steps as text: each form has names of states of its own.
fn text<W: std::fmt::Debug>(steps: &[Step<W>]) -> Vec<String> {
    steps.iter().map(ToString::to_string).collect()
}

#[test]
fn both_forms_take_the_same_steps() {
    let mut fast = Test::new(fast::Both::default().machine());
    let mut compact = Test::new(compact::Both::default().machine());
    let mut random = 3_u32;
    let mut seen = std::collections::BTreeSet::new();
    for step in 0..4000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let event = &EVENTS[(random >> 16) as usize % EVENTS.len()];
        let [one, other] = if step % 500 == 499 {
            [text(fast.stop().steps()), text(compact.stop().steps())]
        } else {
            [text(fast.send(event).steps()), text(compact.send(event).steps())]
        };
        assert_eq!(one, other, "step {step}, {event:?}");
        assert_eq!(fast.machine().log, compact.machine().log, "step {step}, {event:?}");
        if !fast.machine().is_started() {
            continue;
        }
        let state = format!("{:?}", fast.machine().state());
        assert_eq!(state, format!("{:?}", compact.machine().state()), "step {step}, {event:?}");
        seen.insert(state.split([' ', '{']).next().unwrap_or_default().to_owned());
        let [one, other] = [
            fast.machine().is_in(fast::Within::Rough),
            compact.machine().is_in(compact::Within::Rough),
        ];
        assert_eq!(one, other);
    }
    assert_eq!(seen.len(), 7, "not all states were active: {seen:?}");
}
