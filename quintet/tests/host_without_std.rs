//! A machine of a crate without `std`, as firmware's libraries are, is tested on the host too.

#![no_std]

use quintet::chart::Test;
use quintet::chart::prelude::*;

enum Event {
    Turn,
}

struct Switch;

#[quintet::state_machine(initial = State::off(), deferred = 1)]
impl Switch {
    #[state]
    fn off(event: &Event) -> Outcome<State> {
        match event {
            Event::Turn => Transition(State::on()),
        }
    }

    #[state(defer = [Event::Turn])]
    fn on(_event: &Event) -> Outcome<State> {
        Super
    }
}

impl Clone for Event {
    fn clone(&self) -> Self {
        Self::Turn
    }
}

#[test]
fn it_needs_nothing_of_std() {
    let mut switch = Test::new(Switch.machine());
    switch.start().enters([Within::Off]);
    switch.send(&Event::Turn).exits([Within::Off]).enters([Within::On]);
    switch.send(&Event::Turn).is_deferred();
}
