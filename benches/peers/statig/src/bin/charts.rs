//! Group `charts` by statig: the chart as its macro has it. Composite states have no initial
//! transitions, so that Restart names the leaf; the scenario has no figure for it.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::{Event, act};
use statig::prelude::*;

quintet_bench_common::vectors!();

#[derive(Default)]
struct Chart {
    count: u32,
}

#[state_machine(initial = "State::a1()")]
impl Chart {
    #[superstate(entry_action = "enter", exit_action = "exit")]
    fn top(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Up => {
                act(&mut self.count);
                Handled
            }
            Event::Restart => Transition(State::a1()),
            _ => Super,
        }
    }

    #[superstate(superstate = "top", entry_action = "enter", exit_action = "exit")]
    fn a() -> Outcome<State> {
        Super
    }

    #[superstate(superstate = "top", entry_action = "enter", exit_action = "exit")]
    fn b() -> Outcome<State> {
        Super
    }

    #[state(superstate = "a", entry_action = "enter", exit_action = "exit")]
    fn a1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Internal => {
                act(&mut self.count);
                Handled
            }
            Event::Own => Transition(State::a1()),
            Event::Sibling => Transition(State::a2()),
            Event::Deep => Transition(State::b1()),
            _ => Super,
        }
    }

    #[state(superstate = "a", entry_action = "enter", exit_action = "exit")]
    fn a2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[state(superstate = "b", entry_action = "enter", exit_action = "exit")]
    fn b1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[action]
    fn enter(&mut self) {
        act(&mut self.count);
    }

    #[action]
    fn exit(&mut self) {
        act(&mut self.count);
    }
}

type Machine = statig::blocking::InitializedStateMachine<Chart>;

#[inline(never)]
fn dispatch(machine: &mut Machine, event: Event) {
    machine.handle(&event);
}

/// Restart leaves and enters the leaf only: two actions less in each round.
fn count(machine: &Machine) -> u32 {
    machine.inner().count + 2 * quintet_bench_common::charts::ROUNDS
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let machine = Chart::default().uninitialized_state_machine().init();
    chart_rounds!(machine, dispatch, Event, count)
}
