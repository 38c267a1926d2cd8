//! Handlers whose outcomes can't be numbers of their own: two that take one way, and none at all.
//! The machine has more transitions than the compact form writes out.

// Formatting moves the attribute in the macro further to the right each time.
#[rustfmt::skip]
macro_rules! machine {
    ($module:ident, $compact:tt) => {
        mod $module {
            use quintet::chart::prelude::*;

            #[derive(Default)]
            pub struct Unusual {
                pub ways: u32,
            }

            #[quintet::state_machine(initial = State::a(), compact = $compact)]
            impl Unusual {
                #[superstate(initial = State::a(), entry_action = enter, exit_action = exit)]
                fn top(event: &u32) -> Outcome<State> {
                    match event {
                        9 => Transition(State::far()),
                        _ => Super,
                    }
                }

                #[state(superstate = top, entry_action = enter, exit_action = exit)]
                fn a(event: &u32) -> Outcome<State> {
                    match event {
                        0 => Transition(State::b()),
                        1 => Local(State::b()),
                        2 => Transition(State::c()),
                        3 => Transition(State::far()),
                        _ => Super,
                    }
                }

                #[state(superstate = top, entry_action = enter, exit_action = exit)]
                fn b(event: &u32) -> Outcome<State> {
                    match event {
                        0 => Transition(State::c()),
                        1 => Transition(State::a()),
                        2 => Transition(State::far()),
                        3 => Transition(State::top()),
                        _ => Super,
                    }
                }

                #[state(superstate = top, entry_action = enter, exit_action = exit)]
                fn c(event: &u32) -> Outcome<State> {
                    match event {
                        0 => Transition(State::a()),
                        1 => Transition(State::b()),
                        2 => Transition(State::far()),
                        3 => Transition(State::top()),
                        4 => Transition(State::unwritten()),
                        _ => Super,
                    }
                }

                #[state(entry_action = enter, exit_action = exit)]
                fn far(event: &u32) -> Outcome<State> {
                    match event {
                        0 => Transition(State::a()),
                        1 => Transition(State::b()),
                        2 => Transition(State::c()),
                        3 => Transition(State::top()),
                        _ => Super,
                    }
                }

                #[state]
                fn unwritten() -> Outcome<State> {
                    panic!("the state is not written yet")
                }

                #[action]
                fn enter(&mut self) {
                    self.ways += 1;
                }

                #[action]
                fn exit(&mut self) {
                    self.ways += 100;
                }
            }
        }
    };
}

machine!(fast, false);
machine!(compact, true);

#[test]
fn two_outcomes_may_take_one_way() {
    let mut fast = fast::Unusual::default().machine();
    let mut compact = compact::Unusual::default().machine();
    for event in [1, 1, 0, 1, 0, 3, 9, 0, 1, 2, 1] {
        fast.dispatch(&event);
        compact.dispatch(&event);
        assert_eq!(fast.ways, compact.ways, "{event}");
    }
    assert!(fast.ways > 800, "{}", fast.ways);
}

#[test]
#[should_panic = "the state is not written yet"]
fn a_handler_without_an_outcome_is_called() {
    let mut compact = compact::Unusual::default().machine();
    for event in [2, 4, 0] {
        compact.dispatch(&event);
    }
}
