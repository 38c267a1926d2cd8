//! `offer` gives back what nobody took; `stop` leaves all states.

use quintet::chart::Test;
use quintet::chart::prelude::*;

use super::machines::plain::{self, Switch};
use super::machines::{Event, State, Walker, Within};

#[test]
fn an_offer_gives_back_what_no_state_took() {
    let mut switch = Switch.machine();
    let nothing = plain::Event::Nothing;
    assert!(switch.offer(&nothing).is_some_and(|event| std::ptr::eq(event, &nothing)));
    assert!(switch.offer(&plain::Event::Turn).is_none());
    assert!(switch.is_in(plain::Within::On));
}

#[test]
fn an_offer_is_taken_by_who_puts_it_off_as_long_as_there_is_room() {
    let mut walker = Walker::NEW.machine();
    assert!(walker.offer(&Event::Later(1)).is_none());
    assert!(walker.offer(&Event::Later(2)).is_some(), "there is no room");
    assert!(walker.offer(&Event::Never).is_some());
    assert!(walker.offer(&Event::Up).is_none());
    // An internal transition, of the leaf and of the superstate.
    assert!(walker.offer(&Event::Later(1)).is_none());
}

#[test]
fn an_offer_recalls_as_a_dispatch_does() {
    let mut walker = Walker::NEW.machine();
    walker.start();
    assert!(walker.offer(&Event::Later(1)).is_none());
    assert!(walker.offer(&Event::Up).is_none());
    assert!(walker.dispatch(&Event::Down).is_ok());
    assert!(walker.offer(&Event::Later(1)).is_none(), "its place is free");
}

#[test]
fn a_stop_leaves_all_states_and_the_machine_begins_anew() {
    let mut walker = Test::new(Walker::NEW.machine());
    walker.stop().does([]);
    walker.send(&Event::Up);
    walker.send(&Event::Across);
    walker.stop().exits([Within::Room, Within::House]).runs(["dark", "close"]);
    assert!(!walker.machine().is_started());
    walker.stop().does([]);
    walker.start().runs(["begin"]).state(&State::Ground);
}

#[test]
fn a_stop_drops_what_was_put_off() {
    let mut walker = Test::new(Walker::NEW.machine());
    walker.send(&Event::Later(1)).is_deferred();
    walker.stop();
    walker.send(&Event::Later(2)).is_deferred();
    let seen = walker.send(&Event::Up);
    let recalled = seen.steps().iter().filter(|step| step.to_string().starts_with("recall"));
    assert_eq!(recalled.map(ToString::to_string).collect::<Vec<_>>(), ["recall Later(2)"]);
}

/// A superstate with a history.
mod player {
    use quintet::chart::prelude::*;

    #[derive(Clone, Copy)]
    pub enum Event {
        Next,
        Pause,
        Resume,
    }

    pub struct Player;

    #[quintet::state_machine(initial = State::paused())]
    impl Player {
        #[superstate(initial = State::first())]
        fn playing(event: Event) -> Outcome<State> {
            match event {
                Event::Pause => Transition(State::paused()),
                _ => Super,
            }
        }

        #[state(superstate = playing)]
        fn first(event: Event) -> Outcome<State> {
            match event {
                Event::Next => Transition(State::second()),
                _ => Super,
            }
        }

        #[state(superstate = playing)]
        fn second() -> Outcome<State> {
            Super
        }

        #[state]
        fn paused(event: Event) -> Outcome<State> {
            match event {
                Event::Resume => History(State::playing()),
                _ => Super,
            }
        }
    }
}

#[test]
fn a_stop_forgets_histories() {
    use player::{Event, Player, Within};
    let mut player = Test::new(Player.machine());
    player.send(Event::Resume).is_in(Within::First);
    player.send(Event::Next).is_in(Within::Second);
    player.send(Event::Pause);
    player.send(Event::Resume).is_in(Within::Second);
    player.stop();
    player.start();
    // No part of it was active since the start.
    player.send(Event::Resume).is_in(Within::First);
}

#[test]
fn an_offer_of_a_value_gives_the_value_back() {
    use player::{Event, Player};
    let mut player = Player.machine();
    assert!(matches!(player.offer(Event::Pause), Some(Event::Pause)));
    assert!(player.offer(Event::Resume).is_none());
}

/// Two machines, of which the second gets what the first leaves.
#[test]
fn what_one_machine_leaves_another_takes() {
    let (mut first, mut second) = (Switch.machine(), Walker::NEW.machine());
    first.start();
    for event in [Event::Up, Event::Never] {
        let turn = match event {
            Event::Up => first.offer(&plain::Event::Nothing).is_some(),
            _ => first.offer(&plain::Event::Turn).is_some(),
        };
        if turn {
            assert!(second.offer(&event).is_none());
        }
    }
    let _: &Machine<Switch> = &first;
    assert!(first.is_in(plain::Within::On) && second.is_in(Within::Hall));
}
