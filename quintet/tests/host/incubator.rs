//! An incubator for eggs: it keeps them warm, turns them every four hours, and calls when its door
//! stays open. What would be in the firmware's library: it runs in an actor as in a test.

// begin: events
use quintet::actor::{Address, TimeEvent};
use quintet::chart::prelude::*;
use quintet::sync::Inbox;
use quintet::time::Duration;

/// What the incubator is told.
#[derive(Clone, Debug)]
pub enum Event {
    Start,
    Finish,
    Cold,
    Warm,
    Opened,
    Closed,
    /// It is time to turn the eggs.
    Turn,
    /// The door has been open for too long.
    TooLong,
}

/// How often eggs are turned.
pub const TURN_EVERY: Duration = Duration::from_secs(4 * 3600);
/// How long the door may be open.
pub const OPEN_MAX: Duration = Duration::from_secs(60);

pub static INBOX: Inbox<Event, 4> = Inbox::new("incubator");
static ADDRESS: Address<Event> = INBOX.address();
static TURN: TimeEvent<Event> = TimeEvent::new(ADDRESS.handle(), Event::Turn);
static TOO_LONG: TimeEvent<Event> = TimeEvent::new(ADDRESS.handle(), Event::TooLong);
// end: events

// begin: machine
/// What the machine switches.
#[derive(Debug, Default)]
pub struct Hardware {
    pub heats: bool,
    pub calls: bool,
    pub turns: u32,
}

pub struct Incubator;

#[quintet::state_machine(
    initial = State::idle(),
    deferred = 1,
    state(derive(Debug, PartialEq, Eq))
)]
impl Incubator {
    #[state]
    fn idle(event: &Event) -> Outcome<State> {
        match event {
            Event::Start => Transition(State::incubating()),
            _ => Super,
        }
    }

    #[superstate(initial = State::closed(), entry_action = begin, exit_action = end)]
    fn incubating(event: &Event) -> Outcome<State> {
        match event {
            Event::Finish => Transition(State::idle()),
            _ => Super,
        }
    }

    #[superstate(superstate = incubating, initial = State::heating())]
    fn closed(event: &Event, context: &mut Hardware) -> Outcome<State> {
        match event {
            Event::Turn => {
                context.turns += 1;
                Handled
            }
            Event::Opened => Transition(State::open()),
            _ => Super,
        }
    }

    #[state(superstate = closed, entry_action = heat, exit_action = cool)]
    fn heating(event: &Event) -> Outcome<State> {
        match event {
            Event::Warm => Transition(State::holding()),
            _ => Super,
        }
    }

    #[state(superstate = closed)]
    fn holding(event: &Event) -> Outcome<State> {
        match event {
            Event::Cold => Transition(State::heating()),
            _ => Super,
        }
    }

    /// Nothing is turned while a hand may be inside.
    #[state(
        superstate = incubating,
        entry_action = watch, exit_action = relax,
        defer = [Event::Turn]
    )]
    fn open(event: &Event, context: &mut Hardware) -> Outcome<State> {
        match event {
            Event::TooLong => {
                context.calls = true;
                Handled
            }
            Event::Closed => History(State::closed()),
            _ => Super,
        }
    }

    #[action]
    fn begin() {
        TURN.arm_periodic(TURN_EVERY);
    }

    #[action]
    fn end() {
        TURN.disarm();
    }

    #[action]
    fn heat(context: &mut Hardware) {
        context.heats = true;
    }

    #[action]
    fn cool(context: &mut Hardware) {
        context.heats = false;
    }

    #[action]
    fn watch() {
        TOO_LONG.arm(OPEN_MAX);
    }

    #[action]
    fn relax(context: &mut Hardware) {
        TOO_LONG.disarm();
        context.calls = false;
    }
}
// end: machine
