//! A toaster oven, as `quintet chart` draws it and the book shows it.

// begin: types
use quintet::chart::prelude::*;

/// What all states share.
pub struct Toaster {
    sessions: u32,
}

pub enum Event {
    Toast,
    Bake { level: u8 },
    Off,
    Done,
    Open,
    Close,
}
// end: types

#[quintet::state_machine(initial = State::off(), deferred = 2)]
impl Toaster {
    // begin: leaf
    #[state]
    fn off(event: &Event) -> Outcome<State> {
        match event {
            Event::Toast => Transition(State::toasting()),
            Event::Bake { level } => Transition(State::baking(*level)),
            _ => Super,
        }
    }
    // end: leaf

    // begin: superstate
    #[superstate(initial = State::toasting(), entry_action = heater_on, exit_action = heater_off)]
    fn heating(event: &Event) -> Outcome<State> {
        match event {
            Event::Off | Event::Done => Transition(State::off()),
            Event::Open => Transition(State::door_open()),
            _ => Super,
        }
    }

    #[state(superstate = heating)]
    fn toasting(event: &Event) -> Outcome<State> {
        match event {
            Event::Bake { level } => Transition(State::baking(*level)),
            _ => Super,
        }
    }
    // end: superstate

    // begin: storage
    #[state(superstate = heating)]
    fn baking(level: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Toast => Transition(State::toasting()),
            Event::Bake { level: new } if *new < 10 => {
                *level = *new;
                Handled
            }
            _ => Super,
        }
    }
    // end: storage

    // begin: history
    #[state(defer = [Event::Bake { .. }])]
    fn door_open(event: &Event) -> Outcome<State> {
        match event {
            Event::Close => History(State::heating()),
            _ => Super,
        }
    }
    // end: history

    // begin: actions
    #[action]
    fn heater_on(&mut self, context: &mut Heater) {
        self.sessions += 1;
        context.set(true);
    }

    #[action]
    fn heater_off(context: &mut Heater) {
        context.set(false);
    }
    // end: actions
}
