//! Group `charts` by statig: the chart as its macro has it. Composite states have no initial
//! transitions, so that Restart names the leaf; the scenario has no figure for it.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::Action::*;
use quintet_bench_common::charts::{Counts, Event};
use statig::prelude::*;

quintet_bench_common::vectors!();

#[derive(Default)]
struct Chart {
    counts: Counts,
}

#[state_machine(initial = "State::a1()")]
impl Chart {
    #[superstate(entry_action = "enter_top", exit_action = "exit_top")]
    fn top(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Up => {
                self.counts.act(Up);
                Handled
            }
            Event::Restart => {
                // The transition doesn't leave `a`, as it names the leaf.
                self.counts.all([ExitA, EnterA]);
                Transition(State::a1())
            }
            _ => Super,
        }
    }

    #[superstate(superstate = "top", entry_action = "enter_a", exit_action = "exit_a")]
    fn a() -> Outcome<State> {
        Super
    }

    #[superstate(superstate = "top", entry_action = "enter_b", exit_action = "exit_b")]
    fn b() -> Outcome<State> {
        Super
    }

    #[state(superstate = "a", entry_action = "enter_a1", exit_action = "exit_a1")]
    fn a1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Internal => {
                self.counts.act(Internal);
                Handled
            }
            Event::Own => Transition(State::a1()),
            Event::Sibling => Transition(State::a2()),
            Event::Deep => Transition(State::b1()),
            _ => Super,
        }
    }

    #[state(superstate = "a", entry_action = "enter_a2", exit_action = "exit_a2")]
    fn a2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[state(superstate = "b", entry_action = "enter_b1", exit_action = "exit_b1")]
    fn b1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[action]
    fn enter_top(&mut self) {
        self.counts.act(EnterTop);
    }

    #[action]
    fn exit_top(&mut self) {
        self.counts.act(ExitTop);
    }

    #[action]
    fn enter_a(&mut self) {
        self.counts.act(EnterA);
    }

    #[action]
    fn exit_a(&mut self) {
        self.counts.act(ExitA);
    }

    #[action]
    fn enter_b(&mut self) {
        self.counts.act(EnterB);
    }

    #[action]
    fn exit_b(&mut self) {
        self.counts.act(ExitB);
    }

    #[action]
    fn enter_a1(&mut self) {
        self.counts.act(EnterA1);
    }

    #[action]
    fn exit_a1(&mut self) {
        self.counts.act(ExitA1);
    }

    #[action]
    fn enter_a2(&mut self) {
        self.counts.act(EnterA2);
    }

    #[action]
    fn exit_a2(&mut self) {
        self.counts.act(ExitA2);
    }

    #[action]
    fn enter_b1(&mut self) {
        self.counts.act(EnterB1);
    }

    #[action]
    fn exit_b1(&mut self) {
        self.counts.act(ExitB1);
    }
}

type Machine = statig::blocking::InitializedStateMachine<Chart>;

#[inline(never)]
fn dispatch(machine: &mut Machine, event: Event) {
    machine.handle(&event);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let machine = Chart::default().uninitialized_state_machine().init();
    chart_rounds!(machine, dispatch, Event, |machine: &Machine| &machine.inner().counts)
}
