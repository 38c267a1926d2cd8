//! A machine with all that a trace can have: superstates, history, initial actions, completions,
//! actions of transitions, events that are put off.

use quintet::chart::prelude::*;

#[derive(Clone, Debug)]
pub enum Event {
    Up,
    Down,
    Across,
    Back,
    Later(u8),
    Never,
    Chain,
}

pub struct Walker {
    pub log: Vec<&'static str>,
}

impl Walker {
    pub const NEW: Self = Self { log: Vec::new() };
}

#[quintet::state_machine(
    initial = State::ground(),
    initial_action = begin,
    deferred = 1,
    state(derive(Debug, PartialEq, Eq))
)]
impl Walker {
    #[state(defer = [Event::Later(_)])]
    fn ground(event: &Event) -> Outcome<State> {
        match event {
            Event::Up => Transition(State::house(), |this| this.log.push("ladder")),
            Event::Chain => Transition(State::landing()),
            _ => Super,
        }
    }

    #[superstate(
        initial = State::hall(), initial_action = ring,
        entry_action = knock, exit_action = close
    )]
    fn house(event: &Event) -> Outcome<State> {
        match event {
            Event::Down => Transition(State::ground()),
            Event::Back => Local(State::hall()),
            Event::Later(_) => Handled,
            _ => Super,
        }
    }

    #[state(superstate = house)]
    fn hall(event: &Event) -> Outcome<State> {
        match event {
            Event::Across => Transition(State::room(3)),
            _ => Super,
        }
    }

    #[state(superstate = house, exit_action = dark)]
    fn room(lamps: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Later(number) => {
                *lamps += *number;
                Handled
            }
            Event::Across => Transition(State::hall()),
            _ => Super,
        }
    }

    #[state(on_completion = go_on)]
    fn landing() -> Outcome<State> {
        Super
    }

    fn go_on(&mut self) -> Outcome<State> {
        Transition(State::house())
    }

    #[action]
    fn begin(&mut self) {
        self.log.push("begin");
    }

    #[action]
    fn ring(&mut self) {
        self.log.push("ring");
    }

    #[action]
    fn knock(&mut self) {
        self.log.push("knock");
    }

    #[action]
    fn close(&mut self) {
        self.log.push("close");
    }

    #[action]
    fn dark(lamps: &mut u8) {
        *lamps = 0;
    }
}

/// A machine whose events and states have no text.
pub mod plain {
    use quintet::chart::prelude::*;

    pub enum Event {
        Turn,
        Nothing,
    }

    pub struct Switch;

    #[quintet::state_machine(initial = State::off())]
    impl Switch {
        #[state]
        fn off(event: &Event) -> Outcome<State> {
            match event {
                Event::Turn => Transition(State::on()),
                Event::Nothing => Super,
            }
        }

        #[state]
        fn on(event: &Event) -> Outcome<State> {
            match event {
                Event::Turn => History(State::both()),
                Event::Nothing => Super,
            }
        }

        #[superstate(initial = State::left())]
        fn both(event: &Event) -> Outcome<State> {
            match event {
                Event::Turn => Transition(State::on()),
                Event::Nothing => Super,
            }
        }

        #[state(superstate = both)]
        fn left() -> Outcome<State> {
            Super
        }
    }
}
