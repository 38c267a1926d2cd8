//! A door: superstates, history, storage that internal transitions change, local transitions.

use quintet::chart::prelude::*;

enum Event {
    Knock,
    Open,
    Close,
    Break,
    Repair,
}

struct Door {
    log: Vec<&'static str>,
}

#[quintet::state_machine(initial = State::works(), state(derive(Debug, PartialEq, Eq)))]
impl Door {
    #[superstate(initial = State::shut(), entry_action = begin, exit_action = end)]
    fn works(event: &Event) -> Outcome<State> {
        match event {
            Event::Break => Transition(State::broken(0)),
            _ => Super,
        }
    }

    #[state(superstate = works)]
    fn shut(event: &Event) -> Outcome<State> {
        match event {
            Event::Open => Transition(State::open()),
            _ => Super,
        }
    }

    #[state(superstate = works)]
    fn open(event: &Event) -> Outcome<State> {
        match event {
            Event::Close => Transition(State::shut(), |this| this.log.push("bang")),
            _ => Super,
        }
    }

    #[state]
    fn broken(knocks: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Knock => {
                *knocks += 1;
                Handled
            }
            Event::Repair => History(State::works()),
            _ => Super,
        }
    }

    #[action]
    fn begin(&mut self) {
        self.log.push("begin");
    }

    #[action]
    fn end(&mut self) {
        self.log.push("end");
    }
}

#[test]
fn a_door_is_open_again_after_its_repair() {
    let mut door = Door { log: Vec::new() }.machine();
    door.dispatch(&Event::Open);
    door.dispatch(&Event::Break);
    door.dispatch(&Event::Knock);
    assert_eq!(door.state(), &State::Broken { knocks: 1 });
    door.dispatch(&Event::Repair);
    assert!(door.is_in(Within::Works) && door.state() == &State::Open);
    door.dispatch(&Event::Close);
    assert_eq!(door.log, ["begin", "end", "begin", "bang"]);
}

/// A machine whose state has a variable of a name that the expansion might use.
mod counter {
    use quintet::chart::prelude::*;

    pub struct Counter;

    #[quintet::state_machine(initial = State::counts(0))]
    impl Counter {
        #[state]
        fn counts(machine: &mut u8, event: &u8) -> Outcome<State> {
            *machine += *event;
            Handled
        }
    }
}

#[test]
fn a_variable_may_be_called_as_the_machine_is() {
    let mut counter = counter::Counter.machine();
    counter.dispatch(&2);
    counter.dispatch(&3);
    assert!(matches!(counter.state(), counter::State::Counts { machine: 5 }));
}
