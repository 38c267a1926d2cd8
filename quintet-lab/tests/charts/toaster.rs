//! A toaster oven, as `quintet chart` draws it and the book shows it.

// begin: types
use quintet::chart::prelude::*;

/// What all states share.
pub struct Toaster {
    level: u8,
}

#[derive(Clone)]
pub enum Event {
    Toast,
    Bake { level: u8 },
    Off,
    Open,
    Close,
    Tick,
}
// end: types

/// What heats.
#[derive(Default)]
pub struct Heater {
    /// How much it does.
    pub power: u8,
}

impl Toaster {
    /// One that is off.
    #[must_use]
    pub const fn new() -> Self {
        Self { level: 0 }
    }
}

#[quintet::state_machine(initial = State::off(), deferred = 2, state(derive(Debug, PartialEq, Eq)))]
impl Toaster {
    // begin: leaf
    #[state]
    fn off(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Toast => Transition(State::toasting()),
            Event::Bake { level } => {
                self.level = *level;
                Transition(State::baking())
            }
            _ => Super,
        }
    }
    // end: leaf

    // begin: superstate
    #[superstate(initial = State::toasting(), exit_action = heater_off)]
    fn heating(event: &Event) -> Outcome<State> {
        match event {
            Event::Off => Transition(State::cooling(3)),
            Event::Open => Transition(State::door_open()),
            _ => Super,
        }
    }

    #[state(superstate = heating, entry_action = full_power)]
    fn toasting(event: &Event) -> Outcome<State> {
        match event {
            Event::Bake { .. } => Transition(State::baking()),
            _ => Super,
        }
    }

    #[state(superstate = heating, entry_action = baking_power)]
    fn baking(event: &Event) -> Outcome<State> {
        match event {
            Event::Toast => Transition(State::toasting()),
            _ => Super,
        }
    }
    // end: superstate

    // begin: storage
    #[state]
    fn cooling(left: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Tick if *left > 1 => {
                *left -= 1;
                Handled
            }
            Event::Tick => Transition(State::off()),
            _ => Super,
        }
    }
    // end: storage

    // begin: history
    #[state(defer = [Event::Off])]
    fn door_open(event: &Event) -> Outcome<State> {
        match event {
            Event::Close => History(State::heating()),
            _ => Super,
        }
    }
    // end: history

    // begin: actions
    #[action]
    fn full_power(context: &mut Heater) {
        context.power = 10;
    }

    #[action]
    fn baking_power(&mut self, context: &mut Heater) {
        context.power = self.level;
    }

    #[action]
    fn heater_off(context: &mut Heater) {
        context.power = 0;
    }
    // end: actions
}
