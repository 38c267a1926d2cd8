//! A machine whose events come by value and can't be copied: handlers that leave an event to others
//! give it back, and watchers are told of it by reference.

#![expect(
    clippy::needless_pass_by_value,
    reason = "functions that take events by value are tested"
)]

mod parcels {
    use quintet::chart::prelude::*;

    /// No `Copy`, and no `Clone`.
    pub struct Parcel(pub &'static str);

    pub enum Event {
        Open,
        Parcel(Parcel),
        Letter(Parcel),
    }

    pub struct Post {
        pub log: Vec<&'static str>,
    }

    #[quintet::state_machine(
        initial = State::shut(),
        deferred = 2,
        before_dispatch = Self::before,
        before_transition = Self::moves,
        unhandled = Self::nobody,
    )]
    impl Post {
        #[superstate]
        fn works(&mut self, event: Event) -> Outcome<State> {
            match event {
                Event::Letter(letter) => {
                    self.log.push(letter.0);
                    Handled
                }
                _ => Super,
            }
        }

        #[state(superstate = works)]
        fn shut(event: Event) -> Outcome<State> {
            match event {
                Event::Open => Transition(State::open()),
                Event::Parcel(_) => Deferred,
                _ => Super,
            }
        }

        #[state(superstate = works)]
        fn open(&mut self, event: Event) -> Outcome<State> {
            if let Event::Parcel(parcel) = event {
                self.log.push(parcel.0);
                return Handled;
            }
            Super
        }

        fn before(&mut self, _: &State, event: &Event) {
            if matches!(event, Event::Parcel(_)) {
                self.log.push("comes");
            }
        }

        fn moves(&mut self, _: Within, _: Within) {
            self.log.push("moves");
        }

        fn nobody(&mut self, event: &Event) {
            if matches!(event, Event::Open) {
                self.log.push("nobody");
            }
        }
    }
}

#[test]
fn an_event_that_can_not_be_copied_is_handed_on_put_off_and_told() {
    use parcels::{Event, Parcel, Post};

    let mut post = Post { log: Vec::new() }.machine();
    let events = [
        Event::Parcel(Parcel("parcel")),
        Event::Letter(Parcel("letter")),
        Event::Open,
        Event::Open,
    ];
    for event in events {
        assert_eq!(post.dispatch(event), Ok(()));
    }
    assert_eq!(post.log, ["comes", "letter", "moves", "parcel", "nobody"]);
}

mod told {
    use quintet::chart::prelude::*;

    #[derive(Clone)]
    pub struct Event(pub String);

    pub struct Told {
        pub log: String,
    }

    #[quintet::state_machine(
        initial = State::only(),
        before_dispatch = Self::before,
        after_dispatch = Self::after,
        unhandled = Self::nobody,
    )]
    impl Told {
        #[state]
        fn only(event: Event) -> Outcome<State> {
            match event.0.as_str() {
                "handled" => Handled,
                _ => Super,
            }
        }

        fn before(&mut self, _: &State, event: Event) {
            self.log = self.log.clone() + &event.0 + ", ";
        }

        fn after(&mut self, _: &State, event: &Event) {
            self.log = self.log.clone() + &event.0 + " is done, ";
        }

        fn nobody(&mut self, event: Event) {
            self.log = self.log.clone() + "nobody has " + &event.0 + ", ";
        }
    }
}

#[test]
fn what_is_told_may_be_taken_by_value() {
    use told::{Event, Told};

    let mut told = Told { log: String::new() }.machine();
    told.dispatch(Event("handled".into()));
    told.dispatch(Event("x".into()));
    assert_eq!(told.log, "handled, handled is done, x, nobody has x, x is done, ");
}

mod completions {
    use quintet::chart::prelude::*;

    pub struct Pair;

    #[quintet::state_machine(initial = State::first())]
    impl Pair {
        #[state(on_completion = settle)]
        fn first(event: &u8) -> Outcome<State> {
            Super
        }

        #[state(on_completion = settle)]
        fn second(event: &u8) -> Outcome<State> {
            Super
        }

        #[state]
        fn settled(event: &u8) -> Outcome<State> {
            Transition(State::second())
        }

        fn settle(&mut self) -> Outcome<State> {
            Transition(State::settled())
        }
    }
}

#[test]
fn several_states_may_name_one_completion() {
    let mut pair = completions::Pair.machine();
    pair.dispatch(&0);
    assert!(pair.is_in(completions::Within::Settled));
}
