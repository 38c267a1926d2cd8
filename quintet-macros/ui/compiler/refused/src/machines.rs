//! Machines that are refused: the compiler adds nothing to the messages.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::chart::prelude::*;

pub enum Event {
    A,
    B,
}

pub struct Lamp {
    count: usize,
    door: Option<Machine<Door>>,
}

pub struct Door;

pub struct Generic<T>(T);

#[quintet::state_machine(initial = State::a(), state(derive(Debug, PartialEq)))]
impl Lamp {
    #[state(entry_action = enter)]
    fn a(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => Transition(State::c()),
            Event::B => unknown!(),
        }
    }

    #[state]
    fn b(left: &mut u8, event: &Event) -> Outcome<State> {
        Transition(State::a())
    }

    #[state]
    fn _1(event: &Event) -> Outcome<State> {
        Handled
    }

    #[action]
    fn enter(&mut self) {
        self.count += 1;
    }
}

#[quintet::state_machine(initial = State::open())]
impl Door {
    #[state]
    fn open(event: &u8) -> Outcome<State> {
        Handled
    }
}

mod generic {
    use quintet::chart::prelude::*;

    use super::Generic;

    #[quintet::state_machine(initial = State::only(0))]
    impl<T> Generic<T> {
        #[state]
        fn only(value: &mut T, event: &u8) -> Outcome<State<T>> {
            Transition(State::other())
        }
    }
}

mod by_value {
    use quintet::chart::prelude::*;

    pub struct Moved;

    pub enum Event {
        One(Moved),
    }

    pub struct Taking;

    #[quintet::state_machine(initial = State::only())]
    impl Taking {
        #[state]
        fn only(event: Event) -> Outcome<State> {
            match event {
                Event::One(_one) => Super,
            }
        }
    }
}

#[unsafe(no_mangle)]
fn main() -> ! {
    let mut lamp = Lamp { count: 0, door: Some(Door.machine()) }.machine();
    lamp.start();
    lamp.dispatch(&Event::A);
    lamp.dispatch(&Event::B);
    if lamp.is_in(Within::A) && lamp.state() == &(State::B { left: 1 }) {
        lamp.enter();
    }
    if matches!(lamp.state(), State::A)
        && let Some(door) = &mut lamp.door
    {
        door.dispatch(&1);
    }
    Generic(1).machine().dispatch(&1);
    by_value::Taking.machine().dispatch(by_value::Event::One(by_value::Moved));
    loop {}
}
