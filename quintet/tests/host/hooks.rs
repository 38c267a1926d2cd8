//! Functions that watch a machine, with its context, and `async`.

use quintet::chart::Test;
use quintet::chart::prelude::*;

#[derive(Debug)]
enum Event {
    Go,
    Stop,
}

/// How many events its hook has seen.
struct Watched {
    seen: u32,
}

#[quintet::state_machine(
    initial = State::idle(),
    state(derive(Debug)),
    before_dispatch = Self::before,
    after_transition = Self::after
)]
impl Watched {
    #[state]
    fn idle(event: &Event, context: &mut Vec<String>) -> Outcome<State> {
        match event {
            Event::Go => Transition(State::runs()),
            Event::Stop => Super,
        }
    }

    #[state]
    fn runs(event: &Event) -> Outcome<State> {
        match event {
            Event::Stop => Transition(State::idle()),
            Event::Go => Super,
        }
    }

    fn before(&mut self, state: &State, event: &Event, context: &mut Vec<String>) {
        self.seen += 1;
        context.push(format!("{event:?} in {state:?}"));
    }

    async fn after(&mut self, from: Within, to: Within, context: &mut Vec<String>) {
        context.push(format!("{from:?} to {to:?}"));
    }
}

#[test]
fn they_get_the_context_and_may_wait() {
    let mut test = Test::with(Watched { seen: 0 }.machine(), Vec::new());
    test.send(&Event::Stop);
    test.send(&Event::Go);
    let seen = ["Stop in Idle", "Go in Idle", "Idle to Runs"].map(str::to_owned);
    assert_eq!(*test.context(), seen);
    assert_eq!(test.machine().seen, 2);
}
